"""Drills: repeating and looking things up in the text, with nothing else to learn. They come first, because every other task needs it."""

from .words import BANKS

MIXTURE = ["name", "name", "surname", "town", "city", "company", "food", "object", "animal", "color", "price", "phone", "product", "place", "time", "madeup", "madeup", "code", "fulldate", "money", "email"]
PLAIN = [list("abcdefghijklmnopqrstuvwxyz"), list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), list("0123456789"), BANKS["color"][:12], BANKS["animal"][:30], BANKS["food"][:30], BANKS["object"][:30]]  # words of one piece or two
SYLLABLES = [onset + vowel + end for onset in "b d f g k l m n p r s t v ch st br".split() for vowel in "aeiou" for end in ("", "", "n", "r", "l")]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def text_of(w, low, high):
    """A row of words without sense: real ones, made-up ones, letters, numbers, all of them, or words of a few syllables that are easily mixed up."""
    form, count = w.number(0, 7), w.number(low, high)
    if form == 0:
        items = [w.word("madeup") for _ in range(count)]
    elif form == 1:
        items = ["".join(w.one(LETTERS) for _ in range(w.number(1, 7))) for _ in range(max(1, count // 2))]
    elif form == 2:
        items = [str(w.number(0, 10 ** w.number(1, 5))) for _ in range(max(1, count // 2))]
    elif form >= 6:
        parts = w.some(SYLLABLES, 2, 4) if form == 6 else w.some("0123456789", 2, 3)
        items = ["".join(w.one(parts) for _ in range(w.number(2, 4))) for _ in range(count)]
    elif form == 3:
        items = [w.word(w.one(list(BANKS))) for _ in range(count)]
    else:
        items = [w.word(w.one(MIXTURE)) for _ in range(count)]
    if w.chance(0.15):
        items = [x.capitalize() if w.chance(0.5) else x.upper() for x in items]
    return items


def drill_repeat(w):
    text = w.one([" ", " ", ", ", "\n", "; ", " / "]).join(text_of(w, 1, 16))
    return [w.ask(["[Repeat|Copy|Say again|Write again|Echo|Repeat after me|Type]: {x}", "[Repeat|Copy|Say|Write|Echo] this[ exactly|]: {x}"], x=text), text]


def drill_rounds(w):
    """Several things to repeat, one after the other."""
    verb, turns = w.one(["Repeat", "Copy", "Say", "Echo", "Again"]), []
    for _ in range(w.number(2, 5)):
        text = " ".join(text_of(w, 1, 5))
        turns += [("user", f"{verb}: {text}"), ("assistant", text)]
    return turns


LINKS = [": ", " - ", " = ", " has ", " ", " -> ", " is ", " lives in ", " wants ", ", "]
KEYS = [("name", "phone"), ("name", "city"), ("name", "object"), ("town", "price"), ("product", "price"), ("animal", "name"), ("company", "street"), ("day", "name"), ("name", "surname"), ("color", "town"), ("place", "name"), ("madeup", "madeup"), ("madeup", "code"), ("madeup", "count"), ("code", "madeup"), ("name", "madeup"), ("madeup", "name"), ("name", "age"), ("city", "fulldate"), ("time", "name"), ("company", "email"), ("surname", "money")]
CALLED = {"phone": "number", "count": "number", "madeup": "word", "fulldate": "date", "money": "amount", "surname": "last name"}


def drill_lookup(w):
    """Pairs, and several questions about them in turn."""
    key, value = w.one(KEYS)
    table = {w.word(key): w.word(value) for _ in range(w.number(2, 8))}
    text = w.one([", ", "\n", "; "]).join(f"{k}{link}{v}" for link in [w.one(LINKS)] for k, v in table.items())
    turns, asked = [], w.rng.sample(list(table), min(len(table), w.number(2, 5)))
    for index, k in enumerate(asked):
        question = w.ask(["[What|Which {b}] [belongs to|goes with|stands beside|is with] {k}?", "{k}?", "[Find|Give me|Tell me|Look up] the {b} [of|for] {k}.", "[And|What about|Now] {k}?"], k=k, b=CALLED.get(value, value))
        turns += [("user", f"{text}\n\n{question}" if index == 0 else question), ("assistant", table[k])]
    return turns


def drill_place(w):
    """What stands first, last, before or after something."""
    items = list(dict.fromkeys(x for x in text_of(w, 3, 9) if " " not in x))
    if len(items) < 3:
        return drill_place(w)
    text, turns = w.one([" ", ", ", "\n"]).join(items), []
    for index in range(w.number(2, 5)):
        i, form = w.number(0, len(items) - 2), w.number(0, 4)
        question, answer = [
            (["[What|Which word] [comes|stands|is] [right |]after {x}?", "[Tell me|Give me] [what comes|the word] after {x}.", "After {x}?"], items[i + 1]),
            (["[What|Which word] [comes|stands|is] [right |]before {y}?", "[Tell me|Give me] [what comes|the word] before {y}.", "Before {y}?"], items[i]),
            (["[What|Which] is the first [one|word|thing]?", "[Give|Tell] me the first [one|word|item].", "The first?"], items[0]),
            (["[What|Which] is the last [one|word|thing]?", "[Give|Tell] me the last [one|word|item].", "And the last?"], items[-1]),
            (["[What|Which] is [number|item] {n}?", "[Give|Tell] me [item|word|number] {n}."], items[i]),
        ][form]
        question = w.ask(question, x=items[i], y=items[i + 1], n=i + 1)
        turns += [("user", f"{text}\n\n{question}" if index == 0 else question), ("assistant", answer)]
    return turns


def drill_recall(w):
    """Something said early in a conversation is asked for later."""
    facts = [("My name is {v}.", "name", "What is my name?"), ("My code is {v}.", "code", "What is my code?"), ("I live in {v}.", "town", "Where do I live?"), ("My dog is called {v}.", "name", "What is my dog called?"), ("My number is {v}.", "phone", "What is my number?"),
        ("The secret word is {v}.", "madeup", "What is the secret word?"), ("I was born on {v}.", "fulldate", "When was I born?"), ("My favorite color is {v}.", "color", "What is my favorite color?"), ("I want to buy {v}.", "food", "What do I want to buy?"), ("My email is {v}.", "email", "What is my email?"), ("I work at {v}.", "company", "Where do I work?")]
    chosen, turns = w.rng.sample(facts, w.number(1, 4)), []
    values = {text: w.word(bank) for text, bank, _ in chosen}
    if w.chance(0.5):
        turns = [("user", " ".join(text.replace("{v}", values[text]) for text, _, _ in chosen)), ("assistant", "I will remember that.")]
    else:
        for text, _, _ in chosen:
            turns += [("user", text.replace("{v}", values[text])), ("assistant", "I will remember that.")]
    w.rng.shuffle(chosen)
    for text, _, question in chosen[:3]:
        turns += [("user", w.ask(["{q}", "Do you remember? {q}", "Tell me: {q}"], q=question)), ("assistant", values[text])]
    return turns


def drill_same(w):
    """Whether two things are the same, or one stands in a row: what every question with yes and no comes down to.

    Nothing is asked for twice, so that what stands in a question before is never the thing to be found."""
    in_row, turns = w.chance(0.5), []
    bank = w.one(PLAIN)
    items = w.some(bank, 6, min(12, len(bank))) if w.chance(0.6) else list(dict.fromkeys(text_of(w, 8, 14)))
    if len(items) < 4:
        return drill_same(w)
    row, absent = items[: len(items) // 2], items[len(items) // 2 :]
    ask = w.wording(["Is {x} in the list?", "Is {x} there?", "{x}: is it in the row?", "Do you see {x}?", "Does the row have {x}?"] if in_row else ["Are {x} and {y} the same?", "{x} = {y}?", "Is {x} the same as {y}?", "The same? {x} / {y}", "{x} and {y}: the same?"])
    text, left = ", ".join(row), list(items)
    w.rng.shuffle(left)
    while len(left) > 1 and len(turns) < 18:
        x = left.pop()
        if in_row:
            question, true = w.slots(ask, {"x": x}), x in row
        else:
            true = w.chance(0.5)
            question = w.slots(ask, {"x": x, "y": x if true else left.pop()})
        turns += [("user", f"{text}\n\n{question}" if in_row and not turns else question), ("assistant", "Yes" if true else "No")]
    return turns


DRILLS = [drill_same, drill_same, drill_repeat, drill_repeat, drill_rounds, drill_lookup, drill_lookup, drill_place, drill_recall]
