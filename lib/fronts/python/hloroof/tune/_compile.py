"""Compiles a program for a TPU or a GPU that is not there, in this process, which a crash of the compiler ends: a worker."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from hloroof import _ahead, _core
from hloroof._compile_for import Prepared, prepare
from hloroof._devices import is_path
from hloroof._prediction import StepPrediction
from hloroof._process import TPU_ELSEWHERE
from hloroof.tune._space import Program

ENVIRONMENT = {**TPU_ELSEWHERE, "JAX_PLATFORMS": "cpu"}
"""Of a worker."""


def check_device(device: str) -> None:
    """Raises ``NotFoundError`` for an unknown device, ``ValueError`` if no compiler compiles for it."""
    _ahead.chip_of(device)
    _core.device_topology(device, 1)


def prepare_program(program: Program, device: str) -> tuple[Prepared, str]:
    """Traces the program. Returns it and what to predict it on. Raises what JAX raises, and ``ValueError`` if the mesh has too many
    devices."""
    prepared = prepare(
        program.function,
        program.arguments,
        device,
        mesh=dict(program.mesh) or None,
        in_shardings=program.in_shardings,
        out_shardings=program.out_shardings,
        donate_argnums=tuple(program.donate_argnums) or None,
        static_argnums=tuple(program.static_argnums) or None,
        options=program.options,
    )
    is_whole = prepared.program.nr_devices == prepared.device_count
    part = device if is_path(device) else _core.device_name(device)
    prepared = dataclasses.replace(prepared, job=dataclasses.replace(prepared.job, wants_unfit=False))
    return prepared, prepared.device if is_whole else part


def predict(program: Program, text: Any, place: str) -> StepPrediction:
    from hloroof._functions import predict_step_time

    return predict_step_time(text, place, **program.predict)


def capacity_of(device: str) -> float:
    """Bytes of HBM of one device."""
    from hloroof._functions import predict_step_time

    return predict_step_time("HloModule empty\n\nENTRY main {\n  ROOT x = f32[] parameter(0)\n}\n", device).memory.capacity_bytes


def arguments_bytes(program: Program) -> float:
    """The least memory that the arguments take on one device, from their shardings alone. Arguments whose sharding is left to the
    compiler count as split over all devices."""
    import jax

    specs = program.in_shardings
    leaves: list[tuple[Any, Any]] = []
    arguments = [a for i, a in enumerate(program.arguments) if i not in program.static_argnums]
    if isinstance(specs, jax.sharding.PartitionSpec) or specs is None:
        leaves = [(leaf, specs) for leaf in jax.tree.leaves(arguments)]
    else:
        def pair(spec: Any, argument: Any) -> None:
            leaves.extend((leaf, spec) for leaf in jax.tree.leaves(argument))

        def is_leaf(value: Any) -> bool:
            return value is None or isinstance(value, jax.sharding.PartitionSpec)

        # A spec stands for the whole structure at its place.
        jax.tree.map(pair, tuple(specs), tuple(arguments), is_leaf=is_leaf)
    everyone = math.prod(program.mesh.values())
    total = 0.0
    for leaf, spec in leaves:
        bits = jax.dtypes.itemsize_bits(jax.numpy.result_type(leaf))
        size = math.prod(jax.numpy.shape(leaf)) * bits / 8
        if isinstance(spec, jax.sharding.PartitionSpec) and jax.sharding.PartitionSpec.UNCONSTRAINED not in spec:
            axes = [name for entry in spec if entry is not None for name in (entry if isinstance(entry, tuple) else (entry,))]
            total += size / math.prod(program.mesh.get(name, 1) for name in axes)
        else:
            total += size / everyone
    return total
