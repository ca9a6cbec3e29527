"""Data of the adapters: examples, held out by content as the base corpus is, and the measure of an answer.

A module has `example(w)` ({messages, ...} of one example), `measure(item, answer)` (scores in 0...1), `valid(item)` (whether the answer of
an example is right in form), `templates()` (name -> wordings) and `check(writer)` (texts, every template filled once).
"""

import random

from corpus.held_out import met, plain
from corpus.writer import Writer, part

from . import commands, playwriting, tagging

ADAPTERS = {"playwriting": playwriting, "tagging": tagging, "commands": commands}


def example(name, rng, held_out):
    """{messages, ...} of one example that belongs to the wanted split and has no wording of a prompt written by hand.
    One prompt in ten is held out whatever it says, so that no prompt stands in both splits; prompts of marks alone are left to those
    written by hand."""
    while True:
        writer = Writer(rng, held_out)
        made = ADAPTERS[name].example(writer)
        prompt = made["messages"][0]["content"]
        if writer.belongs() and (part(prompt, 10) == 0) == held_out and plain(prompt) and not met(prompt):
            return made


def examples(name, seed, held_out=False):
    """An endless stream of examples."""
    rng = random.Random(f"{name}/{seed}/{'held-out' if held_out else 'train'}")
    while True:
        yield example(name, rng, held_out)
