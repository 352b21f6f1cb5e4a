"""What came of a candidate."""

from __future__ import annotations

import dataclasses
from typing import Any, Optional

OK = "ok"
DOES_NOT_FIT = "does not fit"
FAILED = "failed"

SCHEDULER, OPTIMIZED, END = "scheduler", "optimized", "end"
EARLY = (SCHEDULER, OPTIMIZED)
"""The stages before the end of a compile, from the first on."""


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What came of a candidate. Times are in seconds, sizes in bytes; a fact that is not known is None."""

    candidate: dict[str, Any]
    status: str
    """``"ok"``, ``"does not fit"`` in memory, or ``"failed"``."""
    reason: Optional[str] = None
    """Why it cannot run; None if it can."""
    step_seconds: Optional[float] = None
    examples: Optional[float] = None
    """Examples of one step."""
    peak_bytes: Optional[float] = None
    """Peak in HBM of one device."""
    capacity_bytes: Optional[float] = None
    bound: Optional[str] = None
    """What limits the step, as in ``StepPrediction.bound``."""
    mfu: Optional[float] = None
    exposed_communication_seconds: Optional[float] = None
    recompute_seconds: Optional[float] = None
    """Time in which the backward pass recomputes the forward pass."""
    unknown: Optional[float] = None
    """Share of the step that is unknown."""
    breakdown: dict[str, float] = dataclasses.field(default_factory=dict, repr=False)
    """What the step works on or waits for: ``"mxu"``, ``"wait (ici)"``. Adds up to the step."""
    compile_seconds: Optional[float] = None
    """How long tracing and compiling took, up to ``stage``."""
    stage: Optional[str] = None
    """Which program the numbers above are of: ``"end"``, what the compiler made in the end; ``"optimized"``, the optimized program before
    code generation; ``"scheduler"``, the scheduled program, in which the compiler has not chosen yet what is in fast memory."""
    early_stage: Optional[str] = None
    """The stage by which the candidate was ranked at first."""
    early_step_seconds: Optional[float] = None
    """The predicted step at ``early_stage``."""
    early_compile_seconds: Optional[float] = None
    """How long tracing and compiling took up to ``early_stage``."""
    hlo: Optional[str] = None
    """Equal for candidates whose programs at ``stage`` are equal except for names."""
    early_hlo: Optional[str] = None
    """The same at the stage by which the candidate was ranked at first, and for equal options of the compiler only."""
    same_as: Optional[dict[str, Any]] = None
    """Another candidate with an equal program, which was compiled to the end; either for this one too, or both were."""
    attempts: int = 1
    """How often it was tried; more than 1 if workers died."""
    is_final: bool = True
    """False if a later run should try again, because only workers died."""
    program: Optional[str] = None
    """Path of the compiled HLO text in the folder of the run, for every command of hloroof."""

    @property
    def seconds_per_example(self) -> Optional[float]:
        """Step time per example, by which candidates are ranked."""
        return None if self.step_seconds is None or not self.examples else self.step_seconds / self.examples

    @property
    def early_seconds_per_example(self) -> Optional[float]:
        """As ``seconds_per_example``, of the program at ``early_stage``."""
        return None if self.early_step_seconds is None or not self.examples else self.early_step_seconds / self.examples

    @property
    def is_early(self) -> bool:
        """Whether nothing after ``early_stage`` is known."""
        return self.stage in EARLY

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Outcome:
        """Makes an outcome from a dict, without members that a newer version may have."""
        names = {field.name for field in dataclasses.fields(Outcome)}
        return Outcome(**{name: value for name, value in data.items() if name in names})

    def to_dict(self) -> dict[str, Any]:
        """Returns dicts, lists, numbers and strings."""
        return dict(vars(self))
