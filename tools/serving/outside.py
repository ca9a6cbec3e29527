"""Programs of others that hold a server against its interfaces, and this project's attacks on its framing."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
# Cases of llm-comply with images, which models that read text refuse; all others have to pass or are skipped by their own rule.
IMAGES = {"openai-chat": "chat-image-input", "open-responses": "image-input", "anthropic": "anth-image-input"}
# Chats that end by themselves, and soon.
MODEL = "assistant"


def installed(name):
    """The program of this Python's packages."""
    return str(pathlib.Path(sys.executable).with_name(name))


def comply(served, tally):
    for form, image in IMAGES.items():
        words = ["run", "-u", f"{served.url}/v1", "-m", MODEL, "-k", "none", "--format", form, "--timeout", "120", "--json"]
        run = subprocess.run([installed("llm-comply"), *words], capture_output=True, text=True)
        results = json.loads(run.stdout[run.stdout.index("{"):])["results"]
        wrong = [f"{case['id']}: {case.get('errors')}" for case in results if case["status"] == "failed" and case["id"] != image]
        skipped = [case["id"] for case in results if case["status"] == "skipped"]
        refused = [case["id"] for case in results if case["id"] == image and case["status"] == "failed"]
        remark = "; ".join(filter(None, [f"refused: {', '.join(refused)}" * bool(refused), f"not for this model: {', '.join(skipped)}" * bool(skipped)]))
        tally.add(f"llm-comply, {form}", sum(case["status"] == "passed" for case in results), wrong, remark)


def narrowed(served):
    """The description that is served, where models are those that there are, and answers are short: else hardly a request would be answered."""
    description = served.json("GET", "/openapi.json")
    for path in description["paths"].values():
        for operation in path.values():
            content = operation.get("requestBody", {}) if isinstance(operation, dict) else {}
            schema = content.get("content", {}).get("application/json", {}).get("schema", {})
            properties = schema.get("properties", {})
            if "model" in properties:
                properties["model"] = {"enum": [served.model, *served.adapters]}
            limits = [name for name in ("max_tokens", "max_output_tokens", "options") if name in properties]
            for name in limits:
                few = {"type": "integer", "minimum": 1, "maximum": 4}
                properties[name] = few if name != "options" else {"type": "object", "properties": {"num_predict": few}, "required": ["num_predict"]}
            if limits:
                schema["required"] = sorted({*schema.get("required", []), *limits})
    return description


def openapi(served, tally, examples):
    """Requests that schemathesis makes of the description that is served: right and wrong ones, then right ones that are answered."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "openapi.json"
        file.write_text(json.dumps(narrowed(served)))
        for title, place, mode in (("wrong and right", f"{served.url}/openapi.json", "all"), ("right", file, "positive")):
            # No description says all that has to hold, such as that the last message is the user's.
            words = ["run", place, "--url", served.url, "--seed", served.seed, "--max-examples", examples, "--workers", 1, "--request-timeout", 120,
                     "--mode", mode, "--exclude-checks", "positive_data_acceptance", "--continue-on-failure", "--no-color"]
            run = subprocess.run([installed("schemathesis"), *map(str, words)], capture_output=True, text=True, cwd=folder)
            sent = re.search(r"([\d,]+) generated", run.stdout)
            wrong = [] if run.returncode == 0 else [run.stdout[:20_000] + run.stderr[-1000:]]
            tally.add(f"schemathesis, {title} requests", int(sent[1].replace(",", "")) if sent else 0, wrong)


def attacks(served, tally, drips):
    """What is sent in false or doubtful framing."""
    words = ["--drip", "75"] if drips else []
    run = subprocess.run([sys.executable, HERE.parent / "http_attacks.py", str(served.port), *words], capture_output=True, text=True)
    lines = run.stdout.splitlines()
    tally.add("http_attacks", sum(line.startswith("ok ") for line in lines), [line for line in lines if line.startswith("BAD")] + [run.stderr] * bool(run.stderr))


def load(served, tally, seconds):
    """What wrk asks at once, where it is installed: each connection has to be answered, and rightly."""
    if not (program := shutil.which("wrk")):
        tally.add("wrk", 0, remark="not installed")
        return
    scripts = {
        "/health": "", "/v1/models": "",
        "/v1/chat/completions": """wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"model": "tagging", "max_tokens": 4, "temperature": 0, "messages": [{"role": "user", "content": "A kite"}]}'"""}
    with tempfile.TemporaryDirectory() as folder:
        for path, script in scripts.items():
            file = pathlib.Path(folder) / "script.lua"
            file.write_text(script)
            words = ["-t", "2", "-c", "16", "-d", f"{seconds}s", "--timeout", "60s", "-s", file, f"{served.url}{path}"]
            run = subprocess.run([program, *map(str, words)], capture_output=True, text=True)
            count = re.search(r"(\d+) requests in", run.stdout)
            wrong = re.findall(r"Socket errors:.*|Non-2xx.*", run.stdout) + [run.stderr] * (run.returncode != 0)
            rate = re.search(r"Requests/sec:\s+(\S+)", run.stdout)
            tally.add(f"wrk, {path}", int(count[1]) if count else 0, wrong, f"{float(rate[1]):,.0f} a second" if rate else "")
