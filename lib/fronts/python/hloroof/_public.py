"""What ``hloroof`` exports. ``hloroof/__init__.py`` loads it when somebody first asks."""

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
    OpWait,
    OrderRules,
    Shape,
    __version__,
)
from hloroof._ahead import CompileError
from hloroof._answer import Answer, Rows
from hloroof._doctor import Feature, InstalledPackage, Installation, doctor
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
from hloroof._scale import Scaled, scale

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
    "Feature",
    "Generator",
    "IncompleteError",
    "InstalledPackage",
    "Installation",
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
    "OrderRules",
    "Op",
    "OpWait",
    "Options",
    "Rescheduling",
    "Resource",
    "Rows",
    "Scaled",
    "Shape",
    "StepPrediction",
    "Totals",
    "__version__",
    "compare",
    "count",
    "device_names",
    "devices",
    "doctor",
    "explain",
    "html_report",
    "kernel",
    "parse",
    "passes",
    "predict_step_time",
    "report",
    "reschedule",
    "scale",
    "sweep_kernel",
]

_document_fields(globals())
