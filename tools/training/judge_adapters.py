"""Judges the adapters of a published base, and the base alone, on prompts by hand, and writes what it finds into the pages.

    python3 tools/training/judge_adapters.py --base SmolLM2-135M-Instruct.Q4_1.gguf                 all of them
    python3 tools/training/judge_adapters.py --base SmolLM2-135M-Instruct.Q4_1.gguf triage calls    these

runs from the repository root and needs only the standard library. The figures and the first six answers of each set stand in
adapters/smollm2-135m/evaluation.json, where those that are not judged again keep what they had; README.md shows both,
adapters/smollm2-135m/README.md the figures.
"""

import argparse
import json
import os
import subprocess
from pathlib import Path

import rules
import score_prompts

ROOT = score_prompts.ROOT
FOLDER = ROOT / "adapters/smollm2-135m"
EVALUATION = FOLDER / "evaluation.json"
FIRST, SHOWN = 6, 160
# A play has more tokens than other answers.
LIMITS = {"playwriting": 600}
# The command that went on with an adapter.
THEN = {"playwriting": "fmadapter train -o playwriting.fmadapter --more-epochs 2"}


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help="adapters; without them all of the folder")
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--program", type=Path, default=ROOT / ".build/release/fmadapter")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def prompts(name):
    """The prompts by hand of an adapter."""
    base = sorted(score_prompts.PROMPTS.glob("*.jsonl"))
    if name == "triage":
        rows = map(json.loads, (ROOT / "adapters/examples/triage-by-hand.jsonl").read_text().splitlines())
        return [{"id": f"triage-{n:02}", "prompt": row["prompt"], "rule": {"exact": row["completion"]}} for n, row in enumerate(rows, 1)]
    if name == "assistant":
        return score_prompts.read_prompts([path for path in base if path.stem != "tool"])
    if name == "calls":
        return score_prompts.read_prompts([path for path in base if path.stem == "tool"])
    return score_prompts.read_prompts([ROOT / f"adapters/prompts/{name}.jsonl"])


def answered(name, items, adapter, arguments):
    """The answers in the order of the prompts, and what each achieves; of the base alone without an adapter."""
    arguments.adapter, arguments.max_tokens = adapter, LIMITS.get(name, 500)
    answers = score_prompts.run(arguments, items)
    verdicts = [rules.verdicts(item, answers[item["id"]]) for item in items]
    counts = {figure: sum(each[figure] for each in verdicts) for figure in verdicts[0]}
    print(f"{name}{' on the base' if adapter else ': the base alone'}: {counts} of {len(items)}", flush=True)
    return [answers[item["id"]] for item in items], verdicts, counts


def judged(name, arguments):
    items, package = prompts(name), FOLDER / f"{name}.fmadapter"
    answers, verdicts, counts = answered(name, items, package, arguments)
    return {
        "rank": json.loads((package / "metadata.json").read_text())["loraRank"],
        "of": len(items),
        "adapter": counts,
        "first": [
            {"prompt": item["prompt"], "answer": answer, "right": bool(each["right"])}
            for item, answer, each in list(zip(items, answers, verdicts))[:FIRST]],
        "base": answered(name, items, None, arguments)[2],
    }


def short(text):
    """A text as a cell of a table."""
    line = " ".join(text.replace("```function", "").replace("```", "").split())
    line = line if len(line) <= SHOWN else line[:SHOWN].rsplit(" ", 1)[0] + " …"
    return line.replace("|", "\\|").replace("<", "&lt;")


def put(block, page, lines):
    subprocess.run([ROOT / "tools/put-block", block, page], input="\n".join(lines) + "\n", text=True, check=True)


def made(name, rank):
    """How an adapter was trained."""
    commands = [f"fmadapter train adapters/examples/{name}.jsonl --rank {rank}", THEN.get(name)]
    return ", then ".join(f"`{command}`" for command in commands if command)


def write(rows):
    EVALUATION.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    figures = [(name, row["adapter"]["right"], row["of"], row["base"]["right"]) for name, row in sorted(rows.items())]
    put("figures", ROOT / "README.md", ["| Adapter | Right | Of | Base alone |", "|---|---:|---:|---:|"] + [f"| `{n}` | {a} | {of} | {b} |" for n, a, of, b in figures])
    put("figures", FOLDER / "README.md", ["| | Made by | Right on prompts by hand | Of | Base alone |", "| --- | --- | ---: | ---: | ---: |"] + [
        f"| `{n}` | {made(n, rows[n]['rank'])} | {a} | {of} | {b} |" for n, a, of, b in figures])
    put("firsts", ROOT / "README.md", ["| Adapter | Asked | Answered | |", "|---|---|---|---|"] + [
        f"| `{name}` | {short(each['prompt'])} | {short(each['answer'])} | {'' if each['right'] else 'wrong'} |"
        for name, row in sorted(rows.items()) for each in row["first"]])


def main():
    arguments = options()
    names = arguments.names or sorted(path.stem for path in FOLDER.glob("*.fmadapter"))
    rows = json.loads(EVALUATION.read_text()) if EVALUATION.exists() else {}
    for name in names:
        rows[name] = judged(name, arguments)
        write(rows)


if __name__ == "__main__":
    main()
