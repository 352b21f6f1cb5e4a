"""Prices Pallas kernels that have not run anywhere."""

from __future__ import annotations

import dataclasses
import html
import itertools
import json
import queue
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Optional, Sequence

from hloroof import _ahead, _core
from hloroof._option_types import KernelLists
from hloroof._options import Options
from hloroof._prediction import Source, StepPrediction, _table
from hloroof._results import Op


@dataclass(frozen=True)
class KernelCall:
    """One call of a Pallas kernel."""

    name: str
    """Name that the author gave the kernel."""
    op: Op
    """The instruction in ``KernelPrediction.step``, with its time, bound and terms."""
    grid: list[int]
    """Steps in each dimension of the grid; empty if the body could not be read."""
    vmem_bytes: Optional[float]
    """Bytes of VMEM for windows and scratch; None if the body could not be read."""
    vmem_limit_bytes: Optional[float]
    """Bytes of VMEM that the compiler allows it: its own ``vmem_limit_bytes``, otherwise what the text says of the program; None if it
    does not say."""
    unread: Optional[str]
    """Why the body could not be read; None if it was. The time is then that of the stated cost, or unknown."""
    assumptions: list[str] = field(default_factory=list)
    """What the time assumes because it depends on data."""
    least_seconds: Optional[float] = None
    """Time of one run if each branch and loop that depends on data does as little as it can; None if none does."""
    most_seconds: Optional[float] = None
    """Time of one run if each branch that depends on data does as much as it can; None if none does, or if the end of a loop
    depends on data."""


@dataclass(frozen=True)
class KernelPrediction:
    """The time of the Pallas kernels that a function calls, without the other operations around them."""

    device: str
    """Name of the device."""
    static: dict[str, Any]
    """The static arguments, such as block sizes."""
    seconds: float
    """Time of all calls in one execution of the function."""
    bound: Optional[str]
    """What limits the longest call: a resource, as in ``Op.bound``; None if it takes no time."""
    vmem_bytes: Optional[float]
    """The most bytes of VMEM that a call uses for windows and scratch; None if no body could be read."""
    vmem_capacity_bytes: Optional[float]
    """Bytes of VMEM of one core; None if unknown. The compiler grants a kernel less unless it asks for more."""
    stage: str
    """``"compiled"``: the text is libtpu's. ``"lowered"``: libtpu is not installed, so the text is what JAX gives to the
    compiler. The time of the kernels is the same, but whether they compile is not known."""
    calls: list[KernelCall]
    """The calls, longest first."""
    step: StepPrediction = field(repr=False)
    """The prediction of the whole function."""

    def __str__(self) -> str:
        static = ", ".join(f"{name}={value}" for name, value in self.static.items())
        parts = [f"{_core.format_seconds(self.seconds)}, bound by {self.bound}"]
        if self.vmem_bytes is not None:
            parts.append(f"VMEM {_core.format_bytes(self.vmem_bytes)}")
        parts += [f"{call.name}: {call.unread}" for call in self.calls if call.unread is not None]
        return f"{' and '.join(dict.fromkeys(call.name for call in self.calls))}({static}) on {self.device}: " + ", ".join(parts)


def _predict(
    text: str, device: str, static: Mapping[str, Any], stage: str, lists: Optional[KernelLists]
) -> KernelPrediction:
    options: Options = {"kernel_lists": lists} if lists else {}
    source = Source(_core.parse(text), device, options)
    summary, prediction = source.predicted.texts()
    step = dataclasses.replace(StepPrediction.from_dict(json.loads(prediction), summary), _source=source)
    ops = {(op.computation, op.name): op for op in step.ops}
    listed = json.loads(source.predicted.kernels())
    calls = [
        KernelCall(
            name=call["name"],
            op=ops[call["computation"], call["op"]],
            grid=call["grid"],
            vmem_bytes=call["vmem_bytes"],
            vmem_limit_bytes=call["vmem_limit_bytes"],
            unread=call["unread"],
            assumptions=call["assumptions"],
            least_seconds=call["least_seconds"],
            most_seconds=call["most_seconds"],
        )
        for call in listed["calls"]
    ]
    if not calls:
        raise ValueError("the function calls no Pallas kernel; hloroof.predict_step_time predicts programs without any")
    calls.sort(key=lambda call: -call.op.total_seconds)
    return KernelPrediction(
        device=step.device.name,
        static=dict(static),
        seconds=sum(call.op.total_seconds for call in calls),
        bound=calls[0].op.bound,
        vmem_bytes=max((call.vmem_bytes for call in calls if call.vmem_bytes is not None), default=None),
        vmem_capacity_bytes=listed["vmem_capacity_bytes"],
        stage=stage,
        calls=calls,
        step=step,
    )


