"""A worker: builds, compiles and predicts candidates. Run as a script, it reads requests from stdin and writes replies to stdout,
each pickled."""

from __future__ import annotations

import gzip
import importlib
import importlib.util
import os
import pickle
import re
import sys
import threading
import time
from typing import Any, Callable, Optional

from hloroof import _core
from hloroof._prediction import StepPrediction
from hloroof._process import serve
from hloroof.tune import _compile
from hloroof.tune._outcome import DOES_NOT_FIT, FAILED, OK, Outcome
from hloroof.tune._space import Candidate, Program

MARK = "HLOROOF_TUNE_WORKER"

Reference = tuple[str, str, Any]
"""Where a worker finds ``build``: ("module", module, name), ("file", path, name) or ("value", "", bytes of cloudpickle)."""


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


def evaluate(build: Callable[..., Program], device: str, candidate: Candidate) -> tuple[Outcome, Optional[bytes]]:
    """The outcome, and the compiled text as a gzip file."""
    started = time.monotonic()
    try:
        program = build(**candidate)
        if not isinstance(program, Program):
            raise TypeError(f"build returned {type(program).__name__}, not hloroof.tune.Program")
        capacity = _compile.capacity_of(device.partition(":")[0])
        least = _compile.arguments_bytes(program)
        if least > capacity:
            reason = f"the arguments alone take {_core.format_bytes(least)} of the {_core.format_bytes(capacity)} of a device"
            return Outcome(candidate, DOES_NOT_FIT, reason, examples=program.examples, capacity_bytes=capacity), None
        text, place = _compile.compile_program(program, device)
        seconds = time.monotonic() - started
        step = _compile.predict(program, text, place)
    except Exception as error:  # what the function, JAX, libtpu or the prediction raises
        return _failure(candidate, error), None
    return _outcome(candidate, program, step, seconds), gzip.compress(text.encode(), 6, mtime=0)


def _outcome(candidate: Candidate, program: Program, step: StepPrediction, seconds: float) -> Outcome:
    breakdown: dict[str, float] = {}
    for part in step.breakdown:
        name = f"wait ({part.resource})" if part.is_wait else part.resource  # axes differ between meshes
        breakdown[name] = breakdown.get(name, 0.0) + part.seconds
    memory = step.memory
    reason = None
    if not memory.fits:
        usable = f"{_core.format_bytes(memory.usable_bytes)} usable"
        reason = f"the peak is {_core.format_bytes(memory.hbm_peak_bytes)} of {usable}"
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
    )


def _end_with(parent: int) -> None:
    """Ends this process when its parent is gone, also in the middle of a compile."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def _serve() -> None:
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    build: Any = None

    def answer(request: tuple[Reference, str, Candidate]) -> tuple[Outcome, Optional[bytes]]:
        nonlocal build
        reference, device, candidate = request
        try:
            build = build or _resolve(reference)
            return evaluate(build, device, candidate)
        except Exception as error:  # of the import
            return _failure(candidate, error), None

    serve(answer)


if __name__ == "__main__":
    _serve()
