"""The records of the JSON hloroof.prediction/2, with its names, in SI units.

The build generates this file from the fields of the records. A fact that is not known is None.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional

# What `schema` of a document is.
SCHEMA = "hloroof.prediction/2"


@dataclass(frozen=True)
class StepPrediction:
    """The predicted step of one module on one device."""

    schema: str
    """Name and version of this format."""
    generator: Generator
    module: ModuleFacts
    device: Device
    step_seconds: float
    """Predicted step time."""
    lower_bound_seconds: float
    """Step time with perfect overlap: the busiest resource."""
    serial_seconds: float
    """Step time without any overlap."""
    compiler_estimate_seconds: Optional[float]
    """Step time by the estimates that the dump carries; None if it carries none."""
    bound: str
    """Resource that limits the step. One of mxu, vpu, hbm, vmem, ici, dcn, host, latency, tensor, cuda, l2, nvlink,
    network, matrix, vector, memory, cache, links."""
    hfu: Optional[float]
    """Hardware FLOP utilization: flops / (step_seconds x bf16 peak)."""
    mfu: Optional[float]
    """Model FLOP utilization: of model_flops, or else of flops without recomputed_flops and redundant_flops, which is
    the most that it can be."""
    resources: list[Resource] = field(repr=False)
    """Use of each resource."""
    exposed_communication_seconds: float
    """Time during which the step waits for communication."""
    dollars: Optional[float]
    """Cost of the step in dollars: that of all chips of the topology at the option price; None without a price."""
    most_joules: Optional[float]
    """Upper bound of the energy of the step in joules: all chips of the topology at the device's power; None if that is
    not known."""
    tokens_per_second: Optional[float]
    """The option tokens / step_seconds; None without it."""
    dollars_per_million_tokens: Optional[float]
    """Cost of a million tokens in dollars; None unless the options price and tokens are given."""
    most_joules_per_token: Optional[float]
    """most_joules of one token; None without the option tokens."""
    totals: Totals
    coverage: Coverage
    layers: list[Layer] = field(repr=False)
    """The step by scopes of the traced program: a tree in preorder."""
    estimates: list[EstimatedOp] = field(repr=False)
    """Model against compiler, for ops for which the dump states an estimate; longest first."""
    parameters: list[Parameter] = field(repr=False)
    """The known numbers of the device, to which terms refer."""
    breakdown: list[BreakdownPart] = field(repr=False)
    """What the compute stream does, longest first; adds up to the step."""
    critical_path: list[CriticalPart] = field(repr=False)
    """The critical path by category, longest first."""
    sensitivity: Optional[Sensitivity]
    """What better numbers and faster ops would save; None unless requested."""
    mesh: list[MeshAxis] = field(repr=False)
    """Axes of the device mesh, outermost first."""
    collectives: list[Collective] = field(repr=False)
    """All collectives."""
    memory: Memory
    diagnostics: list[Diagnostic] = field(repr=False)
    """Findings: those about the origin of the module, then the most severe and costly."""
    ops: list[Op] = field(repr=False)
    """All executed instructions outside of fusions."""
    terms: list[Term] = field(repr=False)
    """The parts of the times of ops, to which ops refer by index."""


@dataclass(frozen=True)
class Generator:
    """What made the prediction."""

    version: str
    """Version of hloroof."""
    device_file_sha256: Optional[str]
    """SHA-256 of the device file; None if there is none."""


@dataclass(frozen=True)
class ModuleFacts:
    """The predicted module."""

    name: str
    """Name of the module."""
    instructions: int
    """Instructions in all computations."""
    num_partitions: int
    """Partitions of the module."""
    replica_count: int
    """Replicas of the module."""
    slices: int
    """Slices that the text names. If there are several, the partitions and replicas are those of one slice."""
    is_scheduled: bool
    """True if the text gives the order of execution."""
    origin: Origin


@dataclass(frozen=True)
class Origin:
    """What the text shows about the compilation of the module."""

    backend: str
    """Backend of XLA that compiled the module. One of unknown, tpu, gpu, cpu."""
    backend_evidence: Optional[str]
    """Where the text shows the backend."""
    generations: list[str]
    """Built-in TPUs that have all hardware the text uses; empty if the text excludes none."""
    generation_evidence: Optional[str]
    """Use of hardware that the other TPUs lack."""
    stage: str
    """How far the compiler got before it printed the text. One of unknown, not-partitioned, not-optimized, optimized."""
    stage_evidence: Optional[str]
    """Where the text shows the stage."""
    sharded_over: Optional[int]
    """Devices that the shardings of a module that is not partitioned name."""


@dataclass(frozen=True)
class Device:
    """The device that the prediction is for."""

    name: str
    """Name of the device."""
    topology: str
    """Topology of one slice, such as 4x4."""
    slices: int
    """Number of slices."""
    set: dict[str, float] = field(default_factory=dict)
    """Device parameters that --set changed, in SI units."""


@dataclass(frozen=True)
class Resource:
    """How busy one part of the machine is."""

    name: str
    """Name of the resource. One of mxu, vpu, hbm, vmem, ici, dcn, host, latency, tensor, cuda, l2, nvlink, network,
    matrix, vector, memory, cache, links."""
    busy_seconds: float
    """Time of the step during which it is busy."""
    utilization: float
    """Share of the step during which it is busy."""
    idle_seconds: float
    """Time of the step during which it is idle."""
    step_if_free_seconds: Optional[float]
    """Step time if this resource took no time; None unless what-ifs were requested."""


@dataclass(frozen=True)
class Totals:
    """Work of one device in one step."""

    flops: float
    """FLOPs."""
    recomputed_flops: float
    """FLOPs of products that the backward pass computes again, by their op_names."""
    redundant_flops: float
    """FLOPs of products that several devices compute with the same operands: all but one of them."""
    transcendentals: float
    """Transcendental functions."""
    hbm_bytes: float
    """Bytes read from and written to HBM."""
    logical_bytes: float
    """Bytes read and written in any memory, without tile padding."""
    padded_bytes: float
    """Bytes read and written in any memory, with tile padding."""
    wire_bytes: float
    """Bytes sent over the interconnect."""


@dataclass(frozen=True)
class Coverage:
    """Shares of the step by origin; they add up to 1."""

    modelled: float
    """Modelled, or given by the compiler or the user."""
    code: float
    """Cycles of the compiler's final code."""
    assumed: float
    """Based on an assumption that a diagnostic states."""
    unknown: float
    """Not known; only the bytes at the boundary are charged."""


