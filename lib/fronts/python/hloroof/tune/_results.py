"""The outcomes of a run, ranked."""

from __future__ import annotations

import dataclasses
import html
import os
from typing import Any, Optional, Union

from hloroof import _core
from hloroof._kernel import _short
from hloroof._prediction import _table
from hloroof.tune._outcome import FAILED, OK, SCHEDULER, Outcome
from hloroof.tune._space import describe, label
from hloroof.tune._stages import tau


@dataclasses.dataclass(frozen=True)
class Results:
    """The candidates of a space, fastest first by step time per example, then those that cannot run. Those that are only known by
    their scheduled program come after those that were compiled to the end. ``print(results)`` shows a table."""

    device: str
    outcomes: list[Outcome]

    def __post_init__(self) -> None:
        order = {OK: 0, FAILED: 2}
        self.outcomes.sort(key=lambda o: (order.get(o.status, 1), o.stage == SCHEDULER, o.seconds_per_example or 0))

    @property
    def ranked(self) -> list[Outcome]:
        """The candidates that can run, fastest first."""
        return [outcome for outcome in self.outcomes if outcome.status == OK]

    @property
    def best(self) -> Outcome:
        """The fastest candidate. Raises ``ValueError`` if none can run."""
        if not self.ranked:
            reason = f": {self.outcomes[0].reason}" if self.outcomes else ""
            raise ValueError("no candidate can run" + reason)
        return self.ranked[0]

    @property
    def early_tau(self) -> Optional[float]:
        """Kendall's tau-b of the early and the final step times per example, over the programs that have both; None if there are too
        few. Candidates with equal programs count once."""
        return tau(self.outcomes)[0]

    def pareto(self) -> list[Outcome]:
        """Returns the candidates of which none other is both faster per example and smaller in memory, fastest first."""
        front: list[Outcome] = []
        for outcome in sorted(self.ranked, key=lambda o: o.seconds_per_example or 0):
            if not front or (outcome.peak_bytes or 0) < (front[-1].peak_bytes or 0):
                front.append(outcome)
        return front

    def why(self, outcome: Outcome) -> str:
        """Returns in a line where a candidate spends more time per example than the best, or what the best spends its time on.

        The parts are those of ``Outcome.breakdown``. Recomputation is named as well; it is part of the others."""
        if outcome.status != OK:
            return _short(outcome.reason or "")
        if outcome.same_as is not None:
            return f"same program as {describe(outcome.same_as)}"
        best = self.best
        if outcome is best:
            step = outcome.step_seconds or 1
            parts = sorted(outcome.breakdown.items(), key=lambda part: -part[1])[:3]
            return ", ".join(f"{name} {_core.format_percent(seconds / step)}" for name, seconds in parts)
        slower = (outcome.seconds_per_example or 0) - (best.seconds_per_example or 0)
        differences = sorted(_differences(outcome, best).items(), key=lambda part: -part[1])
        shown = [(name, seconds) for name, seconds in differences if seconds > 0.1 * slower][:3]
        text = ", ".join(f"+{_core.format_seconds(seconds)} {name}" for name, seconds in shown)
        recompute = _per_example(outcome, outcome.recompute_seconds) - _per_example(best, best.recompute_seconds)
        if recompute > 0.1 * slower:
            text += f"; recomputes {_core.format_seconds(recompute)} more"
        return text

    def records(self) -> list[dict[str, Any]]:
        """Returns one flat dict for each candidate, with its values first: rows for ``pandas.DataFrame``."""
        front = {id(outcome) for outcome in self.pareto()}
        rows = []
        for rank, o in enumerate(self.outcomes, 1):
            data = {name: value for name, value in o.to_dict().items() if name not in ("candidate", "breakdown", "is_final")}
            data["same_as"] = None if o.same_as is None else describe(o.same_as)
            rows.append(
                {
                    "rank": rank if o.status == OK else None,
                    **{name: label(value) if isinstance(value, (dict, list)) else value for name, value in o.candidate.items()},
                    "seconds_per_example": o.seconds_per_example,
                    "early_seconds_per_example": o.early_seconds_per_example,
                    "is_pareto": id(o) in front,
                    "why": self.why(o),
                    **data,
                }
            )
        return rows

    def to_pandas(self) -> Any:
        """Returns ``records()`` as a ``pandas.DataFrame``."""
        import pandas

        return pandas.DataFrame(self.records())

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """The columns and rows of the table."""
        names = list(dict.fromkeys(name for o in self.outcomes for name in o.candidate))
        front = {id(outcome) for outcome in self.pareto()}
        shows_stage = any(o.early_stage is not None for o in self.outcomes)
        fastest = self.ranked[0].seconds_per_example if self.ranked else None
        rows = []
        for rank, o in enumerate(self.outcomes, 1):
            values = [label(o.candidate.get(name, "")) for name in names]
            if o.status == OK:
                seconds = o.seconds_per_example or 0
                numbers = [
                    f"{rank}{'*' if id(o) in front else ' '}",
                    *values,
                    _core.format_seconds(seconds),
                    f"{seconds / fastest:.2f}" if fastest else "",
                    _core.format_seconds(o.step_seconds or 0),
                    _size(o.peak_bytes),
                    "" if o.mfu is None else _core.format_percent(o.mfu),
                ]
            else:
                numbers = ["- ", *values, "-", "", "", _size(o.peak_bytes), ""]
            if shows_stage:  # the early step, then whether the others are of the end of the compile
                numbers.append("" if o.early_step_seconds is None else _core.format_seconds(o.early_step_seconds))
                numbers.append("early" if o.is_early else ("final" if o.stage is not None else ""))
            rows.append([*numbers, self.why(o)])
        more = ["early step", "by"] if shows_stage else []
        return ["rank ", *names, "an example", "relative", "step", "peak", "MFU", *more, "why"], rows

    def __str__(self) -> str:
        head, rows = self.cells()
        unfit = sum(o.status not in (OK, FAILED) for o in self.outcomes)
        failed = sum(o.status == FAILED for o in self.outcomes)
        title = f"{len(rows)} candidates on {self.device}, {unfit} do not fit, {failed} failed; times are predicted; * is on the Pareto front\n"
        left = [*range(1, head.index("an example")), *(i for i, name in enumerate(head) if name in ("by", "why"))]
        return (title + self.early_summary(end="\n") + _core.table(head, rows, left)).rstrip("\n")

    def early_summary(self, end: str = "") -> str:
        """A sentence about the early ranking; empty if there is none."""
        stages = {o.early_stage for o in self.outcomes if o.stage is not None and o.early_stage is not None}
        if not stages:
            return ""
        found, count = tau(self.outcomes)
        agree = "" if found is None else f"; Kendall's tau of early and final step times of {count} programs: {found:.2f}"
        done = sum(o.stage is not None and not o.is_early for o in self.ranked)
        return f"{done} of {len(self.ranked)} are compiled to the end, the others by the {' or '.join(sorted(stages))} program{agree}{end}"

    def _repr_html_(self) -> str:
        head, rows = self.cells()
        return f"<h4>{html.escape(self.device)}</h4>" + _table(head, rows)

    def plot(self, path: Union[str, os.PathLike[str], None] = None, *, color: Optional[str] = None) -> Any:
        """Returns a matplotlib figure of step time per example over peak memory, with the Pareto front, and writes it to ``path``.
        ``color`` is the axis of the space that the colours tell apart, by default the one that matters most. Needs matplotlib."""
        from hloroof.tune._plot import plot

        figure = plot(self, color)
        if path is not None:
            figure.savefig(path, dpi=150, bbox_inches="tight")
        return figure

    def html(self, path: Union[str, os.PathLike[str], None] = None) -> str:
        """Returns a self-contained page with the plot, the ranking and all reasons, and writes it to ``path``."""
        from hloroof.tune._page import page

        text = page(self)
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return text


def _size(value: Optional[float]) -> str:
    return "" if value is None else _core.format_bytes(value)


def _per_example(outcome: Outcome, seconds: Optional[float]) -> float:
    return (seconds or 0) / (outcome.examples or 1)


def _differences(outcome: Outcome, best: Outcome) -> dict[str, float]:
    """Time per example that a candidate spends more than the best, by part."""
    return {
        name: _per_example(outcome, outcome.breakdown.get(name)) - _per_example(best, best.breakdown.get(name))
        for name in dict.fromkeys([*outcome.breakdown, *best.breakdown])
    }
