"""The functions of the package. They accept programs in several forms, and options as keyword arguments."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Callable, Iterable, Optional, Sequence, Union

from hloroof import _core
from hloroof._answer import Answer
from hloroof._devices import Device, device_text, platform_of
from hloroof._options import Options, core_options
from hloroof._prediction import Source, StepPrediction, devices_answer, predict_source
from hloroof._programs import Program, module_of
from hloroof._programs import parse as parse

if TYPE_CHECKING:
    from typing_extensions import Unpack


def predict_step_time(
    program: Union[Program, Callable[..., Any]],
    device: Device,
    *,
    arguments: Optional[Sequence[Any]] = None,
    **options: Unpack[Options],
) -> StepPrediction:
    """Predicts one step of ``program`` on ``device``.

    ``program`` is what ``hloroof.parse`` takes: HLO text, a path, bytes, a ``hloroof.Module``, what JAX traced, lowered, compiled
    or exported, a module of jaxlib or MLIR. A function, jitted or not, is a program with example ``arguments``: arrays,
    ``jax.ShapeDtypeStruct`` or structures of them. It is compiled by ``hloroof.jax.compile_for`` if the compiler is installed,
    and otherwise only lowered.

    ``device`` is a name (``"tpu_v5e"``, ``"tpu_v5e:4x4"``, ``"h100_sxm:16"``; see ``device_names()``), the path of a device file,
    a ``jax.Device``, or a list, topology or mesh of them.

    The work of the program:

    - ``trip_counts``, ``branch_probabilities``: by name of the ``while`` or ``conditional``; ``default_trip_count`` for all others
    - ``custom_calls``: by target, ``{"my_kernel": {"flops": 1e9, "bytes": 4e6}}``
    - ``kernel_lists``: contents of lists that Pallas kernels read, ``{"gmm.group_sizes": [128, 384]}``
    - ``scoped_vmem_limit_kib``: the compiler's ``xla_tpu_scoped_vmem_limit_kib``, for texts that do not state it
    - ``model_flops``: FLOPs that the model needs for one step on all devices together, for ``mfu``
    - ``tokens``: of one step on all devices together, for the rate and the cost of tokens

    The machine:

    - ``topology``, ``slices``: ``"4x4"`` chips in each of so many slices; ``partitions`` for a text that does not state them
    - ``set``: numbers of the device, in SI units or as multiples, ``{"hbm.bandwidth": "2x"}``
    - ``price``: dollars for an hour of one chip, for the cost of the step
    - ``mesh``: axes, outermost first, ``{"data": 4, "model": 2}``; ``mesh_order`` and ``device_order`` place them on the machine
    - ``wrap``, ``reduce_dtype``, ``imbalance``: what if all axes were rings, reductions sent ``"s8"``, or exchanges were uneven

    With ``sensitivity=True``, the field ``sensitivity`` says what each number of the device would save if it were 10 % better, and
    what single ops would save if they took no time.

    ``code`` is the folder of libtpu's final code of this program: ops that have code there take its cycles. ``hloroof.jax.compile_for``
    makes it. ``estimates="compiler"`` takes the times of ops from the estimates in the dump. With ``strict``, the call raises
    ``IncompleteError`` if anything is not known. A program that was compiled for another kind of machine is an error unless
    ``allow_other_backend`` is set.

    Raises ``InvalidInputError``, ``NotFoundError``, ``IncompleteError``, ``LimitError``; all are ``hloroof.Error``.
    """
    return predict_source(_source(program, device, arguments, options))


def _source(program: Any, device: Device, arguments: Optional[Sequence[Any]], options: Options) -> Source:
    place = device_text(device)
    if arguments is not None:
        from hloroof._compile_for import program_for

        program = program_for(program, arguments, place)
    platform = platform_of(place) if hasattr(program, "jaxpr") else None  # traced for no platform yet
    return Source(module_of(program, bool(options.get("strict")), platform), place, options)


def report(
    program: Program,
    device: Device,
    views: Iterable[str] = ("summary", "ops"),
    *,
    width: int = 80,
    limit: int = 10,
    **options: Unpack[Options],
) -> str:
    """Returns the views of ``hloroof predict --view`` as text, with at most ``limit`` rows each. 0 means all rows.

    ``options`` are those of ``predict_step_time``."""
    return predict_step_time(program, device, **options).report(views, width=width, limit=limit)


def html_report(program: Program, device: Device, **options: Unpack[Options]) -> str:
    """Returns the report as one self-contained page: roofline, timeline, memory, time by layer, all ops.

    ``options`` are those of ``predict_step_time``."""
    return predict_step_time(program, device, **options).html()


def explain(program: Program, op: str, device: Device, *, width: int = 80, **options: Unpack[Options]) -> Answer:
    """Explains one op: each part of its line, its bytes, and how its time is computed.

    ``options`` are those of ``predict_step_time``."""
    return predict_step_time(program, device, **options).explain(op, width=width)


def compare(
    profile: Union[str, os.PathLike[str]],
    device: Optional[Device] = None,
    *,
    width: int = 80,
    limit: int = 20,
    **options: Unpack[Options],
) -> Answer:
    """Compares a profile with the prediction of its program: step, ops, layers, waits, gaps between ops, and devices.

    ``profile`` is the folder that ``jax.profiler.trace`` was given, of which it takes the newest run, or one of its files. They
    hold the program. They also name the device if it is a TPU or a GPU that hloroof knows; for a CPU, ``device`` is the path of a
    device file. Schema ``hloroof.comparison/1``. ``options`` are those of ``predict_step_time``.

    Raises ``NotFoundError`` if the folder has no profile or the profile does not determine the device, and
    ``InvalidInputError`` if the device is of another kind than that of the profile."""
    if device is None and options.get("set"):
        raise ValueError("set changes numbers of a device: give it as device=")
    place = "" if device is None else device_text(device)
    text, data = _core.compare_folder(os.fspath(profile), place, core_options(place, options), width, limit)
    return Answer(text, json.loads(data), "ops")


def passes(
    folder: Union[str, os.PathLike[str]],
    device: Device,
    *,
    module: str = "",
    all: bool = False,
    width: int = 80,
    **options: Unpack[Options],
) -> Answer:
    """What each pass of a compile did to step time, memory, collectives and copies.

    ``folder`` has the dumps of ``--xla_dump_to=FOLDER --xla_dump_hlo_as_text --xla_dump_hlo_pass_re=.*``, also given to
    ``hloroof.jax.compile_for`` as ``options``. ``module`` is a part of the name of one of several modules; by default it is the one
    with the most bytes. The text has ``all`` states, or only those whose numbers differ from the state before. Schema
    ``hloroof.passes/1``. ``options`` are those of ``predict_step_time``.

    Raises ``NotFoundError`` if there is no such folder, and ``InvalidInputError`` if it has no such dumps."""
    place = device_text(device)
    text, data = _core.passes(os.fspath(folder), module, place, core_options(place, options), all, width)
    return Answer(text, json.loads(data), "passes")


def count(program: Program) -> dict[str, Any]:
    """Counts FLOPs, transcendentals and bytes as XLA's cost analysis does. Returns JSON of schema ``hloroof.counts/1``."""
    counts: dict[str, Any] = json.loads(_core.counts(parse(program)))
    return counts


def device_names() -> list[str]:
    """Returns the names of the built-in devices."""
    return _core.device_names()


def devices(*names: Device) -> Answer:
    """Returns the headline numbers of all built-in devices, or all numbers of the devices named, with their sources."""
    return devices_answer([device_text(name) for name in names])
