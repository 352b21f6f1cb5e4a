"""The command: python -m hloroof.radar CONFIG"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Optional, Sequence

from hloroof import _core
from hloroof.radar._report import Report
from hloroof.radar._run import run

_GATE_FAILED = 3  # as hloroof diff --fail-if


def _arguments(arguments: Optional[Sequence[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="hloroof radar",
        description="Compiles programs in two environments and says what the second one makes worse. All times are predicted; nothing "
        "runs on a device. Exit codes: 0; 1 for a bad config, or if there is nothing to compare; 3 if a condition holds.",
    )
    parser.add_argument("config", metavar="CONFIG", help="TOML or JSON with programs, devices and environments")
    condition = "fail if it holds for a program: 'step > 5%%'; may be repeated"
    parser.add_argument("--fail-on", "--fail-if", action="append", default=[], metavar="CONDITION", help=condition)
    parser.add_argument("--format", choices=("text", "json", "markdown"), default="text")
    parser.add_argument("-o", "--output", metavar="OUT", help="write to this file")
    parser.add_argument("--html", metavar="FILE", help="write a page with all numbers")
    parser.add_argument("--cache", metavar="FOLDER", help="keep environments and compiled programs here")
    parser.add_argument("--reinstall", action="store_true", help="install packages anew")
    parser.add_argument("-j", "--jobs", type=int, metavar="N", help="compiles at once (default: half the processors)")
    parser.add_argument("-q", "--quiet", action="store_true", help="write no progress to stderr")
    return parser.parse_args(arguments)


def _text(report: Report, form: str) -> str:
    if form == "json":
        return json.dumps(report.to_dict(), indent=2) + "\n"
    return report.markdown() if form == "markdown" else f"{report}\n"


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Returns the exit code: 0, 1 for bad input or if nothing can be compared, 3 if a condition holds, 130 if interrupted."""
    try:
        given = _arguments(arguments)
    except SystemExit as end:  # argparse's code of bad arguments is that of --strict here
        return 1 if end.code else 0
    try:
        report = run(
            given.config,
            fail_on=given.fail_on,
            cache=given.cache,
            processes=given.jobs,
            reinstall=given.reinstall,
            progress=not given.quiet,
        )
        if given.html:
            report.html(given.html)
        text = _text(report, given.format)
        if given.output:
            with open(given.output, "w", encoding="utf-8") as file:
                file.write(text)
        else:
            sys.stdout.write(text)
            sys.stdout.flush()
    except (_core.Error, ValueError, OSError) as error:
        print(f"hloroof radar: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("hloroof radar: interrupted; what is compiled is in the cache", file=sys.stderr)
        return 130
    if report.failed:
        return _GATE_FAILED
    return 0 if report.has_comparison else 1


if __name__ == "__main__":
    sys.exit(main())
