"""What to try: the candidates and the function that makes a program of each."""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import itertools
import json
import os
import sys
from typing import Any, Callable, Mapping, Optional, Sequence

Candidate = dict[str, Any]
"""One value of each axis, by name."""


@dataclasses.dataclass(frozen=True)
class Program:
    """A function and how to run it. The fields are arguments of ``jax.jit`` with ``PartitionSpec`` as shardings."""

    function: Callable[..., Any]
    """The function; it is jitted with the shardings below. ``with_sharding_constraint`` may use the axes of ``mesh``."""
    arguments: Sequence[Any]
    """``jax.ShapeDtypeStruct``, arrays, or structures of them; only shapes and types matter."""
    mesh: Mapping[str, int] = dataclasses.field(default_factory=dict)
    """Axes of the devices and their sizes, outermost first: ``{"data": 4, "model": 4}``."""
    in_shardings: Any = None
    """A ``PartitionSpec`` for each argument, or a structure of them; None leaves it to the compiler."""
    out_shardings: Any = None
    donate_argnums: Sequence[int] = ()
    """Arguments whose memory the function may reuse, such as parameters and the optimizer's state."""
    static_argnums: Sequence[int] = ()
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Flags of the compiler: ``{"xla_tpu_scoped_vmem_limit_kib": "65536"}``."""
    examples: float = 1
    """Examples (or tokens) that one step processes. Candidates are ranked by step time per example."""
    predict: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Options of ``hloroof.predict_step_time``."""


@dataclasses.dataclass(frozen=True)
class Space:
    """Candidates for one function on one device. See ``hloroof.tune``."""

    device: str
    """A TPU with its topology, or a number of GPUs: ``"tpu_v5e:4x4"``, ``"h100_sxm:8"``."""
    build: Callable[..., Program]
    """Makes the program of a candidate, whose values are the keyword arguments. It runs in worker processes, so it is a function
    of a module or a script; one of a notebook needs cloudpickle. What it raises is the reason that the candidate cannot run."""
    axes: Mapping[str, Sequence[Any]]
    """The values to try for each argument: numbers, strings, and lists and dicts of them."""
    grows: Sequence[str] = ()
    """Axes along which a program only needs more memory, such as the batch. If a candidate does not fit, those with greater values
    there are not compiled."""
    where: Optional[Callable[..., bool]] = None
    """Combinations for which it returns false are left out. It takes the same arguments as ``build``."""
    xla_flags: Mapping[str, Sequence[Any]] = dataclasses.field(default_factory=dict)
    """The values to try for flags of the compiler, ``{"xla_tpu_scoped_vmem_limit_kib": [None, 32768, 65536]}``, where None leaves a flag
    as it is. They are axes that ``build`` does not see, and hold besides ``Program.options``."""

    def candidates(self) -> list[Candidate]:
        """Returns all combinations. Those with the least values of ``grows`` come first."""
        for name in self.grows:
            if name not in self.axes:
                raise ValueError(f"grows has {name!r}, which is not an axis; expected one of {', '.join(self.axes)}")
        for field, given in (("axes", self.axes), ("xla_flags", self.xla_flags)):
            for name, values in given.items():
                if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
                    raise ValueError(f"{field}[{name!r}]={values!r}: expected a list of values")
        for name in self.xla_flags:
            if name in self.axes:
                raise ValueError(f"{name} is in axes and in xla_flags; flags are not for build")
            if name.startswith("-"):
                raise ValueError(f"xla_flags[{name!r}]: expected the name without dashes")
        found = [dict(zip(self.axes, values)) for values in itertools.product(*self.axes.values())]
        found = [candidate for candidate in found if self.where is None or self.where(**candidate)]
        flags = [dict(zip(self.xla_flags, values)) for values in itertools.product(*self.xla_flags.values())]
        found = [{**candidate, **more} for candidate in found for more in flags]
        for candidate in found:
            key_of(candidate)  # raises for values that cannot be kept
        return sorted(found, key=lambda candidate: [candidate[name] for name in self.grows])


def key_of(candidate: Candidate) -> str:
    """The candidate as text, equal for equal candidates. Raises ``ValueError`` for values that are not plain."""
    try:
        return json.dumps(candidate, sort_keys=True)
    except TypeError as error:
        raise ValueError(f"{candidate}: values of an axis are numbers, strings, lists and dicts: {error}") from None


def label(value: Any) -> str:
    """A value as a table shows it: a mesh as ``data=4 model=4``."""
    if isinstance(value, Mapping):
        return " ".join(f"{name}={label(entry)}" for name, entry in value.items()) or "-"
    if isinstance(value, (list, tuple)):
        return ",".join(label(entry) for entry in value) or "-"
    return f"{value:g}" if isinstance(value, float) else str(value)


def describe(candidate: Candidate) -> str:
    """``mesh: data=4 model=4, remat: full``."""
    return ", ".join(f"{name}: {label(value)}" for name, value in candidate.items())


def meshes(devices: int, *names: str, most: Optional[Mapping[str, int]] = None) -> list[dict[str, int]]:
    """Returns all meshes of ``devices`` devices with these axes, as values for an axis of a space:
    ``meshes(4, "data", "model")`` is ``[{"data": 4, "model": 1}, {"data": 2, "model": 2}, {"data": 1, "model": 4}]``.
    ``most`` limits the size of an axis: ``{"model": 8}``."""
    if devices < 1 or not names:
        raise ValueError(f"meshes({devices}, {', '.join(map(repr, names))}): expected at least one device and one axis")
    divisors = [size for size in range(devices, 0, -1) if devices % size == 0]
    found = []
    for sizes in itertools.product(divisors, repeat=len(names) - 1):
        product = 1
        for size in sizes:
            product *= size
        if devices % product == 0:
            found.append(dict(zip(names, (*sizes, devices // product))))
    limits = most or {}
    return [mesh for mesh in found if all(size <= limits.get(name, size) for name, size in mesh.items())]


def load_space(name: str) -> Space:
    """Returns the space ``"module:name"`` or ``"path.py:name"``, or what the function of that name returns."""
    where, colon, attribute = name.rpartition(":")
    if not colon or not where or not attribute:
        raise ValueError(f'{name!r}: expected "module:space" or "path.py:space"')
    if where.endswith(".py"):
        path = os.path.abspath(where)
        if not os.path.exists(path):
            raise ValueError(f"{name!r}: there is no file {path}")
        folder, where = os.path.dirname(path), os.path.basename(path)[:-3]
        if folder not in sys.path:
            sys.path.insert(0, folder)
    elif "" not in sys.path and os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    if importlib.util.find_spec(where.partition(".")[0]) is None:
        raise ValueError(f"{name!r}: there is no module {where}")
    found = getattr(importlib.import_module(where), attribute, None)
    space = found() if callable(found) else found
    if not isinstance(space, Space):
        raise ValueError(f"{name!r}: expected a hloroof.tune.Space or a function that returns one, not {type(space).__name__}")
    return space
