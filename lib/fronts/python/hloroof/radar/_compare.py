"""Predicts a program as both environments compile it, and compares."""

from __future__ import annotations

import dataclasses
from typing import Any, Mapping, Optional, Sequence

from hloroof import _core
from hloroof._functions import predict_step_time
from hloroof._prediction import StepPrediction
from hloroof.radar._compile import Compiled
from hloroof.radar._passes import find_causes
from hloroof.radar._row import NOTABLE, Cause, Row, Side, change

_MOST_OPS = 8
_EMPTY = "HloModule empty\n\nENTRY main {\n  ROOT x = f32[] parameter(0)\n}\n"


def check_conditions(conditions: Sequence[str]) -> None:
    """Raises ``InvalidInputError`` for a condition that is malformed."""
    if conditions:
        empty = predict_step_time(_EMPTY, "tpu_v5e")
        empty.diff(empty, fail_if=list(conditions))


def compare(program: str, device: str, base: Compiled, head: Compiled, conditions: Sequence[str]) -> Row:
    """The row of a program on a device."""
    (old, before), (new, after) = _predicted(base), _predicted(head)
    if before is None or after is None:
        return Row(program, device, old, new, gates=tuple(_failures(old, new, conditions)))
    difference = before.diff(after, fail_if=list(conditions), limit=1)
    gates = [{name: gate[name] for name in ("condition", "failed", "finding")} for gate in difference["gates"]]
    ops = sorted(difference["ops"], key=lambda op: -abs(op["change_seconds"]))
    kept = ("state", "before", "after", "category", "before_seconds", "after_seconds", "change_seconds")
    shown = [{name: op[name] for name in kept} for op in ops[:_MOST_OPS] if op["change_seconds"] != 0]
    row = Row(program, device, old, new, ops=tuple(shown), gates=tuple(gates))
    causes, summary = _causes(row, base, head)
    return dataclasses.replace(row, causes=causes, passes=summary)


def _predicted(compiled: Compiled) -> tuple[Side, Optional[StepPrediction]]:
    if compiled.error is not None or compiled.folder is None:
        return Side(compiled.error, compile_seconds=compiled.seconds, from_cache=compiled.from_cache), None
    path = compiled.folder / "program.hlo.gz"
    try:
        step = predict_step_time(compiled.text, compiled.place)
    except (_core.Error, OSError) as error:
        reason = f"the program compiles, and cannot be predicted: {error}"
        return Side(reason, program=str(path), compile_seconds=compiled.seconds, from_cache=compiled.from_cache), None
    side = Side(
        step_seconds=step.step_seconds,
        exposed_seconds=step.exposed_communication_seconds,
        hbm_peak_bytes=step.memory.hbm_peak_bytes,
        vmem_peak_bytes=step.memory.vmem_peak_bytes,
        compiler_bytes=compiled.compiler_bytes,
        fits=step.memory.fits,
        bound=step.bound,
        unknown=step.coverage.unknown,
        assumed=step.coverage.assumed,
        collectives=_collectives(step),
        program=str(path),
        compile_seconds=compiled.seconds,
        from_cache=compiled.from_cache,
    )
    return side, step


def _collectives(step: StepPrediction) -> dict[str, dict[str, float]]:
    """What one step runs, with the repeats of loops."""
    executions = {op.name: op.executions for op in step.ops}
    found: dict[str, dict[str, float]] = {}
    for collective in step.collectives:
        count = executions.get(collective.name, 1.0)
        total = found.setdefault(collective.kind, {"count": 0.0, "bytes": 0.0})
        total["count"] += count
        total["bytes"] += count * collective.bytes
    return dict(sorted(found.items()))


def _failures(base: Side, head: Side, conditions: Sequence[str]) -> list[Mapping[str, Any]]:
    """Of a program that can be predicted no longer, no condition can be checked, and all of them fail. Of one that could not be
    predicted before, none fails."""
    if base.error is not None or head.error is None:
        return []
    return [{"condition": condition, "failed": True, "finding": "there is no prediction of head"} for condition in conditions]


def _causes(row: Row, base: Compiled, head: Compiled) -> tuple[tuple[Cause, ...], Optional[str]]:
    wanted = []
    step, memory = change(row.base.step_seconds, row.head.step_seconds), row.memory_change
    if step is None or abs(step) > NOTABLE / 10:
        wanted.append("step")
    if memory is None or abs(memory) > NOTABLE:
        wanted.append("memory")
    if row.gained:
        wanted.append("collectives")
    if not wanted:
        return (), None
    with base.passes() as before, head.passes() as after:
        if before is None or after is None:
            return (), None
        causes, summary = find_causes(before, after, head.place, wanted)
    return tuple(cause for cause in causes if _explains(cause, row)), summary


def _explains(cause: Cause, row: Row) -> bool:
    """Whether the states of the dumps differ by about as much as the compiled texts. A dump lacks some of what a text has, and the
    whole difference may lie there."""
    of = {"step": (row.base.step_seconds, row.head.step_seconds), "memory": (row.base.hbm_peak_bytes, row.head.hbm_peak_bytes)}
    before, after = of.get(cause.of, (None, None))
    if before is None or after is None:
        return True
    difference = after - before
    return cause.total * difference > 0 and abs(cause.total) > abs(difference) / 2
