"""Passes in Python, inside the compile."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from typing import Any, Callable, Iterator, Optional, Sequence, TextIO, Union

from hloroof import _core
from hloroof._edit import Editor
from hloroof._functions import parse
from hloroof._hook import check_stage, registered
from hloroof._reschedule import Rescheduling
from hloroof._reschedule import reschedule as _search

ON_ERROR = ("keep", "raise")


class TransformError(_core.Error):
    """A function that edits modules raised, or left a module that a compiler would not accept."""


@dataclasses.dataclass(frozen=True)
class Transformed:
    """A module that a compile handed over."""

    name: str
    stage: str
    """``pre_scheduler`` or ``post_scheduler``."""
    is_changed: bool
    """Whether the compile went on with another module."""
    step_seconds_before: Optional[float] = None
    """Predicted; ``None`` without a device."""
    step_seconds_after: Optional[float] = None
    error: Optional[str] = None
    """Why the compile went on with the module as it was."""
    rescheduling: Optional[Rescheduling] = None
    """What ``reschedule`` found."""

    def __str__(self) -> str:
        line = f"{self.name}, {self.stage.replace('_scheduler', '-scheduler')}: "
        if self.error is not None:
            return line + f"kept as it was: {self.error}"
        if not self.is_changed:
            return line + "unchanged"
        line += "changed"
        if self.step_seconds_before is not None and self.step_seconds_after is not None:
            before, after = _core.format_seconds(self.step_seconds_before), _core.format_seconds(self.step_seconds_after)
            line += f", predicted step {before} -> {after}"
        return line


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


@contextlib.contextmanager
def _replacing(
    change: Callable[[_core.Module, bytes], tuple[Transformed, Optional[bytes]]],
    stage: str,
    platforms: Union[str, Sequence[str], None],
    on_error: str,
    stream: Optional[TextIO],
    quiet: bool,
) -> Iterator[list[Transformed]]:
    """Replaces each module by the bytes that ``change`` returns. It is given the module, and the bytes that it was read from."""
    check_stage(stage)
    if on_error not in ON_ERROR:
        raise ValueError(f"on_error={on_error!r}: expected one of {', '.join(ON_ERROR)}")
    seen: list[Transformed] = []
    failures: list[Exception] = []

    def look(proto: bytes) -> Optional[bytes]:
        name, replaced = "module", None
        try:
            module = parse(proto)
            name = module.name
            one, replaced = change(module, proto)
        except Exception as error:
            one = Transformed(name, stage, False, error=_first_line(error))
            if on_error == "raise":
                failures.append(TransformError(f"{name}, {stage}: {error}"))
                failures[-1].__cause__ = error
        seen.append(one)
        if not quiet:
            print(f"hloroof: {one}", file=stream or sys.stderr, flush=True)
        if failures:
            raise failures[-1]
        return replaced

    with registered(look, failures, stage, platforms):
        yield seen


def transform(
    function: Callable[[Editor], Any],
    *,
    stage: str = "post_scheduler",
    device: Optional[str] = None,
    on_error: str = "keep",
    platforms: Union[str, Sequence[str], None] = None,
    stream: Optional[TextIO] = None,
    quiet: bool = False,
    **options: Any,
) -> contextlib.AbstractContextManager[list[Transformed]]:
    """Calls ``function(edit)`` for every module that JAX compiles inside the block, with an ``hloroof.Editor``. The compile goes on
    with the module as edited, or as it was if nothing was edited. The result of the function is ignored.

        def without_copies(edit):
            ...
        with hloroof.jax.transform(without_copies) as seen:
            train_step(...)                      # compiles here
        print(*seen, sep="\\n")

    ``stage`` is ``"post_scheduler"``, where the order of the instructions is that in which they run, or ``"pre_scheduler"``. With a
    ``device`` the editor predicts, and each ``Transformed`` has the step before and after. ``platforms`` limits the compiles, as
    for JAX. ``options`` are those of ``predict_step_time``.

    The module is verified before it goes back; what was wrong when it came does not count. If the function raises or the module is
    not valid, the compile goes on with the original and a line on ``stream`` says why; with ``on_error="raise"`` the compile fails,
    and ``TransformError`` names the instruction. Raises ``ImportError`` if JAX is older than 0.12.0.
    """

    def change(module: _core.Module, original: bytes) -> tuple[Transformed, Optional[bytes]]:
        edit = Editor(module, device, **options)
        before = edit.step_seconds if device is not None else None
        function(edit)
        proto = edit.module.to_proto()
        if proto == original:
            return Transformed(module.name, stage, False, before, before), None
        edit.verify(original=module)
        after = edit.step_seconds if device is not None else None
        return Transformed(module.name, stage, True, before, after), proto

    return _replacing(change, stage, platforms, on_error, stream, quiet)


def reschedule(
    device: str,
    *,
    memory_limit: Optional[float] = None,
    seconds: float = 5,
    trials: Optional[int] = None,
    seed: int = 1,
    on_error: str = "keep",
    platforms: Union[str, Sequence[str], None] = None,
    stream: Optional[TextIO] = None,
    quiet: bool = False,
    **options: Any,
) -> contextlib.AbstractContextManager[list[Transformed]]:
    """Brings every module that JAX compiles inside the block into the order that ``hloroof.reschedule`` finds for ``device``, where
    that is predicted to be faster or to need less memory. The arguments are those of ``hloroof.reschedule`` and ``transform``.

    The gain is predicted; no hardware has confirmed it.
    """
    _core.device_name(device)  # an unknown device is an error here, not at the first compile

    def change(module: _core.Module, _: bytes) -> tuple[Transformed, Optional[bytes]]:
        found = _search(
            module, device, seconds=seconds, trials=trials, seed=seed, memory_limit=memory_limit, **options
        )
        is_changed = bool(found.moves)
        before, after = found.before.step_seconds, found.after.step_seconds
        seen = Transformed(module.name, "post_scheduler", is_changed, before, after, rescheduling=found)
        return seen, found.program.to_proto() if is_changed and found.program is not None else None

    return _replacing(change, "post_scheduler", platforms, on_error, stream, quiet)
