"""Copying to order: exactly, several times, in quotes, in other cases, in another order, letter by letter."""

from .drill import text_of
from .passage import Passage
from .words import NUMBER_WORDS
from .writer import cap

LINES = ["{name} {surname} lives on {street} in {town}.", "{a color} {object}, {food} and {a animal}", "The {product} of {company} costs {price} dollars.", "{name}, {name}, {name} and {name}", "call {phone} and ask for {name}", "{town} is near {town}, and {town} is far away.",
    "Meet me at {time} in {city}.", "The password is {code}.", "{madeup} {madeup} {madeup}", "My {relative} {name} turned {age} on {fulldate}.", "Order {code}: {small} {food}, {money}", "{email}", "{madeup}", "{name} {surname}", "{code}", "I would rather have {dish} than {dish}.", "{name} said: never trust {a trait} {animal}!",
    "{count} {animal}s and {count} {object}s", "Nobody in {town} likes {name}'s {object}.", "Is the {repair} in the {room} broken?", "{day}, {fulldate}, {time}", "{a trait} {kind} met {a trait} {animal} near the {place}.", "{street} {small}, {city}", "Room {code}, {time}, ask for {name}", "{madeup}-{madeup} {count}", "What a {size} {color} {object}!"]
EXACT = ["[Repeat|Copy|Echo|Type|Write|Say] [this|the] [text|sentence|line|message][ exactly| word for word| as it is| without changes|].", "[Say|Write|Type] [this|it|that] [again|once more|back to me].", "[Repeat|Say|Write] after me.", "[Copy|Repeat|Echo|Output|Print|Type] the following[ exactly| text| line|].", "[Repeat|Copy|Echo] what I [say|write|wrote].", "What did I just [say|write|type]?", "[Give|Send] me [this|the] [sentence|text|line] back[ unchanged|].", "[Repeat|Copy].", "[Return|Output|Print] the [text|line] [unchanged|as is|without any change].", "Word for word, [repeat|copy] this.",
    "[Can you|Could you] [say|repeat|write] this back[ to me|]?", "Do not change anything, just [repeat|copy] [it|this].", "Just [repeat|copy|echo] this.", "Say exactly this.", "Write exactly what I write here.", "Only repeat the [text|words|line], nothing else.", "I say something and you repeat it."]


def line(w):
    return w.fill(LINES) if w.chance(0.75) else " ".join(text_of(w, 1, 7))


def exact(w):
    text = line(w) if w.chance(0.85) else Passage(w).text
    return [w.task(w.ask(EXACT), text), text]


def times(w):
    text = w.one([w.word("madeup"), w.word("name"), w.word("object"), w.fill("{trait} {animal}"), w.word("town"), w.word("code"), w.word("food")])
    count = w.number(2, 5)
    n = NUMBER_WORDS[count] if w.chance(0.6) else str(count)
    often = {2: ["twice", "two times", "2 times"], 3: ["three times", "3 times", "3x"]}.get(count, [f"{n} times"])
    form = w.number(0, 2)
    mark, how = [(" ", ["", ""]), (", ", [", separated by commas", ", with commas between"]), ("\n", [", each on its own line", ", one per line", " on separate lines"])][form]
    ask = w.ask(["[Write|Say|Repeat|Type|Print] [the word|the words|] {x} {o}{h}.", "[Write|Say|Repeat|Type] \"{x}\" {o}{h}.", "{x} - {o}{h} please"], x=text, o=w.one(often), h=w.one(how))
    return [ask.replace("  ", " "), mark.join([text] * count)]


def case(w):
    text = line(w)
    kind = w.number(0, 2)
    if kind == 0:
        return [w.task(w.ask(["[Write|Put|Turn|Convert|Change] [this|the text|it] [in|into|to] [capital letters|upper case|capitals|all caps|uppercase|big letters].", "[Make|Write] [this|it] [all caps|uppercase|upper case].", "[Shout|Capitalise every letter of] this.", "All letters big.", "In capitals please."]), text), text.upper()]
    if kind == 1:
        shown = text.upper() if w.chance(0.5) else text
        return [w.task(w.ask(["[Write|Put|Turn|Convert|Change] [this|the text|it] [in|into|to] [small letters|lower case|lowercase].", "[Make|Write] [this|it] [all |][lowercase|lower case|small letters].", "No capital letters please."]), shown), text.lower()]
    word = w.one([w.word("madeup"), w.word("object"), w.word("name").lower(), w.word("animal")])
    return [w.ask(["[Write|Say|Type] {x} with a capital [letter|first letter].", "Capitalise {x}.", "[Write|Put] {x} with a big first letter."], x=word), word[:1].upper() + word[1:]]


def items_of(w):
    bank = w.one(["name", "town", "food", "object", "animal", "madeup", "city", "color", "drink", "job"])
    return list(dict.fromkeys(w.word(bank) for _ in range(w.number(2, 6))))


