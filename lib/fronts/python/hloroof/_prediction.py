"""A prediction as plain objects, with the names of the JSON that ``hloroof predict --format json`` prints, in SI units.

``_results`` has the records and their fields; this module adds what a prediction can do. A fact that is not known is None.
"""

from __future__ import annotations

import dataclasses
import html
import json
import os
import pickle
import warnings
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Optional, Sequence, Union

from hloroof import _core, _results
from hloroof._answer import Answer, Rows, import_pandas
from hloroof._devices import Device, device_text
from hloroof._field_docs import document_fields
from hloroof._options import Number, Options, core_options, number_text
from hloroof._programs import Program, module_of
from hloroof._results import Collective, Diagnostic, Layer, Op

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Source:
    """What a prediction was made from: a module, a device and the options that are not the defaults."""

    def __init__(self, module: _core.Module, device: str, options: Options) -> None:
        self._module: Optional[_core.Module] = module
        self._packed = b""
        self._predicted: Optional[_core.Predicted] = None
        self.device = device
        self.options = options

    @property
    def module(self) -> _core.Module:
        if self._module is None:
            self._module = pickle.loads(zlib.decompress(self._packed))
        return self._module

    @property
    def predicted(self) -> _core.Predicted:
        """The prediction in the library. It is made when something asks for it first, and then answers every question."""
        if self._predicted is None:
            self._predicted = _core.predict(self.module, self.device, core_options(self.device, self.options))
        return self._predicted

    # The prediction in the library is not pickled. A module is pickled as its text, which compresses to a tenth, and is parsed
    # again only if something asks for it.
    def __getstate__(self) -> tuple[bytes, str, Options]:
        return self._packed or zlib.compress(pickle.dumps(self._module), 1), self.device, self.options

    def __setstate__(self, state: tuple[bytes, str, Options]) -> None:
        self._module = self._predicted = None
        self._packed, self.device, self.options = state


def predict_source(source: Source, stacklevel: int = 3) -> StepPrediction:
    """The prediction, with a warning to the caller of a public function if the text is from before optimization."""
    summary, data = source.predicted.texts()
    prediction = StepPrediction.from_dict(json.loads(data), summary)
    for finding in prediction.diagnostics:
        if finding.code in ("not-partitioned", "not-optimized"):
            warnings.warn(f"{prediction.module.name}: {finding.message}", stacklevel=stacklevel)
    return dataclasses.replace(prediction, _source=source)


def devices_answer(names: Sequence[str]) -> Answer:
    text, data = _core.devices(list(names))
    found = json.loads(data)
    if len(names) > 1:  # the JSON of several devices is an array
        found = {"devices": found}
    return Answer(text, found, "parameters" if len(names) == 1 else "devices")


