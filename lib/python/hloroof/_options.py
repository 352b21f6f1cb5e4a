"""The options of a prediction as keyword arguments, and how they become those of the library."""

from __future__ import annotations

from typing import Any, Mapping, Optional, Sequence, TypedDict, Union

from hloroof import _core
from hloroof._kernel_lists import KernelLists, kernel_lists_of

Number = Union[float, str]
"""A number in SI units, or a multiple of the device's value: ``"2x"``."""


class Options(TypedDict, total=False):
    """The options of ``predict_step_time``, which documents them."""

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


def core_options(
    device: str,
    topology: Optional[str] = None,
    slices: Optional[int] = None,
    partitions: Optional[int] = None,
    estimates: str = "model",
    trip_counts: Optional[Mapping[str, int]] = None,
    default_trip_count: int = 1,
    custom_calls: Optional[Mapping[str, Mapping[str, float]]] = None,
    set: Optional[Mapping[str, Number]] = None,
    branch_probabilities: Optional[Mapping[str, Sequence[float]]] = None,
    kernel_lists: Optional[KernelLists] = None,
    mesh: Union[Mapping[str, int], str, None] = None,
    mesh_order: Optional[Sequence[str]] = None,
    device_order: Union[Sequence[int], str, None] = None,
    wrap: Optional[bool] = None,
    reduce_dtype: Optional[str] = None,
    imbalance: float = 1,
    strict: bool = False,
    allow_other_backend: bool = False,
) -> _core.PredictOptions:
    """The options of the library. Raises ``ValueError`` and ``hloroof.Error`` for malformed ones, ``TypeError`` for unknown ones."""
    if estimates not in ("model", "compiler"):
        raise ValueError(f'estimates={estimates!r}: expected "model" or "compiler"')
    options = _core.PredictOptions()
    options.topology = topology
    options.slices = slices
    options.partitions = partitions
    options.compiler_estimates = estimates == "compiler"
    options.trip_counts = {name.lstrip("%"): count for name, count in (trip_counts or {}).items()}
    options.default_trip_count = default_trip_count
    options.custom_calls = [_custom_call(target, work) for target, work in (custom_calls or {}).items()]
    if set:
        options.set = _core.settings(device, [f"{name}={number_text(value)}" for name, value in set.items()])
    options.branch_probabilities = {
        name.lstrip("%"): list(shares) for name, shares in (branch_probabilities or {}).items()
    }
    options.kernel_lists = kernel_lists_of(kernel_lists)
    if mesh:
        options.set_mesh(mesh if isinstance(mesh, str) else ",".join(f"{name}={size}" for name, size in mesh.items()))
    options.mesh_order = list(mesh_order or [])
    if device_order is not None:
        options.set_device_order(device_order if isinstance(device_order, str) else ",".join(map(str, device_order)))
    options.wrap = wrap
    if reduce_dtype is not None:
        options.set_reduce_dtype(reduce_dtype)
    if not imbalance >= 1:
        raise ValueError(f"imbalance={imbalance!r}: expected a number from 1")
    options.imbalance = imbalance
    options.strict = strict
    return options


def _custom_call(target: str, work: Mapping[str, float]) -> _core.CustomCallCost:
    call = _core.CustomCallCost()
    call.target = target
    for name, value in work.items():
        if name not in ("flops", "bytes", "transcendentals", "seconds"):
            raise ValueError(f"custom_calls[{target!r}]: no {name!r}; expected flops, bytes, transcendentals, seconds")
        setattr(call, name, value)
    return call
