"""The records of the JSON hloroof.reschedule/1, with its names, in SI units.

The build generates this file from the fields of the records. A fact that is not known is None.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

# What `schema` of a document is.
SCHEMA = "hloroof.reschedule/1"


@dataclass(frozen=True)
class Rescheduling:
    """The best predicted order of a module."""

    schema: str
    """Name and version of this format."""
    module: str
    """Module."""
    device: str
    """Device."""
    topology: str
    """Topology."""
    before: OrderCost
    """The order that came in."""
    after: OrderCost
    """The best order found."""
    lower_bound_seconds: float
    """Busy time of the busiest resource, which no order undercuts."""
    memory_limit_bytes: float
    """Peak of HBM that no order may exceed."""
    seed: int
    """Seed of the random moves; the same seed and trials give the same order."""
    trials: int
    """Orders that were predicted."""
    end: str
    """Why the search ended: no order can be better, the number of trials, or the time of --seconds. One of
    nothing_better, trials, seconds."""
    moves: list[OrderMove] = field(repr=False)
    """The moves, those that gain the most first."""
    bounds: list[OrderBound] = field(repr=False)
    """What keeps the predicted step from being shorter."""


@dataclass(frozen=True)
class OrderCost:
    """What an order costs, by the prediction."""

    step_seconds: float
    """Predicted step time."""
    wait_seconds: float
    """The part in which the compute stream waits for transfers."""
    peak_bytes: float
    """Peak of HBM."""


@dataclass(frozen=True)
class OrderMove:
    """The moves of one instruction in one direction."""

    op: str
    """Instruction."""
    computation: str
    """Computation in which it moves."""
    direction: str
    """Whether it runs earlier or later than before. One of earlier, later."""
    from_before: Optional[str]
    """Instruction that followed it; None if it was the last."""
    to_before: str
    """Instruction before which it is put in the end."""
    along: int
    """Most instructions that go along because of dependencies."""
    gain_seconds: float
    """By how much the predicted step becomes shorter; negative if other moves make up for it."""
    gain_bytes: float
    """By how much the peak of HBM falls; negative if it rises."""
    waiting: Optional[str]
    """Op whose wait is the reason; None if there is none."""
    transfer: Optional[str]
    """Transfer that it waits for; None if there is none."""
    limit: Optional[str]
    """Link of that transfer; None if there is none."""
    wait_seconds: float
    """How long it waits before the search, in the step."""


@dataclass(frozen=True)
class OrderBound:
    """A reason why no faster order was found."""

    name: str
    """A wait, a resource, blocking collectives, or a limit."""
    seconds: Optional[float]
    """Its time in the step; None if the reason has none."""
    text: str
    """The reason."""


# Classes of the members that are records or lists of records.
RECORD_OF_MEMBER: dict[str, type] = {
    "before": OrderCost,
    "after": OrderCost,
    "moves": OrderMove,
    "bounds": OrderBound,
}
