"""Checks that every public function appears in an example: functions_in_examples.py DOXYFILE SOURCE_DIR HEADER...

Doxygen provides the names of the functions in the headers. They must occur in examples/**/*.cc, which are compiled and run.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree


def functions(doxyfile, headers):
    """(header, name) of each public function except constructors, destructors and operators."""
    with tempfile.TemporaryDirectory() as folder:
        settings = pathlib.Path(doxyfile).read_text()
        settings += f"\nOUTPUT_DIRECTORY={folder}\nGENERATE_XML=YES\nGENERATE_HTML=NO\n"
        subprocess.run(["doxygen", "-"], input=settings, text=True, check=True)
        for path in sorted(pathlib.Path(folder, "xml").glob("*.xml")):
            for compound in ElementTree.parse(path).getroot().iter("compounddef"):
                of = compound.findtext("compoundname").split("::")[-1]
                for member in compound.iter("memberdef"):
                    name = member.findtext("name")
                    header = pathlib.Path(member.find("location").get("file")).name
                    if member.get("kind") != "function" or member.get("prot") != "public" or header not in headers:
                        continue
                    if not re.match(r"operator\b|~", name) and name != of:
                        yield header, name


def main():
    doxyfile, source, headers = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    words = set()
    for example in (source / "examples").rglob("*.cc"):
        words.update(re.findall(r"\w+", example.read_text()))
    found = sorted(set(functions(doxyfile, headers)))
    missing = [f"{header}: {name}" for header, name in found if name not in words]
    print("\n".join(missing))
    print(f"{len(found)} functions, {len(missing)} in no example")
    sys.exit(1 if missing or not found else 0)


main()
