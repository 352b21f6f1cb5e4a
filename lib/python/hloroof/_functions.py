"""The functions of the package. They accept programs in several forms, and options as keyword arguments."""

from __future__ import annotations

import gzip
import json
import os
from typing import Any, Iterable, Mapping, Optional, Protocol, Sequence, Union

from hloroof import _core
from hloroof._kernel import KernelLists, kernel_lists_of
from hloroof._prediction import StepPrediction


class HasText(Protocol):
    """Anything that prints itself as HLO, such as ``jax.stages.Compiled`` and ``jax.stages.Lowered``."""

    def as_text(self) -> Optional[str]: ...


Program = Union[str, bytes, "os.PathLike[str]", _core.Module, HasText]

_SUFFIXES = (".hlo", ".txt", ".pb", ".gz", ".log")


def _is_path(program: str) -> bool:
    """Whether a str is the path of a dump: one short line that is not HLO, and names a file or looks as if it should."""
    if "\n" in program or len(program) > 4096 or "{" in program or program.lstrip().startswith("HloModule"):
        return False
    path = program.partition("#")[0]
    return bool(path) and (path.endswith(_SUFFIXES) or os.path.exists(path))


def parse(program: Program, *, strict: bool = False) -> _core.Module:
    """Parses a program once, to predict it many times.

    A ``str`` is HLO text or the path of a dump, ``bytes`` are those of a file: text, an ``HloModuleProto``, a profile.
    With ``strict``, opcodes and attributes of HLO text that are not in the grammar are errors. Raises ``InvalidInputError`` with line,
    column and a caret, and ``NotFoundError`` for a path that does not exist.
    """
    if isinstance(program, _core.Module):
        return program
    if isinstance(program, str):
        return _core.load(program) if _is_path(program) else _core.parse(program, strict=strict)
    if isinstance(program, bytes):
        return _core.parse_bytes(gzip.decompress(program) if program[:2] == b"\x1f\x8b" else program)
    if isinstance(program, os.PathLike):
        return _core.load(os.fspath(program))
    as_text = getattr(program, "as_text", None)
    if as_text is None:
        raise TypeError(
            "expected HLO text, the path of a dump, the bytes of a file, a hloroof.Module or an object with as_text() such "
            f"as jax.stages.Compiled, not {type(program).__name__}"
        )
    # jax.stages.Lowered prints StableHLO unless asked for HLO. It is told apart by its compile().
    text = as_text(dialect="hlo") if hasattr(program, "compile") else as_text()
    if not isinstance(text, str):
        raise TypeError(f"as_text() of this {type(program).__name__} returned {type(text).__name__}, not text")
    return _core.parse(text, strict=strict)


def _options(
    topology: Optional[str] = None,
    slices: Optional[int] = None,
    partitions: Optional[int] = None,
    estimates: str = "model",
    trip_counts: Optional[Mapping[str, int]] = None,
    default_trip_count: int = 1,
    custom_calls: Optional[Mapping[str, Mapping[str, float]]] = None,
    set: Optional[Mapping[str, float]] = None,
    branch_probabilities: Optional[Mapping[str, Sequence[float]]] = None,
    strict: bool = False,
    kernel_lists: Optional[KernelLists] = None,
) -> _core.PredictOptions:
    if estimates not in ("model", "compiler"):
        raise ValueError(f'estimates={estimates!r}: expected "model" or "compiler"')
    options = _core.PredictOptions()
    options.topology = topology
    options.slices = slices
    options.partitions = partitions
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
    options.kernel_lists = kernel_lists_of(kernel_lists)
    return options


def predict_step_time(
    program: Program,
    device: str,
    *,
    topology: Optional[str] = None,
    slices: Optional[int] = None,
    partitions: Optional[int] = None,
    estimates: str = "model",
    trip_counts: Optional[Mapping[str, int]] = None,
    default_trip_count: int = 1,
    custom_calls: Optional[Mapping[str, Mapping[str, float]]] = None,
    set: Optional[Mapping[str, float]] = None,
    branch_probabilities: Optional[Mapping[str, Sequence[float]]] = None,
    strict: bool = False,
    kernel_lists: Optional[KernelLists] = None,
) -> StepPrediction:
    """Predicts one step of ``program`` on ``device``.

    ``device`` is a name (``"tpu_v5e"``, ``"tpu_v5e:4x4"``, ``"h100_sxm:16"``; see ``device_names()``) or the path of a device
    file. ``trip_counts`` and ``branch_probabilities`` are keyed by the name of the instruction. ``custom_calls`` is keyed by
    target: ``{"my_kernel": {"flops": 1e9, "bytes": 4e6}}``. ``set`` overrides numbers of the device:
    ``{"hbm.bandwidth": 1.2e12}``. ``kernel_lists`` states the contents of lists that Pallas kernels read:
    ``{"gmm.group_sizes": [128, 384]}``. With ``strict``, the call raises ``IncompleteError`` if anything is not known.

    Raises ``InvalidInputError``, ``NotFoundError``, ``IncompleteError``, ``LimitError``; all are ``hloroof.Error``.
    """
    options = _options(
        topology,
        slices,
        partitions,
        estimates,
        trip_counts,
        default_trip_count,
        custom_calls,
        set,
        branch_probabilities,
        strict,
        kernel_lists,
    )
    text, summary = _core.predict(parse(program, strict=strict), device, options)
    return StepPrediction.from_dict(json.loads(text), summary)


def report(
    program: Program, device: str, views: Iterable[str] = ("summary", "ops"), *, width: int = 80, limit: int = 10
) -> str:
    """Returns the views of ``hloroof predict --view`` as text, with at most ``limit`` rows each. 0 means all rows."""
    return _core.report(parse(program), device, _core.PredictOptions(), list(views), width, limit)


def html_report(program: Program, device: str) -> str:
    """Returns the report as one self-contained page: roofline, timeline, memory, time by layer, all ops."""
    return _core.html_report(parse(program), device, _core.PredictOptions())


def explain(program: Program, op: str, device: str, *, width: int = 80) -> str:
    """Explains one op: each part of its line, its bytes, and how its time is computed."""
    return _core.explain(parse(program), op, device, _core.PredictOptions(), width)


def count(program: Program) -> dict[str, Any]:
    """Counts FLOPs, transcendentals and bytes as XLA's cost analysis does. Returns JSON of schema ``hloroof.counts/1``."""
    return json.loads(_core.counts(parse(program)))


def device_names() -> list[str]:
    """Returns the names of the built-in devices."""
    return _core.device_names()
