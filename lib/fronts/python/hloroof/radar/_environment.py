"""Makes the environments: a folder of the cache for each list of requirements, which several runs may ask for at once."""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Any, Callable, Iterator, Mapping, Optional

from hloroof.radar._config import Environment
from hloroof.radar._work import Work, ask

_READY = "radar-is-ready.txt"  # the last file that is written to an environment
_SHOWN = ("jax", "jaxlib", "libtpu", "jax-cuda12-pjrt", "jax-cuda13-pjrt")
_INSTALL_SECONDS = 3600
_PROBE_SECONDS = 120


@dataclasses.dataclass(frozen=True)
class Installed:
    """An environment that is there, or why it is not."""

    environment: Environment
    python: Optional[str] = None
    """The interpreter; None if there is none."""
    version: str = ""
    """Of Python."""
    packages: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Versions by name."""
    error: Optional[str] = None

    @property
    def label(self) -> str:
        """Versions in a line: ``"jax 0.12.0, libtpu 0.0.52"``."""
        named = {name: self.packages[name] for name in _SHOWN if name in self.packages}
        if named.get("jaxlib") == named.get("jax"):
            named.pop("jaxlib", None)
        parts = [f"{name} {version}" for name, version in named.items()]
        parts += [f"{name}={value}" for name, value in self.environment.variables.items()]
        parts += [f"{name}={value}" for name, value in self.environment.options.items()]
        return ", ".join(parts) or "neither JAX nor a compiler"


def install(environment: Environment, folder: pathlib.Path, note: Callable[[str], Any], again: bool = False) -> Installed:
    """Makes the environment if it is not in the cache, and looks at what it has. A failure is in ``error``, with the words of pip."""
    try:
        python = _interpreter(environment, folder, note, again)
        found = ask(Work(python, {"do": "probe", "file": os.path.abspath(__file__)}, dict(environment.variables)), _PROBE_SECONDS)
    except (OSError, _Failed, subprocess.TimeoutExpired) as error:
        return Installed(environment, error=str(error))
    if found.error is not None:
        return Installed(environment, error=f"{python}: {found.error}")
    return Installed(environment, python, found.result["python"], found.result["packages"])


class _Failed(Exception):
    pass


def _interpreter(environment: Environment, folder: pathlib.Path, note: Callable[[str], Any], again: bool) -> str:
    maker = environment.python or sys.executable
    if not environment.requirements:
        found = shutil.which(maker)
        if found is None:
            raise _Failed(f"{maker}: there is no such interpreter")
        return found
    key = hashlib.sha256(json.dumps([maker, *environment.requirements]).encode()).hexdigest()[:16]
    place = folder / key
    folder.mkdir(parents=True, exist_ok=True)
    with _only_one(folder / f"{key}.lock", lambda: note(f"{environment.name}: waits for another run that installs the same")):
        if again or not (place / _READY).exists():
            shutil.rmtree(place, ignore_errors=True)
            note(f"{environment.name}: installs {' '.join(environment.requirements)} in {place}")
            try:
                _install(place, maker, environment)
            except BaseException:
                shutil.rmtree(place, ignore_errors=True)
                raise
            (place / _READY).write_text("\n".join(environment.requirements) + "\n")
    return str(_python_in(place))


def _python_in(place: pathlib.Path) -> pathlib.Path:
    return place / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _install(place: pathlib.Path, maker: str, environment: Environment) -> None:
    uv = shutil.which("uv")
    _run([uv, "venv", "-q", "--python", maker, str(place)] if uv else [maker, "-m", "venv", str(place)])
    list_of = place / "requirements.txt"
    list_of.write_text("\n".join(environment.requirements) + "\n")
    if uv:
        _run([uv, "pip", "install", "-q", "--python", str(_python_in(place)), "-r", str(list_of)])
    else:
        _run([str(_python_in(place)), "-m", "pip", "install", "-q", "--disable-pip-version-check", "-r", str(list_of)])


def _run(command: list[str]) -> None:
    variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", env=variables, timeout=_INSTALL_SECONDS
    )
    if done.returncode != 0:
        raise _Failed(_words_of_pip(done.stderr + done.stdout) or f"{command[0]} ended with status {done.returncode}")


def _words_of_pip(log: str, most: int = 12) -> str:
    """The errors of a log of pip, or its end if it has none. Of the versions that there are, it has the newest."""
    short = re.sub(r"\(from versions: .*, ((?:[^,]+, ){3}[^,]+)\)", r"(from versions: ..., \1)", log)
    lines = [line.rstrip() for line in short.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith("ERROR")]
    return "\n".join((errors or lines)[-most:])


@contextlib.contextmanager
def _only_one(path: pathlib.Path, wait: Callable[[], Any]) -> Iterator[None]:
    """Holds a lock that the end of the process releases."""
    try:
        import fcntl
    except ImportError:  # Windows, where nobody has tried this
        yield
        return
    with open(path, "w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            wait()
            fcntl.flock(file, fcntl.LOCK_EX)
        yield
