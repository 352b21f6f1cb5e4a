"""A prediction as plain objects, with the names of the JSON that ``hloroof predict --format json`` prints, in SI units.

``_results`` has the records and their fields; this module adds what a prediction can do. A fact that is not known is None.
"""

from __future__ import annotations

import dataclasses
import html
from dataclasses import dataclass, field
from typing import Any

from hloroof import _core, _results
from hloroof._results import Op


def make_record(cls: type, data: dict[str, Any], records: dict[str, type] = _results.RECORD_OF_MEMBER) -> Any:
    """Makes a `cls` from the members of `data` that it has. Ignores others, which a newer library may add. `records` has the
    classes of members that are records."""
    names = cls.__dataclass_fields__
    values = {name: value for name, value in data.items() if name in names}
    for name, value in values.items():
        record = records.get(name)
        if record is None:
            continue
        # A term lists its parameters by path, the prediction as records.
        if isinstance(value, list):
            values[name] = [make_record(record, entry, records) if isinstance(entry, dict) else entry for entry in value]
        elif value is not None:
            values[name] = make_record(record, value, records)
    return cls(**values)


def _plain(value: Any) -> Any:
    """Turns records into dicts. About ten times as fast as dataclasses.asdict, which copies every leaf."""
    if isinstance(value, _results.Term):  # the JSON of a term has no nulls: it leaves such members out
        return {name: _plain(member) for name, member in vars(value).items() if member is not None}
    if dataclasses.is_dataclass(value):
        return {name: _plain(member) for name, member in vars(value).items()}
    if isinstance(value, list):
        return [_plain(entry) for entry in value]
    return value


@dataclass(frozen=True, repr=False)
class StepPrediction(_results.StepPrediction):
    """The step time of a program on a device, the reasons for it, and how much of it is known.

    ``print(prediction)`` shows the same text as the command. ``to_dict()`` returns the JSON. ``records()`` returns one row
    for each op, for ``pandas.DataFrame``.
    """

    _summary: str = field(default="", compare=False)

    @classmethod
    def from_dict(cls, data: dict[str, Any], summary: str = "") -> StepPrediction:
        """Makes a prediction from its JSON, as ``to_dict()`` or the command returns it."""
        return dataclasses.replace(make_record(cls, data), _summary=summary)

    def to_dict(self) -> dict[str, Any]:
        """Returns dicts, lists, numbers and strings: schema ``hloroof.prediction/1``."""
        data = _plain(self)
        del data["_summary"]
        return data

    def records(self) -> list[dict[str, Any]]:
        """Returns one flat dict for each op, with module and device first: rows for ``pandas.DataFrame``."""
        place = {"module": self.module.name, "device": self.device.name, "topology": self.device.topology}
        return [{**place, **vars(op)} for op in self.ops]

    def top_ops(self, n: int = 10) -> list[Op]:
        """Returns the ``n`` ops with most time in the step, longest first."""
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
