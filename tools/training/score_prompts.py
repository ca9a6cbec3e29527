"""Scores a base, or an adapter on it, on prompts written by hand.

    python3 tools/training/score_prompts.py                                            the base on adapters/base/prompts
    python3 tools/training/score_prompts.py --adapter adapters/afm-9m/tagging.fmadapter adapters/prompts/tagging.jsonl
    python3 tools/training/score_prompts.py --answers mine.jsonl                        answers made elsewhere
    python3 tools/training/score_prompts.py --self-test                                 the rules by themselves

runs from the repository root and needs only the standard library. Answers are greedy. A file of answers has a JSON object
{"id", "answer"} a line, or is what `--output` wrote before.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import rules

ROOT = Path(__file__).resolve().parents[2]
PROMPTS = ROOT / "adapters/base/prompts"


def options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prompts", nargs="*", type=Path, help="files of prompts; without them those of the base")
    parser.add_argument("--program", type=Path, default=ROOT / ".build/release/fmadapter")
    parser.add_argument("--base", type=Path, default=ROOT / "adapters/afm-9m/afm-9m.gguf")
    parser.add_argument("--adapter", type=Path, help="a package to run on the base")
    parser.add_argument("--max-tokens", type=int, default=500)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--answers", type=Path, help="score these instead of running the program")
    parser.add_argument("--output", type=Path, help="write every answer with its verdict as JSON")
    parser.add_argument("--markdown", action="store_true", help="print the table for a README")
    parser.add_argument("--self-test", action="store_true")
    return parser.parse_args()


def read_prompts(paths):
    """The prompts of some files; ids and prompts occur once."""
    items = []
    for path in paths:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            try:
                item = json.loads(line)
            except ValueError as error:
                sys.exit(f"{path}:{number}: {error}")
            items.append({"task": path.stem, "file": path} | item)
    for key in ("id", "prompt"):
        twice = [v for v, n in collections.Counter(item[key] for item in items).items() if n > 1]
        if twice:
            sys.exit(f"more than one prompt has the {key} {twice[0]!r}")
    return items


def read_answers(path):
    text = path.read_text()
    try:
        rows = json.loads(text)["answers"]
    except (ValueError, KeyError):
        rows = [json.loads(line) for line in text.splitlines() if line.strip()]
    return {row["id"]: row["answer"] for row in rows}


class Program:
    """The program, run once for a prompt, which it reads from standard input."""

    def __init__(self, arguments, home):
        target = [str(arguments.adapter.resolve())] if arguments.adapter else ["--no-adapter"]
        self.target = [str(arguments.program), "run", *target]
        self.options = ["--base", str(arguments.base), "--json", "--temperature", "0", "--threads", "1", "--max-tokens", str(arguments.max_tokens)]
        self.environment = os.environ | {"FMADAPTER_HOME": home}
        self.home = Path(home)

    def tool(self, definition):
        """The path of a tool that does nothing."""
        path = self.home / f"{definition['function']['name']}.tool.json"
        path.write_text(json.dumps(definition | {"command": "echo done"}))
        return str(path)

    def answer(self, item):
        command = [*self.target, "-", *self.options]
        if "instructions" in item:
            command += ["--instructions", item["instructions"]]
        if "tools" in item:
            tools = rules.tools_beside(item["file"])
            command += ["--yes", *(word for name in item["tools"] for word in ("--tool", self.tool(tools[name])))]
        result = subprocess.run(command, input=item["prompt"], capture_output=True, text=True, env=self.environment)
        if "cut within a call" in result.stderr:
            return ""  # wrong, but no reason to end
        if result.returncode != 0:
            sys.exit(f"{item['id']}: {' '.join(command)}\n{result.stderr}")
        answer = json.loads(result.stdout)
        calls = [{"name": call["name"], "arguments": call["arguments"]} for call in answer.get("toolCalls", [])]
        return f"```function\n{json.dumps(calls)}```" if calls else answer["text"]


def run(arguments, items):
    with tempfile.TemporaryDirectory() as home, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        return dict(zip((i["id"] for i in items), pool.map(Program(arguments, home).answer, items)))


def table(rows):
    """Task -> figure -> (right, total), with "all" last, and the groups of paraphrases that are right throughout."""
    counts = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0]))
    groups = collections.defaultdict(list)
    for row in rows:
        for task in (row["task"], "all"):
            for figure, right in row["verdicts"].items():
                counts[task][figure][0] += right
                counts[task][figure][1] += 1
        if "group" in row:
            groups[row["group"]].append(row["right"])
    counts["all"] = counts.pop("all", {})
    return counts, (sum(map(all, groups.values())), len(groups))


def show(counts, groups, markdown):
    print("| task | figure | right | of | share |\n| --- | --- | ---: | ---: | ---: |" if markdown else f"{'task':14}{'figure':12}{'right':>6}{'of':>6}{'share':>9}")
    for task, figures in counts.items():
        for figure, (right, total) in figures.items():
            share = f"{100 * right / total:.1f} %"
            print(f"| {task} | {figure} | {right} | {total} | {share} |" if markdown else f"{task:14}{figure:12}{right:6}{total:6}{share:>9}")
    if groups[1]:
        print(f"\ngroups of paraphrases right in every wording: {groups[0]} of {groups[1]}")


def self_test():
    """(rule, an answer that keeps it, one that does not)."""
    cases = json.loads((Path(__file__).parent / "rules-cases.json").read_text())
    failed = [f"{c['rule']}: {kind} {text!r}" for c in cases for kind, texts in (("right", c["right"]), ("wrong", c["wrong"])) for text in texts
              if rules.verdicts(c.get("item", {}) | {"rule": c["rule"]}, text)["right"] != (kind == "right")]  # fmt: skip
    untested = set(rules.CHECKS) - {key for c in cases for key in c["rule"]}
    failed += [f"{key}: no case tests it" for key in sorted(untested)]
    print(*failed, sep="\n") if failed else print(f"{len(cases)} rules judge as they should")
    return 1 if failed else 0


def main():
    arguments = options()
    if arguments.self_test:
        sys.exit(self_test())
    items = read_prompts(arguments.prompts or sorted(PROMPTS.glob("*.jsonl")))
    answers = read_answers(arguments.answers) if arguments.answers else run(arguments, items)
    missing = [item["id"] for item in items if item["id"] not in answers]
    if missing:
        sys.exit(f"no answer to {missing[0]} and {len(missing) - 1} more")
    rows = [item | {"answer": answers[item["id"]], "verdicts": rules.verdicts(item, answers[item["id"]])} for item in items]
    for row in rows:
        del row["file"]
    for row in rows:
        row["right"] = row["verdicts"]["right"]
    counts, groups = table(rows)
    show(counts, groups, arguments.markdown)
    if arguments.output:
        figures = {task: {f: {"right": r, "of": n} for f, (r, n) in c.items()} for task, c in counts.items()}
        arguments.output.write_text(json.dumps({"figures": figures, "answers": rows}, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
