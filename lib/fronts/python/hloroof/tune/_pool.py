"""Worker processes. ``evaluate`` runs a candidate on an idle one, from a thread of this process or from a task of Dask."""

from __future__ import annotations

import dataclasses
import signal
import threading
from typing import Optional

from hloroof._process import Ended, Process
from hloroof.tune._compile import ENVIRONMENT
from hloroof.tune._outcome import FAILED, Outcome
from hloroof.tune._space import Candidate
from hloroof.tune._worker import MARK, Reference


@dataclasses.dataclass(frozen=True)
class Job:
    """A candidate and all that a worker needs for it."""

    run: str
    """The run that it belongs to. Its workers serve no other."""
    reference: Reference
    device: str
    candidate: Candidate
    retries: int
    timeout: Optional[float]


class WorkerDied(Exception):
    """The process ended in the middle of a candidate. The message says how."""


class Worker:
    """A process that compiles. Use it from one thread at a time."""

    def __init__(self) -> None:
        self._process = Process("hloroof.tune._worker", {**ENVIRONMENT, MARK: "1"})
        self.kill = self._process.kill
        self.close = self._process.close

    def run(self, job: Job) -> tuple[Outcome, Optional[bytes]]:
        """Raises ``WorkerDied``, and ``TimeoutError`` if it takes longer than the job allows. The worker is of no use then."""
        try:
            outcome, program = self._process.ask((job.reference, job.device, job.candidate), job.timeout)
            return outcome, program
        except Ended as ended:
            if ended.is_late:
                raise TimeoutError(f"took longer than {job.timeout:g} s") from None
            is_signal = ended.status < 0
            how = f"signal {signal.Signals(-ended.status).name}" if is_signal else f"status {ended.status}"
            raise WorkerDied(f"the worker ended with {how}: {ended.said}") from None


_lock = threading.Lock()
_idle: dict[str, list[Worker]] = {}
_busy: dict[str, list[Worker]] = {}
_closed: set[str] = set()


def evaluate(job: Job) -> tuple[Outcome, Optional[bytes]]:
    """Runs the job on an idle worker of this process, or a new one, and again if the worker dies."""
    died: list[str] = []
    while len(died) <= job.retries and job.run not in _closed:
        with _lock:
            idle = _idle.setdefault(job.run, [])
            worker = idle.pop() if idle else Worker()
            _busy.setdefault(job.run, []).append(worker)
        is_good = False
        try:
            outcome, program = worker.run(job)
            is_good = True
            return dataclasses.replace(outcome, attempts=len(died) + 1), program
        except WorkerDied as error:
            died.append(str(error))
        except TimeoutError as error:
            return Outcome(job.candidate, FAILED, str(error), attempts=len(died) + 1), None
        finally:
            with _lock:
                _busy[job.run].remove(worker)
                if is_good and job.run not in _closed:
                    _idle[job.run].append(worker)
                else:
                    worker.close()
    times = f"{len(died)} workers died, the last: " if len(died) > 1 else ""
    reason = times + (died[-1] if died else "the run was ended")
    return Outcome(job.candidate, FAILED, reason, attempts=max(len(died), 1), is_final=False), None


def close(run: str) -> None:
    """Ends the workers of a run, also those that are busy."""
    with _lock:
        _closed.add(run)
        for worker in _idle.pop(run, []):
            worker.close()
        for worker in _busy.get(run, []):
            worker.kill()  # its thread sees the end, and closes it
