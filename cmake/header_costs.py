#!/usr/bin/env python3
"""Prints what each header of this project costs to include, in seconds of CPU time, the most expensive first.

    python3 cmake/header_costs.py build/release [--compiler g++] [--limit 0.3] [PATH...]

For each header the compiler checks a file that includes only this header:

    alone   the time for this file, less the time for an empty file
    others  the same for a file that includes only what the header takes from the standard library and other projects
    ours    the difference: what the text of the header, and of our headers that it includes, adds

Each time is the shortest of three runs. With --limit the script fails if the column `ours` of a header exceeds it.
BUILD is a configured build folder, for the headers that configuring writes.
"""

import argparse
import concurrent.futures
import functools
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def seconds(command):
    """The least CPU time of three runs."""
    best = float("inf")
    for _ in range(3):
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise subprocess.CalledProcessError(child.returncode, command)
        best = min(best, used.ru_utime + used.ru_stime)
    return best


def headers_of_others(command, folders):
    """The headers outside `folders` that headers within them include directly, in order."""
    lines = subprocess.run(command + ["-H"], check=True, capture_output=True, text=True).stderr.splitlines()
    result, parents = [], {0: True}
    for line in lines:
        dots, _, path = line.partition(" ")
        if not dots or dots.strip("."):
            continue
        depth = len(dots)
        is_ours = any(pathlib.Path(path).resolve().is_relative_to(folder) for folder in folders)
        parents[depth] = is_ours
        if not is_ours and parents[depth - 1] and path not in result:
            result.append(path)
    return result


def include_flags(build):
    """The include folders of all compile commands of the build."""
    commands = json.loads((build / "compile_commands.json").read_text())
    found = re.findall(r"(-I|-isystem) ?(\S+)", " ".join(entry["command"] for entry in commands))
    return [part for pair in dict.fromkeys(found) for part in pair]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("paths", nargs="*", metavar="PATH", help="headers; default: all below include/ and lib/")
    parser.add_argument("--compiler", default="c++")
    parser.add_argument("--limit", type=float, metavar="SECONDS")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    headers = [pathlib.Path(path).resolve() for path in arguments.paths]
    if not headers:
        headers = [path for folder in ("include", "lib") for path in sorted((ROOT / folder).rglob("*.h"))
                   if not path.is_relative_to(ROOT / "lib/fronts/python")]
    flags = include_flags(build)
    with tempfile.TemporaryDirectory() as folder:
        numbers = itertools.count()

        def command_for(included):
            source = os.path.join(folder, f"{next(numbers)}.cc")
            pathlib.Path(source).write_text("".join(f'#include "{path}"\n' for path in included))
            return [arguments.compiler, "-std=c++20", "-fsyntax-only", *flags, source]

        @functools.cache
        def cost(included):
            return seconds(command_for(included))

        def row(header):
            others = tuple(headers_of_others(command_for((header,)), (ROOT, build)))
            alone = cost((header,))
            return alone - cost(others), cost(others) - cost(()), alone - cost(()), header.relative_to(ROOT)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            rows = list(pool.map(row, headers))
        if arguments.limit is not None:
            # Other work on the machine only ever adds to a time. So a header above the limit is measured again, alone.
            for at, (ours, _, _, header) in enumerate(rows):
                if ours > arguments.limit:
                    cost.cache_clear()
                    rows[at] = min(rows[at], row(ROOT / header))
    rows.sort(key=lambda row: (-row[0], row[3]))
    print(f"{'ours':>6} {'others':>7} {'alone':>6}  header")
    for ours, others, alone, header in rows:
        print(f"{max(ours, 0):6.2f} {others:7.2f} {alone:6.2f}  {header}")
    if arguments.limit is not None and rows[0][0] > arguments.limit:
        sys.exit(f"{rows[0][3]} adds {rows[0][0]:.2f} s; the limit is {arguments.limit} s")


if __name__ == "__main__":
    main()
