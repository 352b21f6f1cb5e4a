"""Searches for the order of a scheduled module with the least predicted step."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Optional

from hloroof import _core, _reschedule_results
from hloroof._devices import Device, device_text
from hloroof._field_docs import document_fields
from hloroof._options import Options, core_options
from hloroof._prediction import make_record
from hloroof._programs import Program, parse

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True, repr=False)
class Rescheduling(_reschedule_results.Rescheduling):
    """The best predicted order of a module. ``print(result)`` shows the same text as the command."""

    program: Optional[_core.Module] = field(default=None, compare=False)
    """The module in that order."""
    _text: str = field(default="", compare=False)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return (
            f"<Rescheduling: {self.module} on {self.device}, {_core.format_seconds(self.before.step_seconds)} -> "
            f"{_core.format_seconds(self.after.step_seconds)}, {len(self.moves)} moves>"
        )


document_fields(vars(_reschedule_results))


def reschedule(
    program: Program,
    device: Device,
    *,
    seconds: float = 5,
    trials: Optional[int] = None,
    seed: int = 1,
    memory_limit: Optional[float] = None,
    **options: Unpack[Options],
) -> Rescheduling:
    """Searches the legal orders of a scheduled module for the least predicted step, and says what it moved and why.

    ``memory_limit`` is the peak of HBM in bytes that no order may exceed; by default that of the order that came in. The search
    ends after ``seconds`` of the clock, or after ``trials`` predicted orders. The result has the number of orders and the ``seed``;
    the same seed and number find the same order. ``options`` are those of ``predict_step_time``. The result is never slower than what came in, by its own prediction; no hardware has
    confirmed it. Raises ``InvalidInputError`` if the module is not scheduled.
    """
    if not seconds >= 0 or seconds == float("inf"):
        raise ValueError(f"seconds={seconds}: expected a number that is not negative")
    if trials is not None and trials < 1:
        raise ValueError(f"trials={trials}: expected a positive number")
    if not 0 <= seed < 2**63:
        raise ValueError(f"seed={seed}: expected a number from 0 to 2**63 - 1")
    place = device_text(device)
    module, text, summary = _core.reschedule(
        parse(program), place, core_options(place, options), seconds, trials, seed, memory_limit
    )
    found: Rescheduling = make_record(Rescheduling, json.loads(text), _reschedule_results.RECORD_OF_MEMBER)
    return dataclasses.replace(found, program=module, _text=summary)
