"""Runs the candidates of a space: what is submitted when, what is kept, what is known from an earlier run."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import hashlib
import importlib.metadata
import inspect
import json
import os
import pathlib
import sys
import time
import uuid
from typing import Any, Callable, Iterable, Optional, Union

from hloroof import _core
from hloroof.tune import _pool, _stages
from hloroof.tune._outcome import DOES_NOT_FIT, END, FAILED, Outcome
from hloroof.tune._progress import Progress
from hloroof.tune._results import Results
from hloroof.tune._space import Candidate, Space, describe, key_of, load_space
from hloroof.tune._worker import MARK, reference_to

RESULTS = "results.jsonl"


def run(
    space: Union[Space, str],
    *,
    folder: Union[str, os.PathLike[str], None] = None,
    processes: Optional[int] = None,
    dask: Any = None,
    retries: int = 1,
    timeout: Optional[float] = None,
    early: Union[bool, str] = "auto",
    finish: float = 0.25,
    progress: bool = True,
    on_result: Optional[Callable[[Outcome], Any]] = None,
) -> Results:
    """Compiles and predicts the candidates of ``space`` and ranks them by step time per example. See ``hloroof.tune``.

    Most of a compile is code generation, which hardly changes a prediction. With ``early``, each candidate is compiled up to a stage
    before it and ranked by the program there. Only the best are compiled to the end: the share ``finish`` of the programs that can
    run, at least four, and those that tie with the last. If one of them fails there, the next one is tried.
    ``early="optimized"``, or ``True``, ranks by the optimized program, which has the final instructions; it is taken from the
    compiler's dump. ``early="scheduler"`` ranks by the scheduled program, before the compiler chooses what is in fast memory: sooner
    with the hook of JAX 0.12, but less like the final ranking. ``"auto"`` is ``True`` if that leaves any candidate out; ``False`` compiles
    all to the end. Candidates whose programs are equal except for names, and that have the same compiler options, are compiled to
    the end once. ``results.early_tau`` says how well the two rankings agree.

    ``space`` may be ``"module:name"`` or ``"path.py:name"``. ``processes`` is the number of compilers that run at once on this
    machine, by default half its processors; each needs about 1 GB of memory. ``dask`` is a ``distributed.Client`` or the address of
    a scheduler, whose workers need this package, JAX, the compiler and the module of the space.

    ``folder`` keeps each result as it comes, and the compiled HLO texts; a run with the same folder goes on where an earlier one
    ended. Results of another version of the space's module, of JAX, the compiler or hloroof are made anew. A candidate whose worker dies
    is tried ``retries`` more times, one that takes longer than ``timeout`` seconds fails. ``progress`` writes lines to standard
    error; ``on_result`` is called with each new outcome as it comes, for those that are compiled to the end a second time.

    Candidates that cannot run are kept with the reason: the arguments alone or the whole program do not fit, a smaller candidate
    along an axis of ``grows`` does not fit, or an exception. Raises ``ValueError`` for a malformed space, ``NotFoundError`` for an
    unknown device, ``ImportError`` without the compiler.
    """
    if os.environ.get(MARK):
        raise RuntimeError('a worker imports the script of the space: put tune.run under if __name__ == "__main__":')
    space = load_space(space) if isinstance(space, str) else space
    candidates = space.candidates()
    stage = _stages.stage_of(early, finish, len(candidates))
    _check(space, processes, retries, has_cluster=dask is not None)
    store = _Store(folder, fingerprint(space), space.device) if folder is not None else None
    known = store.known(candidates, stage) if store is not None else {}
    bar = Progress(sys.stderr if progress else None)
    if store is not None:
        bar.note(_resumed(len(known), store.stale))
    outcomes = dict(known)
    state = _State(space, outcomes)
    flags = tuple(space.xla_flags)
    job = _pool.Job(uuid.uuid4().hex, reference_to(space.build), space.device, {}, retries, timeout, stage, flags)

    def keep(outcome: Outcome, program: Optional[bytes], seconds: Optional[float] = None) -> None:
        outcome = _stages.recognized(outcome, outcomes.values())
        if store is not None:
            outcome = store.add(outcome, program)
        outcomes[key_of(outcome.candidate)] = outcome
        bar.add(outcome, seconds)
        if on_result is not None:
            on_result(outcome)

    with _executor(processes, dask, job.run) as executor:
        bar.start(stage, len(candidates), executor.slots(), list(known.values()))
        pending = [candidate for candidate in candidates if key_of(candidate) not in known]
        for outcome, program, seconds in _outcomes(executor, job, pending, state):
            keep(_stages.noted_early(outcome) if stage != END else outcome, program, seconds)
        job = dataclasses.replace(job, stage=END)
        while stage != END:
            for outcome in _stages.equal_to_finished(list(outcomes.values())):
                keep(outcome, None)
            some = {key_of(outcome.candidate): outcome for outcome in _stages.to_finish(list(outcomes.values()), finish)}
            if not some:
                break
            bar.start(END, len(some), executor.slots())
            for outcome, program, seconds in _outcomes(executor, job, [outcome.candidate for outcome in some.values()], None):
                keep(_stages.finished(some[key_of(outcome.candidate)], outcome), program, seconds)
    bar.close(len(candidates))
    return Results(space.device, [outcomes[key_of(candidate)] for candidate in candidates])


def load(folder: Union[str, os.PathLike[str]]) -> Results:
    """Returns the results that are in the folder of a run, which may still go on."""
    path = pathlib.Path(folder) / RESULTS
    if not path.exists():
        raise FileNotFoundError(f"{path}: there are no results of hloroof.tune")
    lines = _lines(path)
    newest = lines[-1]["fingerprint"] if lines else ""
    found = {key_of(line["outcome"]["candidate"]): line for line in lines if line["fingerprint"] == newest}
    device = lines[-1]["device"] if lines else ""
    return Results(device, [Outcome.from_dict(line["outcome"]) for line in found.values()])


def _check(space: Space, processes: Optional[int], retries: int, has_cluster: bool) -> None:
    from hloroof import _ahead
    from hloroof.tune._compile import check_device

    if processes is not None and processes < 1:
        raise ValueError(f"processes={processes}: expected at least 1")
    if retries < 0:
        raise ValueError(f"retries={retries}: expected 0 or more")
    check_device(space.device)
    if not has_cluster:
        _ahead.check_compiler(_ahead.chip_of(space.device).platform, "hloroof.tune")


def fingerprint(space: Space) -> str:
    """Changes with all that a result depends on except the candidate."""
    module = inspect.getmodule(space.build)
    try:
        source = inspect.getsource(module if module is not None else space.build)
    except (OSError, TypeError):
        source = getattr(space.build, "__qualname__", "")
    from hloroof import _ahead

    facts = [source, space.device, _core.__version__]
    for name in ("jax", "jaxlib", _ahead.package(_ahead.chip_of(space.device).platform)):
        try:
            facts.append(importlib.metadata.version(name))
        except importlib.metadata.PackageNotFoundError:
            facts.append("")
    facts += [os.environ.get("LIBTPU_INIT_ARGS", ""), os.environ.get("XLA_FLAGS", "")]
    return hashlib.sha256("\0".join(facts).encode()).hexdigest()[:16]


def _resumed(known: int, stale: int) -> str:
    parts = [f"{known} results of an earlier run"] if known else []
    if stale:
        parts.append(f"{stale} earlier results are of another version of the space and are made anew")
    return "; ".join(parts)


class _State:
    """What is known so far, to leave out what cannot fit."""

    def __init__(self, space: Space, outcomes: dict[str, Outcome]) -> None:
        self._space = space
        self._outcomes = outcomes

    def rejected(self, candidate: Candidate) -> Optional[Outcome]:
        """An outcome if a candidate that needs less memory does not fit."""
        for outcome in self._outcomes.values():
            if outcome.status == DOES_NOT_FIT and self._needs_less(outcome.candidate, candidate):
                smaller = {name: outcome.candidate[name] for name in self._space.grows}
                reason = f"not compiled: {describe(smaller)} does not fit: {outcome.reason}"
                if (outcome.reason or "").startswith("not compiled: "):
                    reason = outcome.reason or ""
                return Outcome(candidate, DOES_NOT_FIT, reason)
        return None

    def _needs_less(self, one: Candidate, other: Candidate) -> bool:
        grows = self._space.grows
        if not grows or any(one[name] != other[name] for name in one if name not in grows):
            return False
        return all(one[name] <= other[name] for name in grows)


def _outcomes(
    executor: Any, job: _pool.Job, pending: Iterable[Candidate], state: Optional[_State]
) -> Iterable[tuple[Outcome, Optional[bytes], Optional[float]]]:
    """The outcomes as they come, with programs and the seconds that each took. No more are submitted than run at once, so that what
    comes late may be left out."""
    waiting = list(reversed(list(pending)))
    running: dict[Any, tuple[Candidate, float]] = {}
    while waiting or running:
        while waiting and len(running) < executor.slots():
            candidate = waiting.pop()
            rejected = state.rejected(candidate) if state is not None else None
            if rejected is not None:
                yield rejected, None, None
                continue
            future = executor.submit(_pool.evaluate, dataclasses.replace(job, candidate=candidate))
            running[future] = candidate, time.monotonic()
        done, _ = concurrent.futures.wait(running, timeout=5, return_when=concurrent.futures.FIRST_COMPLETED)
        for future in done:
            candidate, started = running.pop(future)
            try:
                yield (*future.result(), time.monotonic() - started)
            except Exception as error:  # the cluster's: a worker of Dask died too often
                yield Outcome(candidate, FAILED, f"{type(error).__name__}: {error}", is_final=False), None, None


class _Local:
    """Threads of this process, each with a worker."""

    def __init__(self, processes: Optional[int], run: str) -> None:
        self._processes = processes or max(1, (os.cpu_count() or 2) // 2)
        self._pool = concurrent.futures.ThreadPoolExecutor(self._processes)
        self._run = run

    def slots(self) -> int:
        return self._processes

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return self._pool.submit(function, *arguments)

    def __enter__(self) -> _Local:
        return self

    def __exit__(self, *_: object) -> None:
        _pool.close(self._run)
        self._pool.shutdown(wait=True, cancel_futures=True)


class _Cluster:
    """The workers of a Dask cluster."""

    def __init__(self, dask: Any, run: str) -> None:
        from distributed import Client

        self._client: Any = Client(dask) if isinstance(dask, str) else dask  # type: ignore[no-untyped-call, unused-ignore]
        self._is_ours = self._client is not dask
        self._executor = self._client.get_executor(pure=False)
        self._run = run

    def slots(self) -> int:
        """One for each thread of the workers that there are now."""
        threads: dict[str, int] = self._client.nthreads()
        return max(1, sum(threads.values()))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return self._executor.submit(function, *arguments)

    def __enter__(self) -> _Cluster:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.run(_pool.close, self._run, on_error="ignore")  # one may have just died
        if self._is_ours:
            self._client.close()


def _executor(processes: Optional[int], dask: Any, run: str) -> Any:
    return _Local(processes, run) if dask is None else _Cluster(dask, run)


class _Store:
    """The folder of a run: a line for each result, and the compiled programs."""

    def __init__(self, folder: Union[str, os.PathLike[str]], version: str, device: str) -> None:
        self._folder = pathlib.Path(folder)
        self._fingerprint = version
        self._device = device
        self.stale = 0
        (self._folder / "programs").mkdir(parents=True, exist_ok=True)

    def known(self, candidates: list[Candidate], stage: str) -> dict[str, Outcome]:
        """The final outcomes of these candidates, by key."""
        wanted = {key_of(candidate) for candidate in candidates}
        found: dict[str, Outcome] = {}
        stale: set[str] = set()
        for line in _lines(self._folder / RESULTS):
            outcome = Outcome.from_dict(line["outcome"])
            key = key_of(outcome.candidate)
            if line["fingerprint"] != self._fingerprint:
                stale.add(key)
            elif key in wanted and outcome.is_final and (not outcome.is_early or outcome.stage == stage):
                found[key] = outcome
        self.stale = len((stale & wanted) - set(found))
        return found

    def add(self, outcome: Outcome, program: Optional[bytes]) -> Outcome:
        if program is not None:
            name = hashlib.sha256((self._fingerprint + key_of(outcome.candidate)).encode()).hexdigest()[:12]
            path = self._folder / "programs" / f"{name}.hlo.gz"
            path.write_bytes(program)
            outcome = dataclasses.replace(outcome, program=f"programs/{name}.hlo.gz")
        line = {"fingerprint": self._fingerprint, "device": self._device, "outcome": outcome.to_dict()}
        path = self._folder / RESULTS
        # A run that was killed may have left half a line.
        is_cut = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
        with open(path, "a") as file:
            file.write(("\n" if is_cut else "") + json.dumps(line) + "\n")
        return outcome


def _lines(path: pathlib.Path) -> list[dict[str, Any]]:
    """The whole lines of a file of results."""
    lines = []
    for text in path.read_text(errors="replace").splitlines() if path.exists() else []:
        try:
            line = json.loads(text)
        except ValueError:
            continue  # cut off when the run was killed
        outcome = line.get("outcome") if isinstance(line, dict) else None
        if isinstance(outcome, dict) and isinstance(outcome.get("candidate"), dict) and "status" in outcome:
            if isinstance(line.get("fingerprint"), str) and isinstance(line.get("device"), str):
                lines.append(line)
    return lines
