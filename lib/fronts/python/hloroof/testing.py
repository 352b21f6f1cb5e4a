"""Checks for tests that hold a program to a contract. No device is needed, nothing runs, and there is no noise.

    import hloroof
    from hloroof.testing import assert_collectives, fits_in_memory, step_faster_than

    def test_train_step():
        step = hloroof.predict_step_time(jax.jit(train_step).lower(*arguments).compile(), "tpu_v5e:2x4")
        assert step_faster_than(step, 12e-3)
        assert fits_in_memory(step)
        assert_collectives(step, all_gather=2, all_reduce=0, bytes_below=64 * 2**20)

The checks are those of the C++ header ``hloroof/testing.h``. A ``Check`` is true or false, and its message has the prediction and
the ops, buffers or collectives responsible. They ask the library, so a prediction made from JSON cannot be checked. The functions ``assert_...`` raise ``AssertionError`` with such a message.

The package is a plugin of pytest: it shows the tables of the checks that a failing test made, and ``--hloroof-update`` writes the
snapshots of ``assert_snapshot`` anew. In unittest or absltest, write ``self.assertTrue(check, check.message)``.
"""

from __future__ import annotations

import collections
import re
from typing import Any, Callable, Optional, Sequence, Union

from hloroof import _core
from hloroof._prediction import StepPrediction
from hloroof._results import Collective, Diagnostic, Op
from hloroof._snapshot import assert_snapshot

__all__ = [
    "Check",
    "assert_collectives",
    "assert_no_new",
    "assert_snapshot",
    "bound_by",
    "exposed_communication_below",
    "fits_in_memory",
    "has_no_diagnostic",
    "has_no_warning",
    "mfu_above",
    "no_slower_than",
    "peak_memory_below",
    "step_faster_than",
    "unknown_at_most",
]

WIDTH = 100
ROWS = 5
"""Of the views that explain a failure, as those of the library."""

_failed: list["Check"] = []
"""The checks that were false since the plugin last emptied the list."""


class Check:
    """The result of a check: true or false, and a message."""

    def __init__(self, ok: bool, headline: str, explanation: str) -> None:
        self.ok = ok
        self.headline = headline
        """The expectation and the finding."""
        self.explanation = explanation
        """A table of what is responsible; empty if the check holds."""

    @property
    def message(self) -> str:
        """The headline and the explanation."""
        return self.headline + ("\n" + self.explanation if self.explanation else "")

    def __bool__(self) -> bool:
        if not self.ok:
            _failed.append(self)
            del _failed[:-20]  # a program that only asks should not keep them all
        return self.ok

    def __repr__(self) -> str:
        return f"<{self.headline}>"

    def __str__(self) -> str:
        return self.message


def _asked(check: Callable[..., tuple[bool, str]], step: StepPrediction, *arguments: Any) -> Check:
    """A check of the library. The first line of its message is the headline."""
    ok, message = check(step._asked().predicted, *arguments)
    headline, _, explanation = message.partition("\n")
    return Check(ok, headline, explanation)


def _require(step: StepPrediction, ok: bool, found: str, asked: str, explain: Callable[[], str]) -> None:
    __tracebackhide__ = True
    if not ok:
        raise AssertionError(f"{step._place()}: {found}, expected {asked}\n{explain()}")


def step_faster_than(step: StepPrediction, seconds: float) -> Check:
    """The step takes less than ``seconds``. A failure shows the ops that take the most time."""
    return _asked(_core.step_faster_than, step, seconds)


def no_slower_than(step: StepPrediction, before: StepPrediction, tolerance: float = 0) -> Check:
    """The step takes at most ``(1 + tolerance)`` times as long as ``before``. A failure shows what changed."""
    return _asked(_core.no_slower_than, step, before._asked().predicted, tolerance)


def mfu_above(step: StepPrediction, share: float) -> Check:
    """The model FLOP utilization is above ``share``, 0 .. 1. False if it is unknown. A failure shows the ops."""
    return _asked(_core.mfu_above, step, share)


def bound_by(step: StepPrediction, resource: str) -> Check:
    """``resource`` bounds the step: ``"mxu"``, ``"hbm"``, ``"ici"``, ... as in ``step.bound``. A failure shows how busy each
    resource is."""
    return _asked(_core.bound_by, step, resource)


