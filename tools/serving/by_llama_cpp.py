"""llama.cpp's own tests of its server, as the sources of llama-cpp-python have them, sent to a server that they did not start."""

import fnmatch
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import urllib.request

import peers

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = ("https://files.pythonhosted.org/packages/ec/e9/e7de2b0463ea3ffbf0ede6cb21b58c1258a8f6521aae45ca773a59fe7cf3/llama_cpp_python-0.3.36.tar.gz",
           "832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e")
INSIDE = "vendor/llama.cpp/tools/server/tests/"
PYTHON = ("llama-server-tests", ("pytest==8.3.5", "filelock==3.20.0", "openai==2.14.0", "requests==2.32.5", "wget==3.2", "numpy==2.2.6"))
# Of the shape of OpenAI's interface and Anthropic's, and tokens.
FILES = ["test_chat_completion.py", "test_compat_anthropic.py", "test_compat_oai_responses.py", "test_tokenize.py"]

# Tests that cannot pass here, by patterns of their names, and why. One that passes has to go from this list.
REASONS = {
    "test_chat_completion": "counts tokens of its own model",
    "test_chat_completion_cached_tokens": "counts tokens of its own model",
    "test_chat_completion_stream": "the first piece of a text is empty as OpenAI has it, and not null",
    "test_chat_completion_with_openai_library": "a fingerprint with the number of a build",
    "test_chat_template": "an object __verbose with the prompt",
    "test_chat_template_assistant_prefill": "an object __verbose with the prompt",
    "test_chat_template_continue_final_message_vllm_compat": "an object __verbose with the prompt",
    "test_apply_chat_template": "a route /apply-template",
    "test_completion_with_grammar": "grammars in GBNF",
    "test_chat_completion_with_timings_per_token": "a field timings_per_token",
    "test_logprobs_stream": "the first piece of a text is empty as OpenAI has it, and not null",
    "test_context_size_exceeded": "an error type of its own; OpenAI's is here",
    "test_context_size_exceeded_stream": "an error type of its own; OpenAI's is here",
    "test_return_progress": "a field return_progress",
    "test_chat_completions_token_count": "a route /chat/completions/input_tokens",
    "test_verbose_debug": "an object __verbose with the prompt",
    "test_anthropic_tool_result_with_image": "images",
    "test_anthropic_vision_*": "images",
    "test_anthropic_empty_messages": "a chat without a message is refused, as Anthropic does",
    "test_anthropic_thinking_*": "a model that thinks",
    "test_responses_stream_with_llama_telemetry": "a field return_progress",
    "test_tokenize_with_bos": "a token of its own model",
}


def folder():
    """Where the tests stand, unpacked."""
    place = peers.CACHE / f"{PYTHON[0]}-{SOURCES[1][:12]}"
    if not place.exists():
        packed, part = place.with_suffix(".tar.gz"), place.with_suffix(".part")
        urllib.request.urlretrieve(SOURCES[0], packed)
        if hashlib.sha256(packed.read_bytes()).hexdigest() != SOURCES[1]:
            sys.exit(f"{packed}: other bytes than were expected")
        with tarfile.open(packed) as archive:
            for member in archive:
                _, _, name = member.name.partition(INSIDE)
                if member.isfile() and name:
                    member.name = name
                    archive.extract(member, part, filter="data")
        packed.unlink()
        part.rename(place)
    return place


def run(served, tally):
    place = folder()
    environment = os.environ | {"DEBUG_EXTERNAL": "1", "PORT": str(served.port), "MODEL": served.model, "PYTHONPATH": f"{place}:{HERE}"}
    words = ["-m", "pytest", "-p", "llama_cpp_plugin", "-q", "--tb=line", "-rA", *(f"unit/{name}" for name in FILES)]
    done = subprocess.run([peers.python(*PYTHON, True), *words], cwd=place, env=environment, capture_output=True, text=True)
    results = re.findall(r"^(PASSED|FAILED|ERROR) unit/\S+?::(.*?)(?: - .*)?$", done.stdout, re.MULTILINE)

    def reason(name):
        return next((why for pattern, why in REASONS.items() if fnmatch.fnmatchcase(name.partition("[")[0], pattern)), None)

    right = [name for result, name in results if result == "PASSED"]
    others = [name for result, name in results if result != "PASSED"]
    unexplained = [name for name in others if not reason(name)]
    wrong = unexplained + [f"{name} passes: take its reason away" for name in right if reason(name)]
    if not results:
        wrong.append(done.stdout[-2000:] + done.stderr[-2000:])
    tally.add("llama.cpp's server tests", len(right), wrong, f"{len(others) - len(unexplained)} are of its own kind")
