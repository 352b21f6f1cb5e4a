"""Predicts a program at another size of its mesh, its batch or its layers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Mapping, Optional, Union

from hloroof import _core
from hloroof._answer import Answer
from hloroof._devices import Device, device_text
from hloroof._options import Options, core_options
from hloroof._programs import Program, parse

if TYPE_CHECKING:
    from fractions import Fraction

    from typing_extensions import Unpack


class Scaled(Answer):
    """A program at another size, beside the given one: the text and the JSON of the command, and the program."""

    program: _core.Module
    """The program of the other size."""

    def __init__(self, text: str, data: dict[str, Any], program: _core.Module) -> None:
        super().__init__(text, data, "changes")
        self.program = program


def scale(
    program: Program,
    device: Device,
    *,
    axes: Union[Mapping[str, int], Mapping[int, int], None] = None,
    batch: Union[str, float, Fraction, None] = None,
    layers: Union[str, int, None] = None,
    shards: Union[Mapping[str, int], Mapping[int, int], None] = None,
    as_given: bool = False,
    width: int = 80,
    **options: Unpack[Options],
) -> Scaled:
    """Writes other sizes into ``program``, and predicts both. At least one of them is given:

    - ``axes``: the devices along axes of the mesh, ``{"data": 256}``, by a name that reports show, a role such as ``"data"`` or
      ``"tensor"``, or an index. The batch of each device and the model stay.
    - ``batch``: by what the batch of each device is multiplied: ``"2x"``, ``"4/3x"``, ``0.5`` or a ``Fraction``
    - ``layers``: the trips of the loops over stacked layers, or a factor such as ``"2x"``. A trip that computes several layers counts as
      one.

    ``shards`` names the dimensions of which each device along the axis has a part, ``{"w": 1}`` by the parameter's name or number, where
    the text does not show it. With ``as_given``, the form of the given program is taken where the compiler is known or likely
    to make another one at the other size, and the result says so.

    Order, fusions, layouts, what is in VMEM and the algorithms of collectives are those of the given program; a compiler may choose others
    at the other size. ``result["scaled"]["step_seconds"]`` is a member of the JSON (schema ``hloroof.scale/1``), and
    ``result.program`` the program of the other size. ``device`` and ``options``, which are those of ``predict_step_time``, are of that
    program; the given one takes the default topology if its number of devices is another.

    Raises ``InvalidInputError`` with the line where the other size would be another program.
    """
    if isinstance(layers, int) and layers < 1:
        raise ValueError(f"layers={layers}: expected a positive number")
    place = device_text(device)
    sizes = [f"{name}={size}" for name, size in (axes or {}).items()]
    parts = [f"{name}={dimension}" for name, dimension in (shards or {}).items()]
    factor = "" if batch is None else batch if isinstance(batch, str) else f"{batch}x"
    count = "" if layers is None else str(layers)
    scaled, text, data = _core.scale(
        parse(program), place, core_options(place, options), sizes, factor, count, parts, as_given, width
    )
    return Scaled(text, json.loads(data), scaled)
