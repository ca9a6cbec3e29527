"""Yes or no about a text, and choosing between what is offered."""

from .passage import Passage
from .words import BANKS
from .writer import cap

EVENTS = [  # (past, base, rest, bank)
    ("bought", "buy", "a {x}", "product"), ("found", "find", "a {x}", "object"), ("lost", "lose", "a {x}", "object"), ("saw", "see", "a {x}", "animal"), ("cooked", "cook", "{x}", "dish"), ("ate", "eat", "{x}", "food"), ("drank", "drink", "{x}", "drink"), ("visited", "visit", "{x}", "city"), ("left", "leave", "{x}", "city"), ("met", "meet", "{x}", "name"), ("called", "call", "{x}", "name"), ("painted", "paint", "the {x}", "room"), ("cleaned", "clean", "the {x}", "room"), ("played", "play", "the {x}", "instrument"), ("studied", "study", "{x}", "subject"), ("repaired", "repair", "the {x}", "repair"), ("fed", "feed", "the {x}", "animal"), ("went to", "go to", "the {x}", "place"), ("forgot", "forget", "the {x}", "object"), ("joined", "join", "{x}", "company"), ("traveled by", "travel by", "{x}", "transport"), ("arrived on", "arrive on", "{x}", "day"), ("came back in", "come back in", "{x}", "month")]
EXTRA = ["It was a {weather} day.", "Nobody was surprised.", "Later everybody went home.", "{other} was there too.", "It did not take long.", "It happened in {town}.", "The {animal} slept.", "That was on {day}.", "The rest is another story."]
END = ["{q}", "{q}", "{q} [Yes or no?|Answer yes or no.|Answer with yes or no.|Just say yes or no.|yes/no]", "[Yes or no|Answer yes or no]: {q}", "Question: {q}", "[Read this and answer yes or no|Look at the text]. {q}", "[Is it true|Is it right]? {q}"]


def event(w, more=True):
    """(text, name, past, base, rest with {x}, value, another value)."""
    past, base, rest, bank = w.one(EVENTS)
    name, value, other = w.word("name"), w.word(bank), w.word(bank)
    while name == value:
        name = w.word("name")
    while other in (value, name):
        other = w.word(bank)
    said = w.slots(rest, {"x": value})
    text = f"{name} {past} {said}."
    if more and w.chance(0.7):
        friend = w.word("name")
        extra = [e for e in EXTRA if not ("{day}" in e and bank == "day") and not ("{animal}" in e and bank == "animal")]
        parts = [text] + [w.fill(e, other=friend) for e in w.some(extra, 1, 2)]
        if w.chance(0.3) and not parts[1].startswith(("It did", "That", "The rest", "Nobody", "Later")) and friend not in parts[1]:
            parts[0], parts[1] = parts[1], parts[0]
        text = " ".join(parts)
    return text, name, past, base, rest, value, other


def happened(w):
    text, name, past, base, rest, value, other = event(w)
    true = w.chance(0.5)
    question = f"Did {name} {base} {w.slots(rest, {'x': value if true else other})}?"
    if not true and w.chance(0.25):
        question = f"Did {w.word('name')} {base} {w.slots(rest, {'x': value})}?"
        if name in question:
            return happened(w)
    return [w.task(w.ask(END, q=question), text), "Yes" if true else "No"]


def mentioned(w):
    passage = Passage(w)
    known = passage.known()
    key = w.one([k for k in known if k.rstrip("2") in BANKS or k in ("name", "city", "company", "town")])
    bank, true = key.rstrip("2"), w.chance(0.5)
    value = known[key]
    while not true and passage.told(value):
        value = w.word(bank)
    return [w.task(w.ask(["Is {x} [mentioned|named] in the text?", "Does the text mention {x}?", "Does the text say anything about {x}?", "Can you find {x} in the text?", "Is the word {x} in this text?", "Do you see {x} here?", "Yes or no: is {x} mentioned?"], x=value), passage.text), "Yes" if true else "No"]


