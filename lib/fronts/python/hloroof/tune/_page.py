"""The page: the plot, the ranking with a bar for what each step does, and all reasons."""

from __future__ import annotations

import html
import io
from typing import TYPE_CHECKING

from hloroof import _core
from hloroof.tune._outcome import OK
from hloroof.tune._space import describe

if TYPE_CHECKING:
    from hloroof.tune._outcome import Outcome
    from hloroof.tune._results import Results

COLORS = ["#4c78a8", "#72b7b2", "#eeca3b", "#54a24b", "#9d755d", "#bab0ac", "#b279a2"]
WAITS = ["#e45756", "#f58518", "#ff9da6"]

STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 1300px; padding: 0 1em; color: #222; background: #fff; }
h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-top: 2em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; } th, td { padding: .25em .7em; text-align: left; }
th { border-bottom: 1px solid #999; font-weight: 600; } tr:nth-child(even) td { background: #f6f6f6; }
td { white-space: nowrap; } td:last-child { white-space: normal; } td.bar { min-width: 260px; } td.bar div { display: flex; height: 13px; } svg { max-width: 100%; height: auto; }
.key span { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 1em; } pre { white-space: pre-wrap; margin: 0; }
"""


def page(results: Results) -> str:
    colors = _colors(results)
    head, rows = results.cells()
    body = [f"<h1>{len(rows)} candidates on {html.escape(results.device)}</h1>", f"<p>{_verdict(results)}</p>", _plot(results)]
    ranked = results.ranked
    if ranked:
        slowest = max(o.seconds_per_example or 0 for o in ranked)
        key = "".join(f'<span style="background:{color}"></span>{html.escape(name)}' for name, color in colors.items())
        body.append(f'<h2>Ranking by predicted step time per example</h2><p class="key">The bars are the parts of the step:{key}</p>')
        body.append("<table><tr>" + "".join(f"<th>{html.escape(name)}</th>" for name in [*head[:-1], "parts", "why"]) + "</tr>")
        for outcome, row in zip(ranked, rows):
            cells = "".join(f"<td>{html.escape(cell)}</td>" for cell in row[:-1])
            body.append(f'<tr>{cells}<td class="bar">{_bar(outcome, slowest, colors)}</td><td>{html.escape(row[-1])}</td></tr>')
        body.append("</table>")
    unable = [o for o in results.outcomes if o.status != OK]
    if unable:
        body.append("<h2>Candidates that cannot run</h2><table><tr><th>candidate</th><th>status</th><th>reason</th></tr>")
        for o in unable:
            facts = [html.escape(describe(o.candidate)), html.escape(o.status), f"<pre>{html.escape(o.reason or '')}</pre>"]
            body.append("<tr>" + "".join(f"<td>{fact}</td>" for fact in facts) + "</tr>")
        body.append("</table>")
    title = f"<meta charset=utf-8><title>hloroof.tune on {html.escape(results.device)}</title>"
    return f"<!doctype html><html lang=en><head>{title}<style>{STYLE}</style></head><body>\n" + "\n".join(body) + "\n</body></html>\n"


def _verdict(results: Results) -> str:
    if not results.ranked:
        return "No candidate can run."
    best = results.best
    text = (
        f"The fastest is {describe(best.candidate)}: {_core.format_seconds(best.seconds_per_example or 0)} an example, with "
        f"{_core.format_bytes(best.peak_bytes or 0)} of memory."
    )
    least = results.pareto()[-1]
    if least is not best:
        text += (
            f" The least memory, {_core.format_bytes(least.peak_bytes or 0)}, needs {describe(least.candidate)}, at "
            f"{_core.format_seconds(least.seconds_per_example or 0)} an example."
        )
    summary = results.early_summary()
    return html.escape(text + (f" {summary}." if summary else ""))


def _plot(results: Results) -> str:
    if not results.ranked:
        return ""
    try:
        figure = results.plot()
    except ImportError:
        return "<p>A plot of time over memory needs matplotlib.</p>"
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight")
    return text.getvalue()[text.getvalue().index("<svg") :]


def _colors(results: Results) -> dict[str, str]:
    totals: dict[str, float] = {}
    for outcome in results.ranked:
        for name, seconds in outcome.breakdown.items():
            totals[name] = totals.get(name, 0) + seconds
    names = sorted(totals, key=lambda name: -totals[name])
    works = [name for name in names if not name.startswith("wait")]
    waits = [name for name in names if name.startswith("wait")]
    found = {name: COLORS[i % len(COLORS)] for i, name in enumerate(works)}
    return {**found, **{name: WAITS[i % len(WAITS)] for i, name in enumerate(waits)}}


def _bar(outcome: Outcome, slowest: float, colors: dict[str, str]) -> str:
    parts = []
    for name, color in colors.items():
        seconds = outcome.breakdown.get(name, 0) / (outcome.examples or 1)
        share = 100 * seconds / slowest if slowest else 0
        if share >= 0.2:
            title = html.escape(f"{name}: {_core.format_seconds(seconds)} an example")
            parts.append(f'<span title="{title}" style="width:{share:.1f}%;background:{color}"></span>')
    return f"<div>{''.join(parts)}</div>"
