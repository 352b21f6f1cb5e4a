"""Checks what cmake/wheels.sh builds with: its tools have pinned versions, and the framework for macOS exports what it declares."""

import pathlib
import re
import sys

CMAKE = pathlib.Path(__file__).parents[2] / "cmake"
FRAMEWORK = CMAKE / "macos/CoreFoundation.framework"


def main():
    tools = re.search(r"(?m)^ *tools=\((.*)\)$", (CMAKE / "wheels.sh").read_text())[1]
    tools = {re.match(r"[\w-]+", tool.strip('"'))[0] for tool in tools.split()}
    pinned = set(re.findall(r"(?m)^([\w-]+)==", (CMAKE / "wheels.constraints").read_text()))
    declared = set(re.findall(r"(?m)^\w+ (\w+)\(.*\);$", (FRAMEWORK / "Headers/CFTimeZone.h").read_text()))
    exported = re.search(r"symbols: \[([^\]]*)\]", (FRAMEWORK / "CoreFoundation.tbd").read_text())[1]
    exported = {name.strip().removeprefix("_") for name in exported.split(",")}
    wrong = [f"cmake/wheels.constraints has no version of {tool}" for tool in sorted(tools - pinned)]
    wrong += [f"{name} is declared or exported, not both" for name in sorted(declared ^ exported)]
    if not tools or not declared:
        wrong.append("found no tool, or no function")
    print("\n".join(wrong) if wrong else f"{len(tools)} tools, {len(declared)} functions")
    return 1 if wrong else 0


sys.exit(main())
