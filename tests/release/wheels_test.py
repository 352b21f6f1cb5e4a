"""Checks that the tools that cmake/wheels.sh builds with have pinned versions."""

import pathlib
import re
import sys

CMAKE = pathlib.Path(__file__).parents[2] / "cmake"


def main():
    tools = re.search(r"(?m)^ *tools=\((.*)\)$", (CMAKE / "wheels.sh").read_text())[1]
    tools = {re.match(r"[\w-]+", tool.strip('"'))[0] for tool in tools.split()}
    pinned = set(re.findall(r"(?m)^([\w-]+)==", (CMAKE / "wheels.constraints").read_text()))
    wrong = [f"cmake/wheels.constraints has no version of {tool}" for tool in sorted(tools - pinned)]
    if not tools:
        wrong.append("found no tool")
    print("\n".join(wrong) if wrong else f"{len(tools)} tools")
    return 1 if wrong else 0


sys.exit(main())
