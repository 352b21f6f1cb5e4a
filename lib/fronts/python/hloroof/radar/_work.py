"""Runs ``_worker.py`` with another Python: one request, one process, one answer, and the words of a process that gave none."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import tempfile
import threading
import time
from typing import Any, Iterator, Mapping, Optional

from hloroof._ahead import ending
from hloroof._process import TPU_ELSEWHERE, last_words

WORKER = pathlib.Path(__file__).with_name("_worker.py")

_SETTINGS = {
    **TPU_ELSEWHERE,
    "JAX_PLATFORMS": "cpu",
    "TPU_WORKER_HOSTNAMES": "localhost",
    "JAX_ENABLE_COMPILATION_CACHE": "false",  # a program that comes from there has no dumps of passes
    "PYTHONDONTWRITEBYTECODE": "1",  # next to the programs
    "PYTHONWARNINGS": "ignore::DeprecationWarning",
}
_NOT_OURS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")  # they are of this process, and would hide what the other one has


@dataclasses.dataclass(frozen=True)
class Work:
    """A request to a worker."""

    python: str
    request: Mapping[str, Any]
    variables: Mapping[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True)
class Done:
    """What came of it."""

    result: Mapping[str, Any]
    error: Optional[str] = None
    is_final: bool = True
    """Whether the same request would have the same answer; false for a process that was killed."""
    seconds: float = 0


class Workers:
    """The processes that run, so that an interrupt can end them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._is_ended = False

    @contextlib.contextmanager
    def start(self, command: list[str], **settings: Any) -> Iterator[subprocess.Popen[bytes]]:
        with self._lock:
            if self._is_ended:
                raise InterruptedError("the run was ended")
            process = subprocess.Popen(command, start_new_session=os.name == "posix", **settings)
            self._running.add(process)
        try:
            yield process
        finally:
            _kill(process)
            with self._lock:
                self._running.discard(process)

    def end(self) -> None:
        with self._lock:
            self._is_ended = True
            for process in self._running:
                _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and what it started, such as ptxas."""
    if process.poll() is None:
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()


def ask(work: Work, timeout: float, out: Optional[pathlib.Path] = None, workers: Optional[Workers] = None) -> Done:
    """Runs a request to its end, for at most so many seconds. The worker writes to the folder ``out``."""
    with contextlib.ExitStack() as stack:
        folder = out or pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hloroof-radar-")))
        request = folder / "request.json"
        request.write_text(json.dumps({**work.request, "out": str(folder)}))
        log = stack.enter_context(tempfile.TemporaryFile())
        variables = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
        started = time.monotonic()
        process = stack.enter_context(
            (workers or Workers()).start(
                [work.python, str(WORKER), str(request)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=os.path.dirname(str(work.request["file"])),
                env={**variables, **_SETTINGS, **work.variables},
            )
        )
        is_late = False
        try:
            status = process.wait(timeout)
        except subprocess.TimeoutExpired:
            is_late = True
            _kill(process)
            status = process.returncode
        seconds = time.monotonic() - started
        result = _read(folder / "result.json")
        if result is not None and not is_late:
            error = result.get("error")
            return Done(result, error, seconds=seconds)
        log.seek(0)
        words = last_words(log.read().decode(errors="replace"))
        how = f"did not finish in {timeout:g} seconds" if is_late else f"ended with {ending(status)}"
        had = _what_it_had(folder, time.time())
        return Done({}, f"the process {how}{had}: {words}", is_final=False, seconds=seconds)


def _read(path: pathlib.Path) -> Optional[dict[str, Any]]:
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _what_it_had(folder: pathlib.Path, now: float) -> str:
    """`` while compiling for 40 s, after 87 passes, the last of them algsimp``; empty if it had nothing."""
    try:
        began, _, name = (folder / "stages.txt").read_text().splitlines()[-1].partition(" ")
        text = f" while {name} for {now - float(began):.0f} s"
    except (OSError, ValueError, IndexError):
        return ""
    dumps = sorted((folder / "passes").glob("*.after_*.txt"), key=lambda path: path.stat().st_mtime)
    if dumps:
        last = dumps[-1].name.partition(".after_")[2].removesuffix(".txt").partition(".before_")[0]
        text += f", after {len(dumps)} dumps of passes, the last of {last}"
    return text
