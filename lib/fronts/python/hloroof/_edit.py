"""Edits modules, with the prediction that follows each edit."""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Optional

from hloroof import _core
from hloroof._devices import Device, device_text
from hloroof._options import Options, core_options
from hloroof._prediction import Source, StepPrediction
from hloroof._programs import Program, parse

if TYPE_CHECKING:
    from typing_extensions import Unpack


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

    def __init__(self, program: Program, device: Optional[Device] = None, **options: Unpack[Options]) -> None:
        self._place = None if device is None else device_text(device)
        self._given = options
        super().__init__(parse(program), self._place, core_options(self._place or "", options))

    def predict(self) -> StepPrediction:
        """The full prediction of the module as it is. ``step_seconds`` is much cheaper after an edit."""
        summary, text = self._predict()
        source = Source(self.module, self._place or "", self._given)  # the module is a copy, which later edits leave alone
        return dataclasses.replace(StepPrediction.from_dict(json.loads(text), summary), _source=source)
