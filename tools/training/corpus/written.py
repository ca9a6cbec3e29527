"""What the files that were written by hand have in common."""

import re

TWO_STOPS = re.compile(r"(?<!\.)\.\.(?!\.)")


def paragraphs(text):
    """The lines of each paragraph, without those that are empty or begin with #."""
    for paragraph in re.split(r"\n\s*\n", text):
        lines = [line for line in paragraph.split("\n") if line.strip() and not line.startswith("#")]
        if lines:
            yield lines


def one_stop(text):
    """The text with one stop where a value that ends with one, as "7 a.m.", ends a sentence."""
    return TWO_STOPS.sub(".", text)
