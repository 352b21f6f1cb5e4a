"""Edits modules, with the prediction that follows each edit."""

from __future__ import annotations

import json
from typing import Any, Optional

from hloroof import _core
from hloroof._functions import Program, _options, parse
from hloroof._prediction import StepPrediction


class Editor(_core.Editor):
    """Edits a copy of a module, as a pass of the compiler does.

        edit = hloroof.Editor(module, "tpu_v5e:2x4")
        for op in edit.entry.instructions:
            if op.opcode == "copy" and op.shape == op.operands[0].shape:
                edit.replace_all_uses(op, op.operands[0])
                edit.erase(op)
        edit.verify()
        edit.step_seconds, edit.module.to_proto()

    ``program`` and the options are those of ``predict_step_time``. Without a device nothing is predicted. Every edit keeps the
    order: operands before their users, and computations before their callers. An edit that would break it, or that names
    something erased, raises ``InvalidInputError`` and changes nothing. Whether the shapes of neighbours still fit is not checked
    by an edit, but by ``verify()``.

    An editor and what it returns belong to one thread at a time.
    """

    def __init__(self, program: Program, device: Optional[str] = None, **options: Any) -> None:
        super().__init__(parse(program), device, _options(**options))

    def predict(self) -> StepPrediction:
        """The full prediction of the module as it is. ``step_seconds`` is much cheaper after an edit."""
        text, summary = self._predict()
        return StepPrediction.from_dict(json.loads(text), summary)
