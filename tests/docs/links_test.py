"""Checks that every relative link of the documents leads to a file or folder: links_test.py"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).parents[2]
FOLDERS = ("bench", "cmake", "data", "examples", "lib", "tests")


def main():
    documents = sorted(TOP.glob("*.md")) + sorted(path for folder in FOLDERS for path in (TOP / folder).rglob("*.md"))
    count, wrong = 0, []
    for path in documents:
        text = re.sub(r"^```.*?^```|`[^`\n]*`", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for link in re.findall(r"\]\(([^)\s#]+)[^)]*\)", text):
            if not re.match(r"[a-z]+:", link):
                count += 1
                if not (path.parent / link).exists():
                    wrong.append(f"{path.relative_to(TOP)} links {link}, which is not there")
    print("\n".join(wrong) if wrong else f"{count} links in {len(documents)} documents")
    return 1 if wrong or not count else 0


sys.exit(main())
