"""Confirms orders of a scheduled module: each is compiled to the end, and judged by its final text.

JAX compiles what it lowers, and no scheduled module. So a process compiles a program that has the arguments and the results of the
module and does nothing, and the hook of JAX hands over the module where XLA has scheduled that program. The compiler then does to it
what it does to every module after scheduling: it chooses what is in fast memory, and makes code.

Run as a script, this file is that process: it reads requests from stdin and writes replies to stdout, each pickled.
"""

from __future__ import annotations

import dataclasses
import threading
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Optional, Sequence

from hloroof import _ahead, _core
from hloroof._compile_for import topology_name
from hloroof._edit import Editor
from hloroof._functions import predict_step_time
from hloroof._process import serve

ORDERS = 3
"""How many ``confirm=True`` compiles, besides the order that came in."""

_MORE_MEMORY = 1.01  # without a limit, times the memory for the order that came in: buffers pack a little differently in each order


@dataclass(frozen=True)
class ConfirmedOrder:
    """An order that was compiled to the end."""

    found_seconds: float
    """The predicted step by which it was chosen, before the rest of the compile."""
    final_seconds: Optional[float] = None
    """The predicted step of the final text; ``None`` if there is none."""
    compiler_seconds: Optional[float] = None
    """The same with the compiler's own estimates where the final text has them."""
    memory_bytes: Optional[int] = None
    """What the compiler says that it needs at the peak, of the memory of one device."""
    is_kept: bool = False
    """Whether the compile went on with it."""
    reason: str = ""
    """Why, or why not."""
    bound: str = ""
    """What bounds the predicted step of the final text, as in ``StepPrediction.bound``; empty if there is none."""


@dataclass(frozen=True)
class Confirmation:
    """The orders that were compiled to the end. ``print(confirmation)`` shows them as a table."""

    orders: Sequence[ConfirmedOrder]
    """The first is the order that came in, the next one the best by the search."""

    @property
    def kept(self) -> int:
        """The index of the order that the compile went on with."""
        return next(index for index, order in enumerate(self.orders) if order.is_kept)

    def __str__(self) -> str:
        rows: list[tuple[str, ...]] = [("order", "predicted", "final text", "by the compiler's estimates", "memory", "bound", "")]
        for index, order in enumerate(self.orders):
            rows.append(
                (
                    "as it came" if index == 0 else str(index),
                    _core.format_seconds(order.found_seconds),
                    *(_core.format_seconds(x) if x is not None else "" for x in (order.final_seconds, order.compiler_seconds)),
                    f"{order.memory_bytes / 2**20:.2f} MiB" if order.memory_bytes is not None else "",
                    order.bound,
                    f"{'kept' if order.is_kept else 'not kept'}: {order.reason}",
                )
            )
        widths = [max(len(row[column]) for row in rows) for column in range(6)]
        return "\n".join("  ".join([*map(str.ljust, row[:6], widths), row[6]]).rstrip() for row in rows)


@dataclass(frozen=True)
class Scheduled:
    """A scheduled module, to compile to the end."""

    proto: bytes
    arguments: Sequence[tuple[str, Sequence[int]]]
    """Element types and dimensions on one device."""
    results: Sequence[tuple[str, Sequence[int]]]
    is_tuple: bool
    """Whether the result is a tuple."""
    devices: Sequence[int]
    """Their ids, by partition."""
    topology: str
    config: str
    """Of the chips: ``_ahead.Chip.config``."""
    options: Mapping[str, Any]
    """Of the compiler, by name without dashes."""


@dataclass(frozen=True)
class Finished:
    """What the compiler made of a module."""

    text: str
    memory_bytes: int


class Finisher(_ahead.Compiler):
    """A process that compiles scheduled modules to the end, one after the other. It starts with the first; use it in a ``with``
    statement. JAX may compile on several threads."""

    _module = "hloroof._confirm"

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()

    def finish(self, job: Scheduled) -> Finished:
        """Raises ``CompileError``."""
        with self._lock:
            text, memory, error = self._ask(job)
        if error is not None:
            raise _ahead.CompileError(_ahead.explain_failure(error))
        return Finished(text, memory)


