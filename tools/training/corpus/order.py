"""Copying to order in many wordings, `orders.txt`, over the texts of situations, pairs and notes, and over words without sense."""

import re
from pathlib import Path

from . import note, pair, situation
from .drill import text_of
from .situation import Told

WORDINGS = {}
for _line in (Path(__file__).parent / "orders.txt").read_text().split("\n"):
    if _line.startswith("kind: "):
        _kind = WORDINGS.setdefault(_line[6:], [])
    elif _line.strip() and not _line.startswith("#"):
        _kind.append(_line)
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*[A-Za-z]|[A-Za-z]")
END = re.compile(r"(?<=[.!?]) (?=[A-Z])")
EDGES = ".,!?:;\"'()"


def text_for(w):
    """A text of any length."""
    form = w.number(0, 9)
    if form <= 3 and situation.ALL:
        return Told(w).text
    if form <= 5:
        said = pair.Said(w, w.one(pair.ALL))
        return said.text(w.one([mark for mark in said.entry.forms if mark != "wrong"]))
    if form <= 7:
        return note.Written(w, w.one(note.TOPICS)).text
    return " ".join(text_of(w, 2, 8))


def short(w, low=2, high=14):
    """A text in a line, of not too many words."""
    for _ in range(100):
        text = text_for(w)
        if low <= len(text.split()) <= high and "\n" not in text and '"' not in text:
            return text
    return " ".join(text_of(w, low, high))


def ask(w, kind, text, **known):
    return w.task(w.ask(WORDINGS[kind], **known), text)


def exact(w):
    text = text_for(w)
    return [ask(w, "exact", text), text]


def changed(w):
    """All of the text, in another form."""
    kind = w.one(["quotes", "quotes", "brackets", "upper", "upper", "lower", "twice", "twice", "thrice", "lines", "dashes", "underscores", "commas", "backwards", "backwards"])
    if kind in ("quotes", "brackets", "upper", "lower", "twice", "thrice"):
        text = short(w, 1, 25 if kind in ("upper", "lower") else 14)
        done = {"quotes": f'"{text}"', "brackets": f"({text})", "upper": text.upper(), "lower": text.lower(), "twice": f"{text}\n{text}", "thrice": "\n".join([text] * 3)}[kind]
        if done == text:
            return changed(w)
        return [ask(w, kind, text), done]
    text = " ".join(x.strip(EDGES) for x in short(w, 3, 9).split() if x.strip(EDGES))
    words = text.split()
    if len(words) < 2:
        return changed(w)
    done = {"lines": "\n", "dashes": "-", "underscores": "_", "commas": ", "}.get(kind)
    return [ask(w, kind, text), " ".join(words[::-1]) if done is None else done.join(words)]


def part(w):
    """Some words of it."""
    kind = w.one(["first", "last", "two", "three", "after", "before", "after", "before", "sentence one", "sentence last"])
    if kind.startswith("sentence"):
        for _ in range(60):
            sentences = END.split(text := text_for(w))
            if len(sentences) > 1 and "\n" not in text and not re.search(r"\b([ap]\.m|no|Dr|Mr|Mrs|Ms)\. ", text) and '"' not in text:
                return [ask(w, kind, text), sentences[0 if kind.endswith("one") else -1]]
        return part(w)
    text = short(w, 4, 30)
    words = text.split()
    if kind in ("after", "before"):
        bare = [x.strip(EDGES) for x in words]
        fitting = [i for i in range(1, len(bare) - 1) if bare[i] and bare[i].isalnum() and [b.lower() for b in bare].count(bare[i].lower()) == 1 and words[i][-1:] not in ".!?"]
        if not fitting:
            return part(w)
        i = w.one(fitting)
        return [ask(w, kind, text, o=bare[i]), bare[i + 1 if kind == "after" else i - 1] or bare[i]]
    answer = {"first": words[0].strip(EDGES), "last": words[-1].strip(EDGES), "two": " ".join(words[:2]).rstrip(EDGES), "three": " ".join(words[:3]).rstrip(EDGES)}[kind]
    return [ask(w, kind, text), answer] if answer else part(w)


