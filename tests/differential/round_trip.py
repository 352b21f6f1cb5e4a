"""Checks that XLA parses our output as the same program: round_trip.py [--annotate] TOOL FOLDER...

With --annotate our output has the predicted times of the ops as comments; dumps that no device runs are counted. For every dump below the folders, XLA must print the same canonical form for the dump and for our print of the dump. If inline
computations of the dump have no names, XLA and we generate different ones, and only the entries must be equal. Dumps that XLA
cannot parse are counted and skipped.
"""

import difflib
import sys

from parsers import Ours, Xla, dumps


def first_difference(a, b):
    lines = [line for line in difflib.unified_diff(a.splitlines(), b.splitlines(), lineterm="", n=0)][2:8]
    return "\n".join("    " + line[:400] for line in lines)


def entry(canonical):
    """The entry computation of a canonical print, in which all callees are inline and without names."""
    return canonical[canonical.find("\nENTRY ") :]


def main():
    arguments = sys.argv[1:]
    request = "annotate" if arguments[0] == "--annotate" else "print"
    tool, *folders = arguments[1:] if request == "annotate" else arguments
    xla, ours = Xla(), Ours(tool)
    files = dumps(folders)
    same, renamed, unread, different, unpredicted = 0, 0, 0, 0, 0
    for path in files:
        text = path.read_bytes()
        verdict, expected = xla.ask("print", text)
        if verdict != "accept":
            unread += 1
            continue
        parsed, printed = ours.ask(request, text)
        if not parsed and printed.startswith("not predicted: "):
            unpredicted += 1
        elif not parsed:
            different += 1
            print(f"{path.name}: we refuse it\n    {printed[:600]}")
        if not parsed:
            continue
        verdict, got = xla.ask("print", printed)
        if verdict != "accept":
            different += 1
            print(f"{path.name}: XLA does not read our print ({verdict})\n    {got[:600]}")
        elif got != expected and entry(got) == entry(expected) and entry(got):
            renamed += 1
        elif got != expected:
            different += 1
            print(f"{path.name}: XLA reads another program\n{first_difference(expected, got)}")
        else:
            same += 1
    print(f"{same} of {len(files)} dumps are the same program after our print, {renamed} more but for the names "
          f"of nameless computations, {different} are not; XLA does not read {unread}, no device runs {unpredicted}")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
