"""Compiles a program for a TPU that is not there, in this process, which a crash of libtpu ends: a worker."""

from __future__ import annotations

import math
from typing import Any, Optional

from hloroof import _ahead, _core
from hloroof._prediction import StepPrediction
from hloroof._process import TPU_ELSEWHERE
from hloroof.tune._space import Program

ENVIRONMENT = {**TPU_ELSEWHERE, "JAX_PLATFORMS": "cpu"}
"""Of a worker."""


def _topology(device: str) -> tuple[str, int]:
    """What libtpu calls the device, and how many chips it has."""
    name, colon, shape = device.partition(":")
    chip = _ahead.chip_of(name)
    generation, _, smallest = chip.topology.partition(":")
    shape = shape if colon else smallest
    if "*" in shape:
        raise ValueError(f"{device}: several slices are not supported here")
    try:
        sizes = [int(size) for size in shape.split("x")]
    except ValueError:
        raise ValueError(f"{device}: expected a topology such as {_core.device_name(name)}:{smallest}") from None
    return f"{generation}:{shape}", math.prod(sizes)


def _mesh(program: Program, device: str) -> Any:
    import jax
    from jax.experimental import mesh_utils, topologies

    name, chips = _topology(device)
    sizes = dict(program.mesh) or {"device": 1}
    count = math.prod(sizes.values())
    if count > chips:
        raise ValueError(f"the mesh {sizes} has {count} devices, and {device} has {chips}")
    devices = list(topologies.get_topology_desc(platform="tpu", topology_name=name).devices)
    if count == len(devices):
        grid = mesh_utils.create_device_mesh(tuple(sizes.values()), devices, allow_split_physical_axes=True)
    else:
        import numpy

        grid = numpy.array(devices[:count]).reshape(tuple(sizes.values()))
    types = (jax.sharding.AxisType.Auto,) * len(sizes)
    return jax.sharding.Mesh(grid, tuple(sizes), axis_types=types)


def _named(shardings: Any, mesh: Any) -> Any:
    import jax

    def is_leaf(value: Any) -> bool:
        return value is None or isinstance(value, jax.sharding.PartitionSpec)

    def named(leaf: Any) -> Any:
        return jax.sharding.NamedSharding(mesh, leaf) if isinstance(leaf, jax.sharding.PartitionSpec) else leaf

    return jax.tree.map(named, shardings, is_leaf=is_leaf)


def compile_program(program: Program, device: str) -> str:
    """Returns the optimized HLO text. Raises what JAX and libtpu raise, and ``ValueError`` if the mesh has too many devices."""
    import jax

    mesh = _mesh(program, device)
    given: dict[str, Any] = {}
    if program.in_shardings is not None:
        given["in_shardings"] = _named(program.in_shardings, mesh)
    if program.out_shardings is not None:
        given["out_shardings"] = _named(program.out_shardings, mesh)
    with jax.set_mesh(mesh):
        jitted = jax.jit(
            program.function,
            donate_argnums=tuple(program.donate_argnums),
            static_argnums=tuple(program.static_argnums),
            **given,
        )
        lowered = jitted.trace(*program.arguments).lower(lowering_platforms=("tpu",))
        text: Optional[str] = lowered.compile(compiler_options=dict(program.options)).as_text()
    assert text is not None
    return text


def predict(program: Program, text: str, device: str) -> StepPrediction:
    from hloroof._functions import predict_step_time

    count = math.prod(program.mesh.values())
    place = device if count == _topology(device)[1] else device.partition(":")[0]
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
