"""All that ``hloroof`` exports; ``hloroof/__init__.py`` loads it when somebody first asks."""

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

_document_fields(globals())
