"""Compiles for a TPU or a CUDA GPU that this machine does not have. The compiler, libtpu or JAX's CUDA plugin, runs in a process
of its own, so that a crash there is an error here and not the end of the program.

Run as a script, this file is that process: it reads requests from stdin and writes replies to stdout, each pickled.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib.util
import inspect
import keyword
import os
import pathlib
import pickle
import re
import signal
import tempfile
from typing import Any, Callable, Mapping, Optional, Sequence

from hloroof import _core, _cuda
from hloroof._process import TPU_ELSEWHERE, Ended, Process, serve


class CompileError(_core.Error):
    """The compiler rejects the program, or ended while compiling it. The message says what to do about it where that is known, then
    what the compiler said."""

    hlo: Optional[str]
    """The HLO text of a program that does not fit in the memory of a device: what the compiler had when it gave up."""

    def __init__(self, message: str, hlo: Optional[str] = None) -> None:
        super().__init__(message)
        self.hlo = hlo


@dataclasses.dataclass(frozen=True)
class Chip:
    """What JAX and its compiler call a device of hloroof."""

    topology: str
    """The smallest topology that the compiler compiles for."""
    kind: str
    """``jax.Device.device_kind``."""
    cores: int
    """Cores that JAX sees as one device."""
    config: str = ""
    """libtpu's ``chip_config_name``, if its default joins other cores; the target config of a GPU."""
    platform: str = "tpu"
    """``"tpu"`` or ``"cuda"``."""


CHIPS = {
    "tpu_v2": Chip("v2:2x2", "TPU v2", 1),
    "tpu_v3": Chip("v3:2x2", "TPU v3", 1),
    "tpu_v4": Chip("v4:2x2x1", "TPU v4", 2, "megacore"),
    "tpu_v4_core": Chip("v4:2x2x1", "TPU v4", 1),
    "tpu_v5e": Chip("v5e:2x2", "TPU v5 lite", 1),
    "tpu_v5p": Chip("v5p:2x2x1", "TPU v5", 2),
    "tpu_v6e": Chip("v6e:2x2", "TPU v6 lite", 1),
    "tpu_v7x": Chip("tpu7x:2x2x1", "TPU7x", 1),
}


def tpu_of(device: str) -> Chip:
    """Returns the TPU to compile for. Raises ``NotFoundError`` for an unknown device, ``ValueError`` if it is not a TPU that
    libtpu compiles for."""
    name = _core.device_name(device)
    if name not in CHIPS:
        raise ValueError(f"libtpu cannot compile for {name}; expected one of {', '.join(CHIPS)}")
    return CHIPS[name]


def chip_of(device: str) -> Chip:
    """Returns the TPU or the GPU to compile for. Raises ``NotFoundError`` for an unknown device, ``ValueError`` if no compiler of JAX
    compiles for it ahead of time."""
    if _cuda.is_cuda(device):
        return Chip("1x1x1", _cuda.kind_of(device), 1, _cuda.target_config(device), "cuda")
    name = _core.device_name(device)
    if name not in CHIPS:
        raise ValueError(f"there is no compiler for {name} ahead of time; expected an NVIDIA GPU or one of {', '.join(CHIPS)}")
    return CHIPS[name]


def is_known(device: str) -> bool:
    """Whether a compiler of JAX compiles for a device ahead of time. Raises ``NotFoundError`` for an unknown one."""
    return _core.device_name(device) in CHIPS or _cuda.is_cuda(device)


def has_compiler(platform: str = "tpu") -> bool:
    """Whether libtpu is installed, or JAX's CUDA plugin."""
    return importlib.util.find_spec("libtpu") is not None if platform == "tpu" else _cuda.plugin() is not None


def check_compiler(platform: str, what: str) -> None:
    """Raises ``ImportError`` with the command that installs the compiler that ``what`` needs, unless it is installed."""
    if has_compiler(platform):
        return
    if platform == "tpu":
        raise ImportError(f"{what} needs libtpu: pip install libtpu")
    raise ImportError(f"{what} needs JAX's CUDA plugin, and no GPU: {_cuda.how_to_install()}")


def package(platform: str) -> str:
    """The package with the compiler."""
    return "libtpu" if platform == "tpu" else _cuda.plugin() or "jax-cuda12-pjrt"


