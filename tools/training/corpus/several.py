"""Several instructions in one prompt: answers in their order, one per line."""

from . import classify, copying, extract, rewrite, sums, tool, world
from .passage import Passage
from .writer import cap

PARTS = [extract.one_kind, copying.exact, copying.case, rewrite.polite, rewrite.tense, sums.plain, sums.plain, world.fact, world.fact, world.yes_no, classify.sentiment, copying.times, sums.around]


def two_tasks(w):
    """Two or three small tasks at once."""
    count, parts = w.number(2, 3), []
    while len(parts) < count:
        prompt, answer = w.one(PARTS)(w)[:2]
        if isinstance(prompt, str) and "\n" not in prompt + answer and len(prompt) < 140:
            parts.append((prompt, answer))
    style = w.number(0, 2)
    prompts = [p for p, _ in parts]
    if style == 0:
        text = "\n".join(f"{i + 1}. {p}" for i, p in enumerate(prompts))
        return [w.one(["", "", "Please do both:\n" if count == 2 else "Please do all three:\n", "Answer each:\n", "Some questions:\n"]) + text, "\n".join(f"{i + 1}. {a}" for i, (_, a) in enumerate(parts))]
    if style == 1:
        text = "\n".join(f"{mark}) {p}" for mark, p in zip("abc", prompts))
        return [text, "\n".join(f"{mark}) {a}" for mark, (_, a) in zip("abc", parts))]
    return [w.one(["\n", "\n\n"]).join(prompts), "\n".join(a for _, a in parts)]


def on_one_text(w):
    """Two questions on one text, asked together."""
    passage = Passage(w, w.one([k for k, e in extract.EVENTS.items() if "ask" in e]))
    known, asks = passage.known(), extract.EVENTS[passage.kind]["ask"]
    keys = [k for k in asks if k in known]
    if len(keys) < 2:
        return on_one_text(w)
    chosen = w.some(keys, 2)
    questions = [w.one(asks[k]) for k in chosen]
    values = [known["full"] if k == "name" and "full" in known and "first" not in q else known[k] for k, q in zip(chosen, questions)]
    ask = w.ask(["{a} {b}", "{a} And: {b}", "1. {a} 2. {b}", "Two questions: {a} {b}", "{a} Also: {b}", "First: {a} Then: {b}", "[Answer both|Answer these]: {a} {b}"], a=questions[0], b=questions[1])
    marks = ["1. ", "2. "] if ask.lstrip().startswith("1.") else ["", ""]
    return [w.task(ask, passage.text), "\n".join(m + cap(v) for m, v in zip(marks, values))]


def then(w):
    """Extract, and then do something with what was found."""
    kind = w.one(["person", "city", "animal", "color", "food", "company"])
    text, values = extract.made(w, kind, 1)
    if len(values) != 1:
        return then(w)
    value, called = values[0], extract.TYPES[kind][1][0]
    how, result = w.one([("in capital letters", value.upper()), ("twice", f"{value} {value}"), ("in quotes", f'"{value}"'), ("in small letters", value.lower()), ("three times, with commas", ", ".join([value] * 3)), ("in brackets", f"({value})")])
    return [w.task(w.ask(["[Find|Extract|Take] the {k} and write it {h}.", "[Write|Give me] the {k} {h}.", "Which {k} is mentioned? Write it {h}.", "[First find|Find] the {k}[, then|. Then] write it {h}.", "The {k}, {h}, please."], k=called, h=how), text), result]


FORMS = [two_tasks, two_tasks, on_one_text, on_one_text, then, tool.both_at_once]
