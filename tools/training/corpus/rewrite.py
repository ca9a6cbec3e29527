"""Rewriting: politer, formal, casual, shorter, tenses, persons, questions; translation of a list into prose."""

from .answer import cap
from .read import joined
from .words import BANKS

# imperative phrase with slots, used bare by the rude form and dressed by the others
REQUESTS = ["send me the [report|photos|bill]", "close the {repair}", "bring {food} to the {plan}", "call {name} [at {time}|on {day}]", "clean the {room}", "give me the {object}",
    "buy {food}", "come to the {plan}", "turn off the {product}", "wait near the {place}", "fix the {repair}", "help {name} with the {subject} homework", "write to {company}", "bring back my {product}", "book the {transport} to {city}"]
# subject verb-present / verb-past / verb-future rest
ACTIONS = [("walks", "walked", "walk", "to the {place}"), ("plays", "played", "play", "the {instrument}"), ("cooks", "cooked", "cook", "{dish}"), ("buys", "bought", "buy", "a {color} {product}"), ("finds", "found", "find", "a {color} {object}"),
    ("writes", "wrote", "write", "a letter to {name2}"), ("goes", "went", "go", "to {city} by {transport}"), ("sees", "saw", "see", "a {color} {animal}"), ("sells", "sold", "sell", "the {object}"), ("paints", "painted", "paint", "the {room}"),
    ("eats", "ate", "eat", "{food} with {food2}"), ("drinks", "drank", "drink", "a cup of {drink}"), ("loses", "lost", "lose", "the {object}"), ("visits", "visited", "visit", "the {place} in {town}"), ("opens", "opened", "open", "the {repair}"),
    ("meets", "met", "meet", "{name2} near the {place}"), ("repairs", "repaired", "repair", "the {repair}"), ("brings", "brought", "bring", "{food} to the {plan}"), ("feeds", "fed", "feed", "the {animal}"), ("carries", "carried", "carry", "the {object} to {town}")]
CASUAL = [("gonna", "going to"), ("wanna", "want to"), ("can't", "cannot"), ("don't", "do not"), ("I'm", "I am"), ("it's", "it is"), ("we're", "we are"), ("won't", "will not")]


def polite(w):
    request = w.fill(REQUESTS)
    rude = w.fill(["{r}!", "{r} now!", "{r}, quickly.", "You must {r0}.", "Hey, {r0}!"], r=cap(request), r0=request)
    prompt = w.ask(["[Make|Rewrite|Write] [this|the] [sentence|message|text] [more polite|politer|in a polite way|politely].", "[Say|Ask] this [more politely|in a friendlier way].", "[Rewrite|Rephrase] this so that it sounds [polite|friendly]."])
    return [joined(w, prompt, rude), w.fill("[Could you please|Would you please|Would you mind if I asked you to] {r}?", r=request)]


def tense(w):
    present, past, future, rest = w.one(ACTIONS)
    name = w.word("name")
    rest = w.fill(rest, name2=w.word("name"), food2=w.word("food"))
    when = w.fill(["", " on {day}", " in the {daypart}"])
    forms = {"present": f"{name} {present} {rest}{when}.", "past": f"{name} {past} {rest}{when}.", "future": f"{name} will {future} {rest}{when}."}
    source, target = w.rng.sample(list(forms), 2)
    prompt = w.ask(["[Rewrite|Put|Change|Write] [this|the] sentence [in|into] [the |]{t} tense.", "[Change|Turn] this into [the |]{t} tense."], t=target)
    return [joined(w, prompt, forms[source]), forms[target]]


def person(w):
    present, past, future, rest = w.one(ACTIONS)
    name = w.word("name")
    rest = w.fill(rest, name2=w.word("name"), food2=w.word("food"))
    form = w.number(0, 2)
    if form == 0:
        prompt = w.ask(["[Rewrite|Put] this in the third person with the name {n}.", "[Change|Rewrite] the sentence from I to {n}."], n=name)
        return [joined(w, prompt, f"I {past} {rest}."), f"{name} {past} {rest}."]
    if form == 1:
        prompt = w.ask(["[Rewrite|Put] this in the first person.", "[Change|Rewrite] the sentence so that I am speaking."])
        return [joined(w, prompt, f"{name} {past} {rest}."), f"I {past} {rest}."]
    prompt = w.ask(["[Turn|Make|Change] this sentence into a question.", "[Rewrite|Write] this as a question."])
    return [joined(w, prompt, f"{name} {past} {rest}."), f"Did {name} {future} {rest}?"]


