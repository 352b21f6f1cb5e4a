"""Checks that CMakeLists.txt has the version of the project and everything else follows it: version_test.py [COMMAND]

The build, the Python package, the Conan recipe and the npm package read it there. Files that cannot are compared: a new version has to be written
into those that this test names. COMMAND is the built command.
"""

import json
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).parents[2]
FOLDERS = ("bench", "cmake", "examples", "include", "lib", "tests")
TEXTS = {".h", ".md", ".py", ".rb", ".txt", ".toml", ".json", ".yaml", ".cmake", ".sh", ".in"}


def read(path):
    return (TOP / path).read_text(encoding="utf-8")


def found(path, pattern):
    match = re.search(pattern, read(path), re.MULTILINE)
    return match.group(1) if match else None


def sources():
    """The paths of the texts that may state the version."""
    paths = list(TOP.iterdir()) + [path for folder in FOLDERS for path in (TOP / folder).rglob("*")]
    return sorted(str(path.relative_to(TOP)) for path in paths if path.suffix in TEXTS and path.is_file())


def main(command=None):
    version = found("CMakeLists.txt", r"^  VERSION ([0-9]+\.[0-9]+\.[0-9]+)$")
    if version is None:
        print("CMakeLists.txt has no line `  VERSION NUMBER.NUMBER.NUMBER`")
        return 1
    minor = version.rpartition(".")[0]
    stated = [
        ("pyproject.toml finds", re.search(found("pyproject.toml", r"^regex = '(.*)'$"), read("CMakeLists.txt"))["value"], version),
        ("CHANGES.md begins with", found("CHANGES.md", r"^## ([0-9.]+)"), version),
        ("cmake/packaging/vcpkg/vcpkg.json", json.loads(read("cmake/packaging/vcpkg/vcpkg.json"))["version"], version),
        ("cmake/packaging/conda/recipe.yaml", found("cmake/packaging/conda/recipe.yaml", r'^  version: "(.*)"$'), version),
        ("cmake/packaging/homebrew/hloroof.rb", found("cmake/packaging/homebrew/hloroof.rb", r"/v([0-9.]+)/hloroof-"), version),
        ("examples/editor/vscode/package.json", json.loads(read("examples/editor/vscode/package.json"))["version"], version),
        ("tests/cli/golden/lint_heads.sarif", found("tests/cli/golden/lint_heads.sarif", r'"semanticVersion": "([^"]*)"'), version),
    ]
    for name in sources():
        text = (TOP / name).read_text(encoding="utf-8", errors="replace")
        for namespace in re.findall(r"^inline namespace v([0-9]+) {$", text, re.MULTILINE):
            stated.append((f"{name}: namespace v", namespace, version.split(".")[0]))
        for each in re.findall(r"hloroof(?:[-_ @]|\.so\.)([0-9]+\.[0-9]+(?:\.[0-9]+)?)\b", text):
            stated.append((name, each, version if each.count(".") == 2 else minor))
    if command:
        printed = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
        stated.append((f"{command} --version", printed.split(",")[0], f"hloroof {version}"))

    wrong = [f"{where}: {is_there}, but CMakeLists.txt has {expected}" for where, is_there, expected in stated if is_there != expected]
    print("\n".join(wrong) if wrong else f"{version} in {len(stated)} places")
    return 1 if wrong else 0


sys.exit(main(*sys.argv[1:]))
