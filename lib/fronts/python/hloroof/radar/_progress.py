"""What a run says while it goes on."""

from __future__ import annotations

import threading
from typing import Optional, TextIO

from hloroof._kernel import _short
from hloroof.radar._row import Row, percent


class Progress:
    """Writes a line for what begins and for what is done. Several threads may call it."""

    def __init__(self, stream: Optional[TextIO]) -> None:
        self._stream = stream
        self._lock = threading.Lock()
        self._total = 0
        self._done = 0

    def expect(self, total: int) -> None:
        """How many compiles there are."""
        self._total = total

    def note(self, text: str) -> None:
        with self._lock:
            self._write(text)

    def begin(self, what: str) -> None:
        self.note(what)

    def done(self, what: str, error: Optional[str], seconds: float, from_cache: bool) -> None:
        with self._lock:
            self._done += 1
            how = "from the cache" if from_cache else f"{seconds:.0f} s"
            end = f"failed: {_short(error, 60)}" if error is not None else "compiled"
            self._write(f"{self._done}/{self._total}  {what}: {end}, {how}")

    def row(self, row: Row) -> None:
        change = f", predicted step {percent(row.step_change)}" if row.is_compared else ""
        self.note(f"{row.program} on {row.device}: {row.verdict}{change}{', over a limit' if row.failed else ''}")

    def _write(self, text: str) -> None:
        if self._stream is not None:
            print(f"radar: {text}", file=self._stream, flush=True)
