"""Which candidates are compiled to the end, and how well the early ranking agrees with the final one."""

from __future__ import annotations

import dataclasses
import math
from typing import Iterable, Optional, Sequence, Union

from hloroof.tune._outcome import EARLY, END, FAILED, OK, OPTIMIZED, Outcome
from hloroof.tune._space import key_of

LEAST = 4
"""Programs that are compiled to the end at least, if there are so many."""

_TIE = 1e-6  # relative; what the end of a compile changes in a text moves predictions less


def stage_of(early: Union[bool, str], finish: float, count: int) -> str:
    """The stage by which ``count`` candidates are ranked first. Raises ``ValueError`` for what ``run`` does not know."""
    if not 0 < finish <= 1:
        raise ValueError(f"finish={finish}: expected a share above 0, at most 1")
    if early == "auto":
        return OPTIMIZED if wanted(finish, count) < count else END
    if early is True:
        return OPTIMIZED
    if early is False:
        return END
    if early not in EARLY:
        raise ValueError(f"early={early!r}: expected True, False, 'auto' or one of {', '.join(EARLY)}")
    return early


def wanted(finish: float, count: int) -> int:
    """How many of ``count`` programs are compiled to the end."""
    return min(count, max(LEAST, math.ceil(finish * count)))


def cut(seconds: Sequence[float], finish: float) -> int:
    """How many programs are compiled to the end of those with these early times, from the fastest on: with the last one also those
    that are as fast. Flags of the compiler may act in code generation only, so that the program before it is the same."""
    count = wanted(finish, len(seconds))
    while 0 < count < len(seconds) and _sign(seconds[count], seconds[count - 1]) == 0:
        count += 1
    return count


def program_of(outcome: Outcome) -> str:
    """Equal for candidates whose programs are equal, and do as much in a step."""
    hlo = outcome.early_hlo or outcome.hlo
    return f"{hlo} {outcome.examples}" if hlo is not None else key_of(outcome.candidate)


def distinct(outcomes: Iterable[Outcome]) -> list[list[Outcome]]:
    """The candidates that can run, those with equal programs together, fastest first by the early ranking."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.status == OK:
            groups.setdefault(program_of(outcome), []).append(outcome)
    return sorted(groups.values(), key=lambda group: _early(group[0]))


def to_finish(outcomes: Sequence[Outcome], finish: float) -> list[Outcome]:
    """The candidates to compile to the end next, one for each program: none if the fastest are."""
    groups = distinct(outcomes)
    count = cut([_early(group[0]) for group in groups], finish)
    return [group[0] for group in groups[:count] if all(o.is_early for o in group)]


def equal_to_finished(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """New outcomes of candidates whose program is one that was compiled to the end."""
    found = []
    for group in distinct(outcomes):
        end = next((o for o in group if not o.is_early), None)
        if end is not None:
            found += [as_equal(o, end) for o in group if o.is_early]
    return found


def finished(early: Outcome, end: Outcome) -> Outcome:
    """What came of the end of a compile, with what was known before."""
    known = early.early_step_seconds is not None
    if end.status == FAILED and known:
        from hloroof import _core

        reason = f"{end.reason}\nThe {early.early_stage} program was predicted at {_core.format_seconds(early.early_step_seconds or 0)} a step"
        end = dataclasses.replace(end, reason=reason, examples=early.examples)
    return dataclasses.replace(
        end,
        early_stage=early.early_stage if known else end.early_stage,
        early_step_seconds=early.early_step_seconds if known else end.early_step_seconds,
        early_compile_seconds=early.early_compile_seconds,
        early_hlo=early.early_hlo,
    )


def as_equal(twin: Outcome, end: Outcome) -> Outcome:
    """The outcome of a candidate by that of another whose program is equal."""
    return dataclasses.replace(
        end, candidate=twin.candidate, same_as=end.candidate, attempts=twin.attempts, early_compile_seconds=twin.early_compile_seconds
    )


def recognized(outcome: Outcome, others: Iterable[Outcome]) -> Outcome:
    """The outcome with ``same_as`` if the compiler made the same of another candidate in the end."""
    if outcome.status != OK or outcome.is_early or outcome.hlo is None or outcome.same_as is not None:
        return outcome
    for other in others:
        is_end = other.status == OK and not other.is_early and other.same_as is None
        if is_end and (other.hlo, other.examples) == (outcome.hlo, outcome.examples) and other.candidate != outcome.candidate:
            return dataclasses.replace(outcome, same_as=other.candidate)
    return outcome


def noted_early(outcome: Outcome) -> Outcome:
    """An outcome of the first pass, with its numbers as the early ones too."""
    if outcome.step_seconds is None or not outcome.is_early:
        return outcome
    return dataclasses.replace(
        outcome,
        early_stage=outcome.stage,
        early_step_seconds=outcome.step_seconds,
        early_compile_seconds=outcome.compile_seconds,
    )


def _early(outcome: Outcome) -> float:
    seconds = outcome.early_seconds_per_example
    return (outcome.seconds_per_example or 0) if seconds is None else seconds


def tau(outcomes: Iterable[Outcome]) -> tuple[Optional[float], int]:
    """Kendall's tau of the early and the final seconds per example, and of how many programs: those with both."""
    pairs = []
    for group in distinct(outcomes):
        both = [o for o in group if not o.is_early and o.early_seconds_per_example and o.early_stage in EARLY and o.seconds_per_example]
        if both:
            pairs.append((both[0].early_seconds_per_example or 0, both[0].seconds_per_example or 0))
    return kendall(pairs), len(pairs)


def kendall(pairs: Sequence[tuple[float, float]]) -> Optional[float]:
    """Kendall's tau-b of two rankings; None if one of them tells nothing apart."""
    agreed = firsts = seconds = 0
    for i, (a, b) in enumerate(pairs):
        for c, d in pairs[:i]:
            first, second = _sign(a, c), _sign(b, d)
            agreed += first * second
            firsts += first != 0
            seconds += second != 0
    return agreed / math.sqrt(firsts * seconds) if firsts and seconds else None


def _sign(a: float, b: float) -> int:
    return 0 if abs(a - b) <= _TIE * max(abs(a), abs(b)) else (1 if a > b else -1)