def make_record(cls: type, data: dict[str, Any], records: dict[str, type] = _results.RECORD_OF_MEMBER) -> Any:
    """Makes a `cls` from the members of `data` that it has. Ignores others, which a newer library may add. `records` has the
    classes of members that are records."""
    names = {member.name for member in dataclasses.fields(cls)}
    values = {name: value for name, value in data.items() if name in names}
    for name, value in values.items():
        record = records.get(name)
        if record is None:
            continue
        # A term lists its parameters by path, the prediction as records.
        if isinstance(value, list):
            values[name] = [make_record(record, entry, records) if isinstance(entry, dict) else entry for entry in value]
        elif isinstance(value, dict):  # an op refers to its terms by index, the prediction has them
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

    The fields are those of the JSON that ``hloroof predict --format json`` prints, in SI units. ``print(prediction)`` shows the
    same text as the command, a notebook shows timeline and roofline.

        prediction.explain("fusion.2")                    # where the time of one op comes from
        prediction.what_if(set={"hbm.bandwidth": "2x"})   # another prediction, with all other options as they were
        prediction.diff(other)                            # what changed between two predictions
        prediction.to_pandas()                            # one row for each op

    Methods that ask the library again need the program, which a prediction from ``from_dict`` does not have.
    """

    _summary: str = field(default="", compare=False, repr=False)
    _source: Optional[Source] = field(default=None, compare=False, repr=False)

    @classmethod
    def from_dict(cls, data: dict[str, Any], summary: str = "") -> StepPrediction:
        """Makes a prediction from its JSON, as ``to_dict()`` or the command returns it. Raises ValueError for another schema."""
        if data.get("schema") != _results.SCHEMA:
            raise ValueError(f"the schema is {data.get('schema')!r}, not {_results.SCHEMA!r}: predict again with this version")
        made: StepPrediction = make_record(cls, data)
        return dataclasses.replace(made, _summary=summary)

    def to_dict(self) -> dict[str, Any]:
        """Returns dicts, lists, numbers and strings: schema ``hloroof.prediction/2``."""
        data: dict[str, Any] = _plain(self)
        del data["_summary"], data["_source"]
        return data

    def terms_of(self, op: Op) -> Optional[_results.Term]:
        """The parts of ``op.seconds``; None if the op takes no time."""
        return None if op.terms is None else self.terms[op.terms]

    def records(self) -> list[dict[str, Any]]:
        """Returns one flat dict for each op, with module and device first: rows for ``pandas.DataFrame``."""
        place = {"module": self.module.name, "device": self.device.name, "topology": self.device.topology}
        return [{**place, **vars(op)} for op in self.ops]

    def top_ops(self, n: int = 10) -> list[Op]:
        """Returns the ``n`` ops with most time in the step, longest first."""
        return sorted(self.ops, key=lambda op: -op.exposed_seconds)[:n]

    def top_collectives(self, n: int = 10) -> list[Collective]:
        """Returns the ``n`` collectives that the step waits for longest, and of those that it does not wait for the longest."""
        return sorted(self.collectives, key=lambda c: (-c.exposed_seconds, -c.seconds))[:n]

    def to_pandas(self) -> Any:
        """Returns ``records()`` as a ``pandas.DataFrame``."""
        return import_pandas().DataFrame(self.records())

    def by_layer(self) -> Rows[Layer]:
        """Returns the step by scopes of the traced program, as a tree in preorder. ``print()`` shows the table."""
        return Rows(self.layers, self.report(["layers"], limit=0))

    def report(self, views: Iterable[str] = ("summary", "ops"), *, width: int = 80, limit: int = 10) -> str:
        """Returns the views of ``hloroof predict --view`` as text, with at most ``limit`` rows each. 0 means all rows."""
        return self._asked().predicted.report(list(views), width, limit)

    def explain(self, op: str, *, width: int = 80) -> Answer:
        """Explains one op: each part of its line, its bytes, and how its time is computed. ``op`` is its name, an end of it such
        as ``".11"``, or a name as a table shortens it. Schema ``hloroof.explanation/1``; its rows are the numbers of the device that the time is computed from.

        Raises ``NotFoundError`` with the nearest names."""
        text, data = self._asked().predicted.explain(op, width)
        return Answer(text, json.loads(data), "parameters")

    def html(self, path: Union[str, os.PathLike[str], None] = None) -> str:
        """Returns the report as one self-contained page, and writes it to ``path``."""
        return _written(path, self._asked().predicted.html_report())

    def trace(self, path: Union[str, os.PathLike[str], None] = None) -> str:
        """Returns the timeline as a trace for Perfetto (ui.perfetto.dev) or chrome://tracing, and writes it to ``path``."""
        return _written(path, self._asked().predicted.trace())

    def diff(
        self,
        other: Union[StepPrediction, Program],
        *,
        fail_if: Union[str, Sequence[str]] = (),
        group_by: str = "none",
        width: int = 80,
        limit: int = 20,
    ) -> Answer:
        """Returns what changes from this prediction to ``other``: totals, categories, ops. Schema ``hloroof.diff/1``.

        ``other`` is a prediction, also on another device, or a program, which is predicted with the device and options of this
        one. ``fail_if`` has conditions such as ``"step>+2%"``; ``diff["gates"]`` says which of them hold. ``group_by`` is one of
        computation, category, op_name, source and layer."""
        before = self._asked()
        if isinstance(other, StepPrediction):
            after = other._asked()
        else:
            after = Source(module_of(other), before.device, before.options)
        settings = _core.DiffSettings()
        settings.fail_if = [fail_if] if isinstance(fail_if, str) else list(fail_if)
        settings.group_by = group_by
        settings.width = width
        settings.limit = limit
        text, data = _core.diff(before.predicted, after.predicted, settings)
        return Answer(text, json.loads(data), "ops" if group_by == "none" else "groups")

    def compare(self, profile: Union[str, os.PathLike[str]], *, width: int = 80, limit: int = 20) -> Answer:
        """Compares with a measured profile, op by op: the folder of ``jax.profiler.trace``, a file with XProf's hlo_stats as CSV
        or JSON, or a Chrome trace. Schema ``hloroof.comparison/1``. ``hloroof.compare`` takes the program from the profile.

        Raises ``InvalidInputError`` if the profile is of another program."""
        text, data = _core.compare(self._asked().predicted, os.fspath(profile), width, limit)
        return Answer(text, json.loads(data), "ops")

    def what_if(self, device: Optional[Device] = None, **changes: Unpack[Options]) -> StepPrediction:
        """Predicts the program again with some options changed: ``what_if(set={"hbm.bandwidth": "2x"})``,
        ``what_if(mesh={"data": 2, "model": 4})``, ``what_if("tpu_v6e")``. All other options are kept, and so are the numbers
        that ``set`` does not name."""
        source = self._asked()
        options = _changed(source.options, changes)
        return predict_source(Source(source.module, source.device if device is None else device_text(device), options))

    def sweep(
        self,
        *,
        devices: Optional[Iterable[Device]] = None,
        topologies: Optional[Iterable[str]] = None,
        set: Optional[Mapping[str, Union[Number, Sequence[Number]]]] = None,
        order: str = "",
        width: int = 80,
    ) -> Answer:
        """Predicts the program on all combinations of devices, topologies and values, such as
        ``sweep(devices=["tpu_v5e", "tpu_v6e"], set={"hbm.bandwidth": ["1x", "2x"]})``. All other options are kept. Schema
        ``hloroof.sweep/1``.

        ``order`` is one of none, step, hfu and memory. A combination that cannot be predicted is left out with a warning."""
        source = self._asked()
        values = {name: [value] if isinstance(value, (str, int, float)) else value for name, value in (set or {}).items()}
        base = {name: value for name, value in (source.options.get("set") or {}).items() if name not in values}
        places = _core.Places()
        places.devices = [device_text(device) for device in (devices or [source.device])]
        places.topologies = list(topologies or [])
        everything = {**{name: [value] for name, value in base.items()}, **values}
        places.settings = [f"{name}={','.join(map(number_text, numbers))}" for name, numbers in everything.items()]
        places.order = order
        options = core_options(source.device, _changed(source.options, {"set": None}))
        text, data, failures = _core.sweep(source.module, self.module.name, places, options, width)
        for failure in failures:
            warnings.warn(failure, stacklevel=2)
        return Answer(text, json.loads(data), "points")

    def devices(self, *names: Device) -> Answer:
        """Returns all numbers of the device of this prediction, or of those named, with their sources. Schema
        ``hloroof.device_numbers/1``."""
        return devices_answer([device_text(name) for name in names] or [self._asked().device])

    def _asked(self) -> Source:
        if self._source is None:
            raise _core.Error(
                "this prediction was made from JSON and has no program; hloroof.predict_step_time makes one that can answer this"
            )
        return self._source

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
                f"{_core.format_bytes(memory.hbm_peak_bytes)} of {_core.format_bytes(memory.usable_bytes)} usable"
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
            + ("" if self._source is None else self._source.predicted.notebook())
            + _table(["share", "time", "bound", "op", "category", "op_name"], rows)
            + "".join(f"<p>{_finding(finding)}</p>" for finding in warnings)
        )


document_fields(vars(_results))


def _changed(options: Options, changes: Options) -> Options:
    """The options with changes. Numbers of the device are changed one by one."""
    merged: Options = {**options, **changes}
    if changes.get("set"):
        merged["set"] = {**(options.get("set") or {}), **(changes["set"] or {})}
    return merged


def _written(path: Union[str, os.PathLike[str], None], text: str) -> str:
    if path is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return text


def _finding(finding: Diagnostic) -> str:
    """A diagnostic as HTML: its code, what it costs, what its instructions share, and the remedy."""
    cost = "" if finding.seconds_at_stake is None else _core.format_seconds(finding.seconds_at_stake) + ", "
    place = finding.cause or finding.op
    message = (f"{place}: " if place else "") + finding.message
    return f"<b>{html.escape(finding.code)}</b> {cost}{html.escape(message)}"


def _table(head: list[str], rows: list[Any]) -> str:
    def cells(tag: str, values: Any) -> str:
        return "".join(f"<{tag}>{html.escape(value)}</{tag}>" for value in values)

    lines = [f"<tr>{cells('th', head)}</tr>"] if head else []
    lines += [f"<tr>{cells('td', row)}</tr>" for row in rows]
    return f'<table style="color:inherit">{"".join(lines)}</table>'
