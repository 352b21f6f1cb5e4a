"""``hloroof.jax.compile_for``: what the compiler makes of a function for a TPU or a GPU that is not there."""

from __future__ import annotations

import contextlib
import dataclasses
import gzip
import hashlib
import importlib.metadata
import inspect
import math
import os
import pathlib
import re
import shutil
import tempfile
import time
import zlib
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Optional, Sequence, Union

from hloroof import _ahead, _core
from hloroof._devices import Device, device_text, is_path, platform_of
from hloroof._prediction import StepPrediction

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from hloroof._options import Options

_FORMAT = "3"  # of the key of the cache
_UNFINISHED = ".unfinished"  # a file of the cache while it is written
_UNFINISHED_SECONDS = 3600  # nothing is written for so long


@dataclasses.dataclass(frozen=True)
class CompiledProgram:
    """A program that was compiled ahead of time. It is a program for ``hloroof.predict_step_time`` and ``hloroof.parse``."""

    device: str
    """What it was compiled for, such as ``"tpu_v5e:4x4"``."""
    text: str = dataclasses.field(repr=False)
    """The optimized HLO text."""
    path: Optional[pathlib.Path]
    """The text in the cache, which the command reads as well; ``None`` without a cache."""
    from_cache: bool
    """Whether it was there already."""
    code: Optional[pathlib.Path] = None
    """The folder of libtpu's final code, which ``hloroof bundles`` reads; ``None`` without ``compile_for(..., code=True)``."""
    _folder: Any = dataclasses.field(default=None, repr=False, compare=False)  # removes the folder if no cache keeps it

    def as_text(self) -> str:
        """Returns the optimized HLO text."""
        return self.text

    def predict(self, **options: Unpack[Options]) -> StepPrediction:
        """Predicts the program on the device that it was compiled for. ``options`` are those of ``hloroof.predict_step_time``. A
        program with its final code is priced by it, unless ``code`` says otherwise: with ``code=""`` by the model alone."""
        from hloroof._functions import predict_step_time

        if self.code is not None:
            options.setdefault("code", str(self.code))
        return predict_step_time(self, self.device, **options)


def compile_for(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    device: Device,
    *,
    keyword_arguments: Optional[Mapping[str, Any]] = None,
    mesh: Any = None,
    in_shardings: Any = None,
    out_shardings: Any = None,
    donate_argnums: Union[int, Sequence[int], None] = None,
    static_argnums: Union[int, Sequence[int], None] = None,
    options: Optional[Mapping[str, Any]] = None,
    code: bool = False,
    cache: Union[bool, str, os.PathLike[str]] = True,
    timeout: Optional[float] = None,
) -> CompiledProgram:
    """Compiles ``function(*arguments)`` for a TPU or an NVIDIA GPU that need not be there. Nothing runs on a device.

        compiled = hloroof.jax.compile_for(
            train_step, (params, batch), "tpu_v5e:4x4",
            mesh={"data": 4, "model": 4}, in_shardings=(P(None, "model"), P("data")), donate_argnums=0,
        )
        print(compiled.predict())

    ``function`` is jitted or not; ``arguments`` are arrays, ``jax.ShapeDtypeStruct`` or structures of them, of which only shapes,
    types and shardings matter. ``device`` is a TPU with or without a topology; without one it is the smallest that fits. Or it is
    a GPU, with or without a number of them: ``"h100_sxm:8"``.

    ``mesh`` has the axes of the devices, as a mapping, a ``jax.sharding.Mesh`` or an ``AbstractMesh``. ``in_shardings`` and
    ``out_shardings`` are those of ``jax.jit``, with a ``PartitionSpec`` of these axes or a sharding of JAX in each place;
    ``donate_argnums`` and ``static_argnums`` are those of ``jax.jit``. A function that is jitted with its own needs none of them.
    ``options`` are options of the compiler: ``{"xla_tpu_scoped_vmem_limit_kib": "65536"}``. ``LIBTPU_INIT_ARGS`` holds as well.

    With ``code``, libtpu also dumps its final code, for TPUs alone: ``compiled.code`` is the folder, ``compiled.predict()`` prices
    ops by the cycles there, and the command ``hloroof bundles`` lists them with their spills and waits.

    The compiler runs in a process of its own for at most ``timeout`` seconds. Results are kept in ``cache``, a folder, by default
    ``HLOROOF_CACHE_DIR`` or ``~/.cache/hloroof``, under a hash of the program, the topology, the options and the versions of JAX
    and the compiler; ``cache=False`` keeps nothing. Needs JAX, and libtpu or JAX's CUDA plugin.

    Raises ``CompileError`` with the compiler's message if the program does not compile or the compiler crashes; if it does not fit
    in the memory of a TPU, with the predicted peak and the largest arrays, and the HLO text as ``error.hlo``. XLA refuses no
    program that is too large for a GPU: ``compiled.predict().memory.fits`` says so. Raises ``ImportError`` with the command that
    installs the compiler if it is missing, ``ValueError`` if the device is none that a compiler compiles for or there are too few,
    and what the function raises when JAX traces it.
    """
    place = device_text(device)
    _ahead.check_compiler(_ahead.chip_of(place).platform, "hloroof.jax.compile_for")
    prepared = prepare(
        function,
        arguments,
        place,
        keyword_arguments=keyword_arguments,
        mesh=mesh,
        in_shardings=in_shardings,
        out_shardings=out_shardings,
        donate_argnums=donate_argnums,
        static_argnums=static_argnums,
        options=options,
    )
    if code and prepared.job.platform != "tpu":
        raise ValueError(f"code=True is for TPUs: there is no final code of libtpu for {place}")
    path = _path_in(cache, prepared.job, prepared.program)
    kept_code = path.with_name(path.name.replace(".hlo.gz", ".code")) if path is not None and code else None
    kept = _read(path)
    if kept is not None and (kept_code is None or kept_code.is_dir()):
        return CompiledProgram(prepared.device, kept, path, True, kept_code)
    folder = tempfile.TemporaryDirectory(prefix="hloroof-code-") if code else None
    try:
        with _ahead.Compiler(folder.name if folder is not None else None) as compiler:
            text = compiler.compile(prepared.job, timeout)
    except _ahead.CompileError as error:
        raise _with_memory(error, prepared.device) from None
    if path is not None:
        _write(path, gzip.compress(text.encode(), 6, mtime=0))
    if folder is None:
        return CompiledProgram(prepared.device, text, path, False)
    _reduce_code(pathlib.Path(folder.name))
    if kept_code is not None and _keep_folder(pathlib.Path(folder.name), kept_code):
        return CompiledProgram(prepared.device, text, path, False, kept_code)
    return CompiledProgram(prepared.device, text, path, False, pathlib.Path(folder.name), folder)


