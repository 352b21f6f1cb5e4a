"""Predicts the programs that JAX compiles, inside the compile.

    with hloroof.jax.watch("tpu_v5e:2x4") as watched:
        train_step(...)                      # compiles here
    watched.predictions

JAX 0.12 and later hand every module to a registered function, fused and partitioned, before or after XLA has scheduled it.
``watch`` predicts it there and changes nothing; ``transform`` edits it; ``reschedule`` gives it a better order. The variable
``HLOROOF_WATCH`` watches a script that knows nothing of this package: see ``watch_from_environment``.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import re
import sys
from typing import Any, Iterator, Optional, Sequence, TextIO, Union

from hloroof import _core
from hloroof._compile_for import CompiledProgram, compile_for
from hloroof._confirm import Confirmation, ConfirmedOrder
from hloroof._field_docs import document_fields as _document_fields
from hloroof._functions import parse, predict_step_time
from hloroof._hook import STAGES, check_stage, registered
from hloroof._prediction import StepPrediction
from hloroof._transform import Transformed, TransformError, reschedule, transform

__all__ = [
    "STAGES",
    "CompiledProgram",
    "Confirmation",
    "ConfirmedOrder",
    "Seen",
    "TransformError",
    "Transformed",
    "WatchError",
    "Watched",
    "compile_for",
    "reschedule",
    "transform",
    "watch",
    "watch_from_environment",
]


class WatchError(_core.Error):
    """A condition of ``fail_if`` holds for a module. The message names the module, the stage, and both numbers."""


@dataclasses.dataclass(frozen=True)
class Seen:
    """A module that a compile handed over."""

    name: str
    stage: str
    """``pre_scheduler`` or ``post_scheduler``. XLA places arrays in fast memory later than both."""
    prediction: Optional[StepPrediction]
    """``None`` if it could not be predicted."""
    error: Optional[str] = None
    """Why not."""

    def __str__(self) -> str:
        stage = self.stage.replace("_scheduler", "-scheduler")
        if self.prediction is None:
            return f"{self.name}, {stage}: not predicted: {self.error}"
        p = self.prediction
        line = (
            f"{self.name}, {stage}: {_core.format_seconds(p.step_seconds)} on {p.device.name}, bound by {p.bound}, "
            f"peak memory {_core.format_bytes(p.memory.hbm_peak_bytes)}"
        )
        if p.memory.fits is False:
            line += ", does not fit"
        unsure = p.coverage.assumed + p.coverage.unknown
        if unsure >= 0.05:
            line += f", {100 * unsure:.0f} % of it assumed or unknown"
        return line


@dataclasses.dataclass
class Watched:
    """What a ``watch`` has seen, in the order of the compiles."""

    seen: list[Seen] = dataclasses.field(default_factory=list)

    @property
    def predictions(self) -> list[StepPrediction]:
        """Of all modules that could be predicted."""
        return [s.prediction for s in self.seen if s.prediction is not None]


@contextlib.contextmanager
def watch(
    device: str,
    *,
    stage: str = "post_scheduler",
    fail_if: Union[str, Sequence[str], None] = None,
    dump: Union[str, "os.PathLike[str]", None] = None,
    platforms: Union[str, Sequence[str], None] = None,
    stream: Optional[TextIO] = None,
    quiet: bool = False,
    **options: Any,
) -> Iterator[Watched]:
    """Predicts on ``device`` every module that JAX compiles inside the block, and writes a line for each to ``stream``, which
    is standard error by default. The compile goes on with the module as it is.

    ``stage`` is ``"post_scheduler"`` or ``"pre_scheduler"``: the module with or without the order in which it runs. Arrays are
    not yet in fast memory at either. ``fail_if`` has one or several conditions such as ``"step>5ms"``, ``"memory>15GiB"`` or
    ``"mfu<40%"``, as ``hloroof diff --fail-if`` takes them; if one holds, the compile ends there, before its costly part, and
    ``WatchError`` is raised when the block ends, or by the compile itself. ``dump`` is a folder that receives each module as
    ``NUMBER.NAME.STAGE.hlo.pb``. ``platforms`` limits the compiles that are watched, as for JAX. ``options`` are those of
    ``predict_step_time``.

    A module that cannot be predicted stops nothing: its line says why. As for ``predict_step_time``, such is a module that JAX
    compiles for another kind of machine than the device, unless ``allow_other_backend`` is set. Raises ``ImportError`` if JAX is
    older than 0.12.0, ``ValueError`` for a malformed condition or stage, ``NotFoundError`` for an unknown device.
    """
    check_stage(stage)
    texts = [fail_if] if isinstance(fail_if, str) else list(fail_if or [])
    limits = [_core.Limit(text) for text in texts]
    _core.device_name(device)  # an unknown device is an error here, not at the first compile
    folder = pathlib.Path(dump) if dump is not None else None
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    watched = Watched()
    failures: list[WatchError] = []

    def look(proto: bytes) -> None:
        one = _look(proto, device, stage, options)
        if folder is not None:
            file = re.sub(r"[^\w.-]", "_", one.name)[:100]
            (folder / f"{len(watched.seen):04d}.{file}.{stage}.hlo.pb").write_bytes(proto)
        watched.seen.append(one)
        if not quiet:
            print(f"hloroof: {one}", file=stream or sys.stderr, flush=True)
        if one.prediction is None:
            return
        predicted = one.prediction._asked().predicted
        for limit in limits:
            holds, finding = limit.check(predicted)
            if holds:
                failures.append(WatchError(f"{limit.text} holds for {one}: {finding}"))
                raise failures[-1]

    with registered(look, failures, stage, platforms):
        yield watched


def _look(proto: bytes, device: str, stage: str, options: dict[str, Any]) -> Seen:
    name = "module"
    try:
        module = parse(proto)
        name = module.name
        return Seen(name, stage, predict_step_time(module, device, **options))
    except Exception as error:  # of the program, or a fault of ours: neither may end somebody's compile
        return Seen(name, stage, None, str(error).splitlines()[0] if str(error) else type(error).__name__)


def watch_from_environment() -> None:
    """Starts a watch for the rest of the process if ``HLOROOF_WATCH`` names a device. ``HLOROOF_WATCH_FAIL_IF`` has conditions
    with commas between them, and ``HLOROOF_WATCH_DUMP`` a folder.

        HLOROOF_WATCH=tpu_v5e:2x4 python -m hloroof.jax train.py --steps 10
    """
    device = os.environ.get("HLOROOF_WATCH")
    if not device:
        return
    conditions = [text for text in os.environ.get("HLOROOF_WATCH_FAIL_IF", "").split(",") if text.strip()]
    block = watch(device, fail_if=conditions, dump=os.environ.get("HLOROOF_WATCH_DUMP") or None)
    block.__enter__()
    _kept.append(block)  # the end of a generator would end the watch


_kept: list[Any] = []


def _run_script(arguments: Sequence[str]) -> int:
    import runpy

    if not arguments or arguments[0] in ("-h", "--help"):
        print((watch_from_environment.__doc__ or "").strip(), file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    # Run as a script, this file is the module __main__, and the package has another copy of it.
    from hloroof import jax as package

    package.watch_from_environment()
    sys.argv = list(arguments)
    sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
    runpy.run_path(arguments[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(_run_script(sys.argv[1:]))


_document_fields(globals())