def negate(w):
    present, past, future, rest = w.one(ACTIONS)
    name, rest = w.word("name"), w.fill(rest, name2=w.word("name"), food2=w.word("food"))
    prompt = w.ask(["[Make|Turn] this sentence negative.", "[Write|Say] the opposite with not.", "[Negate|Please negate] this sentence."])
    return [joined(w, prompt, f"{name} {past} {rest}."), f"{name} did not {future} {rest}."]


def formal(w):
    casual, full = w.one(CASUAL)
    tails = {"gonna": "We're gonna {r}.", "wanna": "I wanna {r}.", "can't": "I can't {r}.", "don't": "Please don't {r}.", "I'm": "I'm going to {r}.", "it's": "I think it's time to {r}.", "we're": "Tomorrow we're going to {r}.", "won't": "I won't {r}."}
    text = w.fill(tails[casual], r=w.fill(["visit {name}", "go to {city}", "come to the {plan}", "buy the {product}", "cook {dish}", "sell the {object}", "meet {name} on {day}"]))
    greeting = w.fill(["Hey {name}! ", "Hi {name}! ", "Yo {name}, ", ""])
    name = greeting.strip("!, ").split(" ")[-1] if greeting else ""
    prompt = w.ask(["[Make|Rewrite|Write] [this|the text] [more formal|in a formal style|formally].", "[Rewrite|Rephrase] this for a formal [letter|email]."])
    body = text.replace(casual, full).replace("We're", "We are")
    return [joined(w, prompt, greeting + text), (f"Dear {name}, " + (body if body.startswith("I ") else body[0].lower() + body[1:])) if name else body]


def shorter(w):
    present, past, future, rest = w.one(ACTIONS)
    name = w.word("name")
    rest = w.fill(rest, name2=w.word("name"), food2=w.word("food"))
    core = f"{name} {past} {rest}"
    long = w.fill(["[It was|I remember it was] a {weather} {daypart}, and after a long time {c}, which made everybody feel {feeling}.", "As far as I know, and I am quite sure about it, {c} while the others were still talking.", "Because there was nothing else to do, {c}, and nobody was surprised by it.",
        "To make a long story short, {c}, although it was already rather late."], c=core)
    prompt = w.ask(["[Make|Write] [this|the] [sentence|text] shorter.", "[Shorten|Please shorten] [this|the] [sentence|text].", "[Say|Write] this in fewer words."])
    return [joined(w, prompt, long), core + "."]


def combine(w):
    name = w.word("name")
    pairs = [w.one(ACTIONS) for _ in range(2)]
    parts = [f"{p[1]} {w.fill(p[3], name2=w.word('name'), food2=w.word('food'))}" for p in pairs]
    prompt = w.ask(["[Combine|Join] [these|the] two sentences.", "[Make|Write] one sentence from these two."])
    return [joined(w, prompt, f"{name} {parts[0]}. {name} {parts[1]}."), f"{name} {parts[0]} and {parts[1]}."]


def repeat(w):
    """Pure copying: the earliest lesson for looking things up in the text."""
    text = w.fill(["{name} {surname} lives on {street} in {town}.", "{a color} {object}, {food} and {a animal}", "The {product} of {company} costs {price} dollars.", "{name}, {name}, {name} and {name}", "call {phone} and ask for {name}", "{town} is near {town}, and {town} is far away."])
    form = w.number(0, 2)
    if form == 0:
        return [joined(w, w.ask(["[Repeat|Copy] [this|the] [text|sentence|line][ exactly|].", "[Say|Write] this [again|once more]."]), text), text]
    if form == 1:
        return [joined(w, w.ask(["[Write|Put] [this|the text] in [capital letters|upper case]."]), text), text.upper()]
    items = list(dict.fromkeys(w.word(w.one(["name", "town", "food", "object", "animal"])) for _ in range(w.number(3, 5))))
    order = w.number(0, 2)
    prompt = w.ask([["[Write|Put] [these|the] words in reverse order.", "[Reverse|Turn around] this list."], ["[Sort|Put] [these|the] words [alphabetically|in alphabetical order|from A to Z]."], ["[Write|Turn] this list [as|into] bullet points.", "Make a bullet list."]][order])
    result = [items[::-1], sorted(items, key=str.lower), items][order]
    return [joined(w, prompt, ", ".join(items)), "\n".join("- " + x for x in result) if order == 2 else ", ".join(result)]