def _reduce_code(folder: pathlib.Path) -> None:
    """Removes from a dump what ``hloroof`` does not read, and compresses the rest, to a tenth. Raises ``CompileError`` if there is no
    code."""
    count = 0
    for file in folder.iterdir():
        is_code = file.name.endswith("-packed-bundles-post-ra.txt") and not re.search(r"-TLP-|-<|schedule-analysis", file.name)
        if is_code:
            (folder / f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes(), 6, mtime=0))
            count += 1
        if is_code or not file.name.endswith("-TLP-hlo.txt"):
            file.unlink()
    if count == 0:
        raise _ahead.CompileError("libtpu dumped no final code: it compiled no operation of the program on its own, or is too old")


def _keep_folder(folder: pathlib.Path, to: pathlib.Path) -> bool:
    """Copies a folder into the cache at once. Returns whether it is there: a cache that cannot be written is no error."""
    unfinished = None
    try:
        _remove_unfinished(to.parent)
        unfinished = tempfile.mkdtemp(dir=to.parent, suffix=_UNFINISHED)
        shutil.copytree(folder, unfinished, dirs_exist_ok=True)
        os.replace(unfinished, to)
    except OSError:  # also if another process was first
        if unfinished is not None:
            shutil.rmtree(unfinished, ignore_errors=True)
    return to.is_dir()


def _with_memory(error: _ahead.CompileError, device: str) -> _ahead.CompileError:
    """Adds what the prediction of the dumped text says of the memory, if there is one."""
    from hloroof._functions import predict_step_time

    if error.hlo is None:
        return error
    try:
        predicted = predict_step_time(error.hlo, device)
    except _core.Error:
        return error
    found = [d.message for d in predicted.diagnostics if d.code == "memory-over-capacity"]
    peak = f"a peak of {predicted.memory.hbm_peak_bytes / 2**30:.2f} GiB"
    return _ahead.CompileError(f"{error}\npredicted from its dump: {found[0] if found else peak}", error.hlo)


@dataclasses.dataclass(frozen=True)
class Prepared:
    """A program that is traced and laid out on the devices, and not compiled yet."""

    job: _ahead.Job
    device: str
    """With the topology: ``"tpu_v5e:4x4"``."""
    device_count: int
    """Of the topology; the program may be for fewer."""
    program: Any
    """The ``jax.export.Exported``."""


