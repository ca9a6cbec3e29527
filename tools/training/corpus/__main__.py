import argparse
import itertools
import json
import random
import sys

from . import DRILL, LONG, SHORT, Writer, character, dialogues, known, messages, note, order, pair, problem, situation, tale
from .tool import as_data
from .tool_check import fault

MARKED = {"copy", "json", "invent", "drill", "recall", "several", "tool", "long"}  # tasks whose texts may have brackets of their own


def check(count):
    """Looks at what was written by hand, and lets every form write `count` times in both splits; none may fail, be empty, leave a slot or a choice open, or call a tool wrongly."""
    for module in (character, known, note, order, pair, problem, situation, tale):
        if wrong := module.check():
            sys.exit(f"{module.__name__}: " + "\n".join(wrong))
    rng = random.Random(1)
    for name, (_, forms) in (SHORT | DRILL | LONG).items():
        for form, held_out, _ in itertools.product(forms, (False, True), range(count)):
            writer = Writer(rng, held_out)
            made = messages(writer, form(writer))
            if wrong := fault(made):
                sys.exit(f"corpus: {name}, {form.__name__}: {wrong}")
            for message in made:
                text = message["content"]
                if not text.strip() or name not in MARKED and any(mark in text for mark in "{}[]|"):
                    sys.exit(f"corpus: {name}, {form.__name__}: {text!r}")


parser = argparse.ArgumentParser(description="Writes dialogues as JSON lines.")
parser.add_argument("--split", choices=["train", "held-out"], default="train")
parser.add_argument("--long", action="store_true", help="dialogues close to the whole context")
parser.add_argument("--count", type=int, default=1000)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--check", type=int, metavar="COUNT", help="let every form write so often, and look for open slots")
parser.add_argument("-o", "--output")
arguments = parser.parse_args()
if arguments.check:
    check(arguments.check)
    sys.exit()
if not arguments.output:
    parser.error("-o is missing")
stream = dialogues(arguments.seed, arguments.split == "held-out", LONG if arguments.long else SHORT)
with open(arguments.output, "w") as output:
    for item in itertools.islice(stream, arguments.count):
        output.write(json.dumps(as_data(item), ensure_ascii=False) + "\n")
