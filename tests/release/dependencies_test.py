"""Checks that what names the dependencies agrees with cmake/dependencies.csv."""

import csv
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).parents[2]


def main():
    with open(TOP / "cmake/dependencies.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    setup = (TOP / "cmake/setup.sh").read_text()
    fetched = re.findall(r"(?m)^ *hloroof_fetch\((\w+)[ )]", (TOP / "cmake/HloroofFetch.cmake").read_text())
    names = {row["name"] for row in rows}
    wrong = [f"cmake/setup.sh does not install {row['debian_package']}" for row in rows if row["debian_package"] not in setup.split()]
    wrong += [f"cmake/HloroofFetch.cmake fetches {name}, which has no row" for name in fetched if name not in names]
    wrong += [f"cmake/HloroofFetch.cmake does not fetch {name}" for name in sorted(names - set(fetched))]
    for row in rows:
        if not all(row[column] for column in ("license", "debian_package", "repository", "tag")):
            wrong.append(f"{row['name']} has an empty column")
    print("\n".join(wrong) if wrong else f"{len(rows)} dependencies")
    return 1 if wrong or not rows else 0


sys.exit(main())
