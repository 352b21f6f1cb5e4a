"""Snapshots of predictions: files with numbers and the tolerance of each."""

from __future__ import annotations

import collections
import json
import os
import pathlib
from typing import Any, Callable, Optional, Union

from hloroof import _core
from hloroof._prediction import StepPrediction

SCHEMA = "hloroof.snapshot/1"

is_updating: Optional[bool] = None
"""Set by ``--hloroof-update`` of the pytest plugin. Otherwise the variable ``HLOROOF_UPDATE`` decides."""

_NUMBERS: dict[str, tuple[Callable[[StepPrediction], float], Callable[[float], str]]] = {
    "step_seconds": (lambda p: p.step_seconds, _core.format_seconds),
    "exposed_communication_seconds": (lambda p: p.exposed_communication_seconds, _core.format_seconds),
    "memory.hbm_peak_bytes": (lambda p: p.memory.hbm_peak_bytes, _core.format_bytes),
    "totals.flops": (lambda p: p.totals.flops, lambda value: f"{value:.4g}"),
    "totals.hbm_bytes": (lambda p: p.totals.hbm_bytes, _core.format_bytes),
    "totals.wire_bytes": (lambda p: p.totals.wire_bytes, _core.format_bytes),
    "coverage.unknown": (lambda p: p.coverage.unknown, _core.format_percent),
}


def _counts(step: StepPrediction) -> dict[str, dict[str, int]]:
    """What is counted, without tolerance."""
    return {
        "collectives": dict(sorted(collections.Counter(c.kind for c in step.collectives).items())),
        "warnings": dict(sorted(collections.Counter(d.code for d in step.diagnostics if d.severity != "info").items())),
    }


def snapshot_of(step: StepPrediction, tolerance: float, before: Optional[dict[str, Any]] = None) -> dict[str, Any]:
    """The contents of a snapshot. Tolerances of ``before`` are kept, and so are numbers within them, and what it leaves out."""
    known = (before or {}).get("numbers")
    numbers: dict[str, Any] = {}
    for name, (value_of, _) in _NUMBERS.items():
        if known is not None and name not in known:
            continue  # somebody took it out
        old = (known or {}).get(name, {})
        allowed = old.get("tolerance", tolerance)
        value = value_of(step)
        if "value" in old and _is_within(value, old["value"], allowed):
            value = old["value"]
        numbers[name] = {"value": value, "tolerance": allowed}
    counts = {name: found for name, found in _counts(step).items() if before is None or name in before}
    return {"schema": SCHEMA, "subject": step._place(), "numbers": numbers, **counts}


def _is_within(value: float, wanted: float, tolerance: float) -> bool:
    return abs(value - wanted) <= tolerance * abs(wanted)


def _read(path: pathlib.Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text())
    except ValueError as error:
        raise AssertionError(f"{path}: not a snapshot: {error}. Take it back, or remove it and write it anew.") from None
    numbers = data.get("numbers") if isinstance(data, dict) else None
    is_whole = isinstance(numbers, dict) and all(
        isinstance(entry, dict) and all(isinstance(entry.get(key), (int, float)) for key in ("value", "tolerance"))
        for entry in numbers.values()
    )
    is_whole = is_whole and all(isinstance(data.get(group, {}), dict) for group in ("collectives", "warnings"))
    if not is_whole or data.get("schema") != SCHEMA:
        raise AssertionError(f"{path}: not a snapshot of schema {SCHEMA}. Take it back, or remove it and write it anew.")
    return data  # type: ignore[no-any-return]


def _wants_update() -> bool:
    return is_updating if is_updating is not None else os.environ.get("HLOROOF_UPDATE", "") not in ("", "0")


def assert_snapshot(step: StepPrediction, path: Union[str, os.PathLike[str]], *, tolerance: float = 0.02) -> None:
    """Raises ``AssertionError`` if the prediction differs from the snapshot in the file ``path``, a JSON file to commit.

    It has the step time, exposed communication, peak memory, FLOPs, bytes and the share that is unknown, each with a relative
    tolerance, and the number of collectives of each kind and of warnings of each code. Tolerances may be edited, and entries taken
    out; ``tolerance`` is that of a new file. A number below its tolerance is a failure too, so that a gain is kept.

    ``pytest --hloroof-update``, or the variable ``HLOROOF_UPDATE=1``, writes the file; numbers within their tolerance stay.
    """
    __tracebackhide__ = True
    file = pathlib.Path(path)
    before = _read(file) if file.exists() else None
    if _wants_update():
        file.parent.mkdir(parents=True, exist_ok=True)
        data = snapshot_of(step, tolerance, before)
        if data != before:
            file.write_text(json.dumps(data, indent=2) + "\n")
        return
    if before is None:
        raise AssertionError(f"there is no snapshot {file}; pytest --hloroof-update writes it")
    rows, worst = _differences(step, before)
    if not rows:
        return
    raise AssertionError(
        f"{step._place()}: {worst}, unlike the snapshot {file}\n"
        + _core.table(["", "snapshot", "now", "relative", "allowed"], rows, [0])
        + "pytest --hloroof-update writes the snapshot anew, if this is intended\n"
        + ("" if step._source is None else step.report(["ops"], width=100, limit=5))
    )


def _differences(step: StepPrediction, before: dict[str, Any]) -> tuple[list[list[str]], str]:
    """A row for each difference, and the first in words."""
    rows, words = [], []
    if before.get("subject") != step._place():
        rows.append(["subject", str(before.get("subject")), step._place(), "", "the same"])
        words.append("it is another program or device")
    for name, entry in before["numbers"].items():
        if name not in _NUMBERS:
            rows.append([name, "", "", "", "no such number"])
            words.append(f"{name} is not known")
            continue
        value_of, show = _NUMBERS[name]
        value = value_of(step)
        if _is_within(value, entry["value"], entry["tolerance"]):
            continue
        change = f"{100 * (value / entry['value'] - 1):+.1f} %" if entry["value"] else "new"
        rows.append([name, show(entry["value"]), show(value), change, f"+-{100 * entry['tolerance']:g} %"])
        words.append(f"{name} is {show(value)}, {change}")
    for group, found in _counts(step).items():
        if group not in before:
            continue
        for kind in dict.fromkeys([*before[group], *found]):
            old, new = before[group].get(kind, 0), found.get(kind, 0)
            if old != new:
                rows.append([f"{group}: {kind}", str(old), str(new), f"{new - old:+d}", "the same"])
                words.append(f"{new} {group} of {kind} instead of {old}")
    return rows, words[0] if words else ""
