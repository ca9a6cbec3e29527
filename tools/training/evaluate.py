"""Measures base and adapters with the Swift program on held-out prompts and writes the figures where they are read.

    python tools/training/evaluate.py --checkpoint FOLDER

runs from the repository root after `swift build -c release`. Answers are greedy. The figures go into
adapters/afm-9m/evaluation.json and between the marks `<!-- evaluation:begin -->` and `<!-- evaluation:end -->` of the documentation's page
of the base and of adapters/afm-9m/README.md.
"""

import argparse
import itertools
import json
import subprocess
from collections import defaultdict
from pathlib import Path

import torch

import adapters
import corpus
import model as afm
import quantization
from chat import Chat
from train_base import held_out, losses

# Tasks, and the forms of them, that have one right answer.
EXACT = {task: corpus.SHORT[task][1] for task in ("classify", "extract", "question", "copy", "tag", "choice", "facts", "sums", "unknown", "recall", "json")} | {
    "rewrite": [f for f in corpus.SHORT["rewrite"][1] if f is not corpus.rewrite.polite],
}
MARKS = ("<!-- evaluation:begin -->", "<!-- evaluation:end -->")


def quantized_base(checkpoint):
    """The checkpoint with the values that its Q4_0 file holds."""
    model = afm.load(checkpoint)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                parameter.copy_(quantization.q4_0(parameter))
    return model


class Program:
    """The release build, run once per prompt, which it reads from standard input."""

    def __init__(self, path, base):
        self.path, self.base = path, base

    def answer(self, messages, adapter=None, limit=600):
        system = [m["content"] for m in messages if m["role"] == "system"]
        target = [f"./{adapter}"] if adapter else ["--no-adapter"]
        command = [self.path, "run", *target, "-", "--base", self.base, "--json", "--temperature", "0", "--max-tokens", str(limit)]
        if system:
            command += ["--instructions", system[0]]
        result = subprocess.run(command, input=messages[-1]["content"], capture_output=True, text=True)
        if result.returncode != 0:
            raise SystemExit(f"{' '.join(command)}\n{result.stderr}")
        return json.loads(result.stdout)["text"]


def base_figures(program, count):
    """Share of held-out prompts whose answer is the expected one to the letter; for JSON also the share that parses."""
    figures = {}
    for task, forms in EXACT.items():
        right = parsed = 0
        tasks = {task: (1, forms)}
        for item in itertools.islice(corpus.dialogues(2024, held_out=True, tasks=tasks), count):
            messages = item["messages"]
            if len(messages) > 3:
                messages = messages[:3]
            answer = program.answer(messages[:-1], limit=160)
            right += answer.strip().rstrip(".") == messages[-1]["content"].strip().rstrip(".")
            parsed += task == "json" and parses(answer)
        figures[task] = {"prompts": count, "exact_match": round(right / count, 3)}
        if task == "json":
            figures[task]["valid_json"] = round(parsed / count, 3)
        print(task, figures[task], flush=True)
    return figures


def parses(text):
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def adapter_figures(program, name, count, bank=None):
    """Mean scores of base and adapter on the same held-out prompts."""
    totals = {"base": defaultdict(float), "adapter": defaultdict(float)}
    module = adapters.ADAPTERS[name]
    stream = adapters.examples(name, 2024, held_out=True) if bank is None else adapters.tagging.unseen(2024)
    for item in itertools.islice(stream, count):
        for who, path in (("base", None), ("adapter", f"adapters/afm-9m/{name}.fmadapter")):
            for key, value in module.measure(item, program.answer(item["messages"][:1], path)).items():
                totals[who][key] += value / count
    return {"prompts": count} | {who: {k: round(v, 3) for k, v in scores.items()} for who, scores in totals.items()}


def percent(value):
    return f"{100 * value:.1f} %"


def report(results):
    """The Markdown block with every figure."""
    lines = ["Measured with this program (greedy, 4-bit base) on prompts whose names, wordings or content pairs occur in no training text:", "", "| adapter | metric | prompts | base | adapter |", "| --- | --- | --- | --- | --- |"]
    for name, figures in results.get("adapters", {}).items():
        for key in figures["base"]:
            lines.append(f"| {name} | {key.replace('_', ' ')} | {figures['prompts']} | {percent(figures['base'][key])} | {percent(figures['adapter'][key])} |")
    lines += ["", "| task of the base | held-out loss (nats per token) | exact answers | prompts |", "| --- | --- | --- | --- |"]
    for task, loss in results["base"]["loss"].items():
        exact = results["base"]["tasks"].get(task)
        extra = f" (valid JSON {percent(exact['valid_json'])})" if exact and "valid_json" in exact else ""
        lines.append(f"| {task} | {loss:.3f} | {percent(exact['exact_match']) + extra if exact else '–'} | {exact['prompts'] if exact else '–'} |")
    return "\n".join(lines)


def put(path, block):
    path = Path(path)
    text = path.read_text() if path.exists() else ""
    if MARKS[0] in text:
        before, rest = text.split(MARKS[0], 1)
        path.write_text(before + MARKS[0] + "\n" + block + "\n" + MARKS[1] + rest.split(MARKS[1], 1)[1])


def measure_base(program, arguments):
    chat = Chat(arguments.checkpoint / "tokenizer.model")
    by_task = losses(quantized_base(arguments.checkpoint), held_out(chat, 48))
    return {"loss": {k: round(v, 3) for k, v in by_task.items()}, "tasks": base_figures(program, arguments.count)}


def measure_adapters(program, count):
    results = {}
    for name in adapters.ADAPTERS:
        if not Path(f"adapters/afm-9m/{name}.fmadapter").exists():
            continue
        results[name] = adapter_figures(program, name, count)
    results["tagging, sentences unlike any trained on"] = adapter_figures(program, "tagging", count, bank="unseen")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=".build/release/fmadapter")
    parser.add_argument("--base", default="adapters/afm-9m/afm-9m.gguf")
    parser.add_argument("--checkpoint", type=Path, help="checkpoint folder, for the held-out losses")
    parser.add_argument("--part", choices=["base", "adapters", "all"], default="all", help="what to measure anew")
    parser.add_argument("--count", type=int, default=100)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    program = Program(arguments.program, arguments.base)
    path = Path("adapters/afm-9m/evaluation.json")
    results = json.loads(path.read_text()) if path.exists() else {}
    if arguments.part != "adapters":
        results["base"] = measure_base(program, arguments)
    if arguments.part != "base":
        results["adapters"] = measure_adapters(program, arguments.count)
    path.write_text(json.dumps(results, indent=1) + "\n")
    for target in ("Sources/fmadapter/fmadapter.docc/BundledBase.md", "adapters/afm-9m/README.md"):
        put(target, report(results))
    print(report(results))


if __name__ == "__main__":
    main()