def which(w):
    """One of two, where the text decides."""
    text, name, past, base, rest, value, other = event(w)
    x, y = w.rng.sample([value, other], 2)
    said = [w.slots(rest, {"x": v}) for v in (x, y)]
    question = w.ask(["Did {n} {b} {x} or {y}?", "{x} or {y}?", "Which is right: {x} or {y}?", "Choose: {x} or {y}.", "[Pick|Choose] one: {x} / {y}", "Which one did {n} {b}: {x} or {y}?"], n=name, b=base, x=said[0], y=said[1])
    return [w.task(question, text), cap(w.slots(rest, {"x": value}))]


ODD = [("animal", "food"), ("color", "job"), ("fruit", "transport"), ("month", "animal"), ("day", "object"), ("instrument", "fruit"), ("job", "drink"), ("city", "food"), ("name", "object"), ("transport", "color"), ("season", "job"), ("drink", "animal")]
KINDS = {"an animal": "animal", "a color": "color", "a job": "job", "a day": "day", "a month": "month", "a drink": "drink", "an instrument": "instrument", "a season": "season", "a dish": "dish"}


def sort_out(w):
    """The odd one out, or the only one of a kind."""
    if w.chance(0.5):
        many, single = w.one(ODD)
        items = list(dict.fromkeys(w.word(many) for _ in range(3)))
        odd = w.word(single)
        words = items + [odd]
        w.rng.shuffle(words)
        return [w.task(w.ask(["Which [word|one] does not [fit|belong]?", "[Find|Pick] the odd one out.", "Odd one out?", "Which is different from the [others|rest]?", "One of these does not belong. Which?", "Which one is the odd one?"]), ", ".join(words)), odd]
    kind = w.one(list(KINDS))
    item = w.word(KINDS[kind])
    others = [w.word(b) for b in w.some(("object", "name", "city", "plan", "room", "repair"), 2)]
    if "garden" in others or item in others:
        return sort_out(w)
    words = others + [item]
    w.rng.shuffle(words)
    listed = ", ".join(words) if w.chance(0.5) else ", ".join(words[:-1]) + " or " + words[-1]
    return [w.ask(["Which [of these |]is {k}: {l}?", "Which one is {k}? {l}", "[Pick|Choose|Find] {k}: {l}", "{l} - which is {k}?", "What is {k} here: {l}?"], k=kind, l=listed), item]


SIZES = "ant, mouse, cat, dog, sheep, cow, elephant, house, mountain".split(", ")
SPEEDS = "snail, turtle, person on foot, bicycle, car, train, plane, rocket".split(", ")
AGES = "baby, child, teenager, adult, grandmother".split(", ")
WARM = "ice, cold water, warm milk, boiling soup, fire".split(", ")


def scale(w):
    row, more, less = w.one([(SIZES, "bigger", "smaller"), (SIZES, "heavier", "lighter"), (SPEEDS, "faster", "slower"), (AGES, "older", "younger"), (WARM, "hotter", "colder")])
    i, j = sorted(w.rng.sample(range(len(row)), 2))
    up = w.chance(0.5)
    name = lambda k: row[k] if row is WARM else ("an " if row[k][0] in "aeiou" else "a ") + row[k]
    a, b = w.rng.sample([i, j], 2)
    answer = name(j) if up else name(i)
    return [w.ask(["[Which|What] is {m}, {a} or {b}?", "[Which|What] is {m}: {a} or {b}?", "{a} or {b}, which is {m}?", "Is {a} or {b} {m}?", "{m}: {a} or {b}?"], m=more if up else less, a=name(a), b=name(b)), cap(answer)]


def compared(w):
    """Two people and two values in a text."""
    form = w.number(0, 2)
    x, y = w.word("name"), w.word("name")
    if x == y:
        return compared(w)
    a, b = w.rng.sample(range(3, 90), 2)
    text, more, less = [(f"{x} is {a} years old and {y} is {b}.", "older", "younger"), (f"{x} has {a} coins. {y} has {b} coins.", "richer", "poorer"), (f"{x} ran {a} miles, {y} ran {b} miles.", "the one who ran farther", "the one who ran less")][form]
    up = w.chance(0.5)
    who = x if (a > b) == up else y
    question = w.ask(["Who is {m}?", "Who is {m}, {x} or {y}?", "Which of the two is {m}?", "[Tell me|Say] who is {m}."], m=more if up else less, x=x, y=y)
    return [w.task(question, text), who]


