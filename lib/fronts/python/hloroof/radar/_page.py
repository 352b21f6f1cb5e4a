"""The page: the table, and for each program what is different, where it begins, and what each compiler said."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from hloroof import _core
from hloroof.radar._row import Row, Side, percent
from hloroof.tune._page import STYLE

if TYPE_CHECKING:
    from hloroof.radar._report import Report

_MORE_STYLE = """
td:nth-child(n+3) { text-align: right; } td:last-child { text-align: left; }
.worse, .FAILED { color: #b3261e; font-weight: 600; } .better { color: #1b6e35; } .note { border-left: 4px solid #f58518; padding-left: .8em; }
details { margin: .6em 0 1.2em; } summary { cursor: pointer; } table.facts td:first-child { white-space: normal; }
"""


def page(report: Report) -> str:
    from hloroof.radar._report import NOTE

    head, rows = report.cells()
    body = [
        f"<h1>Radar: {html.escape(report.title())}</h1>",
        f'<p class="note">{html.escape(NOTE)}</p>',
        "<table><tr><th></th><th>versions</th></tr>",
        *(
            f"<tr><td>{side.environment.name}</td><td>{html.escape(side.error or side.label)}</td></tr>"
            for side in (report.base, report.head)
        ),
        "</table>",
        "<h2>Predicted steps</h2>",
        "<table><tr>" + "".join(f"<th>{html.escape(name or 'limits')}</th>" for name in head) + "</tr>",
    ]
    for index, (row, cells) in enumerate(zip(report.rows, rows)):
        first = f'<td><a href="#row{index}">{html.escape(cells[0])}</a></td>'
        rest = [f'<td class="{_class(cell, column, row)}">{html.escape(cell)}</td>' for column, cell in enumerate(cells)]
        body.append(f"<tr>{first}{''.join(rest[1:])}</tr>")
    body.append("</table>")
    body += [_section(index, row) for index, row in enumerate(report.rows)]
    body += [f"<p><pre>{html.escape(problem)}</pre></p>" for problem in report.problems]
    title = "<meta charset=utf-8><title>hloroof radar</title>"
    start = f"<!doctype html><html lang=en><head>{title}<style>{STYLE}{_MORE_STYLE}</style></head><body>\n"
    return start + "\n".join(body) + "\n</body></html>\n"


def _class(cell: str, column: int, row: Row) -> str:
    if cell == "FAILED":
        return "FAILED"
    share = {4: row.step_change, 5: row.memory_change}.get(column)
    return "" if share is None or abs(share) < 0.01 else "worse" if share > 0 else "better"


def _section(index: int, row: Row) -> str:
    from hloroof.radar._report import op_text

    parts = [f'<h2 id="row{index}">{html.escape(row.program)} on {html.escape(row.device)}: {row.verdict}</h2>']
    lines = [(sign, text) for sign, text in row.findings()]
    lines += [("", f"begins with {cause}") for cause in row.causes]
    lines += [("FAILED" if gate["failed"] else "", f"gate {gate['condition']!r}: {gate['finding']}") for gate in row.gates]
    if lines:
        items = "".join(f'<li class="{sign}"><pre>{html.escape(text)}</pre></li>' for sign, text in lines)
        parts.append(f"<ul>{items}</ul>")
    if row.passes:
        parts.append(f"<p>Pass by pass: {html.escape(row.passes)}</p>")
    if row.ops:
        items = "".join(f"<li>{html.escape(op_text(op))}</li>" for op in row.ops)
        parts.append(f"<details><summary>The ops that change most</summary><ul>{items}</ul></details>")
    parts.append(f"<details><summary>All numbers</summary>{_numbers(row)}</details>")
    return "\n".join(parts)


def _numbers(row: Row) -> str:
    def number(side: Side, name: str) -> str:
        value = getattr(side, name)
        if value is None:
            return "-"
        if name.endswith("bytes"):
            return str(_core.format_bytes(value))
        if name.endswith("seconds"):
            return str(_core.format_seconds(value))
        return str(_core.format_percent(value)) if isinstance(value, float) else str(value)

    names = {
        "step_seconds": "predicted step",
        "exposed_seconds": "of which it waits for communication",
        "hbm_peak_bytes": "predicted peak in HBM",
        "compiler_bytes": "peak by the compiler",
        "vmem_peak_bytes": "predicted peak in VMEM",
        "bound": "bound by",
        "unknown": "unknown share of the step",
        "assumed": "assumed share of the step",
        "compile_seconds": "time of the compile, on this machine",
        "program": "compiled text",
    }
    rows = [[label, number(row.base, name), number(row.head, name)] for name, label in names.items()]
    for kind in sorted({*row.base.collectives, *row.head.collectives}):
        sides = [side.collectives.get(kind, {"count": 0.0, "bytes": 0.0}) for side in (row.base, row.head)]
        rows.append([kind, *(f"{each['count']:g}, {_core.format_bytes(each['bytes'])}" for each in sides)])
    rows.append(["change of the step", "", percent(row.step_change)])
    cells = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<table class="facts"><tr><th></th><th>base</th><th>head</th></tr>{cells}</table>'