def symbols(w):
    """Marks and brackets, so that no character is a stranger: comparisons, formulas, single marked-up words."""
    word = lambda: w.one([w.word("name"), w.word("food"), w.word("object"), w.word("place"), w.one(COMMON)])
    mark, color = w.one(["b", "i", "em", "li", "h1", "p", "td", "item", "name", "note", "word"] + COMMON), w.word("color")
    forms = [f"<{mark}>{word()}</{mark}>", f'<{mark} color="{color}">{word()}</{mark}>', f"<{mark}>{word()} and {word()}</{mark}>\n<{mark}>{word()}</{mark}>", f"{w.number(1, 99)} < {w.number(100, 999)}", f"({word()} + {word()}) / {w.number(2, 9)} = x", f'{word()}="{word()}"; {word()}="{word()}"', f"[{word()}] {{{word()}}} <{word()}> #{word()} *{word()}* & {word()}"]
    count = w.number(1, 3)
    end = w.one(".!?")
    forms.append(f"<{mark}>{w.fill(REQUESTS)}{end}</{mark}>")
    text = "\n".join(w.rng.sample(forms, count))
    if w.chance(0.4):
        one = w.one([word(), cap(w.fill(REQUESTS)) + end])
        return [w.ask(["[Put|Write] {x} [between|in] {m} [marks|tags].", "Mark {x} with {m}."], x=one, m=mark), f"<{mark}>{one}</{mark}>"]
    return [w.ask(["[Repeat|Copy|Say again|Write again]: {x}", "[Repeat|Copy] [this|the text]:\n{x}"], x=text), text]


COMMON = ["line", "title", "cast", "role", "scene", "place", "direction", "speaker", "play", "name", "tag", "tags", "topic", "list", "table", "row"]

# Drills: looking things up in the text, with nothing else to learn. They come first, because every other task needs it.

MIXTURE = ["name", "name", "surname", "town", "city", "company", "food", "object", "animal", "color", "price", "phone", "product", "place", "time"]


def drill_repeat(w):
    """A row of words twice, without marks between them: the plainest form of looking back."""
    words = [w.word(w.one(MIXTURE)) if w.chance(0.5) else w.one(BANKS[w.one(list(BANKS))]) for _ in range(w.number(5, 25))]
    text = " ".join(words)
    return [w.ask(["[Repeat|Copy|Say again|Write again]: {x}"], x=text), text]


def drill_copy(w):
    words = [w.word(w.one(MIXTURE)) for _ in range(w.number(4, 14))]
    text = w.one([" ", ", ", "\n"]).join(words)
    prompt = w.ask(["[Repeat|Copy|Say again|Write again]: {x}", "[Repeat|Copy] [this|the text]:\n{x}"], x=text)
    return [prompt, text]


def drill_lookup(w):
    """Pairs, and several questions about them in turn."""
    key, value = w.one([("name", "phone"), ("name", "city"), ("name", "object"), ("town", "price"), ("product", "price"), ("animal", "name"), ("company", "street"), ("day", "name"), ("name", "surname"), ("color", "town"), ("place", "name")])
    table = {w.word(key): w.word(value) for _ in range(w.number(3, 7))}
    link = w.one([": ", " - ", " = ", " has ", " "])
    text = w.one([", ", "\n", "; "]).join(f"{k}{link}{v}" for k, v in table.items())
    turns, asked = [], w.rng.sample(list(table), min(len(table), w.number(2, 4)))
    for index, k in enumerate(asked):
        question = w.ask(["[What|Which {b}] [belongs to|goes with|stands beside] {k}?", "{k}?", "[Find|Give me|Tell me] the {b} of {k}.", "[And|What about] {k}?"], k=k, b={"phone": "number", "name": "name"}.get(value, value))
        turns += [("user", f"{text}\n\n{question}" if index == 0 else question), ("assistant", table[k])]
    return turns
