"""The options of a prediction as keyword arguments, and how they become those of the library."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, TypedDict, Union

from hloroof import _core
from hloroof._kernel_lists import KernelLists, kernel_lists_of

Number = Union[float, str]
"""A number in SI units, or a multiple of the device's value: ``"2x"``."""


class Options(TypedDict, total=False):
    """The options of ``predict_step_time``, which documents them and has the defaults."""

    topology: Optional[str]
    slices: Optional[int]
    partitions: Optional[int]
    estimates: str
    trip_counts: Optional[Mapping[str, int]]
    default_trip_count: int
    custom_calls: Optional[Mapping[str, Mapping[str, float]]]
    set: Optional[Mapping[str, Number]]
    branch_probabilities: Optional[Mapping[str, Sequence[float]]]
    kernel_lists: Optional[KernelLists]
    mesh: Union[Mapping[str, int], str, None]
    mesh_order: Optional[Sequence[str]]
    device_order: Union[Sequence[int], str, None]
    wrap: Optional[bool]
    reduce_dtype: Optional[str]
    imbalance: float
    strict: bool
    allow_other_backend: bool


def number_text(value: Any) -> str:
    """A value of ``set`` as the command takes it."""
    return value if isinstance(value, str) else format(float(value), ".17g")


def core_options(device: str, options: Options) -> _core.PredictOptions:
    """The options of the library. Raises ``ValueError`` and ``hloroof.Error`` for malformed ones, ``TypeError`` for unknown ones."""
    unknown = sorted(options.keys() - Options.__annotations__.keys())
    if unknown:
        raise TypeError(f"unknown option {unknown[0]!r}; expected one of {', '.join(Options.__annotations__)}")
    core = _core.PredictOptions()
    estimates = options.get("estimates", "model")
    if estimates not in ("model", "compiler"):
        raise ValueError(f'estimates={estimates!r}: expected "model" or "compiler"')
    core.compiler_estimates = estimates == "compiler"
    core.topology = options.get("topology")
    core.slices = options.get("slices")
    core.partitions = options.get("partitions")
    core.trip_counts = {name.lstrip("%"): count for name, count in (options.get("trip_counts") or {}).items()}
    core.default_trip_count = options.get("default_trip_count", 1)
    core.custom_calls = [_custom_call(target, work) for target, work in (options.get("custom_calls") or {}).items()]
    settings = options.get("set")
    if settings:
        core.set = _core.settings(device, [f"{name}={number_text(value)}" for name, value in settings.items()])
    probabilities = options.get("branch_probabilities") or {}
    core.branch_probabilities = {name.lstrip("%"): list(shares) for name, shares in probabilities.items()}
    core.kernel_lists = kernel_lists_of(options.get("kernel_lists"))
    mesh = options.get("mesh")
    if mesh:
        core.set_mesh(mesh if isinstance(mesh, str) else ",".join(f"{name}={size}" for name, size in mesh.items()))
    core.mesh_order = list(options.get("mesh_order") or [])
    order = options.get("device_order")
    if order is not None:
        core.set_device_order(order if isinstance(order, str) else ",".join(map(str, order)))
    core.wrap = options.get("wrap")
    reduce_dtype = options.get("reduce_dtype")
    if reduce_dtype is not None:
        core.set_reduce_dtype(reduce_dtype)
    imbalance = options.get("imbalance", 1)
    if not imbalance >= 1:
        raise ValueError(f"imbalance={imbalance!r}: expected a number from 1")
    core.imbalance = imbalance
    core.strict = options.get("strict", False)
    return core


def _custom_call(target: str, work: Mapping[str, float]) -> _core.CustomCallCost:
    call = _core.CustomCallCost()
    call.target = target
    for name, value in work.items():
        if name not in ("flops", "bytes", "transcendentals", "seconds"):
            raise ValueError(f"custom_calls[{target!r}]: no {name!r}; expected flops, bytes, transcendentals, seconds")
        setattr(call, name, value)
    return call
