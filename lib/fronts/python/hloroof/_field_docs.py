"""The fields of records in ``help()``: Python forgets the sentences that stand below them in the source."""

from __future__ import annotations

import dataclasses
from typing import Any, Mapping, Optional


def document_fields(namespace: Mapping[str, Any]) -> None:
    """Adds their fields to what ``help()`` says of the dataclasses in a namespace."""
    for value in list(namespace.values()):
        if isinstance(value, type) and dataclasses.is_dataclass(value) and not isinstance(vars(value)["__doc__"], _Doc):
            value.__doc__ = _Doc(value.__doc__)  # type: ignore[assignment]


class _Doc:
    """The ``__doc__`` of a class. Reads the source when somebody asks."""

    def __init__(self, text: Optional[str]) -> None:
        self._text = text
        self._whole: Optional[str] = None

    def __get__(self, _: object, owner: type) -> Optional[str]:
        if self._text is None:  # python -OO
            return None
        if self._whole is None:
            self._whole = _with_fields(self._text, owner)
        return self._whole


def _with_fields(text: str, owner: type) -> str:
    import inspect
    import textwrap

    notes: dict[str, str] = {}
    for cls in reversed(owner.__mro__):
        notes.update(_notes(cls) if dataclasses.is_dataclass(cls) else {})
    lines = []
    for field in dataclasses.fields(owner):
        if not field.name.startswith("_"):
            line = f"{field.name}: {field.type}" + (f" - {notes[field.name]}" if field.name in notes else "")
            lines.append(textwrap.fill(line, 112, initial_indent="- ", subsequent_indent="  ", break_long_words=False))
    return inspect.cleandoc(text) + "\n\nFields:\n\n" + "\n".join(lines)


def _notes(cls: type) -> dict[str, str]:
    """The sentences below the fields of a class; none without its source."""
    import ast
    import inspect
    import textwrap

    try:
        body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0]
    except (OSError, SyntaxError, TypeError):
        return {}
    assert isinstance(body, ast.ClassDef)
    notes = {}
    for member, below in zip(body.body, body.body[1:]):
        if isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name) and isinstance(below, ast.Expr):
            if isinstance(below.value, ast.Constant) and isinstance(below.value.value, str):
                notes[member.target.id] = " ".join(below.value.value.split())
    return notes
