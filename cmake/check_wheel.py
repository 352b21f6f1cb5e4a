"""Checks the installed package: the cost of importing it, that its command runs, and that it links to the C library only."""

import pathlib
import re
import subprocess
import sys
import time

sys.path.pop(0)  # the package that is installed, not one next to this file

started = time.perf_counter()
import hloroof  # noqa: E402

seconds = time.perf_counter() - started
folder = pathlib.Path(hloroof.__file__).parent
size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and file.suffix != ".pyc")
said = subprocess.run(["ldd", hloroof._core.__file__], capture_output=True, text=True, check=True).stdout
needed = re.findall(r"^\s*(\S+)", said, re.M)
foreign = [name for name in needed if not re.match(r"linux-vdso|lib(c|m|dl|rt|pthread|gcc_s)\.so|/.*/ld-linux", name)]
print(f"wheels:   imported in {1e3 * seconds:.0f} ms; {size / 1e6:.1f} MB; needs {', '.join(needed)}")
help_text = subprocess.run([sys.executable, "-m", "pydoc", "hloroof.predict_step_time"], capture_output=True, text=True).stdout
if "Predicts one step of" not in help_text:
    sys.exit("wheels: help(hloroof.predict_step_time) has no documentation")
command = pathlib.Path(sys.executable).parent / "hloroof"
if subprocess.run([command, "--version"], capture_output=True).returncode != 0:
    sys.exit("wheels: hloroof --version fails")
if foreign:
    sys.exit(f"wheels: not linked in: {', '.join(foreign)}")