@dataclass(frozen=True)
class Layer:
    """Time of the step in one scope of the traced program, or in one op of a scope."""

    path: str
    """Scopes from the top, by slashes. * replaces the numbers of several scopes."""
    name: str
    """Last part of the path."""
    depth: int
    """0 at the top; the scopes in a scope follow it, one deeper."""
    is_op: bool
    """True for ops, the leaves; their sum is the step."""
    repeats: float
    """Runs of a scope that is the body of a loop, times the scopes that * combines."""
    share: float
    """Share of the step."""
    seconds: float
    """Time in the step, in all iterations of loops, with waits."""
    wait_seconds: float
    """The part that waits for transfers."""
    forward_seconds: float
    """The part in the forward pass."""
    backward_seconds: float
    """The part in the backward pass, without remat_seconds."""
    remat_seconds: float
    """The part in which the backward pass recomputes the forward pass."""
    other_seconds: float
    """The part in neither pass, such as the optimizer."""


@dataclass(frozen=True)
class EstimatedOp:
    """An op with the time of the model beside that of the compiler's own estimate."""

    name: str
    """Name of the instruction, without %."""
    executions: float
    """Executions in one step."""
    model_seconds: float
    """Time of one execution by the model."""
    compiler_seconds: float
    """Time of one execution by the compiler: estimated_cycles at the device's clock."""
    ratio: float
    """model_seconds / compiler_seconds."""
    bound: str
    """Resource that limits the op by the model. One of mxu, vpu, hbm, vmem, ici, dcn, host, latency, tensor, cuda, l2,
    nvlink, network, matrix, vector, memory, cache, links."""
    believe: str
    """Which of the two to believe. One of model, compiler, either, measure."""
    why: str
    """The reason."""


