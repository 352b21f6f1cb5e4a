"""A worker: builds, compiles and predicts candidates. Run as a script, it reads requests from stdin and writes replies to stdout,
each pickled."""

from __future__ import annotations

import atexit
import dataclasses
import gzip
import hashlib
import importlib
import importlib.util
import os
import pickle
import re
import sys
import time
from typing import Any, Callable, Optional, Sequence

from hloroof import _ahead, _core
from hloroof._prediction import StepPrediction
from hloroof._process import note, serve
from hloroof.tune import _compile, _early
from hloroof.tune._outcome import DOES_NOT_FIT, END, FAILED, OK, SCHEDULER, Outcome
from hloroof.tune._space import Candidate, Program

MARK = "HLOROOF_TUNE_WORKER"

Reference = tuple[str, str, Any]
"""Where a worker finds ``build``: ("module", module, name), ("file", path, name) or ("value", "", bytes of cloudpickle)."""


@dataclasses.dataclass(frozen=True)
class Request:
    """A candidate and all that a worker needs for it. Those of one worker differ in the candidate and the stage."""

    reference: Reference
    device: str
    candidate: Candidate
    stage: str = END
    flags: Sequence[str] = ()
    """Names of the candidate that are flags of the compiler."""
    scratch: Optional[str] = None
    """A folder for dumps."""