def exposed_communication_below(step: StepPrediction, seconds: float) -> Check:
    """Exposed communication takes less than ``seconds``. A failure shows the collectives."""
    return _asked(_core.exposed_communication_below, step, seconds)


def fits_in_memory(step: StepPrediction) -> Check:
    """The program fits into HBM. A failure shows the largest buffers at the peak."""
    return _asked(_core.fits_in_memory, step)


def peak_memory_below(step: StepPrediction, bytes: float) -> Check:
    """The peak in HBM is below ``bytes``. A failure shows the largest buffers at the peak."""
    return _asked(_core.peak_memory_below, step, bytes)


def has_no_diagnostic(step: StepPrediction, code: str) -> Check:
    """There is no diagnostic with this code, such as ``"unknown-trip-count"``. A failure shows those that there are."""
    return _asked(_core.has_no_diagnostic, step, code)


def has_no_warning(step: StepPrediction) -> Check:
    """There is no warning or error among the diagnostics. A failure shows the diagnostics."""
    return _asked(_core.has_no_warning, step)


def unknown_at_most(step: StepPrediction, share: float = 0) -> Check:
    """At most ``share`` (0 .. 1) of the step is unknown. Combine this with every budget, because an unknown op counts only the
    bytes of its operands and results. A failure shows the diagnostics."""
    return _asked(_core.unknown_at_most, step, share)


KINDS = (
    "all-gather",
    "all-reduce",
    "all-to-all",
    "collective-broadcast",
    "collective-permute",
    "ragged-all-to-all",
    "recv",
    "reduce-scatter",
    "send",
)


def assert_collectives(
    step: StepPrediction,
    *,
    over: Optional[str] = None,
    others: Union[int, range, None] = None,
    bytes_below: Optional[float] = None,
    exposed_below: Optional[float] = None,
    **counts: Union[int, range],
) -> None:
    """Raises ``AssertionError`` unless the program has these collectives.

        assert_collectives(step, all_gather=2, reduce_scatter=range(1, 3), others=0, bytes_below=64 * 2**20)

    ``counts`` has the number of instructions of each kind, exact or as a ``range``: ``all_gather``, ``all_reduce``,
    ``reduce_scatter``, ``all_to_all``, ``collective_permute``, ... ``others`` is the number of all that are not named; without it
    they may be any. ``over`` looks only at collectives over this mesh axis, as ``Collective.axis_names`` has it. Each array that
    is communicated, in its full form, is smaller than ``bytes_below``; and the step waits for communication for less than
    ``exposed_below`` seconds in all. Asynchronous and fused collectives count as what they do, and a start and its done as one.
    """
    __tracebackhide__ = True
    kinds = {name.replace("_", "-"): wanted for name, wanted in counts.items()}
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown:
        names = ", ".join(kind.replace("-", "_") for kind in KINDS)
        raise TypeError(f"no collective is called {unknown[0].replace('-', '_')}; expected one of {names}")
    looked_at = [c for c in step.collectives if over is None or over in c.axis_names]
    if over is not None and over not in {axis.name for axis in step.mesh}:
        raise ValueError(f"over={over!r}: the mesh has the axes {', '.join(axis.name for axis in step.mesh) or 'none'}")
    groups = [(kind, wanted, [c for c in looked_at if c.kind == kind]) for kind, wanted in kinds.items()]
    if others is not None:
        groups.append(("other collectives", others, [c for c in looked_at if c.kind not in kinds]))
    where = "" if over is None else f" over {_axis_in_words(over)}"
    for what, wanted, found in groups:
        allowed = wanted if isinstance(wanted, range) else (wanted,)
        asked = f"{wanted.start} to {wanted.stop - 1}" if isinstance(wanted, range) else str(wanted)
        shown = found or looked_at
        _require(step, len(found) in allowed, f"{len(found)} {what}{where}", asked, lambda: _listed(step, shown))
    if bytes_below is not None:
        large = [c for c in looked_at if not c.bytes < bytes_below]
        largest = max((c.bytes for c in large), default=0.0)
        found_text = f"the largest collective{where} is of {_core.format_bytes(largest)}"
        asked = f"less than {_core.format_bytes(bytes_below)}"
        _require(step, not large, found_text, asked, lambda: _listed(step, large))
    if exposed_below is not None:
        exposed = sum(c.exposed_seconds for c in looked_at)
        found_text = f"{_core.format_seconds(exposed)} of communication{where} are exposed"
        asked = f"less than {_core.format_seconds(exposed_below)}"
        _require(step, exposed < exposed_below, found_text, asked, lambda: _listed(step, looked_at))


