#!/usr/bin/env python3
"""Holds the bill of materials and the provenance against the packages that they are about; called by tools/check-packages.

Usage: check_papers.py FOLDER [UNPACKED]      the packages, and what is in the .deb
"""

import hashlib
import json
import pathlib
import sys

from google.protobuf import json_format
from in_toto_attestation.predicates.provenance.v1 import provenance_pb2
from in_toto_attestation.v1 import statement, statement_pb2


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check_provenance(folder):
    text = (folder / "provenance.json").read_text()
    # Both fail on fields that are not in the specification.
    read = json_format.Parse(text, statement_pb2.Statement())
    statement.Statement.copy_from_pb(read).validate()
    predicate = json_format.ParseDict(json.loads(text)["predicate"], provenance_pb2.Provenance())
    assert read.predicate_type == "https://slsa.dev/provenance/v1"
    assert predicate.build_definition.build_type and predicate.run_details.builder.id
    named = {subject.name: subject.digest["sha256"] for subject in read.subject}
    there = {path.name: sha256(path) for path in folder.iterdir() if path.name not in ("SHA256SUMS", "provenance.json")}
    assert named == there, f"{named} is not {there}"


def check_bill(bill, folder, unpacked):
    document = json.loads(bill.read_text())
    own = next(package for package in document["packages"] if package["name"] == "fmadapter")
    assert own["checksums"][0]["checksumValue"] == sha256(folder / own["packageFileName"])
    named = {file["fileName"]: file["checksums"][1]["checksumValue"] for file in document["files"]}
    there = {f"./{path.relative_to(unpacked)}": sha256(path) for path in unpacked.rglob("*") if path.is_file()}
    assert named == there, sorted(set(named.items()) ^ set(there.items()))[:5]
    unknown = [package["name"] for package in document["packages"] if "NOASSERTION" in package["licenseDeclared"]]
    assert not unknown, f"no licence is stated of {unknown}"


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    check_provenance(folder)
    for bill in folder.glob("*.spdx.json"):
        check_bill(bill, folder, pathlib.Path(sys.argv[2]))