@dataclasses.dataclass(frozen=True)
class Job:
    """A program to compile."""

    exported: bytes
    """A pickled ``jax.export.Exported`` whose arguments and results are flat lists."""
    topology: str
    """Of one slice, as libtpu names it: ``"v5e:4x4"``; of all GPUs, as domains, hosts and GPUs of a host: ``"2x1x8"``."""
    slices: int = 1
    """Of TPUs."""
    config: str = ""
    """Of the chips: ``Chip.config``."""
    platform: str = "tpu"
    donated: Sequence[int] = ()
    """Arguments whose memory the program may reuse."""
    options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    """Options of the compiler by name, without dashes."""
    x64: bool = False
    """``jax_enable_x64``."""
    names: Sequence[str] = ()
    """What the function calls its arguments: ``"params['w']"``."""
    wants_unfit: bool = True
    """Whether the text of a program that does not fit is wanted, for which it is compiled again."""


def lower(function: Callable[..., Any], arguments: Sequence[Any], static: Mapping[str, Any], chip: Chip) -> str:
    """Returns the HLO text before optimization, in which kernels have their bodies. Raises what the function raises."""
    leaves, flat = _flatten(function, arguments, static)
    import jax

    with _as_on(chip):
        text: str = jax.jit(flat).trace(*leaves).lower(lowering_platforms=("tpu",)).as_text(dialect="hlo")
    return text


def export(function: Callable[..., Any], arguments: Sequence[Any], static: Mapping[str, Any], chip: Chip) -> Job:
    """Returns the job of compiling for one chip. Raises what the function raises."""
    leaves, flat = _flatten(function, arguments, static)
    import jax

    with _as_on(chip):
        exported = exported_for(jax.jit(flat), "tpu", leaves, {})
    return Job(pack(exported), chip.topology, config=chip.config)


