"""Passes in Python, inside the compile."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from typing import Any, Callable, Iterator, Mapping, Optional, Sequence, TextIO, Union

from hloroof import _core
from hloroof._ahead import check_compiler, tpu_of
from hloroof._edit import Editor
from hloroof._functions import parse, predict_step_time
from hloroof._confirm import ORDERS, Confirmation, Finisher, confirm_orders
from hloroof._hook import check_stage, registered
from hloroof._reschedule import Rescheduling, SearchOptions, search

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
    confirmation: Optional[Confirmation] = None
    """What became of the orders that ``reschedule(confirm=...)`` compiled to the end."""

    def __str__(self) -> str:
        line = f"{self.name}, {self.stage.replace('_scheduler', '-scheduler')}: "
        if self.error is not None:
            return line + f"kept as it was: {self.error}"
        if not self.is_changed:
            return line + ("unchanged" if self.confirmation is None else "unchanged: no order that was compiled is better")
        line += "changed"
        if self.step_seconds_before is not None and self.step_seconds_after is not None:
            before, after = _core.format_seconds(self.step_seconds_before), _core.format_seconds(self.step_seconds_after)
            line += f", predicted step {before} -> {after}"
            line += ", of the final text" if self.confirmation is not None else ""
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
    resource: contextlib.AbstractContextManager[Any] = contextlib.nullcontext(),
) -> Iterator[list[Transformed]]:
    """Replaces each module by the bytes that ``change`` returns. It is given the module, and the bytes that it was read from, and
    may use ``resource``."""
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

    with resource, registered(look, failures, stage, platforms):
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
    ``device`` the editor predicts, and each ``Transformed`` has the step before and after; a module of another kind of machine than
    the device goes on as it was, unless ``allow_other_backend`` is set. ``platforms`` limits the compiles, as for JAX. ``options`` are
    those of ``predict_step_time``.

    The module is verified before it goes back; what was wrong when it came does not count. If the function raises or the module is
    not valid, the compile goes on with the original and a line on ``stream`` says why; with ``on_error="raise"`` the compile fails,
    and ``TransformError`` names the instruction. Raises ``ImportError`` if JAX is older than 0.12.0.
    """

    def change(module: _core.Module, original: bytes) -> tuple[Transformed, Optional[bytes]]:
        # The editor predicts any module; this refuses one of another kind of machine than the device, before it is edited.
        before = predict_step_time(module, device, **options).step_seconds if device is not None else None
        edit = Editor(module, device, **options)
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
    confirm: Union[bool, int] = False,
    compiler_options: Optional[Mapping[str, Any]] = None,
    on_error: str = "keep",
    platforms: Union[str, Sequence[str], None] = None,
    stream: Optional[TextIO] = None,
    quiet: bool = False,
    **options: Any,
) -> contextlib.AbstractContextManager[list[Transformed]]:
    """Brings every module that JAX compiles inside the block into the order that ``hloroof.reschedule`` finds for ``device``, where
    that is predicted to be faster or to need less memory. The arguments are those of ``hloroof.reschedule`` and ``transform``.

    What XLA does after scheduling, above all what it keeps in fast memory, depends on the order, and the search does not know it.
    With ``confirm=3``, or another number of orders, the best order and others on the way to it are compiled to the end, ahead of
    time, and so is the order that came in. The compile goes on with the order whose final text has the shortest predicted step, if
    that is not longer than the step of what came in and the compiler needs no more memory than ``memory_limit``, by default 1 % more
    than for what came in. Otherwise the order stays. ``Transformed.confirmation`` has a row for each order, also with the step by the
    compiler's own estimates. ``confirm=True`` means 3. It needs libtpu, and a ``device`` with the topology of the
    compile; ``compiler_options`` are those that the compile was given, which the hook does not tell.

    The gain is predicted; no hardware has confirmed it.
    """
    _core.device_name(device)  # an unknown device is an error here, not at the first compile
    how = SearchOptions(seconds, trials, seed, memory_limit)
    count = ORDERS if confirm is True else int(confirm)
    if count < 0:
        raise ValueError(f"confirm={confirm}: expected a number of orders")
    if count > 0:
        tpu_of(device)
        check_compiler("tpu", "confirm")
    finisher = Finisher()  # a process only when something is compiled

    def change(module: _core.Module, _: bytes) -> tuple[Transformed, Optional[bytes]]:
        found, others = search(module, device, how, max(count - 1, 0), **options)
        seen = Transformed(
            module.name,
            "post_scheduler",
            bool(found.moves),
            found.before.step_seconds,
            found.after.step_seconds,
            rescheduling=found,
        )
        if not found.moves or found.program is None:
            return seen, None
        if count == 0:
            return seen, found.program.to_proto()
        orders = [(module, found.before.step_seconds), (found.program, found.after.step_seconds), *others]
        confirmed = confirm_orders(orders, finisher, device, memory_limit, compiler_options, **options)
        seen = dataclasses.replace(
            seen,
            is_changed=confirmed.kept > 0,
            step_seconds_before=confirmed.orders[0].final_seconds,
            step_seconds_after=confirmed.orders[confirmed.kept].final_seconds,
            confirmation=confirmed,
        )
        return seen, orders[confirmed.kept][0].to_proto() if seen.is_changed else None

    return _replacing(change, "post_scheduler", platforms, on_error, stream, quiet, finisher)