def confirm_orders(
    orders: Sequence[tuple[_core.Module, float]],
    finisher: Any,
    device: str,
    memory_limit: Optional[float] = None,
    compiler_options: Optional[Mapping[str, Any]] = None,
    **options: Any,
) -> Confirmation:
    """Compiles orders of a module to the end, the one that came in first. Each comes with its predicted step. Raises ``CompileError``
    if the first does not compile."""
    job = scheduled(orders[0][0], device, dict(compiler_options or {}), options.get("topology"))
    found: list[ConfirmedOrder] = []
    for module, seconds in orders:
        try:
            finished = finisher.finish(dataclasses.replace(job, proto=module.to_proto()))
        except _ahead.CompileError as error:
            if not found:
                raise
            found.append(ConfirmedOrder(seconds, reason=f"it does not compile: {str(error).splitlines()[0]}"))
            continue
        final = [predict_step_time(finished.text, device, **how) for how in (options, {**options, "estimates": "compiler"})]
        found.append(
            ConfirmedOrder(seconds, final[0].step_seconds, final[1].step_seconds, finished.memory_bytes, bound=final[0].bound)
        )
    return judge(found, memory_limit)


def judge(orders: Sequence[ConfirmedOrder], memory_limit: Optional[float] = None) -> Confirmation:
    """Says which of the orders is kept, and why. The first is the order that came in. Another is kept if its final text is predicted to
    be faster, or as fast with less memory, and needs no more than the limit, by default about what the first needs."""
    first = orders[0]
    assert first.final_seconds is not None and first.memory_bytes is not None
    came_seconds, came_bytes = first.final_seconds, first.memory_bytes
    limit = _MORE_MEMORY * came_bytes if memory_limit is None else memory_limit

    def refusal(order: ConfirmedOrder) -> str:
        if order.final_seconds is None or order.memory_bytes is None:
            return order.reason
        if order.memory_bytes > limit:
            over, of = ("the order that came in", came_bytes) if memory_limit is None else ("the memory limit", limit)
            return f"it needs {_difference(order.memory_bytes, of)} more memory than {over}"
        if order.final_seconds > came_seconds:
            return "its final text is slower than that of the order that came in"
        return ""

    def cost(index: int) -> tuple[float, float]:
        order = orders[index]
        return order.final_seconds or 0, order.memory_bytes or 0

    refusals = [refusal(order) for order in orders]
    refusals[0] = ""  # it stays if no other is better, whatever the limit
    kept = min((index for index in range(len(orders)) if not refusals[index]), key=cost)
    judged = []
    for index, order in enumerate(orders):
        if index == kept:
            reason = "no other order is better in the end" if index == 0 else "the shortest predicted final text"
        else:
            reason = refusals[index] or "another order is better in the end"
        judged.append(dataclasses.replace(order, is_kept=index == kept, reason=reason))
    return Confirmation(tuple(judged))


def _difference(bytes: float, limit: float) -> str:
    return f"{100 * (bytes - limit) / limit:.2g} %" if limit > 0 else f"{bytes - limit:.0f} bytes"


# ---- The module as a job ---------------------------------------------------------------------------------------------------------


def scheduled(module: _core.Module, device: str, options: Mapping[str, Any], topology: Optional[str] = None) -> Scheduled:
    """Raises ``ValueError`` if the module does not say all that a compile needs, or the device is not one TPU slice that libtpu knows."""
    chip = _ahead.tpu_of(device)
    if module.replica_count != 1:
        raise ValueError(f"{module.name} has {module.replica_count} replicas; only programs of partitions can be confirmed")
    place = f"{_core.device_name(device)}:{topology}" if topology else device
    shape, slices, _ = _core.device_topology(place, module.num_partitions)
    if slices != 1:
        raise ValueError(f"{place} has {slices} slices; only programs of one slice can be confirmed")
    proto = module.to_proto()
    entry = Editor(module).entry
    if entry.root is None:
        raise ValueError(f"{module.name} has no result")
    parameters = [parameter.shape for parameter in entry.parameters]
    if len(parameters) == 1 and parameters[0].element_type == "tuple":  # JAX makes a tuple of many arguments
        parameters = parameters[0].elements
    root = entry.root.shape
    is_tuple = root.element_type == "tuple"
    return Scheduled(
        proto=proto,
        arguments=[(parameter.element_type, tuple(parameter.dimensions)) for parameter in parameters],
        results=[(result.element_type, tuple(result.dimensions)) for result in (root.elements if is_tuple else [root])],
        is_tuple=is_tuple,
        devices=device_assignment(proto) or range(module.num_partitions),
        topology=topology_name(chip, shape, slices),
        config=chip.config,
        options=options,
    )


