#!/usr/bin/env python3
"""Makes a synthetic device of a shipped one: freeze.py DATA_FOLDER BASE NAME DISPLAY_NAME > NAME.json

The result stands alone and has round numbers, two significant digits each, so that no recalibration of a real chip changes
it. Run again only when the format of device files changes; the goldens of tests/cli change with it.
"""

import json
import pathlib
import sys

DROPPED = ("aliases", "notes", "sources", "extends", "abstract")


def merged(below, above):
    """`above` over `below`, member by member; a number, which has a kind, replaces the whole of what is below."""
    if not isinstance(below, dict) or not isinstance(above, dict) or "kind" in above:
        return above
    result = dict(below)
    for name, value in above.items():
        result[name] = merged(below.get(name), value)
    return result


def loaded(folder, name):
    with open(folder / f"{name}.json", encoding="utf-8") as file:
        device = json.load(file)
    return merged(loaded(folder, device["extends"]), device) if "extends" in device else device


def rounded(value):
    is_exact = isinstance(value, bool) or not isinstance(value, (int, float))
    return value if is_exact or float(value).is_integer() and abs(value) < 1e6 else float(f"{value:.2g}")


def frozen(member):
    if not isinstance(member, dict):
        return member
    if "kind" not in member:
        return {name: frozen(value) for name, value in member.items()}
    result = {name: rounded(value) for name, value in member.items() if name != "note"}
    result["source"] = "synthetic"
    return result


def text(member, indent=""):
    """JSON with a number and what is known of it on one line."""
    if not isinstance(member, dict) or "kind" in member:
        return json.dumps(member)
    lines = [f'{indent}  "{name}": {text(value, indent + "  ")}' for name, value in member.items()]
    return "{\n" + ",\n".join(lines) + f"\n{indent}}}"


def main():
    folder, base, name, display_name = sys.argv[1:]
    device = {key: frozen(value) for key, value in loaded(pathlib.Path(folder), base).items() if key not in DROPPED}
    device["name"] = name
    device["display_name"] = display_name
    print(text(device))


if __name__ == "__main__":
    main()
