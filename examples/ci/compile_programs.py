"""Compiles the programs of a file ahead of time and writes their HLO text: compile_programs.py PROGRAMS.py FOLDER

The file has a dict or a function `programs`: names to compiled HLO text, objects with as_text(), or functions that return one.
"""

import os
import pathlib
import runpy
import sys

# No TPU VM, so there is no metadata server; the CPU is JAX's own backend.
os.environ.update(TPU_SKIP_MDS_QUERY="1", ALLOW_MULTIPLE_LIBTPU_LOAD="1", JAX_PLATFORMS="cpu")


def main(file: str, folder: str) -> None:
    sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    programs = runpy.run_path(file).get("programs")
    if callable(programs):
        programs = programs()
    if not isinstance(programs, dict) or not programs:
        sys.exit(f"{file}: expected a dict `programs`, or a function that returns one")
    for name, program in programs.items():
        program = program() if callable(program) else program
        text = program if isinstance(program, str) else program.as_text()
        pathlib.Path(folder, f"{name}.hlo").write_text(text)
        print(f"{name}: {len(text)} bytes", file=sys.stderr)


if __name__ == "__main__":
    main(*sys.argv[1:])
