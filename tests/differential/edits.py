"""Checks that XLA can parse edited modules: edits.py TOOL FOLDER...

Edits every dump below the folders that XLA can parse (edit_tool.cc: copies, clones, fusions, calls, shardings, moves), verifies
it after each edit, prints it, and parses it with XLA.
"""

import sys

from parsers import Ours, Xla, dumps


def main():
    tool, folders = sys.argv[1], sys.argv[2:]
    xla, ours = Xla(), Ours(tool)
    read, unread, wrong = 0, 0, 0
    for path in dumps(folders):
        text = path.read_bytes()
        if len(text) > 1_000_000 or xla.ask("verdict", text)[0] != "accept":
            unread += 1
            continue
        edited, printed = ours.ask("edit", text)
        if not edited:
            # Skip modules that the verifier rejects before any edit.
            if "no ENTRY" in printed or "no entry" in printed:
                unread += 1
                continue
            wrong += 1
            print(f"{path.name}: {printed[:600]}")
            continue
        verdict, message = xla.ask("verdict", printed)
        if verdict == "accept":
            read += 1
        else:
            wrong += 1
            print(f"{path.name}: XLA does not read the edited module ({verdict})\n    {message[:600]}")
    print(f"XLA reads {read} of {read + wrong} dumps after edits; {unread} were left out")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