def prepare(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    place: str,
    *,
    keyword_arguments: Optional[Mapping[str, Any]] = None,
    mesh: Any = None,
    in_shardings: Any = None,
    out_shardings: Any = None,
    donate_argnums: Union[int, Sequence[int], None] = None,
    static_argnums: Union[int, Sequence[int], None] = None,
    options: Optional[Mapping[str, Any]] = None,
) -> Prepared:
    """Traces a function for ``compile_for``, which says what the arguments are. Raises ``ValueError`` if the device is none that a
    compiler compiles for or there are too few, and what the function raises."""
    _check_arguments(arguments)
    chip = _ahead.chip_of(place)
    import jax

    abstract = _abstract_mesh(mesh, chip)
    with _tracing_on(abstract):
        jitted = _jitted(function, abstract, in_shardings, out_shardings, donate_argnums, static_argnums)
        keywords = jax.tree.map(_shape_of, dict(keyword_arguments or {}))
        shapes = [jax.tree.map(_shape_of, argument) for argument in arguments]
        traced = jitted.trace(*shapes, **keywords)
        exported = _ahead.exported_for(jitted, chip.platform, shapes, keywords)
    shape, slices, per_chip = _core.device_topology(place, exported.nr_devices)
    count = slices * per_chip * math.prod(shape)
    if count < exported.nr_devices:
        raise ValueError(f"the program is for {exported.nr_devices} devices, and {place} has {count}")
    job = _ahead.Job(
        exported=_ahead.pack(exported),
        topology=topology_name(chip, shape, slices),
        slices=slices,
        config=chip.config,
        platform=chip.platform,
        donated=_donated(traced),
        options=dict(options or {}),
        x64=bool(jax.config.jax_enable_x64),
        names=_argument_names(function, traced),
    )
    if chip.platform == "cuda":
        return Prepared(job, place if is_path(place) else f"{_core.device_name(place)}:{count}", count, exported)
    box = "x".join(map(str, shape))
    name = f"{_core.device_name(place)}:{box}" + (f"*{slices}" if slices > 1 else "")
    return Prepared(job, name, count, exported)


def topology_name(chip: _ahead.Chip, shape: Sequence[int], slices: int) -> str:
    """The topology as the compiler names it."""
    if chip.platform == "cuda":  # a domain counts as one host: what XLA makes of a program does not depend on hosts
        return f"{slices}x1x{math.prod(shape)}"
    generation, _, smallest = chip.topology.partition(":")
    # A single chip is one of the smallest topology, because not every libtpu compiles for less.
    is_small = math.prod(shape) < math.prod(map(int, smallest.split("x")))
    return chip.topology if is_small else f"{generation}:{'x'.join(map(str, shape))}"


def program_for(function: Any, arguments: Sequence[Any], place: str) -> Any:
    """A program for ``place`` of a function: compiled if the compiler is installed, and otherwise only lowered."""
    if not callable(function):
        raise TypeError(f"arguments are those of a function, and the program is a {type(function).__name__}")
    _check_arguments(arguments)
    if _ahead.is_known(place) and _ahead.has_compiler(_ahead.chip_of(place).platform):
        return compile_for(function, arguments, place)
    import jax

    platform = platform_of(place)
    traced = _jitted(function, None, None, None, None, None).trace(*(jax.tree.map(_shape_of, a) for a in arguments))
    return traced.lower(lowering_platforms=(platform,)) if platform else traced.lower()


def _check_arguments(arguments: Any) -> None:
    if hasattr(arguments, "dtype") or isinstance(arguments, (str, bytes, Mapping)):
        raise TypeError(f"arguments are a sequence, such as (x,), not a single {type(arguments).__name__}")


def _abstract_mesh(mesh: Any, chip: _ahead.Chip) -> Any:
    """The mesh without devices. One of ours says where the function runs, because a kernel may ask; one of the caller's stays
    as it is, because the function may use it."""
    import jax

    device = _ahead.abstract_device(chip)
    if mesh is None:
        return jax.sharding.AbstractMesh((), (), abstract_device=device)
    if isinstance(mesh, Mapping):
        if any(size < 1 for size in mesh.values()):
            raise ValueError(f"mesh={dict(mesh)}: an axis has at least one device")
        types = (jax.sharding.AxisType.Auto,) * len(mesh)
        return jax.sharding.AbstractMesh(tuple(mesh.values()), tuple(mesh), axis_types=types, abstract_device=device)
    return getattr(mesh, "abstract_mesh", mesh)


@contextlib.contextmanager
def _tracing_on(mesh: Any) -> Iterator[None]:
    import jax

    with jax.sharding.use_abstract_mesh(mesh):
        yield


