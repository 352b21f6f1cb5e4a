"""A prediction as plain objects: the members of the JSON that ``hloroof predict --format json`` prints, in SI units.

A fact that is absent is None, never a made-up zero.
"""

from __future__ import annotations

import dataclasses
import html
from dataclasses import dataclass, field
from typing import Any, Optional

from hloroof import _core


@dataclass(frozen=True)
class Generator:
    version: str
    device_file_sha256: Optional[str]


@dataclass(frozen=True)
class ModuleFacts:
    name: str
    instructions: int
    num_partitions: int
    replica_count: int
    is_scheduled: bool


@dataclass(frozen=True)
class Device:
    """``set`` holds the numbers of the device that were changed for this prediction."""

    name: str
    topology: str
    slices: int
    set: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Resource:
    """How busy a part of the machine is; ``utilization`` is a share of the step."""

    name: str
    busy_seconds: float
    utilization: float
    idle_seconds: float
    step_if_free_seconds: Optional[float]


@dataclass(frozen=True)
class Totals:
    flops: float
    transcendentals: float
    hbm_bytes: float
    logical_bytes: float
    padded_bytes: float
    wire_bytes: float


@dataclass(frozen=True)
class Coverage:
    """Shares of the step, together 1."""

    modelled: float
    assumed: float
    unknown: float


@dataclass(frozen=True)
class Op:
    """One executed top-level instruction. ``total_seconds`` is ``seconds`` x ``executions``."""

    name: str
    computation: str
    opcode: str
    category: str
    executions: float
    seconds: float
    total_seconds: float
    exposed_seconds: float
    critical_seconds: float
    bound: Optional[str]
    flops: float
    transcendentals: float
    hbm_bytes: float
    vmem_bytes: float
    wire_bytes: float
    logical_bytes: float
    padded_bytes: float
    efficiency: Optional[float]
    source: str
    op_name: Optional[str]
    source_file: Optional[str]
    source_line: Optional[int]


@dataclass(frozen=True)
class CriticalPart:
    category: str
    seconds: float


@dataclass(frozen=True)
class MeshAxis:
    name: str
    size: int
    stride: int
    roles: list[str]
    why: Optional[str]
    placement: str


@dataclass(frozen=True)
class Collective:
    name: str
    kind: str
    bytes: float
    group_size: int
    group_count: int
    axes: list[str]
    axis_names: list[str]
    algorithm: Optional[str]
    seconds: float
    exposed_seconds: float
    wire_bytes: float
    busiest_link_bytes: float
    link_bandwidth: Optional[float]
    link_utilization: Optional[float]
    crossover_bytes: Optional[float]
    crossover_tokens: Optional[float]


@dataclass(frozen=True)
class LiveBuffer:
    name: str
    shape: str
    bytes: float
    padding_bytes: float


@dataclass(frozen=True)
class Memory:
    peak_bytes: float
    hbm_peak_bytes: float
    arguments_bytes: float
    outputs_bytes: float
    aliased_bytes: float
    temporaries_bytes: float
    capacity_bytes: float
    fits: bool
    vmem_peak_bytes: float
    host_peak_bytes: float
    padding_bytes: float
    live_at_peak: list[LiveBuffer] = field(repr=False)


@dataclass(frozen=True)
class Diagnostic:
    code: str
    severity: str
    message: str
    op: Optional[str]
    seconds_at_stake: Optional[float]


# Members that are objects of their own, and those that are lists of them.
_OBJECTS = {
    "generator": Generator,
    "module": ModuleFacts,
    "device": Device,
    "totals": Totals,
    "coverage": Coverage,
    "memory": Memory,
}
_LISTS = {
    "resources": Resource,
    "ops": Op,
    "critical_path": CriticalPart,
    "mesh": MeshAxis,
    "collectives": Collective,
    "diagnostics": Diagnostic,
    "live_at_peak": LiveBuffer,
}


def _make(cls: type, data: dict[str, Any]) -> Any:
    """`cls` from the members of `data` that it has, so that a newer library may say more."""
    names = cls.__dataclass_fields__
    values = {name: value for name, value in data.items() if name in names}
    for name, value in values.items():
        if name in _OBJECTS:
            values[name] = _make(_OBJECTS[name], value)
        elif name in _LISTS:
            values[name] = [_make(_LISTS[name], entry) for entry in value]
    return cls(**values)