@dataclass(frozen=True)
class Parameter:
    """A number of the device, with its source."""

    path: str
    """Path in the device file."""
    value: Optional[float]
    """Value in SI units."""
    unit: str
    """Unit of the value."""
    kind: str
    """Published, derived, fitted, assumed, or set by the user."""
    source: str
    """Document or measurement that the value comes from."""


@dataclass(frozen=True)
class BreakdownPart:
    """Part of the step in which it works on one resource or waits for one link."""

    name: str
    """`mxu`, `hbm`, `wait (ici, data)`."""
    resource: str
    """Resource that is used or waited for. One of mxu, vpu, hbm, vmem, ici, dcn, host, latency, tensor, cuda, l2,
    nvlink, network, matrix, vector, memory, cache, links."""
    is_wait: bool
    """True if the compute stream waits."""
    seconds: float
    """Time of the step."""


@dataclass(frozen=True)
class CriticalPart:
    """Share of one category of ops in the critical path."""

    category: str
    """Category of the ops."""
    seconds: float
    """Time on the critical path."""


@dataclass(frozen=True)
class Sensitivity:
    """How the step depends on the numbers of the device and on single ops."""

    numbers: list[NumberSensitivity] = field(repr=False)
    """Numbers that change the step; what saves the most comes first."""
    free_ops: list[OpSensitivity] = field(repr=False)
    """The ops with the most time in the step, and the longest ones; what saves the most comes first."""


@dataclass(frozen=True)
class NumberSensitivity:
    """A number of the device, and the step if it were 10 % better."""

    path: str
    """Path in the device file, as `--set` takes it."""
    value: float
    """Value in SI units."""
    unit: str
    """Unit of the value."""
    better_value: float
    """The value that is 10 % better: more or less of it. Efficiencies are at most 1."""
    step_seconds: float
    """Step time with better_value."""
    saved_seconds: float
    """What that saves; negative if transfers then meet others than before."""
    elasticity: float
    """Percent by which the step changes for a percent of the number."""
    meaning: str
    """What the number says."""


@dataclass(frozen=True)
class OpSensitivity:
    """An op, and the step if it, or the transfer that it starts, took no time."""

    name: str
    """Name of the instruction, without %."""
    total_seconds: float
    """Its own time in all executions."""
    step_seconds: float
    """Step time without that."""
    saved_seconds: float
    """What that saves: 0 for a transfer that other work hides; negative if transfers then meet others than before."""


@dataclass(frozen=True)
class MeshAxis:
    """One axis of the device mesh."""

    name: str
    """Name of the axis."""
    size: int
    """Devices along the axis."""
    stride: int
    """Distance of neighbours along the axis, in device numbers."""
    roles: list[str]
    """Kinds of parallelism that use the axis, likeliest first."""
    why: Optional[str]
    """Evidence for the roles."""
    placement: str
    """Axes of the machine that this axis is mapped to."""


@dataclass(frozen=True)
class Collective:
    """One collective and the links that it uses."""

    name: str
    """Name of the instruction, without %."""
    kind: str
    """Opcode of the synchronous form."""
    bytes: float
    """Size of the full (gathered) array in one execution."""
    group_size: int
    """Devices in one replica group."""
    group_count: int
    """Number of replica groups."""
    axes: list[str]
    """Mesh axes that the groups span, in words."""
    axis_names: list[str]
    """Names of the same axes."""
    algorithm: Optional[str]
    """Algorithm that the time is computed for."""
    seconds: float
    """Time of one execution."""
    exposed_seconds: float
    """Time in the step that nothing hides."""
    hideable_seconds: Optional[float]
    """Part of exposed_seconds that another order could hide at most: as long as ops run that neither come before its
    start nor need its end; None if little is exposed."""
    wire_bytes: float
    """Bytes that each device sends in one execution."""
    busiest_link_bytes: float
    """Bytes over the busiest link in one direction, in one execution."""
    link_bandwidth: Optional[float]
    """Nominal bandwidth of that link in one direction."""
    link_utilization: Optional[float]
    """Share of that bandwidth that is achieved."""
    crossover_bytes: Optional[float]
    """Size at which latency and bandwidth take equal time."""
    crossover_tokens: Optional[float]
    """Per-device batch size above which the matmuls hide this collective; None if it does not move weights."""


