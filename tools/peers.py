"""The Pythons in the user's cache folder that have the programs which the benchmarks compare with."""

import os
import pathlib
import subprocess
import sys
import venv

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "fmadapter"
LLAMA_CPP = ("llama-cpp-python==0.3.36", "gguf==0.19.0")  # the first compiles llama.cpp for this machine
WHEELS = ("--extra-index-url", "https://download.pytorch.org/whl/cpu")  # of PyTorch without a GPU


def python(folder, packages, install):
    """The Python in `folder` of the cache; where there is none, a new one with `packages`, or None without `install`."""
    python = CACHE / folder / "bin" / "python"
    if not python.exists():
        if not install:
            return None
        print(f"installing {', '.join(word for word in packages if '==' in word)} into {CACHE / folder} ...", file=sys.stderr, flush=True)
        venv.create(CACHE / folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    return python
