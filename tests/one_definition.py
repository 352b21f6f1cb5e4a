"""Checks that no two files of a folder define a type of the same qualified name:

    python3 one_definition.py FOLDER...

Two such types in one program break the one definition rule, which neither the compiler nor the linker reports: the linker keeps the
functions of one of them for both. Types in anonymous namespaces and in functions belong to their file and are left out. The CMake
preset `odr` compares more than names, but has to compile and link everything.
"""

import collections
import pathlib
import re
import sys

# What is not code, in the order in which it has to be looked for. Numbers go along because of their digit separators.
NO_CODE = re.compile(
    r"""//[^\n]*
      | /\*.*?\*/
      | R"(?P<end>[^(\s]*)\(.*?\)(?P=end)"
      | "(?:\\.|[^"\\\n])*"
      | (?<![\w.])\d[\w.']*
      | '(?:\\.|[^'\\\n])*'
      | ^[ \t]*\#(?:\\\n|[^\n])*""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
NAMESPACE = re.compile(r"^(?:inline\s+)?namespace\b(?P<name>[\w\s:]*)$")
TYPE = re.compile(
    r"""(?:^|[\s>])(?:struct|class|union|enum(?:\s+class|\s+struct)?)\s+
        (?:\[\[[^]]*\]\]\s*|alignas\s*\([^)]*\)\s*)*
        (?P<name>[A-Za-z_][\w:]*(?:\s*<.*>)?)\s*(?:final\s*)?(?::(?!:)[^;]*)?$""",
    re.VERBOSE | re.DOTALL,
)
ELSEWHERE = object()  # a scope whose types concern no other file


def types_in(text):
    """Yields the qualified name of each type that `text` defines and that another file could define as well."""
    text = NO_CODE.sub(" ", text)
    scopes = []
    begin = 0  # of the declaration that a brace opens
    for token in re.finditer(r"[{};]", text):
        if token.group() == "}":
            if not scopes:
                raise ValueError("a closing brace without an opening one")
            scopes.pop()
        elif token.group() == "{":
            head = text[begin : token.start()].strip()
            head = re.sub(r"^(?:(?:public|private|protected)\s*:\s*)+", "", head)
            namespace = NAMESPACE.match(head)
            declared = TYPE.search(head)
            if ELSEWHERE in scopes:
                scopes.append(ELSEWHERE)
            elif namespace:
                name = re.sub(r"\binline\b|\s", "", namespace["name"])
                scopes.append(name or ELSEWHERE)
            elif declared:
                scopes.append(re.sub(r"\s+", " ", declared["name"]))
                yield "::".join(filter(None, scopes))
            elif head == "extern":  # of "C"
                scopes.append("")
            else:
                scopes.append(ELSEWHERE)
        begin = token.end()
    if scopes:
        raise ValueError("an opening brace without a closing one")


def main(folders):
    files = sorted(file for folder in folders for pattern in ("*.h", "*.cc") for file in pathlib.Path(folder).rglob(pattern))
    homes = collections.defaultdict(set)
    for file in files:
        for name in types_in(file.read_text()):
            homes[name].add(str(file))
    if not homes:
        print(f"no types found in {', '.join(folders)}")
        return 1
    twice = {name: sorted(where) for name, where in homes.items() if len(where) > 1}
    for name, where in sorted(twice.items()):
        print(f"{name} is defined in {' and in '.join(where)}")
    print(f"{len(homes)} types in {len(files)} files, {len(twice)} defined more than once")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
