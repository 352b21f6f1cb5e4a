"""How the options of a prediction, which are keyword arguments, become those of the library."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from hloroof import _core
from hloroof._option_types import Number as Number
from hloroof._option_types import Options as Options


def number_text(value: Any) -> str:
    """A value of ``set`` as the command takes it."""
    return value if isinstance(value, str) else format(float(value), ".17g")


def core_options(device: str, options: Options) -> _core.PredictOptions:
    """The options of the library. Raises ``hloroof.Error`` for malformed ones, and ``TypeError`` for unknown ones."""
    unknown = sorted(options.keys() - Options.__annotations__.keys())
    if unknown:
        raise TypeError(f"unknown option {unknown[0]!r}; expected one of {', '.join(Options.__annotations__)}")
    return _core.predict_options(device, json.dumps(options, default=_plain))


def _plain(value: Any) -> Any:
    """What json writes instead of a value that it does not know: a number or an array of NumPy, a mapping, a sequence."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return dict(value) if isinstance(value, Mapping) else list(value)
