"""The program of a candidate before the compiler makes code of it, which is most of the time of a compile.

The hook of JAX 0.12 has the scheduled program, and ends the compile there. What the compiler makes of it next, the optimized program
in which it has chosen what is in fast memory, is only in its dump: a process of its own compiles, and is ended when the dump is there.
So is the scheduled program where there is no hook.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import pathlib
import re
import tempfile
import threading
import time
from typing import Any, Callable, Iterator, Optional

from hloroof import _ahead, _core
from hloroof._functions import parse
from hloroof._hook import hooks, registered
from hloroof._process import Ended
from hloroof.tune._outcome import END, SCHEDULER

_POLL_SECONDS = 0.02
_PATIENCE_SECONDS = 1.0  # about what another process takes to import JAX
_REFUSAL_SECONDS = 0.5  # a program that does not fit is refused within that time of its dump

# What the compilers dump of a program, and what they dump when they go on with it.
_DUMPED = {
    "tpu": {
        "scheduler": ("*.after_optimizations_before_buffer_assignment.txt", "*.after_optimizations.txt"),
        "optimized": ("*.after_optimizations.txt", "*.after_optimizations_after_buffer_assignment.txt"),
    },
    "cuda": {  # XLA schedules for GPUs in the last passes
        "scheduler": ("*gpu_after_optimizations.txt", "*.ir-no-opt.ll"),
        "optimized": ("*gpu_after_optimizations.txt", "*.ir-no-opt.ll"),
    },
}


class _Enough(Exception):
    """Ends a compile from inside."""


@dataclasses.dataclass(frozen=True)
class Found:
    """A program on the way through the compiler."""

    program: Any
    """Text or module."""
    stage: str
    identity: Optional[str] = None
    """The text at the early stage that was asked for, by which equal programs are recognized."""


class EarlyCompiler(_ahead.Compiler):
    """Compiles programs up to a stage. Its process is ended with each that takes longer, and the next one started at once."""

    def __init__(self) -> None:
        super().__init__()
        self._is_patient = True
        self._has_hook = has_hook()

    def program_at(self, job: _ahead.Job, function: str, stage: str, scratch: Optional[str] = None) -> Found:
        """Returns the program at ``stage``, or at the end of the compile if that takes no longer than another process would.
        ``function`` is the name of the function. Raises ``CompileError``."""
        if stage == SCHEDULER and job.platform == "tpu" and self._has_hook:
            module = scheduled_here(job)
            if module is not None:
                return Found(module, stage, str(module))
            self._has_hook = False
        wanted, later = _DUMPED[job.platform][stage]
        with tempfile.TemporaryDirectory(dir=scratch, ignore_cleanup_errors=True) as folder:
            path = pathlib.Path(folder)
            options = {**job.options, "xla_dump_to": folder, "xla_dump_hlo_as_text": True}
            patience = _PATIENCE_SECONDS if self._is_patient and stage != SCHEDULER else 0.0
            dump = _Dump(path, function, wanted, later)
            end = self._until(dataclasses.replace(job, options=options), lambda over: dump.wait(patience, over))
            text = dump.complete()
        if text is not None:
            text = _ahead.without_export(text, function, job.names)
        if end is None or (text is not None and stage == SCHEDULER):
            assert text is not None  # it was there when the process was ended
            return Found(text, stage, text)
        return Found(end, END, text or end)

    def _until(self, job: _ahead.Job, wait: Callable[[threading.Event], bool]) -> Optional[str]:
        """The text at the end of the compile; None if ``wait`` returned true before. It is given what says that the compile is over."""
        process = self._started()
        is_over = threading.Event()
        is_enough = False

        def watch() -> None:
            nonlocal is_enough
            if wait(is_over):
                is_enough = True
                process.kill()

        watcher = threading.Thread(target=watch)
        watcher.start()
        ended: Optional[Ended] = None
        try:
            text, error = process.ask(job)
        except Ended as reason:
            ended = reason
        finally:
            is_over.set()
            watcher.join()
        if is_enough:
            self._is_patient = False  # the programs of a space are alike
            self.close()
            self._started()  # imports JAX while this program is predicted
            return None
        if ended is not None:
            self.close()
            text, error = "", f"the compiler ended with {_ahead.ending(ended.status)}: {ended.said}"
        if error is not None:
            raise _ahead.CompileError(_ahead.explain_failure(error, "libtpu" if job.platform == "tpu" else "XLA"))
        return str(text)


def has_hook() -> bool:
    """Whether JAX calls the hook in compiles ahead of time."""
    with contextlib.suppress(ImportError):
        hooks()
        import jax

        return tuple(jax.__version_info__) >= (0, 12)  # earlier ones have the functions, and do not call what is registered
    return False


def scheduled_here(job: _ahead.Job) -> Optional[_core.Module]:
    """The scheduled program; None if the hook was not called. Runs the compiler in this process, up to there."""
    found: list[bytes] = []

    def look(proto: bytes) -> None:
        found.append(bytes(proto))
        raise _Enough("the program is scheduled")

    try:
        with registered(look, (), "post_scheduler", "tpu"):
            _ahead.compile_here(job)
    except Exception:  # XLA's, with ours in it
        if not found:
            raise
    return parse(found[0]) if found else None


@contextlib.contextmanager
def looking_at_scheduled(platform: str, look: Any) -> Iterator[None]:
    """Calls ``look`` with the proto of each scheduled program that is compiled in the block, where JAX has the hook."""
    if platform != "tpu" or not has_hook():
        yield
        return

    def pass_on(proto: bytes) -> None:
        look(bytes(proto))

    with registered(pass_on, (), "post_scheduler", "tpu"):
        yield


@dataclasses.dataclass(frozen=True)
class _Dump:
    """The dump of a compile while it goes on."""

    folder: pathlib.Path
    function: str
    wanted: str
    later: str

    def complete(self) -> Optional[str]:
        """The text that is wanted, unless it is not there or still written."""
        paths = sorted(self.folder.glob(self.wanted), key=lambda path: (f".jit_{self.function}." not in path.name, path.name))
        text = paths[0].read_text(errors="replace") if paths else ""
        return text if re.search(r"^ENTRY [\s\S]*^\}", text, re.MULTILINE) else None

    def wait(self, patience: float, is_over: threading.Event) -> bool:
        """Waits until the text is complete and the compiler goes on with it, and for ``patience`` seconds more; False if the compile is
        over before."""
        since: Optional[float] = None
        while not is_over.wait(_POLL_SECONDS):
            if since is None and self.complete() is not None:
                since = time.monotonic()
            if since is not None and any(self.folder.glob(self.later)):
                return not is_over.wait(max(0.0, since + patience - time.monotonic()))
            if since is not None and time.monotonic() - since > max(patience, _REFUSAL_SECONDS):
                return True
        return False


def fingerprint_of(text: str) -> str:
    """Equal for programs that are equal except for names and metadata."""
    numbers: dict[str, str] = {}
    body = re.sub(r'(?:, )?metadata=\{(?:[^"}]|"(?:[^"\\]|\\.)*")*\}', "", text)
    body = re.sub(r"^HloModule [^,\s]+", "HloModule", body)
    body = re.sub(r"^(?:FileNames|FunctionNames|FileLocations|StackFrames)\n(?:.+\n)*", "", body, flags=re.MULTILINE)
    body = re.sub(r"\n+", "\n", body)
    body = re.sub(r"^((?:ENTRY )?%\S+) \(.*\{$", r"\1 {", body, flags=re.MULTILINE)  # the parameters have their shapes themselves
    body = re.sub(r"%[\w.#-]+", lambda match: numbers.setdefault(match[0], f"%{len(numbers)}"), body)
    return hashlib.sha256(body.encode()).hexdigest()[:16]
