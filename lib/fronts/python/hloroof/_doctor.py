"""What is installed, and what is missing for what. Imports nothing of what it looks for: JAX and libtpu take seconds, and libtpu
takes the TPU."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import importlib.util
import json
import os
import pathlib
import platform
import re
import sys
import textwrap
from typing import Any, Optional

from hloroof import _core, _cuda


@dataclasses.dataclass(frozen=True)
class InstalledPackage:
    """A package that hloroof can use."""

    name: str
    """As pip names it."""
    version: Optional[str]
    """None if it is not installed, empty if it has no metadata."""


@dataclasses.dataclass(frozen=True)
class Feature:
    """Something that hloroof does, alone or with packages."""

    what: str
    """What it is, in words."""
    needs: tuple[str, ...]
    """Packages, with a version where it matters; empty if it needs none."""
    missing: tuple[str, ...]
    """Those of them that are not installed, or not in this version."""
    install: Optional[str]
    """The command that installs what is missing; None if nothing is."""


@dataclasses.dataclass(frozen=True)
class Installation:
    """The answer of ``doctor``. ``print`` shows what ``hloroof doctor`` prints."""

    version: str
    """Of hloroof and of its device files, as ``hloroof --version`` prints it."""
    devices: int
    """Built-in devices."""
    python: str
    """Version, implementation and machine."""
    executable: str
    """Path of the interpreter."""
    folder: str
    """Path of the package hloroof."""
    packages: tuple[InstalledPackage, ...]
    features: tuple[Feature, ...]

    def to_dict(self) -> dict[str, Any]:
        """The members as dicts and lists: what ``hloroof doctor --format json`` prints."""
        plain: dict[str, Any] = json.loads(json.dumps(dataclasses.asdict(self)))
        return {"schema": "hloroof.doctor/1", **plain}

    def __str__(self) -> str:
        width = max(len(package.name) for package in self.packages)
        lines = [
            f"{self.version}, {self.devices} built-in devices",
            f"{self.python}: {self.executable}",
            f"package {self.folder}",
            "",
            "Packages",
            *(f"  {package.name:{width}}  {_shown(package.version)}" for package in self.packages),
            "",
            "What works, and what is missing for the rest",
        ]
        for feature in self.features:
            mark = "no" if feature.missing else "yes"
            lines += textwrap.wrap(feature.what, 79, initial_indent=f"  {mark:4} ", subsequent_indent=" " * 7)
            if feature.install is not None:
                lines.append(f"       {feature.install}")
        return "\n".join(lines)


def doctor() -> Installation:
    """Returns the versions and the packages that are here, and what is missing for what. Imports neither JAX nor libtpu."""
    jaxlib = _version("jaxlib")
    cuda = "cuda13" if (_cuda.plugin() or "").startswith("jax-cuda13") else "cuda12"
    nvcc = "nvidia-cuda-nvcc-cu12" if cuda == "cuda12" else "nvidia-cuda-nvcc"
    same = f"=={jaxlib}" if jaxlib else ""  # of the plugin, which works with one version only
    plugin = (f"jax-{cuda}-plugin{same}", f"jax-{cuda}-pjrt{same}")
    names = ["jax", "jaxlib", "libtpu", f"jax-{cuda}-plugin", f"jax-{cuda}-pjrt", nvcc]
    names += ["numpy", "pandas", "matplotlib", "distributed", "cloudpickle", "pytest"]
    features = [
        _feature("Predictions of HLO text, dumps, protos and profiles, and edits of them"),
        _feature("Predictions of what JAX lowers or compiles, and of Pallas kernels", "jax"),
        _feature("hloroof.jax.compile_for for a TPU that is not there, and kernels as its compiler makes them", "jax", "libtpu"),
        _feature("hloroof.jax.compile_for for an NVIDIA GPU that is not there", "jax", *plugin, nvcc),
        _feature("hloroof.jax.watch, transform and reschedule, inside a compile", "jax" if _has_hook() else "jax>=0.12"),
        _feature("hloroof.tune, with one of the compilers above", "jax"),
        _feature("Plots of hloroof.tune", "matplotlib"),
        *([_feature("hloroof.radar with a config of TOML", "tomli")] if sys.version_info < (3, 11) else []),
        _feature("hloroof.tune and sweeps on a Dask cluster", "distributed"),
        _feature("hloroof.tune with functions that no module has, such as those of a notebook", "cloudpickle"),
        _feature("to_pandas(), tables as data frames", "pandas"),
        _feature("The plugin for pytest, and assert_snapshot", "pytest"),
    ]
    return Installation(
        version=_core.version_text(),
        devices=len(_core.device_names()),
        python=f"{platform.python_implementation()} {platform.python_version()} on {platform.system()} {platform.machine()}",
        executable=sys.executable,
        folder=os.path.dirname(os.path.abspath(__file__)),
        packages=tuple(InstalledPackage(name, _version(name)) for name in names),
        features=tuple(features),
    )


def _feature(what: str, *needs: str) -> Feature:
    missing = tuple(need for need in needs if not _is_met(need))
    line = "pip install " + " ".join(f"'{need}'" if ">" in need else need for need in missing)
    return Feature(what, needs, missing, line if missing else None)


def _has_hook() -> bool:
    """Whether JAX has what ``hloroof._hook`` asks of it. A version does not tell: JAX 0.10.2 has it, too."""
    spec = importlib.util.find_spec("jax")
    for folder in (spec.submodule_search_locations if spec is not None else None) or ():
        path = pathlib.Path(folder, "extend", "xla.py")
        if path.exists() and "register_hlo_module_transformation" in path.read_text():
            return True
    return False


def _is_met(need: str) -> bool:
    """Whether a package is here, in the version of ``name==1.2`` or at least that of ``name>=1.2``. A version that nobody knows
    will do."""
    name, relation, wanted = re.fullmatch(r"([\w-]+)(==|>=)?(.*)", need).groups()  # type: ignore[union-attr]
    version = _version(name)
    if version is None:
        return False
    if not relation or not version:
        return True
    return version == wanted if relation == "==" else _numbers(version) >= _numbers(wanted)


def _numbers(version: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", version)[:2]]


def _version(name: str) -> Optional[str]:
    """The version of an installed package, empty if only the module is there; ``None`` without either."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
    try:
        return "" if importlib.util.find_spec(name) is not None else None
    except (ImportError, ValueError):
        return None


def _shown(version: Optional[str]) -> str:
    return "not installed" if version is None else version or "of unknown version"
