"""The functions of the package: what a program may be, and options as keyword arguments."""

from __future__ import annotations

import json
import os
from typing import Any, Iterable, Mapping, Optional, Protocol, Sequence, Union

from hloroof import _core
from hloroof._prediction import StepPrediction


class HasText(Protocol):
    """As ``jax.stages.Compiled`` and ``jax.stages.Lowered``."""

    def as_text(self) -> Optional[str]: ...


Program = Union[str, "os.PathLike[str]", _core.Module, HasText]


def parse(program: Program, *, strict: bool = False) -> _core.Module:
    """Parses a program once, for predicting it many times.

    ``strict`` refuses opcodes and attributes that the grammar does not have. Raises ``InvalidInputError`` with line, column
    and a caret, ``NotFoundError`` for a path that does not exist.
    """
    if isinstance(program, _core.Module):
        return program
    if isinstance(program, str):
        return _core.parse(program, strict=strict)
    if isinstance(program, os.PathLike):
        return _core.load(os.fspath(program))
    as_text = getattr(program, "as_text", None)
    if as_text is None:
        raise TypeError(
            "expected HLO text, a pathlib.Path, a hloroof.Module or an object with as_text() such as "
            f"jax.stages.Compiled, not {type(program).__name__}"
        )
    # What can still be compiled prints StableHLO unless asked for HLO.
    text = as_text(dialect="hlo") if hasattr(program, "compile") else as_text()
    if not isinstance(text, str):
        raise TypeError(f"as_text() of this {type(program).__name__} returned {type(text).__name__}, not text")
    return _core.parse(text, strict=strict)


def _options(
    topology: Optional[str],
    slices: Optional[int],
    estimates: str,
    trip_counts: Optional[Mapping[str, int]],
    default_trip_count: int,
    custom_calls: Optional[Mapping[str, Mapping[str, float]]],
    set: Optional[Mapping[str, float]],
    branch_probabilities: Optional[Mapping[str, Sequence[float]]],
    strict: bool,
) -> _core.PredictOptions:
    if estimates not in ("model", "compiler"):
        raise ValueError(f'estimates={estimates!r}: expected "model" or "compiler"')
    options = _core.PredictOptions()
    options.topology = topology
    options.slices = slices
    options.compiler_estimates = estimates == "compiler"
    options.trip_counts = {name.lstrip("%"): count for name, count in (trip_counts or {}).items()}
    options.default_trip_count = default_trip_count
    calls = []
    for target, work in (custom_calls or {}).items():
        call = _core.CustomCallCost()
        call.target = target
        for name, value in work.items():
            if name not in ("flops", "bytes", "transcendentals", "seconds"):
                raise ValueError(f"custom_calls[{target!r}]: no {name!r}; expected flops, bytes, transcendentals, seconds")
            setattr(call, name, value)
        calls.append(call)
    options.custom_calls = calls
    options.set = list((set or {}).items())
    options.branch_probabilities = {
        name.lstrip("%"): list(shares) for name, shares in (branch_probabilities or {}).items()
    }
    options.strict = strict
    return options


def predict_step_time(
    program: Program,
    device: str,
    *,
    topology: Optional[str] = None,
    slices: Optional[int] = None,
    estimates: str = "model",
    trip_counts: Optional[Mapping[str, int]] = None,
    default_trip_count: int = 1,
    custom_calls: Optional[Mapping[str, Mapping[str, float]]] = None,
    set: Optional[Mapping[str, float]] = None,
    branch_probabilities: Optional[Mapping[str, Sequence[float]]] = None,
    strict: bool = False,
) -> StepPrediction:
    """Predicts one step of ``program`` on ``device``.

    ``device`` is a name (``"tpu_v5e"``, ``"tpu_v5e:4x4"``, ``"h100_sxm:16"``; see ``device_names()``) or the path of a device
    file. ``trip_counts`` and ``branch_probabilities`` are by name of the instruction, ``custom_calls`` by target
    (``{"my_kernel": {"flops": 1e9, "bytes": 4e6}}``), ``set`` changes numbers of the device (``{"hbm.bandwidth": 1.2e12}``).
    ``strict`` raises ``IncompleteError`` for whatever is not known, rather than count it as unknown.

    Raises ``InvalidInputError``, ``NotFoundError``, ``IncompleteError``, ``LimitError``; all are ``hloroof.Error``.
    """
    options = _options(
        topology, slices, estimates, trip_counts, default_trip_count, custom_calls, set, branch_probabilities, strict
    )
    text, summary = _core.predict(parse(program, strict=strict), device, options)
    return StepPrediction.from_dict(json.loads(text), summary)


def report(
    program: Program, device: str, views: Iterable[str] = ("summary", "ops"), *, width: int = 80, limit: int = 10
) -> str:
    """The views that ``hloroof predict --view`` prints, as text; ``limit`` rows each, 0 for all."""
    return _core.report(parse(program), device, _core.PredictOptions(), list(views), width, limit)


def html_report(program: Program, device: str) -> str:
    """The whole report as one page that needs no network: roofline, timeline, memory, time by layer, every op."""
    return _core.html_report(parse(program), device, _core.PredictOptions())


def explain(program: Program, op: str, device: str, *, width: int = 80) -> str:
    """What each part of an op's line means, its bytes, and where its time comes from."""
    return _core.explain(parse(program), op, device, _core.PredictOptions(), width)


def count(program: Program) -> dict[str, Any]:
    """FLOPs, transcendentals and bytes as XLA's cost analysis counts them, without a device (``hloroof.counts/1``)."""
    return json.loads(_core.counts(parse(program)))


def device_names() -> list[str]:
    """The devices that are compiled in."""
    return _core.device_names()
