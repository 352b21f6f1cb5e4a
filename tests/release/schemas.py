"""Holds the schemas of the JSON outputs to what was published:

    python3 schemas.py            fails if a published schema changed, or if one is not in published_schemas.txt
    python3 schemas.py --publish  writes the schemas that are not there into published_schemas.txt, as does HLOROOF_UPDATE_GOLDEN=1

A document names its schema, such as "hloroof.prediction/2", and programs read it by that name. So what a name stands for never
changes after the release that published it: members, types, units and bounds. A schema that changes takes the next number, and
the rows of the old one stay, so that nobody takes its number again. Three things may change: the prose; an enumeration, which may
gain values; and what hloroof reads, which may gain members that files can leave out.

published_schemas.txt has a row for each member of each record: `SCHEMA RELEASE RECORD.MEMBER CONTRACT`. CONTRACT is the schema
of the member without prose. While CHANGES.md calls RELEASE unreleased, --publish rewrites its rows.
"""

import collections
import json
import os
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).parents[2]
ROWS = "tests/release/published_schemas.txt"
APART = ("$schema", "$id", "$defs", "properties", "required")
READ = "hloroof.device/"  # what hloroof reads: a new member that files may leave out is no change for them
FOLDERS = ("tests/describe/schema/*.schema.json", "data/hardware/*.schema.json")


def without_prose(schema):
    """The schema of a value without what only people read."""
    if isinstance(schema, list):
        return [without_prose(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in ("title", "description", "$comment")}
    return {
        key: {name: without_prose(of) for name, of in value.items()} if key in ("properties", "$defs") else without_prose(value)
        for key, value in kept.items()
    }


def contracts(schema):
    """The contract of each member of each record of a schema, by RECORD.MEMBER; the record that is the document has no name."""
    found = {}

    def add(record, of):
        required = of.get("required", [])
        found[record + "."] = without_prose({key: value for key, value in of.items() if key not in APART})
        for member, value in of.get("properties", {}).items():
            if "properties" in value:
                add(f"{record}.{member}", value)
            else:
                found[f"{record}.{member}"] = {**without_prose(value), "required": member in required}

    for record, of in {"": schema, **schema.get("$defs", {})}.items():
        add(record, of)
    return found


def current(top):
    """The schemas of the sources by $id, and what is wrong with their names."""
    schemas, wrong = {}, []
    for pattern in FOLDERS:
        for path in sorted(top.glob(pattern)):
            schema = json.loads(path.read_text())
            name = schema.get("$id", "")
            stated = schema.get("properties", {}).get("schema", {}).get("const")
            expected = path.name.removesuffix(".schema.json")
            if not re.fullmatch(rf"hloroof\.{expected}/[1-9][0-9]*", name):
                wrong.append(f'{path.relative_to(top)}: its $id is "{name}", not "hloroof.{expected}/NUMBER"')
            elif stated != name:
                wrong.append(f'{path.relative_to(top)}: its $id is "{name}", but its documents state "{stated}"')
            elif name in schemas:
                wrong.append(f'{path.relative_to(top)}: another file has the $id "{name}" as well')
            else:
                schemas[name] = contracts(schema)
    return schemas, wrong


def published(top):
    """The rows of published_schemas.txt: release and contracts of each name."""
    releases, members = {}, collections.defaultdict(dict)
    path = top / ROWS
    for line in path.read_text().splitlines() if path.exists() else []:
        name, release, member, contract = line.split(" ", 3)
        releases[name] = release
        members[name][member] = json.loads(contract)
    return releases, members


def this_release(top):
    return re.search(r"^  VERSION ([0-9.]+)$", (top / "CMakeLists.txt").read_text(), re.MULTILINE).group(1)


def is_unreleased(top, release):
    return re.search(rf"^## {re.escape(release)}, unreleased$", (top / "CHANGES.md").read_text(), re.MULTILINE) is not None


def differences(name, before, after):
    """What programs that rely on the published schema would notice, one line each."""
    found = []
    for member in sorted({*before, *after}):
        shown = member.strip(".") or "the document"
        if member not in after:
            found.append(f"{shown} is gone")
        elif member not in before:
            if name.startswith(READ) and not after[member].get("required"):
                continue
            found.append(f"{shown} is new")
        elif grown(before[member], after[member]) != after[member]:
            found.append(f"{shown} was {shown_json(before[member])} and is {shown_json(after[member])}")
    return found


def shown_json(value):
    return json.dumps(value, sort_keys=True)


def grown(before, after):
    """`before` with the enumerations of `after`, where those have all its values."""
    if isinstance(before, dict) and isinstance(after, dict):
        return {
            key: after[key]
            if key == "enum" and set(map(str, value)) <= set(map(str, after.get("enum", [])))
            else grown(value, after.get(key))
            for key, value in before.items()
        }
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [grown(one, other) for one, other in zip(before, after)]
    return before


def check(top):
    schemas, failures = current(top)
    releases, members = published(top)
    for name, now in sorted(schemas.items()):
        if name not in releases:
            failures.append(f"{name} is not published: run python3 tests/release/schemas.py --publish")
            continue
        changed = differences(name, members[name], now)
        if not changed:
            if members[name] != now:
                failures.append(f"{name} has grown as it may: run python3 tests/release/schemas.py --publish")
            continue
        failures.append(f"{name}, published with {releases[name]}, has changed:")
        failures += [f"  {line}" for line in changed]
        if is_unreleased(top, releases[name]):
            failures.append(f"  {releases[name]} is not released: run python3 tests/release/schemas.py --publish")
        else:
            stem, number = name.split("/")
            failures.append(
                f'  Programs rely on it. Name the new form "{stem}/{int(number) + 1}" where the code has "{name}", let\n'
                "  HLOROOF_UPDATE_GOLDEN=1 ctest -R cli_formats write the schema, run python3 tests/release/schemas.py\n"
                "  --publish, and say in CHANGES.md what readers have to change. Or take the change back."
            )
    return failures


def publish(top):
    schemas, failures = current(top)
    releases, members = published(top)
    for name, now in schemas.items():
        if name not in releases or is_unreleased(top, releases[name]):
            releases[name], members[name] = this_release(top), now
        elif differences(name, members[name], now):
            failures.append(f"{name} was published with {releases[name]} and cannot change")
        else:
            members[name] = now
    for name in [name for name in releases if name not in schemas and is_unreleased(top, releases[name])]:
        del releases[name]
    if not failures:
        rows = [
            f"{name} {releases[name]} {member} {json.dumps(contract, sort_keys=True, separators=(',', ':'))}\n"
            for name in sorted(releases)
            for member, contract in sorted(members[name].items())
        ]
        (top / ROWS).write_text("".join(rows))
    return failures


def main(arguments):
    publishes = arguments == ["--publish"] or os.environ.get("HLOROOF_UPDATE_GOLDEN")
    failures = publish(TOP) if publishes else check(TOP)
    print("\n".join(failures) if failures else f"{len(current(TOP)[0])} schemas are as published")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
