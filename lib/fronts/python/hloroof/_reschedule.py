"""Searches for the order of a scheduled module with the least predicted step."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Optional

from hloroof import _core, _reschedule_results
from hloroof._devices import Device, device_text
from hloroof._field_docs import document_fields
from hloroof._functions import predict_step_time
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
    the same seed and number find the same order. ``options`` are those of ``predict_step_time``. The result is never slower than what
    came in, by its own prediction; no hardware has confirmed it. Raises ``InvalidInputError`` if the module is not scheduled, or if it
    was compiled for another kind of machine than the device, unless ``allow_other_backend`` is set.
    """
    how = SearchOptions(seconds, trials, seed, memory_limit)
    module = parse(program)
    predict_step_time(module, device, **options)  # refuses another backend, which the search does not
    return search(module, device, how, **options)[0]


@dataclass(frozen=True)
class SearchOptions:
    """The arguments of ``reschedule`` that are no options of the prediction."""

    seconds: float
    trials: Optional[int]
    seed: int
    memory_limit: Optional[float]

    def __post_init__(self) -> None:
        if not self.seconds >= 0 or self.seconds == float("inf"):
            raise ValueError(f"seconds={self.seconds}: expected a number that is not negative")
        if self.trials is not None and self.trials < 1:
            raise ValueError(f"trials={self.trials}: expected a positive number")
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"seed={self.seed}: expected a number from 0 to 2**63 - 1")


def search(
    module: _core.Module, device: Device, how: SearchOptions, others: int = 0, **options: Unpack[Options]
) -> tuple[Rescheduling, list[tuple[_core.Module, float]]]:
    """Returns the result of ``reschedule``, and at most ``others`` orders on the way to the best one, each with its predicted step."""
    place = device_text(device)
    ordered, text, summary, on_the_way = _core.reschedule(
        module, place, core_options(place, options), how.seconds, how.trials, how.seed, how.memory_limit, others
    )
    found: Rescheduling = make_record(Rescheduling, json.loads(text), _reschedule_results.RECORD_OF_MEMBER)
    return dataclasses.replace(found, program=ordered, _text=summary), on_the_way
