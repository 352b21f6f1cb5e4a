"""Checks that a task needs every public function: functions_in_examples.py DOXYFILE SOURCE_DIR HEADER...

Doxygen provides the names of the functions in the headers. Those of the namespace must occur in examples/**/*.cc, which are
compiled and run. Prints the number of functions of the namespace and the number of member functions, each name once a header.
Together they may be at most MOST, so that the interface stays one that people can hold in their head.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

MOST = 186


def functions(doxyfile, headers):
    """(header, name, is a member) of each public function except constructors, destructors and operators."""
    with tempfile.TemporaryDirectory() as folder:
        settings = pathlib.Path(doxyfile).read_text()
        settings += f"\nOUTPUT_DIRECTORY={folder}\nGENERATE_XML=YES\nGENERATE_HTML=NO\n"
        subprocess.run(["doxygen", "-"], input=settings, text=True, check=True)
        for path in sorted(pathlib.Path(folder, "xml").glob("*.xml")):
            for compound in ElementTree.parse(path).getroot().iter("compounddef"):
                of = compound.findtext("compoundname").split("::")[-1]
                is_member = compound.get("kind") in ("class", "struct")
                for member in compound.iter("memberdef"):
                    name = member.findtext("name")
                    header = pathlib.Path(member.find("location").get("file")).name
                    if member.get("kind") != "function" or member.get("prot") != "public" or header not in headers:
                        continue
                    if not re.match(r"operator\b|~", name) and name != of:
                        yield header, name, is_member


def main():
    doxyfile, source, headers = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    words = set()
    for example in (source / "examples").rglob("*.cc"):
        words.update(re.findall(r"\w+", example.read_text()))
    found = sorted(set(functions(doxyfile, headers)))
    free = [(header, name) for header, name, is_member in found if not is_member]
    missing = [f"{header}: {name}" for header, name in free if name not in words]
    print("\n".join(missing))
    print(f"{len(free)} functions, {len(missing)} in no example; {len(found) - len(free)} member functions")
    if len(found) > MOST:
        print(f"{len(found)} public functions, more than {MOST}: hide in hloroof::internal what no task needs")
    sys.exit(1 if missing or not free or len(found) > MOST else 0)


main()