def exported_for(jitted: Any, platform: str, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """The ``jax.export.Exported`` of a jitted function. It may call kernels without guarantees of compatibility, such as those of
    cuDNN: the same JAX compiles it."""
    import jax.export

    any_call = jax.export.DisabledSafetyCheck.custom_call("ALL")
    return jax.export.export(jitted, platforms=[platform], disabled_checks=[any_call])(*arguments, **keywords)


def pack(exported: Any) -> bytes:
    """Pickles a ``jax.export.Exported``. Neither the function nor the classes of its arguments need be picklable."""
    import jax

    flat = jax.tree.structure(((0,) * len(exported.in_avals), {}))
    results = jax.tree.structure([0] * len(exported.out_avals))
    return pickle.dumps(dataclasses.replace(exported, _get_vjp=None, in_tree=flat, out_tree=results))


def _flatten(function: Callable[..., Any], arguments: Sequence[Any], static: Mapping[str, Any]) -> tuple[list[Any], Callable[..., Any]]:
    """Returns the shapes of all arrays, and a function of these arrays that returns a list of arrays. Structures of the
    caller then need not be pickled."""
    import jax

    leaves: list[Any]
    tree: Any
    leaves, tree = jax.tree.flatten(tuple(arguments))
    shapes = [jax.ShapeDtypeStruct(jax.numpy.shape(leaf), jax.numpy.result_type(leaf)) for leaf in leaves]
    return shapes, lambda *values: jax.tree.leaves(function(*tree.unflatten(values), **static))


def _as_on(chip: Chip) -> Any:
    """A context in which JAX traces as on ``chip``: a kernel may ask which TPU it runs on."""
    import jax

    return jax.sharding.use_abstract_mesh(jax.sharding.AbstractMesh((), (), abstract_device=abstract_device(chip)))


def abstract_device(chip: Chip) -> Any:
    """What JAX calls a device that is not there."""
    import jax

    platform = {"cuda": "gpu"}.get(chip.platform, chip.platform)  # that of jax.Device
    return jax.sharding.AbstractDevice(device_kind=chip.kind, num_cores=chip.cores, platform=platform)


_CODE_FLAGS = (
    "--xla_jf_dump_to={folder} --xla_jf_dump_llo_text=true --xla_jf_dump_llo_pass_label_regex=packed-bundles-post-ra"
)


class Compiler:
    """A process with the compiler. It starts with the first program; use it in a ``with`` statement, from one thread at a time.
    libtpu dumps its final code to the folder ``code`` if there is one."""

    _module = "hloroof._ahead"
    """What the process runs."""

    def __init__(self, code: Optional[str] = None) -> None:
        self._process: Optional[Process] = None
        self._environment = {**TPU_ELSEWHERE, "JAX_PLATFORMS": "cpu"}
        if code is not None:  # libtpu reads its flags when it is loaded: they are of a process, not of a compile
            given = os.environ.get("LIBTPU_INIT_ARGS", "")
            self._environment["LIBTPU_INIT_ARGS"] = f"{given} {_CODE_FLAGS.format(folder=code)}".strip()

    def __enter__(self) -> Compiler:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def compile(self, job: Job, timeout: Optional[float] = None) -> str:
        """Returns the optimized HLO text. Raises ``CompileError`` if there is none, also after ``timeout`` seconds; if the program
        does not fit in memory, the error has the text that the compiler had."""
        text, error = self._ask(job, timeout)
        if error is not None:
            raise CompileError(explain_failure(error, "libtpu" if job.platform == "tpu" else "XLA"), text or None)
        return str(text)

    def _started(self) -> Process:
        if self._process is None:
            self._process = Process(self._module, self._environment)
        return self._process

    def _ask(self, job: Any, timeout: Optional[float] = None) -> Any:
        """Returns the reply of the process. Raises ``CompileError`` if it ends."""
        try:
            return self._started().ask(job, timeout)
        except Ended as ended:
            self.close()
            if ended.is_late:
                raise CompileError(f"the compiler did not finish in {timeout:g} seconds (timeout)") from None
            raise CompileError(f"the compiler ended with {ending(ended.status)}: {ended.said}") from None


def ending(status: int) -> str:
    """An exit status in words: ``"status -6 (SIGABRT)"``."""
    try:
        return f"status {status} ({signal.Signals(-status).name})" if status < 0 else f"status {status}"
    except ValueError:
        return f"status {status}"


_OUT_OF_MEMORY = r"CompileTimeHbmOom|[Oo]ut of memory on HBM|memory space hbm"

# What a compiler says, and what it means.
_MEANINGS = (
    (
        _OUT_OF_MEMORY,
        "the program does not fit in the memory of a device: shard it over more devices, donate arguments, or recompute",
    ),
    (r"memory space vmem", "a kernel or a fusion does not fit in VMEM: choose smaller blocks"),
    (r"No such compile option: '(?P<what>[^']*)'", "{compiler} has no option {what}"),
    (r"Failed to parse '(?P<value>[^']*)' into flag (?P<what>\w+)", "{value} is no value for the option {what}"),
    (r"[Tt]opology layout|Invalid TPU external name|chips_per_host_bounds", "libtpu does not know a TPU of this shape"),
    (r"already in use|libtpu_lockfile", "another process uses libtpu"),
    (
        r"[Ss]hared memory size limit exceeded|uses too much shared",
        "a kernel needs more shared memory than a block of threads can have: choose smaller blocks",
    ),
    (
        r"ptxas too old",
        "the compiler finds a CUDA toolkit that does not compile for this GPU, too old or too new: pip install nvidia-cuda-nvcc-cu12",
    ),
    (
        r"libdevice not found|Couldn't find a suitable version of ptxas|No PTX compilation provider",
        "the compiler finds no CUDA toolkit, of which it needs libdevice and ptxas: pip install nvidia-cuda-nvcc-cu12",
    ),
)


def explain_failure(message: str, compiler: str = "libtpu") -> str:
    """The message of the compiler below one of ours, where its meaning is known. The name of a status code at its start is dropped."""
    said = re.sub(r"^(?:[A-Z_]{6,}: )+", "", message)
    for pattern, meaning in _MEANINGS:
        match = re.search(pattern, said)
        if match:
            return f"{meaning.format(compiler=compiler, **match.groupdict())}\n{compiler}: {said}"
    return said


class _DoesNotFit(Exception):
    """What the compiler said, and the text that it dumped."""

    def __init__(self, said: str, hlo: str) -> None:
        super().__init__(said)
        self.hlo = hlo


def compile_here(job: Job) -> str:
    """Returns the optimized HLO text. Runs the compiler in this process, which a crash of the compiler ends."""
    import jax
    import numpy

    if job.x64:
        jax.config.update("jax_enable_x64", True)
    exported = pickle.loads(job.exported)
    devices = devices_of(job)
    if exported.nr_devices > len(devices):
        raise ValueError(f"the program is for {exported.nr_devices} devices, and {job.topology} has {len(devices)}")
    sizes, names, types = _axes_of(exported)
    is_split_v4 = devices[0].device_kind == "TPU v4" and any(device.core_on_chip > 0 for device in devices)
    if exported.nr_devices == len(devices) and job.slices == 1 and job.platform == "tpu" and not is_split_v4:
        mesh = jax.make_mesh(sizes, names, axis_types=types, devices=devices)
    else:  # make_mesh knows no slices, and no single cores of TPU v4; slices are the outermost axis of the list
        mesh = jax.sharding.Mesh(numpy.array(devices[: exported.nr_devices]).reshape(sizes), names, axis_types=types)
    shardings = list(exported.in_shardings_jax(mesh))
    if all(sharding is None for sharding in shardings):  # something must say where the program runs
        shardings = [jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec()) for _ in shardings]
    results = [sharding for sharding in exported.out_shardings_jax(mesh)]

    def call(*values: Any) -> Any:
        return exported.call(*values)

    parameters = _parameters(job.names)
    call.__name__ = exported.fun_name
    if len(parameters) == len(exported.in_avals):
        call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in parameters]
        )
    arguments = [
        jax.ShapeDtypeStruct(aval.shape, aval.dtype, sharding=sharding)
        for aval, sharding in zip(exported.in_avals, shardings)
    ]
    lowered = jax.jit(call, donate_argnums=tuple(job.donated), out_shardings=results).lower(*arguments)
    try:
        text = _compiled(lowered, job).as_text()
    except Exception as error:  # the compiler's, of many types
        if not job.wants_unfit or not re.search(_OUT_OF_MEMORY, str(error)):
            raise
        raise _DoesNotFit(str(error), without_export(_dumped(lowered, job.options), call.__name__, job.names)) from None
    assert text is not None
    return without_export(text, call.__name__, job.names)


