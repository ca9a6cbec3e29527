#!/usr/bin/env python3
"""Prints the bill of materials of a Debian package, SPDX 2.3 in JSON: its files, what is inside of the program, what it is linked with.

Usage: bill_of_materials.py FOLDER DEB VERSION      what was packed, as it lies in FOLDER, and the package

The same package, libraries of the system and SOURCE_DATE_EPOCH give the same bytes. tools/package calls it.
"""

import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
from urllib.parse import quote

ROOT = pathlib.Path(__file__).resolve().parent.parent
OWN = "Apache-2.0"
COPYRIGHT = "2026 the contributors of fmadapter"
# Licences of what the program is linked with, by the names of Debian's packages.
LICENCES = {
    "libc6": "LGPL-2.1-or-later", "libcurl4": "curl", "libcurl4t64": "curl", "libssl3": "Apache-2.0", "libssl3t64": "Apache-2.0",
    "zlib1g": "Zlib", "libzstd1": "BSD-3-Clause", "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1", "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1",
}


def output(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()


def digest(kind, data):
    return hashlib.new(kind, data).hexdigest()


def identity(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]+", "-", "-".join(words)).strip("-")


class Bill:
    def __init__(self, name, program):
        moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
        self.files, self.packages, self.relations = [], [], []
        self.head = {
            "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": name,
            "documentNamespace": f"https://fmadapter.invalid/spdx/{name}-{program}",
            "creationInfo": {"created": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
                             "creators": ["Organization: fmadapter maintainers", "Tool: fmadapter-bill_of_materials.py"]},
        }

    def relate(self, subject, kind, *objects):
        self.relations += [{"spdxElementId": subject, "relationshipType": kind, "relatedSpdxElement": o} for o in objects]

    def add_file(self, path, data):
        text = path.suffix in {".json", ".md", ".fish"} or "completions" in path.parts
        self.files.append({
            "SPDXID": identity("File", str(path)), "fileName": f"./{path}", "fileTypes": ["TEXT" if text else "BINARY"],
            "checksums": [{"algorithm": kind.upper(), "checksumValue": digest(kind, data)} for kind in ("sha1", "sha256")],
            "licenseConcluded": OWN, "licenseInfoInFiles": ["NOASSERTION"], "copyrightText": COPYRIGHT})
        return self.files[-1]

    def add_package(self, name, version, licence, files=None, copyright="NOASSERTION", **more):
        """A package; of one with `files` these are all that it has."""
        entry = {
            "SPDXID": identity("Package", name), "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": files is not None, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": copyright,
            **more}
        if files is not None:
            sums = sorted(file["checksums"][0]["checksumValue"] for file in files)
            entry["packageVerificationCode"] = {"packageVerificationCodeValue": digest("sha1", "".join(sums).encode())}
            entry["licenseInfoFromFiles"] = ["NOASSERTION"]
            self.relate(entry["SPDXID"], "CONTAINS", *(file["SPDXID"] for file in files))
        self.packages.append(entry)
        return entry["SPDXID"]

    def text(self):
        return json.dumps({**self.head, "packages": self.packages, "files": self.files, "relationships": self.relations}, indent=1)


def locator(name, version, architecture):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
             "referenceLocator": f"pkg:deb/debian/{quote(name)}@{quote(version, ':~')}?arch={architecture}"}]


def linked(program):
    """The libraries that a program asks for, by Debian's packages: name, version, architecture; those of no package by their files."""
    wanted = re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "--dynamic", "--wide", str(program)))
    places = dict(re.findall(r"^\s*(\S+) => (/\S+)", output("ldd", str(program)), re.M))
    found = set()
    for library in wanted:
        place = places.get(library, library)
        # Debian 12 has some files in /usr/lib that its packages know in /lib.
        owner = next(filter(None, (owners(path) for path in (place, os.path.realpath(place), "*/" + library))), None)
        query = ["dpkg-query", "--show", "--showformat=${Package} ${Version} ${Architecture}", owner]
        found.add(tuple(output(*query).split()) if owner else (library, "NOASSERTION", ""))
    return sorted(found)


def owners(path):
    found = subprocess.run(["dpkg", "--search", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return found.split("\n")[0].split(": ")[0]


def inside():
    """What is linked into the program: name, version, licence."""
    swift = re.search(r"Swift version (\S+)", output("swift", "--version"))[1]
    table = (ROOT / "Sources/Tokenization/Splitting/UnicodeRanges.swift").read_text().split("\n", 1)[0]
    return [
        ("Swift standard library", swift, "Apache-2.0 WITH Swift-exception"),
        ("swift-foundation", swift, "Apache-2.0 WITH Swift-exception"),
        ("swift-corelibs-libdispatch", swift, "Apache-2.0 WITH Swift-exception"),
        ("Unicode Character Database", re.search(r"Unicode ([\d.]*\d)", table)[1], "Unicode-3.0"),
    ]


def bundled(folder):
    """Bases and adapters that come along: name, version, licence, and the path that all their files begin with."""
    for path in sorted((folder / "usr/share/fmadapter-bundled").glob("*/*")):
        name = f"{path.parent.name}/{path.name}"
        if path.suffix == ".fmadapter":
            metadata = json.loads((path / "metadata.json").read_text())
            settings = metadata.get("creatorDefined", {}).get("fmadapter", {})
            yield name, settings.get("version", "NOASSERTION"), metadata["license"], f"./{path.relative_to(folder)}/"
        else:
            yield name, "NOASSERTION", OWN, f"./{path.relative_to(folder)}"


def main():
    folder, package, version = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    program = (folder / "usr/bin/fmadapter").read_bytes()
    bill = Bill(package.name, digest("sha256", program)[:32])
    for path in sorted(path for path in (folder / "usr").rglob("*") if path.is_file()):
        bill.add_file(path.relative_to(folder), path.read_bytes())
    architecture = package.stem.split("_")[-1]
    commit = os.environ.get("FMADAPTER_COMMIT") or "unknown"
    own = bill.add_package(
        "fmadapter", version, OWN, bill.files, COPYRIGHT, primaryPackagePurpose="APPLICATION", packageFileName=package.name,
        supplier="Organization: fmadapter maintainers", sourceInfo=f"built from commit {commit}",
        checksums=[{"algorithm": "SHA256", "checksumValue": digest("sha256", package.read_bytes())}],
        externalRefs=[{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                       "referenceLocator": f"pkg:generic/fmadapter@{version}?arch={architecture}"}])
    bill.relate("SPDXRef-DOCUMENT", "DESCRIBES", own)
    for name, number, licence in inside():
        bill.relate(own, "STATIC_LINK", bill.add_package(name, number, licence, primaryPackagePurpose="LIBRARY"))
    for name, number, kind in linked(folder / "usr/bin/fmadapter"):
        bill.relate(own, "DYNAMIC_LINK", bill.add_package(
            name, number, LICENCES.get(name, "NOASSERTION"), primaryPackagePurpose="LIBRARY",
            externalRefs=locator(name, number, kind) if kind else []))
    for name, number, licence, start in bundled(folder):
        files = [file for file in bill.files if file["fileName"].startswith(start)]
        bill.relate(own, "CONTAINS", bill.add_package(name, number, licence, files, COPYRIGHT, primaryPackagePurpose="OTHER"))
    print(bill.text())


if __name__ == "__main__":
    main()
