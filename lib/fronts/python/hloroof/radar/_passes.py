"""The pass at which a difference begins, from the dumps of two compiles: ``hloroof passes BASE HEAD``."""

from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys
from typing import Any, Optional, Sequence

from hloroof.radar._row import Cause

_SECONDS = 600


def find_causes(
    base: pathlib.Path, head: pathlib.Path, device: str, wanted: Sequence[str]
) -> tuple[tuple[Cause, ...], Optional[str]]:
    """The causes of the differences in ``wanted``, and the summary. Neither if the dumps cannot be compared: then the summary says why."""
    try:
        found = _asked(str(base), str(head), "--device", device)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return (), f"the passes cannot be compared: {error}"
    rows = found["passes"]
    series: dict[str, list[Optional[float]]] = {
        "step": [row["difference_seconds"] for row in rows],
        "memory": [_difference(row["before_peak_bytes"], row["after_peak_bytes"]) for row in rows],
    }
    if "collectives" in wanted:
        series["collectives"] = _collectives(rows, base, head, device)
    causes = []
    for name in wanted:
        cause = _cause(name, rows, series.get(name, []))
        if cause is not None:
            causes.append(cause)
    return tuple(causes), found["summary"].replace(str(base), "base").replace(str(head), "head")


def _asked(*arguments: str) -> Any:
    paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
    done = subprocess.run(
        [sys.executable, "-m", "hloroof", "passes", *arguments, "--format", "json", "-j", "1"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        env={**os.environ, "PYTHONPATH": paths},
        timeout=_SECONDS,
    )
    if done.returncode != 0:
        raise ValueError(done.stderr.strip() or f"status {done.returncode}")
    return json.loads(done.stdout)


def _difference(before: Optional[float], after: Optional[float]) -> Optional[float]:
    return None if before is None or after is None else after - before


def _collectives(rows: Sequence[Any], base: pathlib.Path, head: pathlib.Path, device: str) -> list[Optional[float]]:
    """The difference of the numbers of collectives after each aligned pass."""
    counts = []
    for folder in (base, head):
        found = _asked(str(folder), "--device", device)["passes"]
        counts.append({os.path.basename(row["file"]): row["collectives"] for row in found if row["error"] is None})
    series: list[Optional[float]] = []
    latest: list[Optional[float]] = [None, None]
    for row in rows:
        for side, name in enumerate(("before_file", "after_file")):
            if row[name] is not None:
                latest[side] = counts[side].get(os.path.basename(row[name]), latest[side])
        series.append(_difference(latest[0], latest[1]))
    return series


def _cause(name: str, rows: Sequence[Any], series: Sequence[Optional[float]]) -> Optional[Cause]:
    parts = lasting(series)
    if not parts:
        return None
    index = max(parts, key=lambda i: abs(parts[i]))
    if parts[index] == 0:
        return None
    row = rows[index]
    only = None
    if row["before_file"] is None:
        only = "head"
    elif row["after_file"] is None:
        only = "base"
    what = f"{row['pass']} of {row['pipeline']}" if row["pipeline"] else str(row["pass"])
    return Cause(name, what, parts[index], sum(parts.values()), only)


def lasting(series: Sequence[Optional[float]]) -> dict[int, float]:
    """What of the last difference begins at each place: the part that no later place lacks. The parts add up to the last
    difference, and have its sign."""
    known = [(index, value) for index, value in enumerate(series) if value is not None]
    if not known:
        return {}
    sign = -1 if known[-1][1] < 0 else 1
    parts = {}
    least = sign * known[-1][1]  # of the differences from here to the end
    levels = []
    for index, value in reversed(known):
        least = max(min(least, sign * value), 0)
        levels.append((index, least))
    before = 0.0
    for index, level in reversed(levels):
        parts[index] = sign * (level - before)
        before = level
    return parts
