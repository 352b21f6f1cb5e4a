"""Predicts the step time of an HLO program on a named device.

    compiled = jax.jit(step).lower(*arguments).compile()
    prediction = hloroof.predict_step_time(compiled, "tpu_v5e")
    prediction.step_seconds, prediction.bound, prediction.memory.fits

A program may be HLO text, the path of a dump, the bytes of a file, a ``hloroof.Module``, or any object with ``as_text()``,
such as JAX's ``Compiled`` and ``Lowered``. ``hloroof.jax.watch`` predicts what JAX compiles, inside the compile. The package needs neither JAX nor a device. It keeps no state: any number of threads and
processes may call it, and results can be pickled.
"""

from hloroof._core import (
    Error,
    IncompleteError,
    InvalidInputError,
    LimitError,
    Module,
    NotFoundError,
    __version__,
)
from hloroof._ahead import CompileError
from hloroof._functions import (
    count,
    device_names,
    explain,
    html_report,
    parse,
    predict_step_time,
    report,
)
from hloroof._kernel import Configuration, KernelCall, KernelPrediction, KernelSweep, kernel, sweep_kernel
from hloroof._prediction import StepPrediction
from hloroof._results import (
    Collective,
    Coverage,
    CriticalPart,
    Device,
    Diagnostic,
    Generator,
    LiveBuffer,
    Memory,
    MeshAxis,
    ModuleFacts,
    Op,
    Resource,
    Totals,
)

__all__ = [
    "Collective",
    "CompileError",
    "Configuration",
    "Coverage",
    "CriticalPart",
    "Device",
    "Diagnostic",
    "Error",
    "Generator",
    "IncompleteError",
    "InvalidInputError",
    "KernelCall",
    "KernelPrediction",
    "KernelSweep",
    "LimitError",
    "LiveBuffer",
    "Memory",
    "MeshAxis",
    "Module",
    "ModuleFacts",
    "NotFoundError",
    "Op",
    "Resource",
    "StepPrediction",
    "Totals",
    "__version__",
    "count",
    "device_names",
    "explain",
    "html_report",
    "kernel",
    "parse",
    "predict_step_time",
    "report",
    "sweep_kernel",
]