_DEVICE_ASSIGNMENT, _COMPUTATION_DEVICES, _REPLICA_DEVICE_IDS = 15, 3, 1  # in xla.HloModuleProto and xla.DeviceAssignmentProto


def device_assignment(proto: bytes) -> list[int]:
    """The ids of the devices by partition, for the first replica; empty if the proto has none. A text does not have them."""
    assignment = dict(_fields(proto)).get(_DEVICE_ASSIGNMENT, b"")
    partitions = [value for number, value in _fields(assignment) if number == _COMPUTATION_DEVICES]
    ids = [dict(_fields(partition)).get(_REPLICA_DEVICE_IDS, 0) for partition in partitions]
    return [_varint(value, 0)[0] if isinstance(value, bytes) else value for value in ids]  # packed or not


def _fields(message: Any) -> Iterator[tuple[int, Any]]:
    """The fields of a proto: integers, and the bytes of what has a length."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(message, at)
        else:
            size, at = _varint(message, at) if kind == 2 else ({1: 8, 5: 4}[kind], at)
            value, at = message[at : at + size], at + size
        yield key >> 3, value


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (message[at] & 127) << shift
        shift += 7
        at += 1
        if message[at - 1] < 128:
            return value, at


# ---- The process -----------------------------------------------------------------------------------------------------------------

_DTYPES = {"pred": "bool", "bf16": "bfloat16", "f8e4m3b11fnuz": "float8_e4m3b11fnuz", "c64": "complex64", "c128": "complex128"}
_KINDS = {"s": "int", "u": "uint", "f": "float"}


def _dtype(element_type: str) -> Any:
    """What JAX calls an element type of XLA."""
    import jax.numpy as jnp

    name = _DTYPES.get(element_type, "")
    if not name and element_type.startswith("f8"):
        name = "float8_" + element_type[2:]
    if not name and element_type.startswith("f4"):
        name = "float4_" + element_type[2:]
    name = name or _KINDS.get(element_type[:1], "") + element_type[1:]
    if not hasattr(jnp, name):
        raise ValueError(f"the module has an argument or a result of the type {element_type}, which no array of JAX has")
    return getattr(jnp, name)


def finish_here(job: Scheduled) -> tuple[str, int]:
    """Returns the final text, and the memory that the program needs. Runs the compiler in this process, which a crash of the compiler
    ends."""
    import jax
    import numpy

    from hloroof._hook import registered

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_enable_compilation_cache", False)  # its key is that of the program that does nothing
    of_topology = _ahead.Job(b"", job.topology, config=job.config)
    by_id = {device.id: device for device in _ahead.devices_of(of_topology)}
    if not all(id in by_id for id in job.devices):
        raise ValueError(f"the program is for the devices {list(job.devices)}, and {job.topology} has {len(by_id)}")
    mesh = jax.sharding.Mesh(numpy.array([by_id[id] for id in job.devices]), ("all",))
    everywhere = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec())
    results = [(shape, _dtype(element)) for element, shape in job.results]

    def nothing(*_: Any) -> Any:
        made = tuple(jax.numpy.zeros(*result) for result in results)
        return made if job.is_tuple else made[0]

    calls = 0

    def replace(_: bytes) -> bytes:
        nonlocal calls
        calls += 1
        return job.proto

    arguments = [jax.ShapeDtypeStruct(shape, _dtype(element), sharding=everywhere) for element, shape in job.arguments]
    jitted = jax.jit(nothing, keep_unused=True, out_shardings=everywhere)
    with registered(replace, (), "post_scheduler", "tpu"):
        compiled = jitted.lower(*arguments).compile(compiler_options=dict(job.options))
    if calls != 1:
        raise RuntimeError(f"the compiler asked {calls} times for the module")
    return compiled.as_text(), _memory(compiled.memory_analysis())


def _memory(stats: Any) -> int:
    """The bytes at the peak."""
    whole = stats.argument_size_in_bytes + stats.output_size_in_bytes - stats.alias_size_in_bytes + stats.temp_size_in_bytes
    return int(max(getattr(stats, "peak_memory_in_bytes", 0), whole))


def _answer(job: Scheduled) -> tuple[str, int, Optional[str]]:
    try:
        return (*finish_here(job), None)
    except Exception as error:  # the compiler's, of many types
        return "", 0, str(error) or type(error).__name__


if __name__ == "__main__":
    serve(_answer)
