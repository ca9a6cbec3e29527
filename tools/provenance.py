#!/usr/bin/env python3
"""Prints where packages come from: a statement of in-toto (v1) with SLSA's provenance (v1), of what was built, from what, and by what.

Usage: provenance.py FILE...      the packages

The same packages, commit and tools give the same bytes, as no times are in it. tools/package calls it. FMADAPTER_BUILDER is the address by
which whoever builds is known.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from urllib.parse import quote, urlsplit

BUILDER = "https://fmadapter.invalid/tools/package"
# What the source is built with, and stays outside of the packages.
TOOLS = ["binutils", "dpkg-dev", "g++", "libc6-dev", "libcurl4-openssl-dev", "libssl-dev", "libzstd-dev", "zlib1g-dev", "xz-utils"]


def output(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def source():
    """Where the source is from, without a login, and its commit, unless it was changed."""
    address = urlsplit(output("git", "config", "--get", "remote.origin.url"))
    place = f"{address.scheme}://{address.hostname}{address.path}" if address.hostname else "https://fmadapter.invalid/fmadapter"
    commit = os.environ.get("FMADAPTER_COMMIT", "")
    whole = output("git", "rev-parse", "--verify", f"{commit}^{{commit}}") if re.fullmatch("[0-9a-f]+", commit) else ""
    return {"uri": f"git+{place}", **({"digest": {"gitCommit": whole}} if whole else {})}


def dependencies():
    yield source()
    swift = shutil.which("swift")
    compiler = pathlib.Path(swift).resolve().with_name("swift-frontend")
    version = re.search(r"Swift version (\S+)", output("swift", "--version"))[1]
    yield {"name": "swift", "uri": f"pkg:generic/swift@{version}", "digest": {"sha256": sha256(compiler)}}
    for tool in TOOLS:
        if line := output("dpkg-query", "--show", "--showformat=${Version} ${Architecture}", tool):
            version, architecture = line.split()
            yield {"name": tool, "uri": f"pkg:deb/debian/{quote(tool)}@{quote(version, ':~')}?arch={architecture}"}


def statement(paths):
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": os.path.basename(path), "digest": {"sha256": sha256(path)}} for path in paths],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "https://fmadapter.invalid/tools/package/v1",
                "externalParameters": {"command": "tools/package", "environment": {
                    "SOURCE_DATE_EPOCH": os.environ["SOURCE_DATE_EPOCH"], "FMADAPTER_COMMIT": os.environ.get("FMADAPTER_COMMIT", "")}},
                "resolvedDependencies": list(dependencies()),
            },
            "runDetails": {"builder": {"id": os.environ.get("FMADAPTER_BUILDER") or BUILDER}},
        },
    }


if __name__ == "__main__":
    print(json.dumps(statement(sys.argv[1:]), indent=1))
