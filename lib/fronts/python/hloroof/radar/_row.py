"""A program on a device in both environments: what was predicted, and what is different."""

from __future__ import annotations

import dataclasses
from typing import Any, Mapping, Optional

from hloroof import _core

NOTABLE = 0.01
"""The share by which a number must change to be called a change in words. Gates have limits of their own."""


@dataclasses.dataclass(frozen=True)
class Side:
    """A program in one environment. Times are predicted, in seconds; sizes are bytes of one device."""

    error: Optional[str] = None
    """Why there is no prediction, in the compiler's words; None if there is one."""
    step_seconds: Optional[float] = None
    exposed_seconds: Optional[float] = None
    """Of the step, in which it waits for communication."""
    hbm_peak_bytes: Optional[float] = None
    vmem_peak_bytes: Optional[float] = None
    compiler_bytes: Optional[int] = None
    """The memory that the compiler says that it needs at the peak."""
    fits: Optional[bool] = None
    bound: Optional[str] = None
    unknown: Optional[float] = None
    """Share of the step that is unknown."""
    assumed: Optional[float] = None
    collectives: Mapping[str, Mapping[str, float]] = dataclasses.field(default_factory=dict)
    """``count`` and ``bytes`` of one step, by kind."""
    program: Optional[str] = None
    """The compiled text in the cache, which every command reads."""
    compile_seconds: float = 0
    from_cache: bool = False


@dataclasses.dataclass(frozen=True)
class Cause:
    """The pass at which most of a difference begins that is still there at the end of the compile."""

    of: str
    """``"step"``, ``"memory"`` or ``"collectives"``."""
    name: str
    """Of the pass, with its pipeline: ``"algsimp of simplification"``."""
    amount: float
    """Of the difference that begins there: seconds, bytes or collectives."""
    total: float
    """The whole difference, by the dumps."""
    only_in: Optional[str] = None
    """``"base"`` or ``"head"`` if only this compile has the pass."""

    def __str__(self) -> str:
        form = {"step": _core.format_seconds, "memory": _core.format_bytes}.get(self.of, _plain_number)
        where = f", which only {self.only_in} has" if self.only_in else ""
        return f"{self.of}: {_signed(self.amount, form)} of {_signed(self.total, form)} at {self.name}{where}"


@dataclasses.dataclass(frozen=True)
class Row:
    """A program on a device, compared."""

    program: str
    device: str
    base: Side
    head: Side
    causes: tuple[Cause, ...] = ()
    passes: Optional[str] = None
    """What ``hloroof passes`` says of the two compiles; None if nothing is different, or without dumps."""
    ops: tuple[Mapping[str, Any], ...] = ()
    """The ops that change most, as in ``hloroof diff``."""
    gates: tuple[Mapping[str, Any], ...] = ()
    """``condition``, ``failed`` and ``finding``."""

    @property
    def is_compared(self) -> bool:
        return self.base.error is None and self.head.error is None

    @property
    def step_change(self) -> Optional[float]:
        return change(self.base.step_seconds, self.head.step_seconds)

    @property
    def memory_change(self) -> Optional[float]:
        return change(self.base.hbm_peak_bytes, self.head.hbm_peak_bytes)

    @property
    def gained(self) -> dict[str, dict[str, float]]:
        """Changes of ``count`` and ``bytes`` by kind of collective, without kinds that are as before."""
        kinds = sorted({*self.base.collectives, *self.head.collectives})
        none = {"count": 0.0, "bytes": 0.0}
        found = {}
        for kind in kinds:
            before, after = self.base.collectives.get(kind, none), self.head.collectives.get(kind, none)
            difference = {name: after[name] - before[name] for name in none}
            if any(difference.values()):
                found[kind] = difference
        return found if self.is_compared else {}

    @property
    def failed(self) -> bool:
        return any(gate["failed"] for gate in self.gates)

    @property
    def verdict(self) -> str:
        """``"worse"``, ``"better"``, ``"mixed"``, ``"same"``, or ``"not compared"``."""
        if not self.is_compared:
            return "not compared"
        signs = {word for word, _ in self.findings() if word}
        return "mixed" if len(signs) > 1 else signs.pop() if signs else "same"

    def findings(self) -> list[tuple[str, str]]:
        """What is different in words, each with ``"worse"``, ``"better"`` or nothing."""
        base, head = self.base, self.head
        if not self.is_compared:
            return [("", f"{name}: {side.error}") for name, side in (("base", base), ("head", head)) if side.error is not None]
        found = []
        for words, before, after, form in (
            (("slower", "faster"), base.step_seconds, head.step_seconds, _core.format_seconds),
            (("more memory", "less memory"), base.hbm_peak_bytes, head.hbm_peak_bytes, _core.format_bytes),
            (("more VMEM", "less VMEM"), base.vmem_peak_bytes, head.vmem_peak_bytes, _core.format_bytes),
        ):
            share = change(before, after)
            if share is not None and abs(share) > NOTABLE:
                text = f"{words[share < 0]}: {form(before or 0)} -> {form(after or 0)}, {percent(share)}"
                sign = "better" if share < 0 else "worse"
                if "VMEM" in words[0]:  # how much of it a program uses is the compiler's choice
                    sign = ""
                elif "memory" in words[0]:
                    by_compiler = change(base.compiler_bytes, head.compiler_bytes)
                    if by_compiler is not None:
                        text += f"; the compiler says {percent(by_compiler)}"
                        sign = sign if by_compiler * share > 0 and abs(by_compiler) > NOTABLE else ""
                found.append((sign, text))
        gained = self.gained
        if gained:
            parts = [
                f"{_signed(each['count'], _plain_number)} {kind} ({_signed(each['bytes'], _core.format_bytes)})"
                for kind, each in gained.items()
            ]
            signs = {"worse" if each["bytes"] > 0 or each["count"] > 0 else "better" for each in gained.values()}
            found.append((signs.pop() if len(signs) == 1 else "", "collectives: " + ", ".join(parts)))
        if base.fits and head.fits is False:
            found.append(("worse", "does not fit in memory any longer"))
        found += self._doubts()
        return found

    def _doubts(self) -> list[tuple[str, str]]:
        """What keeps the two predictions from being compared."""
        found = []
        for name, before, after in (
            ("unknown", self.base.unknown, self.head.unknown),
            ("assumed", self.base.assumed, self.head.assumed),
        ):
            if before is not None and after is not None and abs(after - before) > NOTABLE:
                shares = [_core.format_percent(share) for share in (before, after)]
                text = f"compare with care: {shares[0]} of the step of base is {name}, and {shares[1]} of that of head"
                found.append(("", text))
        return found


def change(before: Optional[float], after: Optional[float]) -> Optional[float]:
    """As a share of before; None if either is not known, or before is 0 and after is not."""
    if before is None or after is None:
        return None
    if before == 0:
        return 0.0 if after == 0 else None
    return (after - before) / before


def percent(share: Optional[float]) -> str:
    if share is None:
        return "?"
    return "=" if share == 0 else f"{100 * share:+.1f} %"


def _plain_number(value: float) -> str:
    return f"{value:g}"


def _signed(value: float, form: Any) -> str:
    return ("+" if value > 0 else "-" if value < 0 else "") + str(form(abs(value)))