def ordered(w):
    items = items_of(w)
    order = w.number(0, 4)
    ask = [["[Write|Put|Say] [these|the] words [in reverse order|backwards|in the opposite order|from last to first].", "[Reverse|Turn around] [this|the] list.", "Backwards please."],
        ["[Sort|Put|Order|Arrange] [these|the words|this list] [alphabetically|in alphabetical order|from A to Z|by alphabet].", "Alphabetical order please.", "Sort A to Z."],
        ["[Write|Turn|Make|Put] this [list|] [as|into] [bullet points|a bullet list|bullets|a list with dashes].", "Make a bullet list.", "Bullet points please."],
        ["[Write|Turn|Make] [this|] [as|into] a numbered list.", "Number [these|them|the items].", "Numbered list please."],
        ["[Write|Put] each [word|item] on its own line.", "[Write|List] these [one per line|line by line]."]][order]
    result = [", ".join(items[::-1]), ", ".join(sorted(items, key=str.lower)), "\n".join("- " + x for x in items), "\n".join(f"{i + 1}. {x}" for i, x in enumerate(items)), "\n".join(items)][order]
    return [w.task(w.ask(ask).replace("  ", " "), ", ".join(items)), result]


def picked(w):
    """The first, last or n-th word, item or letter, or the number of them."""
    form = w.number(0, 6)
    if form <= 2:
        text = line(w) if w.chance(0.5) else w.fill(["The {animal} [sleeps|waits] near the {place}", "{name} likes {food}", "my {color} {object} is gone", "we meet on {day}", "{name} lost the {object}"])
        parts = [p.strip(".,!?:;\"'") for p in text.split()]
        ask, answer = [(["[What|Which] is the first word?", "[Give|Tell|Write] me [only |just |]the first word.", "First word of this?", "[Copy|Repeat|Say] only the first word."], parts[0]), (["[What|Which] is the last word?", "[Give|Tell|Write] me [only |just |]the last word.", "Last word of this?", "[Copy|Repeat|Say] only the last word."], parts[-1]), (["[What|Which] is the second word?", "[Give|Tell|Write] me [only |just |]the second word.", "Second word of this?"], parts[min(1, len(parts) - 1)])][form]
        if len(parts) < 2:
            return picked(w)
        return [w.task(w.ask(ask), text), answer]
    if form == 3:
        items = items_of(w)
        n = w.number(0, len(items) - 1)
        nth = ["first", "second", "third", "fourth", "fifth", "sixth"][n]
        return [w.task(w.ask(["[What|Which] is the {n} [item|word|one|thing]?", "[Give|Tell] me the {n} [item|word|thing][ of the list| in the list|]."], n=nth), ", ".join(items)), items[n]]
    word = w.one([w.word("object"), w.word("animal"), w.word("name"), w.word("madeup")])
    if " " in word:
        return picked(w)
    if form == 4:
        mark = w.one(["-", " ", ", "])
        return [w.ask(["[Spell|Spell out] [the word |]{x}[ letter by letter| with {m}|]." if mark == "-" else "[Write|Say] {x} letter by letter, with {m} between.", "[Spell|Write] {x} with {m} between the letters."], x=word, m={"-": "dashes", " ": "spaces", ", ": "commas"}[mark]), mark.join(word)]
    if form == 5:
        first = w.chance(0.5)
        return [w.ask(["[What|Which] is the {f} letter of {x}?", "[Which|What] letter does {x} {v} with?", "{f} letter of {x}?"], x=word, f="first" if first else "last", v="start" if first else "end"), word[0] if first else word[-1]]
    items = items_of(w)
    return [w.task(w.ask(["How many [items|things|words] are [there|in this list|on the list]?", "Count [the items|them|these].", "How many?"]), ", ".join(items)), str(len(items))]