def asked_often(w):
    """What some people did, and several questions about it, most of them with yes or no."""
    told = {}
    while len(told) < 2 or w.chance(0.4) and len(told) < 5:
        _, name, past, base, rest, value, other = event(w, more=False)
        if name not in told and value not in [v for *_, v, _ in told.values()]:
            told[name] = (past, base, rest, value, other)
    text = w.one([" ", " ", "\n"]).join(f"{name} {past} {w.slots(rest, {'x': value})}." for name, (past, _, rest, value, _) in told.items())
    turns, asks, end = [], [], w.one(["", "", "", " Yes or no?", " Answer yes or no."])
    for _ in range(w.number(3, 7)):
        name, (past, base, rest, value, other) = w.one(list(told.items()))
        form = w.number(0, 6)
        if form <= 4:
            asked = [name, value] if form <= 1 else [name, other] if form <= 3 else [w.one([n for n in told if n != name]), value]
            question, answer = f"Did {asked[0]} {base} {w.slots(rest, {'x': asked[1]})}?" + end, "Yes" if form <= 1 else "No"
            if answer == "No" and (asked[0], asked[1], base) in [(n, v, b) for n, (_, b, _, v, _) in told.items()]:
                answer = "Yes"
        else:
            question, answer = f"Who {past} {w.slots(rest, {'x': value})}?", name
        if question not in asks:
            asks.append(question)
            turns += [("user", w.one(["", "", "", "And: "]) + question if turns else w.task(question, text)), ("assistant", answer)]
    return turns


def compared_often(w):
    """Several people with a number each."""
    names = list(dict.fromkeys(w.word("name") for _ in range(w.number(2, 4))))
    if len(names) < 2:
        return compared_often(w)
    say, more, less = w.one([("{n} is {x} years old.", "older", "younger"), ("{n} has {x} coins.", "richer", "poorer"), ("{n} is {x} cm tall.", "taller", "smaller"), ("{n} has {x} points.", "ahead", "behind")])
    numbers = w.rng.sample(range(2, w.one([12, 30, 99]) + len(names)), len(names))
    has, turns, asks = dict(zip(names, numbers)), [], []
    text = " ".join(say.replace("{n}", n).replace("{x}", str(x)) for n, x in has.items())
    for _ in range(w.number(3, 6)):
        x, y = w.rng.sample(names, 2)
        up, form = w.chance(0.5), w.number(0, 3)
        if form == 0:
            question, answer = w.fill(["What number belongs to {n}?", "Which number has {n}?"], n=x), str(has[x])
        elif form == 1:
            question, answer = f"Is {x} {more if up else less} than {y}?" if more not in ("ahead", "behind") else f"Is {x} {more if up else less} of {y}?".replace("behind of", "behind"), "Yes" if (has[x] > has[y]) == up else "No"
        else:
            question, answer = f"Who is {more if up else less}, {x} or {y}?", x if (has[x] > has[y]) == up else y
        if question not in asks:
            asks.append(question)
            turns += [("user", question if turns else w.task(question, text)), ("assistant", answer)]
    return turns


def in_rounds(form):
    """A form that answers in a word, several times in one conversation."""

    def rounds(w):
        return [turn for _ in range(w.number(3, 6)) for turn in zip(("user", "assistant"), form(w))]

    rounds.__name__ = f"{form.__name__}_in_rounds"
    return rounds


FORMS = [asked_often] * 6 + [compared_often] * 2 + [in_rounds(sort_out)] * 2 + [in_rounds(scale)] + [happened] * 4 + [mentioned, mentioned, which, which, which, sort_out, sort_out, scale, compared]