def reference_to(function: Callable[..., Any]) -> Reference:
    """Raises ``ValueError`` if no worker could find the function."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    is_top = bool(name) and "<" not in name
    if is_top and module == "__main__" and main is not None:
        return "file", os.path.abspath(main), name
    if is_top and module is not None and module != "__main__":
        return "module", module, name
    try:
        import cloudpickle
    except ImportError:
        raise ValueError(
            f"no worker can find {name or function!r}: define it at the top level of a module or a script, or install cloudpickle"
        ) from None
    return "value", "", cloudpickle.dumps(function)


def _resolve(reference: Reference) -> Callable[..., Any]:
    kind, where, name = reference
    if kind == "value":
        return pickle.loads(name)  # type: ignore[no-any-return]
    if kind == "file":
        known = sys.modules.get("__hloroof_main__")
        if known is None:
            spec = importlib.util.spec_from_file_location("__hloroof_main__", where)
            assert spec is not None and spec.loader is not None
            known = importlib.util.module_from_spec(spec)
            sys.modules["__hloroof_main__"] = known
            spec.loader.exec_module(known)
        found: Any = known
    else:
        found = importlib.import_module(where)
    for part in name.split("."):
        found = getattr(found, part)
    return found  # type: ignore[no-any-return]


def _failure(candidate: Candidate, error: BaseException) -> Outcome:
    text = str(error)
    is_oom = "hbm" in text.lower() and ("CompileTimeHbmOom" in text or "Ran out of memory" in text)
    if is_oom:
        sentence = re.search(r"Ran out of memory[^\n]*?\.(?=\s|$)", text)
        return Outcome(candidate, DOES_NOT_FIT, f"the compiler: {sentence[0] if sentence else text}")
    return Outcome(candidate, FAILED, f"{type(error).__name__}: {text}" if text else type(error).__name__)


@dataclasses.dataclass(frozen=True)
class Scheduled:
    """What a worker has of a program when it is scheduled, in case it does not come to the end."""

    proto: bytes
    place: str
    examples: float
    options: dict[str, Any]


class Evaluator:
    """Makes outcomes of candidates. It keeps what it knows from one to the next."""

    def __init__(self, build: Callable[..., Program], device: str, flags: Sequence[str] = (), scratch: Optional[str] = None) -> None:
        self._build = build
        self._device = device
        self._flags = flags
        self._scratch = scratch
        self._known: dict[str, tuple[Outcome, Optional[bytes]]] = {}
        self._compiler = _early.EarlyCompiler()
        atexit.register(self._compiler.close)

    def evaluate(self, candidate: Candidate, stage: str = END) -> tuple[Outcome, Optional[bytes]]:
        """The outcome by the program at ``stage``, and its text as a gzip file."""
        started = time.monotonic()
        try:
            note("it built the program")
            program = self._program(candidate)
            capacity = _compile.capacity_of(self._device.partition(":")[0])
            least = _compile.arguments_bytes(program)
            if least > capacity:
                reason = f"the arguments alone take {_core.format_bytes(least)} of the {_core.format_bytes(capacity)} of a device"
                return Outcome(candidate, DOES_NOT_FIT, reason, examples=program.examples, capacity_bytes=capacity), None
            note("it traced the program")
            prepared, place = _compile.prepare_program(program, self._device)
            key = _key(prepared.job, program, place, stage)
            if key in self._known:
                outcome, text = self._known[key]
                return dataclasses.replace(outcome, candidate=candidate, compile_seconds=time.monotonic() - started), text
            note("it compiled")
            found = self._compiled(prepared, program, place, stage)
            seconds = time.monotonic() - started
            note("it predicted the program")
            step = _compile.predict(program, found.program, place)
        except Exception as error:  # what the function, JAX, the compiler or the prediction raises
            return _failure(candidate, error), None
        outcome = _outcome(candidate, program, step, seconds, found.stage)
        hlo = _early.fingerprint_of(str(found.program))
        asked = None if found.identity is None else f"{_early.fingerprint_of(found.identity)} {_options_of(prepared.job)}"
        outcome = dataclasses.replace(outcome, hlo=hlo, early_hlo=asked)
        self._known[key] = outcome, gzip.compress(str(found.program).encode(), 6, mtime=0)
        return self._known[key]

    def _program(self, candidate: Candidate) -> Program:
        program = self._build(**{name: value for name, value in candidate.items() if name not in self._flags})
        if not isinstance(program, Program):
            raise TypeError(f"build returned {type(program).__name__}, not hloroof.tune.Program")
        flags = {name: candidate[name] for name in self._flags if candidate[name] is not None}
        return dataclasses.replace(program, options={**program.options, **flags}) if flags else program

    def _compiled(self, prepared: Any, program: Program, place: str, stage: str) -> _early.Found:
        if stage != END:
            return self._compiler.program_at(prepared.job, prepared.program.fun_name, stage, self._scratch)

        def look(proto: bytes) -> None:
            note(Scheduled(proto, place, program.examples, dict(program.predict)))

        with _early.looking_at_scheduled(prepared.job.platform, look):
            text = _ahead.compile_here(prepared.job)
        return _early.Found(text, END)


def _options_of(job: _ahead.Job) -> str:
    """Equal for equal options: code generation may differ with them although the program before it is the same."""
    return hashlib.sha256(repr(sorted((name, str(value)) for name, value in job.options.items())).encode()).hexdigest()[:8]


def _key(job: _ahead.Job, program: Program, place: str, stage: str) -> str:
    """Equal for candidates that differ in nothing that counts."""
    job = dataclasses.replace(job, options=dict(sorted(job.options.items())))
    facts = (job, program.examples, sorted(program.predict.items()), place, stage)
    return hashlib.sha256(pickle.dumps(facts)).hexdigest()


def _outcome(candidate: Candidate, program: Program, step: StepPrediction, seconds: float, stage: str) -> Outcome:
    breakdown: dict[str, float] = {}
    for part in step.breakdown:
        name = f"wait ({part.resource})" if part.is_wait else part.resource  # axes differ between meshes
        breakdown[name] = breakdown.get(name, 0.0) + part.seconds
    memory = step.memory
    reason = None
    if not memory.fits:
        usable = f"{_core.format_bytes(memory.usable_bytes)} usable"
        what = "the peak of the scheduled program" if stage == SCHEDULER else "the peak"
        reason = f"{what} is {_core.format_bytes(memory.hbm_peak_bytes)} of {usable}"
    return Outcome(
        candidate,
        OK if memory.fits else DOES_NOT_FIT,
        reason,
        step_seconds=step.step_seconds,
        examples=program.examples,
        peak_bytes=memory.hbm_peak_bytes,
        capacity_bytes=memory.capacity_bytes,
        bound=step.bound,
        mfu=step.mfu,
        exposed_communication_seconds=step.exposed_communication_seconds,
        recompute_seconds=sum(layer.remat_seconds for layer in step.layers if layer.depth == 0),
        unknown=step.coverage.unknown,
        breakdown=breakdown,
        compile_seconds=seconds,
        stage=stage,
    )


def _serve() -> None:
    evaluator: Optional[Evaluator] = None

    def answer(request: Request) -> tuple[Outcome, Optional[bytes]]:
        nonlocal evaluator
        try:
            note("it imported the space")
            if evaluator is None:
                evaluator = Evaluator(_resolve(request.reference), request.device, request.flags, request.scratch)
            return evaluator.evaluate(request.candidate, request.stage)
        except Exception as error:  # of the import
            return _failure(request.candidate, error), None

    serve(answer)


if __name__ == "__main__":
    from hloroof.tune import _worker  # the classes of what is pickled are of the module, not of the script

    _worker._serve()
