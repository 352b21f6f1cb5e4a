"""Checks that the library uses nothing of C++20 that the C++ library of Debian's emscripten (libc++ 13) lacks.

Nothing else would say so where emscripten is not installed, and the page for the browser (cmake/browser.sh) would not build.
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).parents[2]
INSTEAD = {
    "atomic_ref": "std::atomic",
    "bit_cast": "absl::bit_cast",
    "jthread": "std::thread",
    "osyncstream": "a mutex",
    "ranges": "the algorithms with iterators",
    "source_location": "a macro",
    "stop_token": "a flag",
}


def main():
    use = re.compile(rf"\bstd::({'|'.join(INSTEAD)})\b")
    wrong, count = [], 0
    for folder in ("include", "lib"):
        for path in sorted((TOP / folder).rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            count += 1
            for number, line in enumerate(path.read_text().split("\n"), 1):
                for found in use.findall(line.split("//")[0]):
                    wrong.append(f"{path.relative_to(TOP)}:{number}: std::{found}: {INSTEAD[found]} is there for the browser too")
    print("\n".join(wrong) if wrong else f"{count} files")
    return 1 if wrong or not count else 0


sys.exit(main())
