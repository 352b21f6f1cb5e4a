"""The contents of lists that Pallas kernels read."""

from __future__ import annotations

import operator
from typing import Mapping, Optional, Sequence

from hloroof import _core

KernelLists = Mapping[str, Sequence[int]]
"""Contents of scalar operands by ``"NAME.OPERAND"``, as ``--kernel`` takes them: ``{"gmm.group_sizes": [128, 384]}``."""


def kernel_lists_of(lists: Optional[KernelLists]) -> list[_core.KernelList]:
    """The lists for the options of a prediction. Raises ``ValueError`` if a key has no dot."""
    result = []
    for key, values in (lists or {}).items():
        name, dot, operand = key.lstrip("%").rpartition(".")
        if not name or not operand:
            raise ValueError(f'kernel_lists[{key!r}]: expected "NAME.OPERAND", such as "gmm.group_sizes" or "gmm.3"')
        entry = _core.KernelList()
        entry.kernel = name
        entry.operand = operand
        entry.values = [operator.index(value) for value in values]
        result.append(entry)
    return result
