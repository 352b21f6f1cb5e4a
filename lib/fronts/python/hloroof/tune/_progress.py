"""What a run says while it goes on."""

from __future__ import annotations

import time
from typing import Optional, TextIO

from hloroof import _core
from hloroof.tune._outcome import FAILED, OK, Outcome
from hloroof.tune._space import describe


class Progress:
    """Writes a line for each new result, with the best so far and the time that is left."""

    def __init__(self, total: int, stream: Optional[TextIO]) -> None:
        self._total = total
        self._stream = stream
        self._started = time.monotonic()
        self._done = 0
        self._new = 0
        self._failed = 0
        self._unfit = 0
        self._best: Optional[Outcome] = None

    def note(self, text: str) -> None:
        if text:
            self._write(text)

    def add(self, outcome: Outcome, is_new: bool = True) -> None:
        self._done += 1
        seconds = outcome.seconds_per_example
        if outcome.status == OK:
            best = self._best.seconds_per_example if self._best is not None else None
            if seconds is not None and (best is None or seconds < best):
                self._best = outcome
        elif outcome.status == FAILED:
            self._failed += 1
        else:
            self._unfit += 1
        if not is_new:
            return
        self._new += 1
        found = _core.format_seconds(seconds) if outcome.status == OK and seconds is not None else outcome.status
        tried = f", attempt {outcome.attempts}" if outcome.attempts > 1 else ""
        self._write(f"{self._done}/{self._total}  {found}  {describe(outcome.candidate)}{tried}{self._left()}")

    def _left(self) -> str:
        remaining = self._total - self._done
        if remaining == 0:
            return ""
        seconds = (time.monotonic() - self._started) / self._new * remaining
        return f"  ({int(seconds) // 60}:{int(seconds) % 60:02d} left)"

    def close(self) -> None:
        best = "" if self._best is None else f"; best {_core.format_seconds(self._best.seconds_per_example or 0)} an example"
        self._write(f"{self._done} candidates, {self._unfit} do not fit, {self._failed} failed{best}")

    def _write(self, text: str) -> None:
        if self._stream is not None:
            print(f"tune: {text}", file=self._stream, flush=True)
