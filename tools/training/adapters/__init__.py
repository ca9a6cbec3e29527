"""Data of the two bundled adapters: examples, held-out by content as the base corpus is, and the measure of an answer."""

import random

from corpus.writer import Writer

from . import playwriting, tagging

ADAPTERS = {"playwriting": playwriting, "tagging": tagging}


def example(name, rng, held_out):
    """{messages, ...} of one example that belongs to the wanted split."""
    while True:
        writer = Writer(rng, held_out)
        made = ADAPTERS[name].example(writer)
        if writer.belongs():
            return made


def examples(name, seed, held_out=False):
    """An endless stream of examples."""
    rng = random.Random(f"{name}/{seed}/{'held-out' if held_out else 'train'}")
    while True:
        yield example(name, rng, held_out)
