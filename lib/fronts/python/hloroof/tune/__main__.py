"""The command: python -m hloroof.tune module:space"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from typing import Optional, Sequence

from hloroof import _core
from hloroof.tune._results import Results
from hloroof.tune._run import load, run
from hloroof.tune._space import load_space


def _arguments(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m hloroof.tune",
        description="Ranks the candidates of a space by predicted step time per example. Nothing runs on a device.",
    )
    parser.add_argument("space", help="module:space or path.py:space, a hloroof.tune.Space or a function that returns one")
    parser.add_argument("--folder", help="keep results and compiled programs here; the same folder resumes a run")
    parser.add_argument("-j", "--processes", type=int, help="compilers at once (default: half the processors)")
    parser.add_argument("--dask", metavar="ADDRESS", help="compile on the Dask cluster of this scheduler")
    parser.add_argument("--retries", type=int, default=1, help="further attempts if a worker dies (default: 1)")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="of one candidate")
    parser.add_argument(
        "--early",
        choices=("auto", "optimized", "scheduler", "no"),
        default="auto",
        help="rank by this stage of the compile, and compile only the best to its end (default: auto, by the optimized program if that "
        "leaves any out); no compiles all to the end",
    )
    parser.add_argument("--finish", type=float, default=0.25, metavar="SHARE", help="of the programs to compile to the end (default: 0.25)")
    parser.add_argument("--list", action="store_true", help="print the candidates as JSON and compile nothing")
    parser.add_argument("--show", action="store_true", help="show the results in --folder and compile nothing")
    parser.add_argument("--format", choices=("text", "json", "csv"), default="text")
    parser.add_argument("-n", type=int, default=0, metavar="N", help="print at most N candidates; 0 prints all")
    parser.add_argument("--plot", metavar="FILE", help="write step time over peak memory to this PNG, SVG or PDF")
    parser.add_argument("--html", metavar="FILE", help="write a page with the plot, the ranking and all reasons")
    parser.add_argument("-q", "--quiet", action="store_true", help="write no progress to stderr")
    parsed = parser.parse_args(arguments)
    if parsed.show and not parsed.folder:
        parser.error("--show needs --folder")
    return parsed


def _print(results: Results, form: str, limit: int) -> None:
    if form == "text":
        lines = str(results).splitlines()
        heads = 2 + bool(results.early_summary())
        shown = lines[: limit + heads] if limit else lines
        print("\n".join(shown) + (f"\n  [{len(lines) - len(shown)} others]" if len(shown) < len(lines) else ""))
        return
    rows = results.records()[: limit or None]
    if form == "json":
        data = {"schema": "hloroof.tune/1", "device": results.device, "early_tau": results.early_tau, "candidates": rows}
        json.dump(data, sys.stdout, indent=2)
        print()
    else:
        writer = csv.DictWriter(sys.stdout, list(dict.fromkeys(name for row in rows for name in row)))
        writer.writeheader()
        writer.writerows(rows)


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Returns the exit code: 0, 1 for bad input or if no candidate can run, 130 if interrupted."""
    given = _arguments(arguments)
    try:
        if given.list:
            json.dump(load_space(given.space).candidates(), sys.stdout, indent=2)
            print()
            return 0
        if given.show:
            results = load(given.folder)
        else:
            results = run(
                given.space,
                folder=given.folder,
                processes=given.processes,
                dask=given.dask,
                retries=given.retries,
                timeout=given.timeout,
                early=False if given.early == "no" else given.early,
                finish=given.finish,
                progress=not given.quiet,
            )
        _print(results, given.format, given.n)
        if given.plot:
            results.plot(given.plot)
        if given.html:
            results.html(given.html)
    except (_core.Error, ValueError, ImportError, FileNotFoundError) as error:
        print(f"hloroof.tune: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        more = f"; the same command goes on from {given.folder}" if given.folder else ""
        print(f"hloroof.tune: interrupted{more}", file=sys.stderr)
        return 130
    return 0 if results.ranked else 1


if __name__ == "__main__":
    sys.exit(main())