def edited(w):
    """A word put in the place of another or left out, something put in front or behind."""
    kind = w.one(["replaced", "replaced", "replaced", "without", "greeting", "ending"])
    if kind in ("greeting", "ending"):
        text, added = short(w), w.one(["Hello", "Attention", "PS", "Please note", "Good news", "Dear all", "Thanks", "The end", "Yours", "Over and out", "Amen", "Urgent", w.word("name"), w.word("madeup"), w.word("code")])
        return [ask(w, kind, text, g=added), f"{added} {text}" if kind == "greeting" else f"{text} {added}"]
    if kind == "without":
        items = text_of(w, 3, 7)
        gone = w.one(items)
        if len(set(items)) < len(items) or len(items) < 2 or any(gone in x for x in items if x != gone):
            return edited(w)
        mark = w.one([" ", ", "])
        return [ask(w, kind, mark.join(items), o=gone), mark.join(x for x in items if x != gone)]
    text = short(w, 3, 30)
    words = [x for x in WORD.findall(text) if len(x) > 2 and len(re.findall(rf"\b{re.escape(x)}\b", text)) == 1 and text.lower().count(x.lower()) == 1]
    if not words:
        return edited(w)
    old, new = w.one(words), w.one([w.word("madeup"), w.word("name"), w.word("object").split(" ")[0], w.word("color").split(" ")[0], w.word("city")])
    return [ask(w, kind, text, o=old, n=new), text.replace(old, new)] if old.lower() != new.lower() else edited(w)


SORTS = {"names": ["name", "name", "girl", "boy"], "numbers": ["count", "year", "small"], "towns": ["city"], "foods": ["food"], "animals": ["animal"]}
ALIKE = [{"names", "towns"}, {"foods", "animals"}]  # what cannot be told apart for certain
BESIDE = ["object", "color", "day", "instrument", "job", "weather", "product"]


def sorted_out(w):
    """Only the names, the numbers, the cities of a mixed row."""
    kind = w.one(list(SORTS))
    wanted = list(dict.fromkeys(w.word(w.one(SORTS[kind])) for _ in range(w.number(1, 4))))
    other = [sort for sort in SORTS if sort != kind and {sort, kind} not in ALIKE]
    rest = list(dict.fromkeys(w.word(w.one(SORTS[w.one(other)]) if w.chance(0.4) else w.one(BESIDE)) for _ in range(w.number(2, 5))))
    row = [(x, True) for x in wanted] + [(x, False) for x in rest if x.lower() not in {y.lower() for y in wanted}]
    w.rng.shuffle(row)
    marks = [", ", ", ", "\n", " / ", "; "] + ([" "] if not any(" " in x for x, _ in row) else [])
    return [ask(w, kind, w.one(marks).join(x for x, _ in row)), ", ".join(x for x, mine in row if mine)]


def spelled(w):
    word = w.one([w.word("madeup"), w.word("name"), w.word("surname"), w.word("object"), w.word("town"), w.one(WORD.findall(text_for(w)) or ["word"])]).split(" ")[0].strip(EDGES)
    return [w.ask(WORDINGS["spell"], x=word), "-".join(word)]


def several(w):
    """Several orders about one text."""
    text = short(w, 4, 12)
    bare = [x.strip(EDGES) for x in text.split()]
    if not all(bare):
        return several(w)
    answers = {"upper": text.upper(), "lower": text.lower(), "first": bare[0], "last": bare[-1], "exact": text, "quotes": f'"{text}"', "twice": f"{text}\n{text}", "brackets": f"({text})"}
    turns = []
    for kind in w.some(answers, 2, 5):
        turns += [("user", w.ask(WORDINGS[kind]) if turns else ask(w, kind, text)), ("assistant", answers[kind])]
    return turns


FORMS = [exact] * 4 + [changed] * 4 + [part] * 3 + [edited] * 3 + [sorted_out] * 2 + [spelled, several]


def check():
    import random

    from .writer import Writer

    wrong = []
    for seed in range(400):
        for form in set(FORMS):
            made = form(Writer(random.Random(seed), False))
            texts = made if isinstance(made[0], str) else [text for _, text in made]
            wrong += [f"{form.__name__}: {texts}" for text in texts if not text.strip() or re.search(r"\{[a-z]+\}|__", text)]
    return wrong


if __name__ == "__main__":
    found = check()
    print("\n".join(found[:40]) or f"{sum(map(len, WORDINGS.values()))} wordings of {len(WORDINGS)} kinds")
    raise SystemExit(bool(found))