def marked(w):
    """Things put between marks, joined, replaced or left out."""
    form, text = w.number(0, 5), w.one([w.word("name"), w.word("madeup"), w.word("object"), w.word("town"), w.fill("{name} {surname}"), w.fill("{color} {object}")])
    if form == 0:
        left, right, called = w.one([('"', '"', "quotes"), ('"', '"', "quotation marks"), ("(", ")", "brackets"), ("[", "]", "square brackets"), ("*", "*", "stars"), ("{", "}", "curly brackets"), ("<", ">", "angle brackets"), ("- ", " -", "dashes"), ("_", "_", "underscores")])
        return [w.ask(["[Put|Write] {x} in {m}.", "Write {x} between {m}.", "{x} in {m} please"], x=text, m=called), left + text + right]
    if form == 1:
        other = w.word(w.one(["name", "madeup", "object"]))
        mark, called = w.one([("-", "a dash"), ("_", "an underscore"), ("+", "a plus sign"), (" and ", "and"), ("/", "a slash"), (", ", "a comma"), (" or ", "or"), (" & ", "an &")])
        return [w.ask(["[Join|Combine|Connect] {x} and {y} with {m}.", "[Write|Put] {x} and {y} with {m} between them."], x=text, y=other, m=called), text + mark + other]
    bank = w.one(["name", "town", "object", "animal", "color", "food"])
    old, new = w.word(bank), w.word(bank)
    sentence = w.fill(["I saw {x} near the {place}.", "Nobody knows where {x} is.", "We talked about {x} all {daypart}.", "{x} is the best.", "Have you heard of {x}?", "Tell {name} that {x} is here."], x=old)
    if form <= 4:
        return [w.task(w.ask(["Replace {o} [with|by] {n}.", "[Change|Turn] {o} [to|into] {n}.", "[Write|Copy|Repeat] [this|the sentence] with {n} instead of {o}.", "Swap {o} for {n}.", "Use {n} instead of {o}."], o=old, n=new), sentence), sentence.replace(old, new)]
    items = items_of(w)
    if len(items) < 2:
        return marked(w)
    gone = w.one(items)
    return [w.task(w.ask(["[Remove|Delete|Drop] {x}[ from the list|].", "[Repeat|Copy|Write] the list without {x}.", "[Cross out|Leave out] {x}."], x=gone), ", ".join(items)), ", ".join(x for x in items if x != gone)]


NTH = ["first", "second", "third", "fourth", "fifth", "sixth"]


def on_one_list(w):
    """One list and several things to do with it."""
    items, turns = items_of(w), []
    while len(items) < 2:
        items = items_of(w)
    text = ", ".join(items)
    for index in range(w.number(3, 7)):
        n, other = w.number(0, len(items) - 1), w.word("madeup")
        ask, answer = w.one([
            (["The {n} one?", "[Which|What] is the {n}?", "[Give|Tell] me the {n} [item|one]."], items[n]), (["The {n} one?", "[Which|What] is the {n}?", "[Give|Tell] me the {n} [item|one]."], items[n]),
            (["The last one?", "What is the last?"], items[-1]), (["How many are there?", "How many?", "Count them."], str(len(items))), (["How many are there?", "How many?"], str(len(items))),
            (["[Now |]backwards.", "[Write|Say] it backwards.", "From the last to the first."], ", ".join(items[::-1])), (["[Sort|Order] [it|them] from A to Z.", "Alphabetically."], ", ".join(sorted(items, key=str.lower))),
            (["As a numbered list.", "Number them."], "\n".join(f"{i + 1}. {x}" for i, x in enumerate(items))), (["With dashes.", "As bullet points."], "\n".join("- " + x for x in items)), (["One per line."], "\n".join(items)),
            (["Without {x}.", "Leave out {x}."], ", ".join(x for i, x in enumerate(items) if i != n)), (["Put {o} in place of {x}.", "{o} instead of {x}."], ", ".join(other if i == n else x for i, x in enumerate(items))),
            (["[What|Which] comes after {x}?", "After {x}?"], items[n + 1] if n + 1 < len(items) else "nothing"), (["Is {x} in the list?"], "Yes"), (["Is {o} in the list?"], "No"), (["{x}, [in|with] capital letters."], items[n].upper())])
        question = w.ask(ask, n=NTH[n], x=items[n], o=other)
        turns += [("user", w.task(question, text) if index == 0 else question), ("assistant", answer)]
    return turns


def letters(w):
    """Words letter by letter and in other cases, several in a row: how a word is written cannot be seen from its pieces."""
    turns, wordings = [], {}
    kinds = {"spell": ["Spell {x}.", "{x} letter by letter", "The letters of {x}?"], "upper": ["{x} in capitals", "{x} in capital letters", "Uppercase: {x}"], "lower": ["{x} in small letters", "Lowercase: {x}"], "cap": ["{x} with a capital letter", "Capitalise {x}."], "first": ["First letter of {x}?", "What does {x} start with?"],
        "last": ["Last letter of {x}?", "What does {x} end with?"], "count": ["How many letters has {x}?", "Letters in {x}?"]}
    chosen = w.some(kinds, 1, 3)
    for _ in range(w.number(4, 9)):
        kind, x = w.one(chosen), w.one([w.word("madeup"), w.word("object"), w.word("animal"), w.word("name"), w.word("food"), w.word("city")]).split(" ")[0]
        wordings.setdefault(kind, w.wording(kinds[kind]))
        shown = w.one([x, x.lower(), x.upper()]) if kind in ("upper", "lower") else x.lower() if kind == "cap" else x
        answer = {"spell": "-".join(x), "upper": x.upper(), "lower": x.lower(), "cap": cap(x.lower()), "first": x[0], "last": x[-1], "count": str(len(x))}[kind]
        turns += [("user", w.slots(wordings[kind], {"x": shown})), ("assistant", answer)]
    return turns


FORMS = [exact] * 5 + [on_one_list] * 4 + [letters] * 3 + [times, times, case, case, ordered, ordered, picked, picked, marked, marked]