def _plain(value: Any) -> Any:
    """`value` with objects turned into dicts. Some ten times as fast as dataclasses.asdict, which copies every leaf."""
    if dataclasses.is_dataclass(value):
        return {name: _plain(member) for name, member in vars(value).items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return value


@dataclass(frozen=True, repr=False)
class StepPrediction:
    """The step time of a program on a device, why it is what it is, and how much of that is known.

    ``print(prediction)`` shows what the command shows; ``to_dict()`` is the JSON; ``records()`` is what
    ``pandas.DataFrame`` takes, a row an op.
    """

    schema: str
    generator: Generator
    module: ModuleFacts
    device: Device
    step_seconds: float
    lower_bound_seconds: float
    serial_seconds: float
    compiler_estimate_seconds: Optional[float]
    bound: str
    mfu: Optional[float]
    resources: list[Resource]
    exposed_communication_seconds: float
    totals: Totals
    coverage: Coverage
    ops: list[Op]
    critical_path: list[CriticalPart]
    mesh: list[MeshAxis]
    collectives: list[Collective]
    memory: Memory
    diagnostics: list[Diagnostic]
    _summary: str = field(default="", compare=False)

    @classmethod
    def from_dict(cls, data: dict[str, Any], summary: str = "") -> StepPrediction:
        """From the JSON of a prediction, as ``to_dict()`` or the command gives it."""
        return dataclasses.replace(_make(cls, data), _summary=summary)

    def to_dict(self) -> dict[str, Any]:
        """The prediction as dicts, lists, numbers and strings: schema ``hloroof.prediction/1``."""
        data = _plain(self)
        del data["_summary"]
        return data

    def records(self) -> list[dict[str, Any]]:
        """A flat dict an op, with the program and the device in front: rows for ``pandas.DataFrame``."""
        place = {"module": self.module.name, "device": self.device.name, "topology": self.device.topology}
        return [{**place, **vars(op)} for op in self.ops]

    def top_ops(self, n: int = 10) -> list[Op]:
        """The ops that take most of the step, longest first."""
        return sorted(self.ops, key=lambda op: -op.exposed_seconds)[:n]

    def __repr__(self) -> str:
        return f"StepPrediction({self._headline()})"

    def __str__(self) -> str:
        return self._summary or repr(self)

    def _place(self) -> str:
        return " ".join(filter(None, [self.module.name, "on", self.device.name, self.device.topology]))

    def _headline(self) -> str:
        parts = [f"{self._place()}: {_core.format_seconds(self.step_seconds)}, bound by {self.bound}"]
        if self.mfu is not None:
            parts.append(f"MFU {_core.format_percent(self.mfu)}")
        if self.coverage.unknown > 0:
            parts.append(f"{_core.format_percent(self.coverage.unknown)} unknown")
        return ", ".join(parts)

    def _repr_html_(self) -> str:
        memory = self.memory
        facts = [
            ("step time", _core.format_seconds(self.step_seconds)),
            ("bound by", self.bound),
            ("MFU", "" if self.mfu is None else _core.format_percent(self.mfu)),
            ("exposed communication", _core.format_seconds(self.exposed_communication_seconds)),
            (
                "peak memory",
                f"{_core.format_bytes(memory.peak_bytes)} of {_core.format_bytes(memory.capacity_bytes)}"
                + ("" if memory.fits else ", does not fit"),
            ),
            ("modelled", _core.format_percent(self.coverage.modelled)),
        ]
        rows = [
            (
                _core.format_percent(op.exposed_seconds / self.step_seconds) if self.step_seconds > 0 else "",
                _core.format_seconds(op.exposed_seconds),
                op.bound or "",
                op.name,
                op.category,
                op.op_name or "",
            )
            for op in self.top_ops()
        ]
        warnings = [d for d in self.diagnostics if d.severity != "info"]
        return (
            f"<h4>{html.escape(self._place())}</h4>"
            + _table([], facts)
            + _table(["share", "time", "bound", "op", "category", "op_name"], rows)
            + "".join(f"<p><b>{html.escape(d.code)}</b> {html.escape(d.message)}</p>" for d in warnings)
        )


def _table(head: list[str], rows: list[Any]) -> str:
    def cells(tag: str, values: Any) -> str:
        return "".join(f"<{tag}>{html.escape(value)}</{tag}>" for value in values)

    lines = [f"<tr>{cells('th', head)}</tr>"] if head else []
    lines += [f"<tr>{cells('td', row)}</tr>" for row in rows]
    return f"<table>{''.join(lines)}</table>"
