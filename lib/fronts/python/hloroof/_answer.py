"""What the methods of a prediction return: the text that the command prints, and the data behind it."""

from __future__ import annotations

import html
from typing import Any, Generic, Iterator, Mapping, TypeVar

Record = TypeVar("Record")


def import_pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_pandas() needs pandas: pip install pandas") from error
    return pandas


def preformatted(text: str) -> str:
    return f'<pre style="line-height:1.25">{html.escape(text)}</pre>'


class Answer(Mapping[str, Any]):
    """The result of a command: ``print(answer)`` shows its text, and the members are those of its JSON.

        answer["step_seconds"], answer["gates"][0]["failed"]

    ``to_pandas()`` makes a table of the rows, and ``to_dict()`` returns the JSON as dicts and lists.
    """

    def __init__(self, text: str, data: dict[str, Any], rows: str) -> None:
        self._text = text
        self._data = data
        self._rows = rows

    def __getitem__(self, member: str) -> Any:
        return self._data[member]

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text.rstrip("\n")

    def _repr_html_(self) -> str:
        return preformatted(self._text)

    def to_dict(self) -> dict[str, Any]:
        """Returns the JSON as dicts, lists, numbers and strings."""
        return self._data

    def records(self) -> list[dict[str, Any]]:
        """Returns the rows of the answer, one dict each."""
        value = self._data[self._rows]
        return list(value)

    def to_pandas(self) -> Any:
        """Returns the rows of the answer as a ``pandas.DataFrame``."""
        return import_pandas().DataFrame(self.records())


class Rows(list[Record], Generic[Record]):
    """Records of a prediction with the text that the command prints about them."""

    def __init__(self, records: list[Record], text: str) -> None:
        super().__init__(records)
        self._text = text

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return preformatted(self._text)

    def to_pandas(self) -> Any:
        """Returns one row for each record as a ``pandas.DataFrame``."""
        return import_pandas().DataFrame([vars(record) for record in self])
