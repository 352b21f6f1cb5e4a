"""Compares the interfaces that programs rely on with what was promised: interfaces_test.py

c_interface.txt has the declarations of hloroof/c.h, python_names.txt the names that the modules of the Python package export,
exit_codes.txt what the command returns. HLOROOF_UPDATE_GOLDEN=1 rewrites them; CHANGES.md says what a change of a line takes.
"""

import ast
import os
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).parents[2]
MODULES = {
    "hloroof": "_public.py",
    "hloroof.jax": "jax.py",
    "hloroof.radar": "radar/__init__.py",
    "hloroof.testing": "testing.py",
    "hloroof.tune": "tune/__init__.py",
}


def c_interface():
    """The header without comments, one declaration a line."""
    text = re.sub(r"/\*.*?\*/", "", (TOP / "include/hloroof/c.h").read_text(), flags=re.DOTALL)
    directives = re.sub(r"\\\n\s*", "", text)
    lines = []
    statement = ""
    for line in directives.splitlines():
        line = line.strip()
        if line.startswith("#"):
            lines.append(line)
        elif line:
            statement = f"{statement} {line}".strip()
            if line.endswith((";", ",", "{", "}")) and statement.count("(") == statement.count(")"):
                lines.append(re.sub(r"\s+", " ", statement))
                statement = ""
    return lines


def python_names():
    lines = []
    for module, file in MODULES.items():
        for node in ast.parse((TOP / "lib/fronts/python/hloroof" / file).read_text()).body:
            if isinstance(node, ast.Assign) and any(isinstance(each, ast.Name) and each.id == "__all__" for each in node.targets):
                lines += sorted(f"{module}.{name}" for name in ast.literal_eval(node.value))
    return lines


def exit_codes():
    return re.findall(r"^inline constexpr int kExit(\w+ = \d+);", (TOP / "lib/fronts/cli/cli.h").read_text(), re.MULTILINE)


PROMISES = (
    ("c_interface.txt", c_interface, "a line that changes or goes takes another HLOROOF_C_VERSION"),
    ("python_names.txt", python_names, "a name that goes takes another minor version"),
    ("exit_codes.txt", exit_codes, "a number that changes takes another minor version"),
)


def main():
    failed = False
    for name, interface, promise in PROMISES:
        path = pathlib.Path(__file__).parent / name
        now = interface()
        if os.environ.get("HLOROOF_UPDATE_GOLDEN"):
            path.write_text("".join(line + "\n" for line in now))
        promised = path.read_text().splitlines()
        if now != promised or not now:
            failed = True
            print(f"tests/release/{name} differs: {promise}; HLOROOF_UPDATE_GOLDEN=1 rewrites it")
            print("".join(f"  gone: {line}\n" for line in promised if line not in now), end="")
            print("".join(f"  new:  {line}\n" for line in now if line not in promised), end="")
        else:
            print(f"tests/release/{name}: {len(now)} lines")
    return 1 if failed else 0


sys.exit(main())
