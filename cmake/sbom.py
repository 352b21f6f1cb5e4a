"""Writes the SBOM of a release as SPDX 2.3 JSON: sbom.py VERSION COMMIT THIRD_PARTY_VERSIONS FOLDER

FOLDER has the artifacts of cmake/release.sh. What each contains or links follows from its name:

- the wheels, the source distribution and the browser page contain the libraries of dependencies.csv, in the versions that
  THIRD_PARTY_VERSIONS (cmake/third_party.sh) lists; wheels also contain nanobind and the C++ library of zig (wheels.constraints)
- what is built for this system links its abseil, re2 and zlib, and contains code of the libraries that are headers alone, in the
  versions of its packages

SOURCE_DATE_EPOCH is the time of creation, so that the same artifacts give the same bytes.
"""

import csv
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent
HEADERS_ALONE = {"nlohmann_json", "Eigen3", "CLI11"}
NOT_IN_THE_BROWSER = {"Eigen3", "CLI11"}
LIBCXX = {"name": "libc++", "license": "Apache-2.0 WITH LLVM-exception"}
NANOBIND = {"name": "nanobind", "license": "BSD-3-Clause"}


def spdx_id(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(words))


def library(row, version, purl):
    return {
        "SPDXID": spdx_id("Library", row["name"], version),
        "name": row["name"],
        "versionInfo": version,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": row["license"],
        "copyrightText": "NOASSERTION",
        "externalRefs": [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}
        ],
    }


def artifact(path, version):
    return {
        "SPDXID": spdx_id("Artifact", path.name),
        "name": "hloroof",
        "versionInfo": version,
        "packageFileName": path.name,
        "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False,
        "checksums": [{"algorithm": "SHA256", "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}],
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": "Apache-2.0",
        "copyrightText": "NOASSERTION",
    }


def installed_version(package):
    query = ["dpkg-query", "-W", "-f", "${Version}", package]
    return subprocess.run(query, capture_output=True, text=True, check=True).stdout


def main(version, commit, third_party, folder):
    with open(HERE / "dependencies.csv", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["debian_source"]]  # the others are of the tests
    sources = dict(line.split() for line in pathlib.Path(third_party).read_text().splitlines())
    tools = dict(re.findall(r"^(\S+)==(\S+)$", (HERE / "wheels.constraints").read_text(), re.MULTILINE))

    def of_source(row):
        source, built = row["debian_source"], sources[row["debian_source"]]
        return library(row, built, f"pkg:deb/debian/{source}@{built.replace('+', '%2B')}?arch=source")

    def of_system(row):
        package = row["debian_package"]
        built = installed_version(package)
        return library(row, built, f"pkg:deb/debian/{package}@{built.replace('+', '%2B')}")

    packages = {}
    relationships = []

    def relate(one, kind, other):
        relationships.append({"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other})

    for path in sorted(pathlib.Path(folder).iterdir()):
        made = artifact(path, version)
        packages[made["SPDXID"]] = made
        relate("SPDXRef-DOCUMENT", "DESCRIBES", made["SPDXID"])
        if path.name.endswith("-source.tar.gz"):
            parts = []
        elif path.suffix == ".whl":
            zig, nanobind = tools["ziglang"], tools["nanobind"]
            parts = [("STATIC_LINK", of_source(row)) for row in rows]
            parts.append(("STATIC_LINK", library(LIBCXX, f"zig-{zig}", f"pkg:pypi/ziglang@{zig}")))
            parts.append(("STATIC_LINK", library(NANOBIND, nanobind, f"pkg:pypi/nanobind@{nanobind}")))
        elif path.name.endswith("-browser.tar.gz"):
            parts = [("STATIC_LINK", of_source(row)) for row in rows if row["name"] not in NOT_IN_THE_BROWSER]
        elif path.name == f"hloroof-{version}.tar.gz":
            parts = [("CONTAINS", of_source(row)) for row in rows]
        else:
            parts = [("STATIC_LINK" if row["name"] in HEADERS_ALONE else "DYNAMIC_LINK", of_system(row)) for row in rows]
        for kind, part in parts:
            packages[part["SPDXID"]] = part
            relate(made["SPDXID"], kind, part["SPDXID"])

    created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"hloroof-{version}",
        "documentNamespace": f"urn:hloroof:sbom:{version}:{commit}",
        "creationInfo": {"created": created.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: hloroof-cmake-sbom.py"]},
        "packages": list(packages.values()),
        "relationships": relationships,
    }
    json.dump(document, sys.stdout, indent=1)
    print()


main(*sys.argv[1:])
