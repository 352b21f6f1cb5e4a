"""What to compare: programs, devices and two environments, read from a file of TOML or JSON."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
from typing import Any, Mapping, Optional, Sequence, Union

SIDES = ("base", "head")
"""The names of the two environments: before and after."""


@dataclasses.dataclass(frozen=True)
class Environment:
    """A Python with JAX and a compiler: packages to install, or an interpreter that has them."""

    name: str
    """``"base"`` or ``"head"``."""
    requirements: tuple[str, ...] = ()
    """Lines of a requirements file: ``"jax[tpu]==0.10.2"``, ``"--pre"``. Empty for an interpreter that is there."""
    python: Optional[str] = None
    """The interpreter: of the environment, or that makes it if there are requirements."""
    variables: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """Environment variables of the compiles, such as ``LIBTPU_INIT_ARGS``."""
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Options of the compiler by name, without dashes."""


@dataclasses.dataclass(frozen=True)
class ProgramSource:
    """A function of a file that gives programs."""

    file: str
    function: str

    @property
    def label(self) -> str:
        return f"{os.path.basename(self.file)}:{self.function}"


@dataclasses.dataclass(frozen=True)
class Config:
    """What ``hloroof.radar.run`` does."""

    programs: tuple[ProgramSource, ...]
    devices: tuple[str, ...]
    base: Environment
    head: Environment
    fail_on: tuple[str, ...] = ()
    """Conditions of ``hloroof diff --fail-if``, such as ``"step>+5%"``."""
    passes: bool = True
    """Whether to dump the passes of the compiles, to find the pass at which a difference begins."""
    timeout: float = 1200
    """Seconds for one compile."""

    @property
    def environments(self) -> tuple[Environment, Environment]:
        return self.base, self.head


def read_config(path: Union[str, os.PathLike[str]]) -> Config:
    """Reads a file of TOML or JSON. Raises ``ValueError`` with the member that is wrong, ``FileNotFoundError``."""
    file = pathlib.Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"{file}: there is no such file")
    try:
        return config_of(_parsed(file), file.resolve().parent)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def _parsed(file: pathlib.Path) -> Any:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".json":
        return json.loads(text)
    try:
        import tomllib
    except ImportError:  # Python 3.10
        try:
            import tomli as tomllib  # type: ignore[import-not-found, no-redef, unused-ignore]
        except ImportError:
            raise ValueError("Python 3.10 reads no TOML: pip install tomli, or write the same as JSON") from None
    return tomllib.loads(text)


def config_of(data: Any, folder: Union[str, os.PathLike[str]] = ".") -> Config:
    """The same of a dict. Paths are relative to ``folder``."""
    if not isinstance(data, Mapping):
        raise ValueError(f"expected a table with programs, devices and environments, not {_kind(data)}")
    _check_names(data, ("programs", "devices", "environments", "fail_on", "passes", "timeout"), "")
    sides = data.get("environments")
    if not isinstance(sides, Mapping) or sorted(sides) != sorted(SIDES):
        raise ValueError('environments: expected two, base and head: base = ["jax[tpu]==0.10.2"]')
    passes, timeout = data.get("passes", True), data.get("timeout", 1200)
    if not isinstance(passes, bool):
        raise ValueError(f"passes: expected true or false, not {passes!r}")
    if isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or not timeout > 0:
        raise ValueError(f"timeout: expected seconds, not {timeout!r}")
    base, head = (_environment(name, sides[name], folder) for name in SIDES)
    return Config(
        programs=tuple(_source(name, folder) for name in _texts(data, "programs", "file.py:function")),
        devices=tuple(_device(name, folder) for name in _texts(data, "devices", "tpu_v7x:2x2x1")),
        base=base,
        head=head,
        fail_on=tuple(_texts(data, "fail_on", "step>+5%", may_be_empty=True)),
        passes=passes,
        timeout=float(timeout),
    )


def _environment(name: str, given: Any, folder: Union[str, os.PathLike[str]]) -> Environment:
    where = f"environments.{name}"
    if isinstance(given, str):
        return Environment(name, python=_interpreter(given, folder))
    if isinstance(given, Sequence):
        given = {"requirements": given}
    if not isinstance(given, Mapping):
        raise ValueError(f"{where}: expected a list of packages, the path of a Python, or a table, not {_kind(given)}")
    _check_names(given, ("requirements", "python", "variables", "options"), where + ".")
    python = given.get("python")
    if python is not None and not isinstance(python, str):
        raise ValueError(f"{where}.python: expected the path of an interpreter, not {_kind(python)}")
    requirements = _texts(given, "requirements", "jax[tpu]==0.10.2", may_be_empty=True, where=where + ".")
    if not requirements and python is None:
        raise ValueError(f"{where}: expected requirements, python, or both")
    variables = given.get("variables", {})
    if not isinstance(variables, Mapping) or not all(isinstance(value, str) for value in variables.values()):
        raise ValueError(f"{where}.variables: expected texts by name")
    options = given.get("options", {})
    if not isinstance(options, Mapping) or not all(isinstance(v, (str, bool, int, float)) for v in options.values()):
        raise ValueError(f"{where}.options: expected texts, numbers, true or false by name")
    return Environment(
        name,
        tuple(requirements),
        None if python is None else _interpreter(python, folder),
        dict(variables),
        dict(options),
    )


def _interpreter(given: str, folder: Union[str, os.PathLike[str]]) -> str:
    """A path from the folder of the file; a name without slashes is looked for in ``PATH``. No link is followed: that of an
    environment says which one it is."""
    path = os.path.expanduser(given)
    return os.path.normpath(os.path.join(folder, path)) if os.sep in path else path


def _source(given: str, folder: Union[str, os.PathLike[str]]) -> ProgramSource:
    file, colon, function = given.rpartition(":")
    if not colon or not file.endswith(".py") or not function:
        raise ValueError(f'programs: expected "file.py:function", not {given!r}')
    path = os.path.normpath(os.path.join(os.path.abspath(folder), os.path.expanduser(file)))
    if not os.path.isfile(path):
        raise ValueError(f"programs: there is no file {path}")
    return ProgramSource(path, function)


def _device(given: str, folder: Union[str, os.PathLike[str]]) -> str:
    """A name of a device, or the path of a device file from the folder of the config."""
    return os.path.join(folder, given) if given.endswith(".json") else given


def _texts(data: Mapping[str, Any], name: str, example: str, may_be_empty: bool = False, where: str = "") -> list[str]:
    given = data.get(name, [])
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, Sequence) or not all(isinstance(value, str) for value in given):
        raise ValueError(f'{where}{name}: expected texts such as "{example}", not {given!r}')
    if not given and not may_be_empty:
        raise ValueError(f'{where}{name}: expected at least one, such as "{example}"')
    return list(given)


def _check_names(given: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for name in given:
        if name not in known:
            raise ValueError(f"{where}{name}: there is no such member; expected one of {', '.join(known)}")


def _kind(value: Any) -> str:
    return "nothing" if value is None else type(value).__name__