def kernel(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    device: str,
    *,
    kernel_lists: Optional[KernelLists] = None,
    **static: Any,
) -> KernelPrediction:
    """Predicts the time of the Pallas kernels that ``function(*arguments, **static)`` calls. Nothing runs on a device.

    ``arguments`` are arrays, ``jax.ShapeDtypeStruct``, or nested structures of them; only shapes and types matter. ``static``
    are values that the function needs to be traced, such as block sizes. ``device`` is a TPU, as in ``predict_step_time``.
    ``kernel_lists`` states the contents of lists that a kernel reads, which are assumed otherwise:
    ``{"gmm.group_sizes": [128, 384]}``, or ``"gmm.3"`` for operand 3 of the call.

    The function is compiled for one such chip with libtpu, in a process of its own; without libtpu it is only lowered. See
    ``KernelPrediction.stage``. Needs JAX.

    Raises ``InvalidInputError`` if a list does not fit the kernel, ``CompileError`` with libtpu's message if the kernel does not compile or does not fit in VMEM, ``ValueError`` if the
    function calls no Pallas kernel or the device is not a TPU, what the function raises when JAX traces it, and the errors of
    ``predict_step_time``.
    """
    chip = _ahead.tpu_of(device)
    if not _ahead.has_compiler():
        return _predict(_ahead.lower(function, arguments, static, chip), device, static, "lowered", kernel_lists)
    job = _ahead.export(function, arguments, static, chip)
    with _ahead.Compiler() as compiler:
        return _predict(compiler.compile(job), device, static, "compiled", kernel_lists)


@dataclass(frozen=True)
class Configuration:
    """One combination of static arguments in a sweep."""

    static: dict[str, Any]
    """The static arguments."""
    prediction: Optional[KernelPrediction] = field(repr=False)
    """The prediction; None if there is none."""
    reason: Optional[str]
    """Why the kernel cannot run with these arguments: the message of JAX or of libtpu. None if it can."""

    @property
    def seconds(self) -> Optional[float]:
        """Time of the kernels; None if they cannot run."""
        return None if self.prediction is None or self.reason is not None else self.prediction.seconds


@dataclass(frozen=True)
class KernelSweep:
    """Configurations of a kernel, fastest first, then those that cannot run. ``print(sweep)`` shows a table."""

    device: str
    """Name of the device."""
    configurations: list[Configuration]

    @property
    def best(self) -> Configuration:
        """The fastest configuration. Raises ``ValueError`` if none can run."""
        if not self.configurations or self.configurations[0].seconds is None:
            raise ValueError("no configuration can run" + (f": {self.configurations[0].reason}" if self.configurations else ""))
        return self.configurations[0]

    def records(self) -> list[dict[str, Any]]:
        """Returns one flat dict for each configuration, with the static arguments first: rows for ``pandas.DataFrame``."""
        rows = []
        for configuration in self.configurations:
            p = configuration.prediction
            rows.append(
                {
                    **configuration.static,
                    "device": self.device,
                    "seconds": configuration.seconds,
                    "bound": None if p is None else p.bound,
                    "vmem_bytes": None if p is None else p.vmem_bytes,
                    "stage": None if p is None else p.stage,
                    "reason": configuration.reason,
                }
            )
        return rows

    def _cells(self) -> tuple[list[str], list[list[str]]]:
        names = list(dict.fromkeys(name for c in self.configurations for name in c.static))
        fastest = self.configurations[0].seconds if self.configurations else None
        rows = []
        for c in self.configurations:
            p = c.prediction
            vmem = "" if p is None or p.vmem_bytes is None else _core.format_bytes(p.vmem_bytes)
            relative = "" if c.seconds is None or not fastest else f"{c.seconds / fastest:.2f}"
            last = (p.bound or "" if p is not None else "") if c.reason is None else _short(c.reason)
            time = "-" if c.seconds is None else _core.format_seconds(c.seconds)
            rows.append([*(str(c.static.get(name, "")) for name in names), time, relative, vmem, last])
        return [*names, "time", "relative", "VMEM", "bound"], rows

    def __str__(self) -> str:
        head, rows = self._cells()
        table = _core.table(head, rows, [len(head) - 1])
        return f"{len(rows)} configurations on {self.device}\n{table}".rstrip("\n")

    def _repr_html_(self) -> str:
        head, rows = self._cells()
        return f"<h4>{html.escape(self.device)}</h4>" + _table(head, rows)


