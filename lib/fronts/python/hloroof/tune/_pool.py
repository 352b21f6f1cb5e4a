"""Worker processes. ``evaluate`` runs a candidate on an idle one, from a thread of this process or from a task of Dask."""

from __future__ import annotations

import dataclasses
import signal
import tempfile
import threading
from typing import Any, Optional, Sequence

from hloroof import _core
from hloroof._process import Ended, Process
from hloroof.tune._compile import ENVIRONMENT
from hloroof.tune._outcome import END, FAILED, SCHEDULER, Outcome
from hloroof.tune._space import Candidate
from hloroof.tune._worker import MARK, Reference, Request, Scheduled


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
    stage: str = END
    """How far the program is compiled."""
    flags: Sequence[str] = ()
    """Names of the candidate that are flags of the compiler."""


class WorkerDied(Exception):
    """The process ended in the middle of a candidate. The message says how and where."""

    def __init__(self, message: str, scheduled: Optional[Scheduled] = None) -> None:
        super().__init__(message)
        self.scheduled = scheduled


class TookTooLong(WorkerDied):
    """It took longer than the job allows."""


class Worker:
    """A process that compiles. Use it from one thread at a time."""

    def __init__(self) -> None:
        self._scratch = tempfile.TemporaryDirectory(prefix="hloroof-tune-", ignore_cleanup_errors=True)
        self._process = Process("hloroof.tune._worker", {**ENVIRONMENT, MARK: "1"})
        self.kill = self._process.kill

    def close(self) -> None:
        """Ends the process."""
        self._process.close()
        self._scratch.cleanup()

    def run(self, job: Job) -> tuple[Outcome, Optional[bytes]]:
        """Raises ``WorkerDied``. The worker is of no use then."""
        request = Request(job.reference, job.device, job.candidate, job.stage, job.flags, self._scratch.name)
        try:
            outcome, program = self._process.ask(request, job.timeout)
            return outcome, program
        except Ended as ended:
            scheduled = next((note for note in ended.notes if isinstance(note, Scheduled)), None)
            doing = next((note for note in reversed(ended.notes) if isinstance(note, str)), "it started")
            if scheduled is not None and doing == "it compiled":
                doing = "it made code of the program, which was scheduled"
            if ended.is_late:
                raise TookTooLong(f"took longer than {job.timeout:g} s while {doing}", scheduled) from None
            is_signal = ended.status < 0
            how = f"signal {signal.Signals(-ended.status).name}" if is_signal else f"status {ended.status}"
            raise WorkerDied(f"the worker ended with {how} while {doing}: {ended.said}", scheduled) from None


_lock = threading.Lock()
_idle: dict[str, list[Worker]] = {}
_busy: dict[str, list[Worker]] = {}
_closed: set[str] = set()


def evaluate(job: Job) -> tuple[Outcome, Optional[bytes]]:
    """Runs the job on an idle worker of this process, or a new one, and again if the worker dies."""
    died: list[WorkerDied] = []
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
        except TookTooLong as error:
            return dataclasses.replace(_what_it_had(job.candidate, error), attempts=len(died) + 1), None
        except WorkerDied as error:
            died.append(error)
        finally:
            with _lock:
                _busy[job.run].remove(worker)
                if is_good and job.run not in _closed:
                    _idle[job.run].append(worker)
                else:
                    worker.close()
    if not died:
        return Outcome(job.candidate, FAILED, "the run was ended", is_final=False), None
    outcome = _what_it_had(job.candidate, died[-1])
    times = f"{len(died)} workers died, the last: " if len(died) > 1 else ""
    return dataclasses.replace(outcome, reason=times + (outcome.reason or ""), attempts=len(died), is_final=False), None


def _what_it_had(candidate: Candidate, error: WorkerDied) -> Outcome:
    """The outcome of a candidate whose worker ended, with the prediction of the scheduled program if it had come so far."""
    had = error.scheduled
    outcome = Outcome(candidate, FAILED, str(error))
    if had is None:
        return outcome
    from hloroof._functions import predict_step_time

    try:
        step: Any = predict_step_time(had.proto, had.place, **had.options)
    except _core.Error:
        return outcome
    return dataclasses.replace(outcome, examples=had.examples, early_stage=SCHEDULER, early_step_seconds=step.step_seconds)


def close(run: str) -> None:
    """Ends the workers of a run, also those that are busy."""
    with _lock:
        _closed.add(run)
        for worker in _idle.pop(run, []):
            worker.close()
        for worker in _busy.get(run, []):
            worker.kill()  # its thread sees the end, and closes it