def _compiled(lowered: Any, job: Job) -> Any:
    options = dict(job.options)
    try:
        return lowered.compile(compiler_options=options or None)
    except Exception as error:  # of many types
        # Without a GPU there is no autotuning, and XLA takes one block for all Triton products, which some shapes do not admit.
        # Autotuning would choose among other blocks and cuBLAS.
        if not re.search(_NO_BLOCK, str(error)) or _TRITON_PRODUCTS in options:
            raise
        return lowered.compile(compiler_options={**options, _TRITON_PRODUCTS: False})


_NO_BLOCK = r"Couldn't find output tile sizes that satisfy"
_TRITON_PRODUCTS = "xla_gpu_enable_triton_gemm"


def devices_of(job: Job) -> Any:
    """The devices of the topology."""
    from jax.experimental import topologies

    if job.platform == "cuda":
        return topologies.get_topology_desc(
            platform="cuda", topology_name="", target_config=job.config, topology=job.topology
        ).devices
    more: dict[str, Any] = {"num_slices": job.slices} if job.slices > 1 else {}
    if job.config:
        more["chip_config_name"] = job.config
    return topologies.get_topology_desc(platform="tpu", topology_name=job.topology, **more).devices


def _dumped(lowered: Any, options: Mapping[str, Any]) -> str:
    """What libtpu dumps of a program before it refuses it: the optimized HLO text; empty if there is none. Compiles again,
    because only few programs need the dump."""
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.suppress(Exception):
            lowered.compile(compiler_options={**options, "xla_dump_to": folder, "xla_dump_hlo_as_text": True})
        for name in ("*.after_optimizations.txt", "*.oom_intermediate_module.txt"):
            for path in pathlib.Path(folder).glob(name):
                return path.read_text()
    return ""


def _parameters(names: Sequence[str]) -> list[str]:
    """Names of parameters, from which XLA makes those of instructions, as it does from ``params['w']``; none if they clash."""
    parameters = [re.sub(r"\W", "_", name) for name in names]
    is_valid = all(name.isidentifier() and not keyword.iskeyword(name) for name in parameters)
    return parameters if is_valid and len(set(parameters)) == len(parameters) else []


def without_export(text: str, function: str, names: Sequence[str]) -> str:
    """The text with the op_names that the function has without the export."""
    outside = rf'op_name="(?:jit\({re.escape(function)}\)/)?call_exported'
    text = re.sub(outside + "/", 'op_name="', text)
    text = re.sub(outside + '"', lambda _: f'op_name="jit({function})"', text)
    parameters = _parameters(names) or [f"values[{index}]" for index in range(len(names))]
    name_of = dict(zip(parameters, names))

    def original(match: re.Match[str]) -> str:
        name = re.sub(r"([\\'\"])", r"\\\1", name_of[match[1]])
        return f'op_name="{name}"'

    if not names:
        return text
    return re.sub(f'op_name="({"|".join(map(re.escape, parameters))})"', original, text)


def _axes_of(exported: Any) -> tuple[Any, Any, Any]:
    """Sizes, names and types of the axes of the mesh that the program was traced with."""
    import jax

    shardings = [*getattr(exported, "_in_named_shardings", ()), *getattr(exported, "_out_named_shardings", ())]
    for sharding in shardings:
        if sharding is not None and sharding.mesh.size == exported.nr_devices:
            return sharding.mesh.axis_sizes, sharding.mesh.axis_names, sharding.mesh.axis_types
    return (exported.nr_devices,), ("devices",), (jax.sharding.AxisType.Auto,)


def _answer(job: Job) -> tuple[str, Optional[str]]:
    try:
        return compile_here(job), None
    except _DoesNotFit as error:
        return error.hlo, str(error)
    except Exception as error:  # the compiler's, of many types
        return "", str(error) or type(error).__name__


if __name__ == "__main__":
    with contextlib.suppress(ImportError):
        import jax  # noqa: F401  # while the program is traced elsewhere

    serve(_answer)