def sweep_kernel(
    function: Callable[..., Any],
    arguments: Sequence[Any],
    device: str,
    space: Mapping[str, Sequence[Any]],
    *,
    processes: int = 2,
    compile: Optional[bool] = None,
    kernel_lists: Optional[KernelLists] = None,
) -> KernelSweep:
    """Predicts ``kernel(function, arguments, device, **static)`` for all combinations of the values in ``space``, such as
    ``{"block_q": [512, 1024], "block_kv": [256, 512]}``, and ranks them.

    A combination that JAX or libtpu rejects, or that does not fit in VMEM, is kept with the reason. ``processes`` is the number
    of compilers that run at once; each needs about 1 GB of memory. ``compile=False`` only lowers, which takes a tenth of the
    time but finds out less about what cannot run; by default it compiles if libtpu is installed. ``kernel_lists`` is that of
    ``kernel``.

    Raises ``ValueError`` if the device is not a TPU, or a combination calls no Pallas kernel.
    """
    if processes < 1:
        raise ValueError(f"processes={processes}: expected at least 1")
    chip = _ahead.tpu_of(device)
    compile = _ahead.has_compiler() if compile is None else compile
    compilers: queue.SimpleQueue[_ahead.Compiler] = queue.SimpleQueue()
    for _ in range(processes):
        compilers.put(_ahead.Compiler())

    def price_lowered(static: dict[str, Any], text: str) -> Configuration:
        return _fit(_predict(text, device, static, "lowered", kernel_lists))

    def price_compiled(static: dict[str, Any], job: _ahead.Job) -> Configuration:
        compiler = compilers.get()
        try:
            text = compiler.compile(job)
        except _ahead.CompileError as error:
            return Configuration(static, None, str(error))
        finally:
            compilers.put(compiler)
        return Configuration(static, _predict(text, device, static, "compiled", kernel_lists), None)

    done: list[Any] = []
    try:
        with ThreadPoolExecutor(processes) as pool:
            # JAX traces here, one configuration after another, while the compilers work on those before.
            for values in itertools.product(*space.values()):
                static = dict(zip(space, values))
                task: tuple[Any, ...]
                try:
                    if compile:
                        task = (price_compiled, static, _ahead.export(function, arguments, static, chip))
                    else:
                        task = (price_lowered, static, _ahead.lower(function, arguments, static, chip))
                except Exception as error:  # whatever the function or Pallas raises for these block sizes
                    done.append(Configuration(static, None, f"{type(error).__name__}: {error}"))
                    continue
                done.append(pool.submit(*task))
            configurations = [entry if isinstance(entry, Configuration) else entry.result() for entry in done]
    finally:
        while not compilers.empty():
            compilers.get().close()
    configurations.sort(key=lambda c: (c.seconds is None, c.seconds))
    return KernelSweep(_core.device_name(device), configurations)


def _short(reason: str, width: int = 100) -> str:
    """The gist of a message in one line: libtpu puts a code on the first line and the sentence on the second."""
    lines = [line.strip() for line in reason.splitlines() if line.strip()]
    if len(lines) > 1 and lines[0].endswith(":"):
        lines.pop(0)
    text = lines[0] if lines else "no message"
    return text if len(text) <= width else text[: width - 3] + "..."


def _fit(prediction: KernelPrediction) -> Configuration:
    """The configuration of a kernel that was not compiled: it cannot run if it needs more VMEM than there is."""
    reason = None
    used, capacity = prediction.vmem_bytes, prediction.vmem_capacity_bytes
    if used is not None and capacity is not None and used > capacity:
        reason = f"needs {_core.format_bytes(used)} of VMEM, of which a core has {_core.format_bytes(capacity)}"
    return Configuration(prediction.static, prediction, reason)