@dataclass(frozen=True)
class Memory:
    """Memory of one device, in HBM unless the name says otherwise."""

    peak_bytes: float
    """Peak as XLA reports it."""
    hbm_peak_bytes: float
    """Peak of HBM alone."""
    arguments_bytes: float
    """Size of the arguments."""
    outputs_bytes: float
    """Size of the outputs."""
    aliased_bytes: float
    """Size of the outputs that share a donated argument."""
    temporaries_bytes: float
    """hbm_peak - arguments - outputs + aliased."""
    capacity_bytes: float
    """Capacity of the device."""
    usable_bytes: float
    """What the compiler or the allocator lets a program use of it."""
    fits: bool
    """True if hbm_peak_bytes is at most usable_bytes."""
    vmem_peak_bytes: float
    """Peak of on-chip memory."""
    host_peak_bytes: float
    """Peak of host memory."""
    padding_bytes: float
    """Tile padding of the buffers live at the HBM peak."""
    live_at_peak: list[LiveBuffer] = field(repr=False)
    """Buffers in HBM at its peak, largest first."""


@dataclass(frozen=True)
class LiveBuffer:
    """A buffer that is live at the memory peak."""

    name: str
    """Instruction that defines the buffer."""
    shape: str
    """Shape as the HLO text has it."""
    bytes: float
    """Size with tile padding."""
    padding_bytes: float
    """Tile padding in bytes."""


@dataclass(frozen=True)
class Diagnostic:
    """One cause of lost time or of doubt, with all instructions that it concerns."""

    code: str
    """Stable code; `hloroof lint --codes` explains each. One of wrong-backend, not-partitioned, not-optimized,
    wrong-generation, memory-over-capacity, host-transfer-exposed, prefetch-stall, reshard, gather-then-cut,
    exposed-communication, crossover-not-reached, redundant-compute, loop-carry-copy, unfused-update, narrow-update,
    layout-change, gather-before-kernel, padding-waste, kernel-refetch, block-rereads, kernel-half-filled,
    kernel-small-blocks, kernel-vmem-room, repeated-upcast, matrix-underfilled, needless-f32, matrix-in-f32,
    latency-bound-loop, branch-imbalance, replicated-parameter, donation-missed, unknown-trip-count,
    unknown-custom-call, kernel-assumed, unknown-opcode, unknown-attribute, unreadable-slice-transfer, no-entry,
    operand-mismatch, unknown-device-count, impossible-number, missing-attribute, missing-operand,
    missing-predecessor, missing-computation, unscheduled, memory-incomplete, untuned-blocks, mesh-assumed,
    missing-device-number, code-mismatch, code-incomplete, network-assumed, unseen-utilization,
    model-differs-from-compiler."""
    severity: str
    """Severity of the finding. One of info, warning, error."""
    message: str
    """What was found and what to do about it; details are those of `op`."""
    cause: Optional[str]
    """What the instructions share: `all-gather over data`; None if nothing is named."""
    op: Optional[str]
    """Instruction with the most seconds or bytes; None for a finding about the whole module."""
    count: int
    """Number of instructions."""
    ops: list[str]
    """All instructions, those with the most seconds or bytes first."""
    seconds_at_stake: Optional[float]
    """Upper bound of the time that a remedy can save, or time in doubt; None if it is not about time. No second counts
    for two diagnostics."""
    counted_elsewhere_seconds: float
    """Further time, which more specific diagnostics count."""
    bytes_at_stake: Optional[float]
    """Upper bound of the memory that a remedy can save; None if not about memory."""