def _listed(step: StepPrediction, found: Sequence[Collective]) -> str:
    """The view of the collectives, and where in the traced program each of those comes from."""
    names = {op.name: op for op in step.ops}
    lines = []
    for c in sorted(found, key=lambda c: -c.exposed_seconds)[:ROWS]:
        op = names.get(c.name)
        place = f" from {op.op_name}" if op is not None and op.op_name else ""
        at = f" ({op.source_file}:{op.source_line})" if op is not None and op.source_file else ""
        lines.append(f"  {c.name}: {_collective_key(c)}{place}{at}\n")
    return "".join(lines) + _view(step, "collectives")


def _view(step: StepPrediction, name: str) -> str:
    """The view of the command, in short; nothing of a prediction from JSON."""
    return "" if step._source is None else step.report([name], width=WIDTH, limit=ROWS)


def _changes(before: StepPrediction, after: StepPrediction) -> str:
    return "" if None in (before._source, after._source) else str(before.diff(after, width=WIDTH, limit=ROWS))


def _collective_key(c: Collective) -> str:
    return f"{c.kind} of {_core.format_bytes(c.bytes)} over {', '.join(map(_axis_in_words, c.axis_names)) or 'all devices'}"


def _axis_in_words(name: str) -> str:
    """An axis that has no name of its own is called what it is, such as 8-way."""
    return f"the {name} axis" if re.fullmatch(r"\d+-way( stride-\d+)?", name) else name


def _op_key(op: Op) -> str:
    return f"{op.opcode} of {_core.format_bytes(op.logical_bytes)} from {_scope(op.op_name)}"


def _scope(op_name: Optional[str]) -> str:
    """An op_name without the numbers that a recompile may change."""
    return re.sub(r"[._]?\d+", "", op_name or "") or "no op_name"


def _finding_key(d: Diagnostic) -> str:
    return f"[{d.code}] {d.cause or re.sub(r'[0-9.]+', '#', d.message)}"


def _copies(step: StepPrediction) -> list[str]:
    return [_op_key(op) for op in step.ops if op.opcode in ("copy", "transpose", "copy-start") or op.category == "data formatting"]


NEWS: dict[str, Callable[[StepPrediction], list[str]]] = {
    "collectives": lambda step: [_collective_key(c) for c in step.collectives],
    "copies": _copies,
    "warnings": lambda step: [_finding_key(d) for d in step.diagnostics if d.severity != "info"],
    "unknown": lambda step: [_op_key(op) for op in step.ops if op.source == "unknown"],
}


def assert_no_new(step: StepPrediction, before: StepPrediction, *what: str) -> None:
    """Raises ``AssertionError`` if the program has something that ``before`` has not.

        assert_no_new(step, before, "collectives", "copies")

    ``what`` is any of ``"collectives"`` (by kind, size and mesh axes), ``"copies"`` (ops that only move or reorder data, by size and
    place in the traced program), ``"warnings"`` (diagnostics by code and cause) and ``"unknown"`` (ops of unknown time); by
    default all of them. What occurs more often than before is new as well. Names of instructions do not matter, so a recompile
    changes nothing.
    """
    __tracebackhide__ = True
    unknown = [name for name in what if name not in NEWS]
    if unknown:
        raise ValueError(f"{unknown[0]!r}: expected one of {', '.join(NEWS)}")
    found = []
    for name in what or NEWS:
        count = collections.Counter(NEWS[name](step))
        count.subtract(NEWS[name](before))
        found += [(name, key, number) for key, number in count.items() if number > 0]
    lines = "".join(f"  new {name}: {f'{number} x ' if number > 1 else ''}{key}\n" for name, key, number in found)
    total = sum(number for _, _, number in found)
    asked = f"none of {', '.join(what or NEWS)} that {before._place()} has not"
    _require(step, not found, f"{total} new", asked, lambda: lines + _changes(before, step))


def failed_checks() -> list[Any]:
    """Returns the checks that were false since the last call. The plugin of pytest shows them with a failing test."""
    found = list(_failed)
    _failed.clear()
    return found
