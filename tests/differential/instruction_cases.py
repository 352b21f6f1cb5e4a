"""Compares tests/text/instruction_cases.tsv with XLA: instruction_cases.py [--positions].

Parses every case with XLA; the verdict must equal the recorded one. With --positions, counts the errors that both parsers report
at the same place, and prints the others.
"""

import argparse
import pathlib
import re
import sys

from parsers import Xla

TABLE = pathlib.Path(__file__).resolve().parent.parent / "text" / "instruction_cases.tsv"


def cases():
    """Yields (our verdict, XLA's verdict, text)."""
    frame = ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("| "):
            frame += line[2:] + "\n"
        elif line and not line.startswith("#"):
            ours, xla, instruction = line.split("\t")
            yield ours, ours if xla == "same" else xla, frame + "  ROOT r = " + instruction.replace("\\n", "\n") + "\n}\n"


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--positions", metavar="TOOL", help="text_tool, to compare the places of errors")
    arguments = options.parse_args()
    xla = Xla()
    wrong = same = different = 0
    if arguments.positions:
        from parsers import Ours

        tool = Ours(arguments.positions)
    for ours, recorded, text in cases():
        verdict, message = xla.ask("verdict", text.encode())
        if verdict != recorded:
            wrong += 1
            print(f"recorded {recorded}, now {verdict}:\n{text[-200:]}")
        if arguments.positions and verdict == ours == "reject":
            theirs = re.search(r"was parsing (\d+:\d+): error", message)
            mine = re.search(r"^f:(\d+:\d+): error", tool.ask("verdict", text.encode())[1])
            if theirs and mine and theirs.group(1) == mine.group(1):
                same += 1
            else:
                different += 1
                print(f"{mine and mine.group(1)}, XLA {theirs and theirs.group(1)}: {text.splitlines()[-2]}")
    if arguments.positions:
        print(f"{same} of {same + different} refusals at the same place")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
