"""The Pareto plot, with matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional

from hloroof.tune._space import label

if TYPE_CHECKING:
    from hloroof.tune._outcome import Outcome
    from hloroof.tune._results import Results

MARKERS = "osD^vP*X<>hp"


def _spread(outcomes: list[Outcome], axis: str) -> float:
    """How far the mean times per example of the values of an axis are apart."""
    groups: dict[str, list[float]] = {}
    for outcome in outcomes:
        groups.setdefault(label(outcome.candidate[axis]), []).append(outcome.seconds_per_example or 0)
    means = [sum(times) / len(times) for times in groups.values()]
    return max(means) - min(means) if means else 0


def _axes(results: Results, color: Optional[str]) -> tuple[Optional[str], Optional[str]]:
    """The axes for colour and marker: those that change the time most, with more than one value."""
    ranked = results.ranked
    names = list(dict.fromkeys(name for outcome in ranked for name in outcome.candidate))
    if color is not None and color not in names:
        raise ValueError(f"color={color!r}: expected one of {', '.join(names)}")
    names = [name for name in names if len({label(o.candidate[name]) for o in ranked}) > 1]
    names.sort(key=lambda name: (name != color, -_spread(ranked, name)))
    first = color if color is not None else (names[0] if names else None)
    rest = [name for name in names if name != first and len({label(o.candidate[name]) for o in ranked}) <= len(MARKERS)]
    return first, rest[0] if rest else None


def plot(results: Results, color: Optional[str]) -> Any:
    from matplotlib import colormaps
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    ranked = results.ranked
    times = [(o.seconds_per_example or 0) for o in ranked]
    unit, name = next(((f, n) for f, n in ((1, "s"), (1e3, "ms"), (1e6, "µs")) if min(times, default=1) * f >= 1), (1e6, "µs"))
    by_color, by_marker = _axes(results, color)
    colors, markers = _values(ranked, by_color), _values(ranked, by_marker)
    palette = colormaps["tab10"]
    figure = Figure(figsize=(9, 5.5))
    axes = figure.subplots()
    front = results.pareto()
    axes.step(
        [(o.peak_bytes or 0) / 2**30 for o in front],
        [(o.seconds_per_example or 0) * unit for o in front],
        where="pre", color="0.6", linewidth=1.2, zorder=1,
    )  # fmt: skip
    for o in ranked:
        axes.scatter(
            (o.peak_bytes or 0) / 2**30,
            (o.seconds_per_example or 0) * unit,
            color=palette(colors.get(_value(o, by_color), 0) % 10),
            marker=MARKERS[markers.get(_value(o, by_marker), 0)],
            s=48, edgecolor="white", linewidth=0.6, zorder=2,
        )  # fmt: skip
    capacity = next((o.capacity_bytes for o in results.outcomes if o.capacity_bytes), None)
    middle = max((o.peak_bytes or 0 for o in ranked), default=0) / 2
    for o in front[:6]:
        text = ", ".join(label(value) for value in o.candidate.values())
        at = ((o.peak_bytes or 0) / 2**30, (o.seconds_per_example or 0) * unit)
        is_right = (o.peak_bytes or 0) > middle
        axes.annotate(text, at, xytext=(-6 if is_right else 6, -12), textcoords="offset points",
                      ha="right" if is_right else "left", fontsize=7, color="0.3")  # fmt: skip
    if capacity:
        axes.axvline(capacity / 2**30, color="0.4", linestyle="--", linewidth=1)
        axes.annotate("capacity", (capacity / 2**30, 1), xycoords=("data", "axes fraction"), xytext=(-3, -10),
                      textcoords="offset points", ha="right", fontsize=8, color="0.4")  # fmt: skip
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0, top=max(times, default=1) * unit * 1.08)
    axes.set_xlabel("peak memory of a device [GiB]")
    axes.set_ylabel(f"predicted step time per example [{name}]")
    unfit = len(results.outcomes) - len(ranked)
    axes.set_title(f"{len(ranked)} candidates on {results.device}" + (f"; {unfit} cannot run" if unfit else ""), fontsize=11)
    axes.grid(color="0.92")
    axes.set_axisbelow(True)
    handles = [
        Line2D([], [], linestyle="", marker="o", color=palette(i % 10), label=f"{by_color}: {value}") for value, i in colors.items()
    ]
    handles += [
        Line2D([], [], linestyle="", marker=MARKERS[i], color="0.5", label=f"{by_marker}: {value}") for value, i in markers.items()
    ]
    handles.append(Line2D([], [], color="0.6", label="Pareto front"))
    axes.legend(handles=handles, fontsize=8, loc="upper left", bbox_to_anchor=(1.01, 1), borderaxespad=0, frameon=False)
    return figure


def _value(outcome: Outcome, axis: Optional[str]) -> str:
    return "" if axis is None else label(outcome.candidate[axis])


def _values(outcomes: list[Outcome], axis: Optional[str]) -> dict[str, int]:
    """The values of an axis, numbered."""
    if axis is None:
        return {}
    return {value: i for i, value in enumerate(dict.fromkeys(_value(o, axis) for o in outcomes))}
