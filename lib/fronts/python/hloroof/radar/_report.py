"""What came of a run: as text of 80 columns, Markdown, JSON and a page."""

from __future__ import annotations

import dataclasses
import os
import textwrap
from typing import Any, Union

from hloroof import _core
from hloroof.radar._environment import Installed
from hloroof.radar._row import Row, Side, percent

NOTE = "All times and sizes are predicted from compiled programs. Nothing ran on a device."
_WIDTH = 80
_ORDER = {"worse": 1, "mixed": 2, "same": 4, "better": 3}


@dataclasses.dataclass(frozen=True)
class Report:
    """The rows, worst first. ``print(report)`` shows a table and what is behind it."""

    base: Installed
    head: Installed
    rows: list[Row]
    problems: list[str] = dataclasses.field(default_factory=list)
    """What kept programs from becoming rows."""

    def __post_init__(self) -> None:
        self.rows.sort(key=lambda row: (not row.failed, _ORDER.get(row.verdict, 0), -(row.step_change or 0)))

    @property
    def failed(self) -> bool:
        """Whether a condition of the gate holds for a row."""
        return any(row.failed for row in self.rows)

    @property
    def has_comparison(self) -> bool:
        """Whether both environments compiled a program."""
        return any(row.is_compared for row in self.rows)

    def to_dict(self) -> dict[str, Any]:
        """The JSON: schema ``hloroof.radar/1``."""
        return {
            "schema": "hloroof.radar/1",
            "note": NOTE,
            "version": _core.version_text(),
            "base": _environment(self.base),
            "head": _environment(self.head),
            "failed": self.failed,
            "problems": list(self.problems),
            "rows": [_record(row) for row in self.rows],
        }

    def records(self) -> list[dict[str, Any]]:
        """One flat dict for each row: rows for ``pandas.DataFrame``."""
        found = []
        for row in self.rows:
            flat: dict[str, Any] = {"program": row.program, "device": row.device, "verdict": row.verdict}
            for name in ("error", "step_seconds", "exposed_seconds", "hbm_peak_bytes", "vmem_peak_bytes", "unknown", "assumed"):
                flat.update({f"base_{name}": getattr(row.base, name), f"head_{name}": getattr(row.head, name)})
            found.append({**flat, "step_change": row.step_change, "memory_change": row.memory_change})
        return found

    def to_pandas(self) -> Any:
        """``records()`` as a ``pandas.DataFrame``."""
        from hloroof._answer import import_pandas

        return import_pandas().DataFrame(self.records())

    def title(self) -> str:
        worse = sum(row.verdict == "worse" for row in self.rows)
        absent = sum(not row.is_compared for row in self.rows)
        failed = sum(row.failed for row in self.rows)
        parts = [f"{len(self.rows)} programs", f"{worse} worse"]
        parts += [f"{absent} not compared"] * bool(absent) + [f"{failed} over a limit"] * bool(failed)
        return ", ".join(parts)

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """The columns and rows of the table."""
        return ["program", "device", "base", "head", "step", "memory", "coll.", ""], [
            [row.program, row.device, _seconds(row.base), _seconds(row.head), *_changes(row), _mark(row)] for row in self.rows
        ]

    def __str__(self) -> str:
        head, rows = self.cells()
        rows = _fitted(head, rows)
        lines = _wrapped(f"Radar: {self.title()}. {NOTE}", "", "  ")
        for name, installed in (("base", self.base), ("head", self.head)):
            lines += _wrapped(f"{name}: {installed.error or installed.label}", "  ", "        ")
        if rows:
            lines += ["", *_core.table(head, rows, [0, 1, len(head) - 1]).rstrip("\n").splitlines()]
        for row in self.rows:
            details = self._details(row)
            if details:
                lines += ["", *_wrapped(f"{row.program} on {row.device}: {row.verdict}", "", "  ")]
                for detail in details:
                    lines += _wrapped(detail, "  ", "    ")
        for problem in self.problems:
            lines += ["", *_wrapped(problem, "", "  ")]
        return "\n".join(lines)

    def markdown(self) -> str:
        """The same for a comment of a pull request."""
        head, rows = self.cells()
        lines = [f"## Radar: {self.title()}", "", f"{NOTE} Base: {self.base.error or self.base.label}. "
                 f"Head: {self.head.error or self.head.label}.", ""]  # fmt: skip
        if rows:
            lines += ["| " + " | ".join(name or "limits" for name in head) + " |", "|" + "---|" * 2 + "---:|" * 5 + "---|"]
            lines += ["| " + " | ".join(_escaped(cell) for cell in row) + " |" for row in rows]
        for row in self.rows:
            details = self._details(row)
            if details:
                lines += ["", f"**{_escaped(row.program)}** on {_escaped(row.device)}: {row.verdict}", ""]
                lines += [f"- {_escaped(detail)}" for detail in details]
        lines += [line for problem in self.problems for line in ("", _escaped(problem))]
        return "\n".join(lines) + "\n"

    def html(self, path: Union[str, os.PathLike[str], None] = None) -> str:
        """A self-contained page with all that there is, which is also written to ``path``."""
        from hloroof.radar._page import page

        text = page(self)
        if path is not None:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        return text

    def _details(self, row: Row) -> list[str]:
        """Sentences about a row."""
        if row.is_compared:
            return _details(row)
        found = []
        for installed, side in ((self.base, row.base), (self.head, row.head)):
            name = installed.environment.name
            if side.error is not None and side.error == installed.error:
                found.append(f"{name}: is not installed")
            elif side.error is not None:
                found.append(f"{name}: {_gist(side.error)}")
        return found + _failed_gates(row)

    def _repr_html_(self) -> str:
        from hloroof._answer import preformatted

        return preformatted(str(self))


