"""What a run says while it goes on."""

from __future__ import annotations

from typing import Optional, Sequence, TextIO

from hloroof import _core
from hloroof.tune._outcome import EARLY, FAILED, OK, Outcome
from hloroof.tune._space import describe


class Progress:
    """Writes a line for each new result, with the best so far and the time that is left."""

    def __init__(self, stream: Optional[TextIO]) -> None:
        self._stream = stream
        self._total = self._done = self._slots = 0
        self._stage = ""
        self._durations: list[float] = []
        self._last: dict[str, Outcome] = {}

    def start(self, stage: str, total: int, slots: int, known: Sequence[Outcome] = ()) -> None:
        """A pass over ``total`` candidates, ``slots`` at once, of which some are known."""
        self._stage, self._total, self._slots, self._done = stage, total, slots, len(known)
        self._durations = []
        for outcome in known:
            self._last[describe(outcome.candidate)] = outcome

    def note(self, text: str) -> None:
        if text:
            self._write(text)

    def add(self, outcome: Outcome, duration: Optional[float] = None) -> None:
        """A new outcome, and the seconds that it took if anything was compiled for it."""
        self._last[describe(outcome.candidate)] = outcome
        if outcome.same_as is not None and duration is None:
            self._write(f"{describe(outcome.candidate)} is the same program as {describe(outcome.same_as)}")
            return
        self._done += 1
        if duration is not None:
            self._durations.append(duration)
        seconds = outcome.seconds_per_example
        found = _core.format_seconds(seconds) if outcome.status == OK and seconds is not None else outcome.status
        tried = f", attempt {outcome.attempts}" if outcome.attempts > 1 else ""
        stage = f" {self._stage}" if self._stage in EARLY else (" to the end" if outcome.early_stage in EARLY else "")
        self._write(f"{self._done}/{self._total}{stage}  {found}  {describe(outcome.candidate)}{tried}{self._left()}")

    def _left(self) -> str:
        """By the mean of those that were compiled in this pass, and how many are compiled at once."""
        remaining = self._total - self._done
        if remaining == 0 or not self._durations:
            return ""
        mean = sum(self._durations) / len(self._durations)
        seconds = mean * remaining / min(self._slots, remaining)
        then = ", without the compiles to the end" if self._stage in EARLY else ""
        return f"  ({int(seconds) // 60}:{int(seconds) % 60:02d} left{then})"

    def close(self, total: int) -> None:
        outcomes = list(self._last.values())
        failed = sum(o.status == FAILED for o in outcomes)
        unfit = sum(o.status not in (OK, FAILED) for o in outcomes)
        ranked = [o.seconds_per_example for o in outcomes if o.status == OK and o.seconds_per_example is not None and not o.is_early]
        best = f"; best {_core.format_seconds(min(ranked))} an example" if ranked else ""
        self._write(f"{total} candidates, {unfit} do not fit, {failed} failed{best}")

    def _write(self, text: str) -> None:
        if self._stream is not None:
            print(f"tune: {text}", file=self._stream, flush=True)
