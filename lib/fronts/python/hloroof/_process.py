"""A process of its own that answers requests one at a time, so that a crash there is an error here. Requests and replies are pickled
and go over its standard input and output."""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
import tempfile
import threading
import time
from typing import IO, Any, BinaryIO, Callable, Mapping, Optional, Sequence

TPU_ELSEWHERE = {"TPU_SKIP_MDS_QUERY": "1", "ALLOW_MULTIPLE_LIBTPU_LOAD": "1"}
"""The environment of a compile for a TPU that is not there: no metadata server, and no process has a TPU to itself."""


class Ended(Exception):
    """The process ended before it had answered."""

    def __init__(self, status: int, said: str, is_late: bool, notes: Sequence[Any] = ()) -> None:
        super().__init__(status, said, is_late, notes)
        self.status = status
        """As in ``subprocess.Popen.returncode``."""
        self.said = said
        """The end of what it wrote to standard error."""
        self.is_late = is_late
        """Whether it was ended because it took too long."""
        self.notes = notes
        """What it passed to ``note`` on the way."""


class _Note:
    """What comes before a reply."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Process:
    """Runs ``python -m module``, which calls ``serve``. Use it from one thread at a time."""

    def __init__(self, module: str, environment: Mapping[str, str]) -> None:
        self._log: BinaryIO = tempfile.TemporaryFile()
        paths = os.pathsep.join(path or os.getcwd() for path in sys.path)
        self._process = subprocess.Popen(
            [sys.executable, "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, **environment, "PYTHONPATH": paths},
        )

    def ask(self, request: Any, timeout: Optional[float] = None) -> Any:
        """Returns the reply. Raises ``Ended``, also after ``timeout`` seconds; the process is of no use then."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._log.seek(0)
        self._log.truncate()
        is_late = threading.Event()
        notes: list[Any] = []

        def end() -> None:
            is_late.set()
            self.kill()

        timer = threading.Timer(timeout, end) if timeout is not None else None
        if timer is not None:
            timer.start()
        try:
            _send(self._process.stdin, request)
            while isinstance(reply := _receive(self._process.stdout), _Note):
                notes.append(reply.value)
            return reply
        except (EOFError, OSError):
            status = self._process.wait()
            self._log.seek(0)
            raise Ended(status, last_words(self._log.read().decode(errors="replace")), is_late.is_set(), notes) from None
        finally:
            if timer is not None:
                timer.cancel()

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.communicate()
        self._log.close()


_replies: Optional[IO[bytes]] = None


def serve(answer: Callable[[Any], Any]) -> None:
    """Answers the requests that a ``Process`` sends, until there are no more or that process is gone."""
    global _replies
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    requests, _replies = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # libraries may print
    while True:
        try:
            request = _receive(requests)
        except EOFError:
            return
        _send(_replies, answer(request))


def note(value: Any) -> None:
    """Tells the other side something while the answer is made, for the case that there is none. Does nothing outside ``serve``."""
    if _replies is not None:
        _send(_replies, _Note(value))


def _end_with(parent: int) -> None:
    """Ends this process when its parent is gone, also in the middle of a compile."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def last_words(log: str, lines: int = 12) -> str:
    """The lines of a log from the first fatal one on, or the last ones."""
    rows = [row for row in log.splitlines() if row.strip()]
    fatal = next((i for i, row in enumerate(rows) if row.startswith("F") or "Check failed" in row), max(len(rows) - lines, 0))
    return "\n".join(rows[fatal : fatal + lines]) or "no message"


def _send(stream: IO[bytes], value: Any) -> None:
    data = pickle.dumps(value)
    stream.write(struct.pack("<q", len(data)) + data)
    stream.flush()


def _receive(stream: IO[bytes]) -> Any:
    head = stream.read(8)
    if len(head) < 8:
        raise EOFError
    (size,) = struct.unpack("<q", head)
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)