def _environment(installed: Installed) -> dict[str, Any]:
    return {
        "requirements": list(installed.environment.requirements),
        "python": installed.python,
        "python_version": installed.version or None,
        "packages": dict(installed.packages),
        "variables": dict(installed.environment.variables),
        "options": dict(installed.environment.options),
        "error": installed.error,
    }


def _record(row: Row) -> dict[str, Any]:
    return {
        "program": row.program,
        "device": row.device,
        "verdict": row.verdict,
        "findings": [text for _, text in row.findings()],
        "step_change": row.step_change,
        "memory_change": row.memory_change,
        "collectives_change": row.gained,
        "base": dataclasses.asdict(row.base),
        "head": dataclasses.asdict(row.head),
        "causes": [{**vars(cause), "text": str(cause)} for cause in row.causes],
        "passes": row.passes,
        "ops": [dict(op) for op in row.ops],
        "gates": [dict(gate) for gate in row.gates],
    }


def _seconds(side: Side) -> str:
    return "-" if side.step_seconds is None else _core.format_seconds(side.step_seconds)


def _changes(row: Row) -> list[str]:
    if not row.is_compared:
        return ["", "", ""]
    count = sum(each["count"] for each in row.gained.values())
    return [percent(row.step_change), percent(row.memory_change), f"{count:+g}" if count else "=" if not row.gained else "0"]


def _mark(row: Row) -> str:
    if row.failed:
        return "FAILED"
    return "ok" if row.gates else ""


def _details(row: Row) -> list[str]:
    """Sentences about a row that is compared: what is different, where it begins, and the ops."""
    found = [text for _, text in row.findings()]
    found += [f"begins with {cause}" for cause in row.causes]
    if not row.causes and row.passes:
        found.append(row.passes)
    difference = abs((row.head.step_seconds or 0) - (row.base.step_seconds or 0))
    ops = [op for op in row.ops if abs(op["change_seconds"]) >= 0.1 * difference]
    if ops and abs(row.step_change or 0) > 0.001:
        found.append("ops: " + ", ".join(op_text(op) for op in ops[:3]))
    return found + _failed_gates(row)


def _failed_gates(row: Row) -> list[str]:
    return [f"gate {gate['condition']!r}: {gate['finding']}" for gate in row.gates if gate["failed"]]


def _gist(message: str, lines: int = 3, width: int = 400) -> str:
    """The first lines of a message, as one."""
    text = " ".join([line.strip() for line in message.splitlines() if line.strip()][:lines])
    return text if len(text) <= width else text[: width - 3] + "..."


def op_text(op: Any) -> str:
    seconds = op["change_seconds"]
    name = op["after"] or op["before"]
    state = {"gone": " (gone)", "new": " (new)"}.get(op["state"], "")
    return f"{'+' if seconds > 0 else '-'}{_core.format_seconds(abs(seconds))} {name}{state}"


def _fitted(head: list[str], rows: list[list[str]]) -> list[list[str]]:
    """The rows with names of programs and devices that leave room for the numbers."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    room = _WIDTH - 2 - sum(width + 2 for width in widths[2:])
    device = max(min(widths[1], room - min(widths[0], room // 2)), 8)
    program = max(room - device - 2, 8)
    return [[_cut(row[0], program), _cut(row[1], device), *row[2:]] for row in rows]


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width // 2 - 1] + ".." + text[-(width - width // 2 - 1) :]


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH - 1, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False) or [""]


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
