"""Predicts the step time of an HLO program on a named device.

    compiled = jax.jit(step).lower(*arguments).compile()
    prediction = hloroof.predict_step_time(compiled, "tpu_v5e")
    prediction.step_seconds, prediction.bound, prediction.memory.fits

A program may be HLO text, the path of a dump, the bytes of a file, a ``hloroof.Module``, or what JAX traced, lowered, compiled or
exported; ``help(hloroof.parse)`` lists all forms. The prediction answers further questions: ``explain``, ``what_if``, ``diff``,
``sweep``, ``html``, ``trace``. ``hloroof.jax.compile_for`` compiles for a TPU or a GPU that is not there, and
``hloroof.jax.watch`` predicts what JAX compiles, inside the compile. The package needs neither JAX nor a device. It keeps no state: any number of threads and
processes may call it, and results can be pickled.
"""

from hloroof._core import (
    Checkpoint,
    Computation,
    ComputationBuilder,
    Error,
    IncompleteError,
    Instruction,
    InvalidInputError,
    LimitError,
    Module,
    NotFoundError,
    Shape,
    __version__,
)
from hloroof._ahead import CompileError
from hloroof._answer import Answer, Rows
from hloroof._edit import Editor
from hloroof._field_docs import document_fields as _document_fields
from hloroof._functions import (
    compare,
    count,
    device_names,
    devices,
    explain,
    html_report,
    parse,
    passes,
    predict_step_time,
    report,
)
from hloroof._kernel import Configuration, KernelCall, KernelPrediction, KernelSweep, kernel, sweep_kernel
from hloroof._options import Options
from hloroof._prediction import StepPrediction
from hloroof._reschedule import Rescheduling, reschedule
from hloroof._results import (
    Collective,
    Coverage,
    CriticalPart,
    Device,
    Diagnostic,
    Generator,
    Layer,
    LiveBuffer,
    Memory,
    MeshAxis,
    ModuleFacts,
    Op,
    Resource,
    Totals,
)

__all__ = [
    "Answer",
    "Checkpoint",
    "Collective",
    "CompileError",
    "Computation",
    "ComputationBuilder",
    "Configuration",
    "Coverage",
    "CriticalPart",
    "Device",
    "Diagnostic",
    "Editor",
    "Error",
    "Generator",
    "IncompleteError",
    "Instruction",
    "InvalidInputError",
    "KernelCall",
    "KernelPrediction",
    "KernelSweep",
    "Layer",
    "LimitError",
    "LiveBuffer",
    "Memory",
    "MeshAxis",
    "Module",
    "ModuleFacts",
    "NotFoundError",
    "Op",
    "Options",
    "Rescheduling",
    "Resource",
    "Rows",
    "Shape",
    "StepPrediction",
    "Totals",
    "__version__",
    "compare",
    "count",
    "device_names",
    "devices",
    "explain",
    "html_report",
    "kernel",
    "parse",
    "passes",
    "predict_step_time",
    "report",
    "reschedule",
    "sweep_kernel",
]

_document_fields(globals())
