"""The prompts written by hand, which the corpus never writes: neither whole nor in their wordings.

A wording is a message, a paragraph of it or one side of a colon in it, from four words on, or its first or last sentence, from five
on; one mark stands for names, numbers and quoted parts, and is no word. The prompts are read by the machine alone.
"""

import functools
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WORDS = 4
NUMBERS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen "
    "twenty thirty forty fifty sixty seventy eighty ninety hundred thousand"
).split()
QUOTED = re.compile(r"\"[^\"]*\"|(?<!\w)'[^'\n]*'(?!\w)|<[^>\n]*>|\{[^}]*\}")
STARTS = re.compile(r"(?:^|(?<=[.!?]\s))(\w+)")
NAME = re.compile(r"\b[A-Z][\w'’-]*")
NUMBER = re.compile(rf"\b(?:[\w-]*\d[\w:.,%-]*|{'|'.join(NUMBERS)})\b", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.!?])\s+")
STRAIGHT = str.maketrans("‘’“”", "''\"\"")


def plain(text):
    return " ".join(re.sub(r"[^\w']+", " ", text.translate(STRAIGHT)).casefold().split())


@functools.lru_cache(maxsize=20000)
def masked(text):
    """A text with one mark for each run of names, numbers and quoted parts, and no other marks."""
    text = STARTS.sub(lambda m: m.group(1) if m.group(1) == "I" else m.group(1).lower(), QUOTED.sub(" _ ", text))
    text = NUMBER.sub(" _ ", NAME.sub(lambda m: "I" if m.group() == "I" else " _ ", text))
    return re.sub(r"_(?: _)+", "_", plain(text))


@functools.lru_cache(maxsize=64)
def wordings(text):
    """The wordings of a message: that of the whole, of each paragraph up to its colon and after it, and of its first and last sentence."""
    text = text.translate(STRAIGHT).strip()
    lines = [line.strip() for line in text.split("\n") if line.strip()] or [""]
    parts = {text, *lines} | {side for line in lines if ":" in line for side in line.split(":", 1)}
    sentences = {SENTENCE.split(lines[0])[0], SENTENCE.split(lines[-1])[-1]}
    return long_ones(parts, WORDS) | long_ones(sentences, WORDS + 1)


def long_ones(parts, count):
    found = {masked(part.strip()).strip("_ ") for part in parts}
    return frozenset(w for w in found if sum(word != "_" for word in w.split()) >= count)


def prompts():
    for path in sorted([*ROOT.glob("adapters/base/prompts/*.jsonl"), *ROOT.glob("adapters/prompts/*.jsonl")]):
        for line in path.read_text().splitlines():
            yield json.loads(line)


def asked(item):
    """What decides the answer to a prompt: the instructions before it, where it has some."""
    return item.get("instructions", item["prompt"])


@functools.cache
def forbidden():
    """(whole prompts, their wordings) that no training text may have."""
    items = [asked(item) for item in prompts()]
    if not items:
        raise FileNotFoundError(f"{ROOT}/adapters: no prompts written by hand, which no training text may have; run this in a checkout")
    return {plain(text) for text in items} - {""}, {wording for text in items for wording in wordings(text)}


def met(text):
    """Whether a message has a prompt or the wording of one."""
    whole, parts = forbidden()
    return plain(text) in whole or not parts.isdisjoint(wordings(text))