@dataclass(frozen=True)
class Op:
    """One executed instruction of ENTRY, a loop body or condition, a called computation or a branch."""

    name: str
    """Name of the instruction, without %."""
    computation: str
    """Computation that contains the instruction."""
    opcode: str
    """Opcode as the HLO text has it."""
    category: str
    """Category as XProf names it."""
    executions: float
    """Executions in one step."""
    seconds: float
    """Time of one execution. A start has the time of its transfer, a done has 0."""
    total_seconds: float
    """seconds x executions."""
    exposed_seconds: float
    """Time that the compute stream spends in this op, working or waiting."""
    wait_seconds: float
    """Part of exposed_seconds in which it waits for transfers."""
    overhead_seconds: float
    """Part of exposed_seconds that is launch, latency and pipeline fill."""
    critical_seconds: float
    """Time on the critical path of the step."""
    bound: Optional[str]
    """What limits the op in the step: a resource, or `wait (ici, data)` if it waits for longer than it works; None if
    it takes no time."""
    waits: list[Wait] = field(repr=False)
    """Transfers that the compute stream waits for in this op, the longest wait first."""
    flops: float
    """FLOPs of one execution."""
    transcendentals: float
    """Transcendental functions of one execution."""
    hbm_bytes: float
    """Bytes read from and written to HBM by one execution."""
    vmem_bytes: float
    """Bytes read from and written to VMEM by one execution."""
    wire_bytes: float
    """Bytes that this device sends over the interconnect in one execution."""
    logical_bytes: float
    """Bytes read and written by one execution, without tile padding."""
    padded_bytes: float
    """Bytes read and written by one execution, with tile padding."""
    efficiency: Optional[float]
    """Share of the nominal peak of the limiting resource; None if it takes no time."""
    source: str
    """Origin of the time: the model, the compiler, the user, an assumption, or unknown. One of model, code, compiler,
    user, assumed, unknown."""
    op_name: Optional[str]
    """op_name of the metadata: the path in the traced program."""
    source_file: Optional[str]
    """Source file of the metadata."""
    source_line: Optional[int]
    """Line in source_file."""
    terms: Optional[int]
    """The parts of `seconds`: the index of an element of the prediction's `terms`; None if the op takes no time."""


@dataclass(frozen=True)
class Wait:
    """A transfer that the compute stream waits for."""

    transfer: str
    """Instruction that starts the transfer."""
    limit: str
    """Link and mesh axes of the transfer."""
    seconds: float
    """Time of the step."""
    queued_seconds: float
    """Part that other transfers on the same link cause."""
    queued_behind: int
    """Number of those transfers."""


@dataclass(frozen=True)
class Term:
    """A part of the time of an op. A leaf takes amount / rate seconds; others combine their children."""

    name: str
    """What takes the time."""
    seconds: float
    """Time of one execution."""
    amount: Optional[float] = None
    """Amount of work; leaves only."""
    unit: Optional[str] = None
    """Unit of amount."""
    rate: Optional[float] = None
    """Amount per second; leaves only."""
    combine: Optional[str] = None
    """How the times of the children combine: sum, max, min or norm."""
    exponent: Optional[float] = None
    """Exponent of a norm."""
    scale: Optional[float] = None
    """Factor of the combined time; 1 if absent."""
    parameters: Optional[list[str]] = None
    """Paths of the device numbers in the rate or the scale."""
    note: Optional[str] = None
    """Details."""
    children: Optional[list[Term]] = None
    """Parts of the term."""


# Classes of the members that are records or lists of records.
RECORD_OF_MEMBER: dict[str, type] = {
    "generator": Generator,
    "module": ModuleFacts,
    "device": Device,
    "resources": Resource,
    "totals": Totals,
    "coverage": Coverage,
    "layers": Layer,
    "estimates": EstimatedOp,
    "parameters": Parameter,
    "breakdown": BreakdownPart,
    "critical_path": CriticalPart,
    "sensitivity": Sensitivity,
    "mesh": MeshAxis,
    "collectives": Collective,
    "memory": Memory,
    "diagnostics": Diagnostic,
    "ops": Op,
    "terms": Term,
    "origin": Origin,
    "numbers": NumberSensitivity,
    "free_ops": OpSensitivity,
    "live_at_peak": LiveBuffer,
    "waits": Wait,
    "children": Term,
}
