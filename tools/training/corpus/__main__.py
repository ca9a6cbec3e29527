import argparse
import itertools
import json

from . import LONG, SHORT, dialogues

parser = argparse.ArgumentParser(description="Writes dialogues as JSON lines.")
parser.add_argument("--split", choices=["train", "held-out"], default="train")
parser.add_argument("--long", action="store_true", help="dialogues close to the whole context")
parser.add_argument("--count", type=int, default=1000)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("-o", "--output", required=True)
arguments = parser.parse_args()
stream = dialogues(arguments.seed, arguments.split == "held-out", LONG if arguments.long else SHORT)
with open(arguments.output, "w") as output:
    for item in itertools.islice(stream, arguments.count):
        output.write(json.dumps(item, ensure_ascii=False) + "\n")