def _jitted(function: Any, mesh: Any, in_shardings: Any, out_shardings: Any, donated: Any, static: Any) -> Any:
    import jax

    given: dict[str, Any] = {}
    for name, shardings in (("in_shardings", in_shardings), ("out_shardings", out_shardings)):
        if shardings is not None:
            given[name] = _named(shardings, mesh)
    if donated is not None:
        given["donate_argnums"] = donated
    if static is not None:
        given["static_argnums"] = static
    return function if not given and hasattr(function, "trace") else jax.jit(function, **given)


def _named(shardings: Any, mesh: Any) -> Any:
    """Shardings for ``jax.jit`` from those whose leaves may be specs of ``mesh``."""
    import jax

    def named(leaf: Any) -> Any:
        if not isinstance(leaf, jax.sharding.PartitionSpec):
            return leaf
        if not mesh.axis_names:
            raise ValueError(f'{leaf} needs the axes of the devices: mesh={{"data": 4, "model": 2}}')
        return jax.sharding.NamedSharding(mesh, leaf)

    return jax.tree.map(named, shardings, is_leaf=lambda x: x is None or isinstance(x, jax.sharding.PartitionSpec))


def _shape_of(leaf: Any) -> Any:
    """The shape of an array. The devices that it is on now say nothing, unless it is sharded over several."""
    import jax

    if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
        return leaf  # static, or a Python number
    sharding = getattr(leaf, "sharding", None)
    if not isinstance(sharding, jax.sharding.NamedSharding) or sharding.mesh.size <= 1:
        sharding = None
    weak = {"weak_type": True} if getattr(leaf, "weak_type", False) else {}
    return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=sharding, **weak)


def _donated(traced: Any) -> list[int]:
    import jax

    infos = jax.tree.leaves(traced.args_info, is_leaf=lambda x: hasattr(x, "donated"))
    return [index for index, info in enumerate(infos) if info.donated]


def _argument_names(function: Any, traced: Any) -> list[str]:
    """The arguments as JAX names them in a program: ``params['w']``."""
    import jax

    try:
        parameters = list(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        parameters = []
    leaves = jax.tree_util.tree_flatten_with_path(traced.args_info, is_leaf=lambda x: hasattr(x, "donated"))[0]
    names = []
    for path, _ in leaves:  # (positional or keyword, argument, path inside it...)
        key = getattr(path[1], "key", getattr(path[1], "idx", ""))
        name = parameters[key] if isinstance(key, int) and key < len(parameters) else str(key)
        names.append(name + jax.tree_util.keystr(path[2:]))
    return names


def _path_in(cache: Union[bool, str, os.PathLike[str]], job: _ahead.Job, exported: Any) -> Optional[pathlib.Path]:
    if cache is False:
        return None
    if cache is True:
        folder = os.environ.get("HLOROOF_CACHE_DIR") or os.path.join(
            os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "hloroof"
        )
    else:
        folder = os.fspath(cache)
    facts = [
        _FORMAT,
        *(f"{name} {importlib.metadata.version(name)}" for name in ("jax", "jaxlib", _ahead.package(job.platform))),
        os.environ.get("LIBTPU_INIT_ARGS", ""),
        os.environ.get("XLA_FLAGS", ""),
        job.topology,
        str(job.slices),
        job.config,
        str(job.donated),
        repr(sorted((str(name), str(value)) for name, value in job.options.items())),
        str(job.x64),
        exported.fun_name,
        repr(job.names),
    ]
    key = hashlib.sha256("\0".join(facts).encode() + b"\0" + exported.mlir_module_serialized).hexdigest()
    return pathlib.Path(folder) / "compiled" / f"{key[:32]}.hlo.gz"


def _read(path: Optional[pathlib.Path]) -> Optional[str]:
    """The text in the cache. A file that is damaged is as good as none."""
    if path is None:
        return None
    try:
        return gzip.decompress(path.read_bytes()).decode()
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        return None


def _write(path: pathlib.Path, data: bytes) -> None:
    """Writes the file at once: another process may read it meanwhile. A cache that cannot be written is no error."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_unfinished(path.parent)
        file = tempfile.NamedTemporaryFile(dir=path.parent, suffix=_UNFINISHED, delete=False)
        try:
            with file:
                file.write(data)
            os.replace(file.name, path)
        except BaseException:  # such as a full disk or an interrupt
            with contextlib.suppress(OSError):
                os.unlink(file.name)
            raise


def _remove_unfinished(folder: pathlib.Path) -> None:
    """Removes what processes left behind that ended while they wrote."""
    for left in folder.glob("*" + _UNFINISHED):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime <= _UNFINISHED_SECONDS:
                continue
            if left.is_dir():
                shutil.rmtree(left, ignore_errors=True)
            else:
                left.unlink()
