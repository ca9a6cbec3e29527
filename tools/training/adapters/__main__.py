"""Writes the data set of an adapter, or checks what it is written from.

    python -m adapters tagging --count 20000 --seed 1 -o tagging.jsonl
    python -m adapters tagging --count 500 --seed 1 --held-out -o held-out.jsonl
    python -m adapters --check

runs in tools/training. A data set has one object with `messages` a line, each prompt once.
"""

import argparse
import itertools
import json
import random
import sys

from . import ADAPTERS, examples
from corpus.writer import Writer


def distinct(name, seed, held_out, count):
    """(examples with different prompts, how many prompts came again); ends early where nothing new comes any more."""
    found, again = {}, 0
    for item in examples(name, seed, held_out):
        prompt = item["messages"][0]["content"]
        if prompt in found:
            again += 1
            if again > 20 * count:
                break
            continue
        found[prompt] = item
        if len(found) == count:
            break
    return list(found.values()), again


def check(name, count):
    """Fills every template in both splits and writes `count` examples of each; none may leave a slot open or be wrong in form."""
    module = ADAPTERS[name]
    for held_out in (False, True):
        rng = random.Random(1)
        for text in module.check(lambda: Writer(rng, held_out)):
            if any(mark in text for mark in "{}[]|"):
                sys.exit(f"adapters: {name}: an open slot in {text!r}")
        for item in itertools.islice(examples(name, 1, held_out), count):
            if any(mark in item["messages"][0]["content"] for mark in "{}[]|"):
                sys.exit(f"adapters: {name}: an open slot in {item}")
            if not module.valid(item):
                sys.exit(f"adapters: {name}: not right in form: {item}")
            if any(score != 1 for score in module.measure(item, item["messages"][-1]["content"]).values()):
                sys.exit(f"adapters: {name}: its own measure refuses {item}")
    counts = {key: len(texts) for key, texts in module.templates().items()}
    print(f"{name}: {sum(counts.values())} templates ({', '.join(f'{n} {key}' for key, n in counts.items())})")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", choices=list(ADAPTERS))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--held-out", action="store_true", help="text whose names, wordings or content pairs no training text has")
    parser.add_argument("--check", action="store_true", help="fill every template, and look at COUNT examples of each split")
    parser.add_argument("-o", "--output")
    arguments = parser.parse_args()
    if arguments.check:
        for name in [arguments.name] if arguments.name else ADAPTERS:
            check(name, arguments.count)
        return
    if not arguments.name or not arguments.output:
        parser.error("a name and -o are needed")
    items, again = distinct(arguments.name, arguments.seed, arguments.held_out, arguments.count)
    with open(arguments.output, "w") as output:
        for item in items:
            output.write(json.dumps({"messages": item["messages"]}, ensure_ascii=False) + "\n")
    print(f"{len(items)} examples, {again} left out because their prompt came again")


main()
