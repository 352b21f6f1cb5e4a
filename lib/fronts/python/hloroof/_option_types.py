# Made from lib/request/option.def by tests/request/python_test.cc.
"""The options of a prediction as keyword arguments."""

from __future__ import annotations

from typing import Mapping, Optional, Sequence, TypedDict, Union

KernelLists = Mapping[str, Sequence[int]]
"""Contents of scalar operands by ``"NAME.OPERAND"``, as ``--kernel`` takes them: ``{"gmm.group_sizes": [128, 384]}``."""

Number = Union[float, str]
"""A number in SI units, or a multiple of the device's value: ``"2x"``."""


class Options(TypedDict, total=False):
    """The options of ``predict_step_time``, which documents them."""

    topology: Optional[str]
    set: Optional[Mapping[str, Number]]
    slices: Optional[int]
    partitions: Optional[int]
    price: Optional[float]
    estimates: str
    code: str
    trip_counts: Optional[Mapping[str, int]]
    default_trip_count: int
    custom_calls: Optional[Mapping[str, Mapping[str, float]]]
    kernel_lists: Optional[KernelLists]
    scoped_vmem_limit_kib: Optional[int]
    branch_probabilities: Optional[Mapping[str, Sequence[float]]]
    model_flops: Optional[float]
    tokens: Optional[float]
    strict: bool
    mesh: Union[Mapping[str, int], str, None]
    mesh_order: Optional[Sequence[str]]
    device_order: Union[Sequence[int], str, None]
    wrap: Optional[bool]
    reduce_dtype: Optional[str]
    imbalance: float
    allow_other_backend: bool
    sensitivity: bool
