"""Short tables about a prediction, for the messages of failing checks.

A prediction that has its program prints the views of the command. One made from JSON, or pickled without its program, has the
same rows here.
"""

from __future__ import annotations

from typing import Iterable, Optional, Sequence

from hloroof import _core
from hloroof._results import Collective
from hloroof._prediction import StepPrediction

WIDTH = 100
ROWS = 5


def aligned(rows: Sequence[Sequence[str]], words: Sequence[int]) -> str:
    """Lines of cells, two spaces apart. The first row has the names. The columns ``words`` are left-aligned, the others right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))] if rows else []
    left = {column % len(widths) for column in words} if widths else set()

    def line(row: Sequence[str]) -> str:
        return "  ".join(
            cell.ljust(width) if i in left else cell.rjust(width) for i, (cell, width) in enumerate(zip(row, widths))
        ).rstrip()

    return "".join(f"  {line(row)}\n" for row in rows)


def place(step: StepPrediction) -> str:
    """``jit_step on tpu_v5e 2x4``."""
    return " ".join(filter(None, [step.module.name, "on", step.device.name, step.device.topology]))


def _view(step: StepPrediction, name: str) -> Optional[str]:
    """The view of the command, if the prediction can still ask for it."""
    report = getattr(step, "report", None)
    if report is None:
        return None
    try:
        return str(report([name], width=WIDTH, limit=ROWS))
    except _core.Error:
        return None


def _others(rows: list[list[str]], hidden: int) -> list[list[str]]:
    return [*rows, [*[""] * (len(rows[0]) - 1), f"[{hidden} others]"]] if hidden > 0 else rows


def ops(step: StepPrediction) -> str:
    """The ops that take the most time."""
    view = _view(step, "ops")
    if view is not None:
        return view
    rows = [["share", "time", "wait", "bound", "op"]]
    for op in step.top_ops(ROWS):
        rows.append(
            [
                _core.format_percent(op.exposed_seconds / step.step_seconds) if step.step_seconds > 0 else "",
                _core.format_seconds(op.exposed_seconds),
                _core.format_seconds(op.wait_seconds) if op.wait_seconds > 0 else "",
                op.bound or "",
                op.name,
            ]
        )
    rows = _others(rows, len(step.ops) - ROWS)
    return "Time in the step by op\n" + aligned(rows, (-2, -1))


def memory(step: StepPrediction) -> str:
    """The largest buffers at the peak."""
    view = _view(step, "memory")
    if view is not None:
        return view
    m = step.memory
    rows = [["size", "buffer", "shape"]]
    rows += [[_core.format_bytes(b.bytes), b.name, b.shape] for b in m.live_at_peak[:ROWS]]
    return (
        f"Memory of one device: peak {_core.format_bytes(m.hbm_peak_bytes)} of {_core.format_bytes(m.usable_bytes)} usable, of it "
        f"{_core.format_bytes(m.arguments_bytes)} arguments, {_core.format_bytes(m.temporaries_bytes)} temporaries\n"
        + aligned(_others(rows, len(m.live_at_peak) - ROWS), (-2, -1))
    )


def collectives(step: StepPrediction) -> str:
    """The collectives, those with the most exposed time first."""
    return _view(step, "collectives") or "Collectives\n" + collective_rows(step.collectives)


def collective_rows(found: Iterable[Collective], limit: int = ROWS) -> str:
    """One row for each collective, those with the most exposed time first."""
    listed = sorted(found, key=lambda c: -c.exposed_seconds)
    rows = [["exposed", "time", "bytes", "groups", "kind", "over", "op"]]
    for c in listed[:limit]:
        rows.append(
            [
                _core.format_seconds(c.exposed_seconds),
                _core.format_seconds(c.seconds),
                _core.format_bytes(c.bytes),
                f"{c.group_count}x{c.group_size}",
                c.kind,
                ", ".join(c.axis_names),
                c.name,
            ]
        )
    return aligned(_others(rows, len(listed) - limit), (-3, -2, -1)) if listed else "  none\n"


def diagnostics(step: StepPrediction) -> str:
    """The findings."""
    view = _view(step, "diagnostics")
    if view is not None:
        return view
    lines = [f"  {d.severity} [{d.code}] {d.op + ': ' if d.op else ''}{d.message}\n" for d in step.diagnostics[:ROWS]]
    hidden = len(step.diagnostics) - ROWS
    return "".join(lines) + (f"  [{hidden} others]\n" if hidden > 0 else "")


def resources(step: StepPrediction) -> str:
    """How busy each resource is."""
    return "".join(
        f"  {use.name:<8} busy {_core.format_seconds(use.busy_seconds)}, {_core.format_percent(use.utilization)} of the step\n"
        for use in step.resources
    )


def relative(before: float, after: float) -> str:
    """``+3.1 %``."""
    if before == after:
        return "[ = ]"
    return f"{100 * (after / before - 1):+.1f} %" if before else "new"


def changes(before: StepPrediction, after: StepPrediction) -> str:
    """What differs between two predictions."""
    diff = getattr(before, "diff", None)
    if diff is not None:
        try:
            return str(diff(after, width=WIDTH, limit=ROWS))
        except _core.Error:
            pass
    seconds, size = _core.format_seconds, _core.format_bytes
    values = [
        ("step time", before.step_seconds, after.step_seconds, seconds),
        ("exposed comm.", before.exposed_communication_seconds, after.exposed_communication_seconds, seconds),
        ("peak memory", before.memory.hbm_peak_bytes, after.memory.hbm_peak_bytes, size),
        ("HBM bytes", before.totals.hbm_bytes, after.totals.hbm_bytes, size),
        ("wire bytes", before.totals.wire_bytes, after.totals.wire_bytes, size),
    ]
    rows = [["", "before", "after", "relative"]]
    rows += [[name, show(old), show(new), relative(old, new)] for name, old, new, show in values]
    categories = [_by_category(step) for step in (before, after)]
    names = dict.fromkeys([*categories[0], *categories[1]])
    moved = sorted(names, key=lambda name: -abs(categories[1].get(name, 0) - categories[0].get(name, 0)))
    for name in moved[:ROWS]:
        old, new = (category.get(name, 0.0) for category in categories)
        if abs(new - old) > 1e-4 * before.step_seconds:
            rows.append([name, seconds(old), seconds(new), relative(old, new)])
    return aligned(rows, (0,))


def _by_category(step: StepPrediction) -> dict[str, float]:
    totals: dict[str, float] = {}
    for op in step.ops:
        totals[op.category] = totals.get(op.category, 0.0) + op.exposed_seconds
    return totals
