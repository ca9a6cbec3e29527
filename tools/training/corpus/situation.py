"""Little situations written by hand, `situations/*.txt`, and all that can be asked about them.

An entry is a paragraph of lines, each with a mark in front:
  list      `list pet: cat/dog/parrot`, words of this entry alone; all other slots are banks, with a digit behind the second of a kind
  text      the situation; of several one is told, and it need not tell every slot
  key       `key: time | time, starts_at | When does it start? / What time is it?`, a slot, its keys and questions that it answers
  sum       the situation in a sentence
  yes, no   questions with that answer; where a slot is written `{~time}`, another value of it turns a yes into a no
  open      questions that the text leaves open
"""

import json
import re
from pathlib import Path

from .record import AS_JSON, AS_LINES, NUMBERS, ONE, listed
from .schema import TYPE_NAMES
from .unknown import DONT
from .writer import CHOICE, cap, part
from .written import one_stop, paragraphs

FOLDER = Path(__file__).parent / "situations"
SLOT = re.compile(r"\{(?:an? )?(~?\w+)\}")
STARTS = re.compile(r"(?:^|(?<=[.!?] )(?<!\.m\. )(?<!\d\. )|(?<=\n))([a-z])")


class Situation:
    def __init__(self, lines):
        self.lists, self.texts, self.keys, self.questions = {}, [], {}, {}
        self.sums, self.yes, self.no, self.open = [], [], [], []
        for line in lines:
            mark, rest = line.split(":", 1)
            rest = rest.strip()
            if mark.startswith("list "):
                self.lists[mark[5:].strip()] = [word.strip() for word in rest.split("/")]
            elif mark == "key":
                slot, keys, questions = (part.strip() for part in rest.split("|"))
                self.keys[slot] = [key.strip() for key in keys.split(",")]
                self.questions[slot] = [q.strip() for q in questions.split(" / ")]
            else:
                getattr(self, {"text": "texts", "sum": "sums"}.get(mark, mark)).extend([rest] if mark in ("text", "sum") else [q.strip() for q in rest.split(" / ")])


def entries(path):
    return [Situation(lines) for lines in paragraphs(path.read_text())]


ALL = [entry for path in sorted(FOLDER.glob("*.txt")) for entry in entries(path)]
# One in ten never occurs in the training split.
PARTS = [entry for entry in ALL if part(entry.texts[0], 10) != 0], [entry for entry in ALL if part(entry.texts[0], 10) == 0]


class Told:
    """A situation with values, in one of its texts."""

    def __init__(self, w, entry=None):
        held = w.held_out and w.chance(0.6)
        self.w, self.entry = w, entry or w.one(PARTS[held])
        w.marks += held and entry is None
        template = w.expand(w.one(self.entry.texts))
        self.told = list(dict.fromkeys(SLOT.findall(template)))
        self.values = {}
        for slot in self.told:
            self.values[slot] = self.other(slot)
        self.text = self.fill(template, starts=True)

    def other(self, slot):
        """A value for a slot that no slot has."""
        taken = {str(v).lower() for v in self.values.values()}
        for _ in range(50):
            bank = slot.rstrip("0123456789")
            value = self.w.one(self.entry.lists[slot]) if slot in self.entry.lists else self.w.one(self.entry.lists[bank]) if bank in self.entry.lists else self.w.fill("{name} {surname}") if bank == "full" else self.w.word(bank)
            if value.lower() not in taken:
                return value
        raise ValueError(f"no other value of {slot}")

    def fill(self, template, starts=False, **changed):
        text = one_stop(self.w.slots(template.replace("{~", "{").replace("{a ~", "{a "), self.values | changed))
        return STARTS.sub(lambda m: m.group(1).upper(), text) if starts and template[:1] in "{" else cap(text) if template[:1] == "{" else text

    def answerable(self, template):
        return {s.lstrip("~") for s in SLOT.findall(template)} <= set(self.told)

    def asks(self):
        """(question, answer) of everything that the text tells."""
        return [(self.fill(self.w.expand(q)), slot) for slot in self.told if slot in self.entry.questions for q in self.entry.questions[slot] if self.answerable(q) and "{" + slot + "}" not in q]

    def yes_no(self):
        """A question and whether the answer is yes; none where the entry has no fitting one."""
        w = self.w
        yes = [q for q in self.entry.yes if self.answerable(q)]
        no = [q for q in self.entry.no if self.answerable(q)]
        turned = [q for q in yes if "{~" in q]
        if not yes or not (no or turned):
            return None
        if w.chance(0.5):
            return self.fill(w.expand(w.one(yes))), True
        if no and (not turned or w.chance(0.5)):
            return self.fill(w.expand(w.one(no))), False
        question = w.one(turned)
        slot = w.one([s[1:] for s in SLOT.findall(question) if s.startswith("~")])
        return self.fill(w.expand(question), **{slot: self.other(slot)}), False

    def fields(self, low=1):
        """[(key, slot)] of some of what is told, in the order of the text mostly."""
        slots = [s for s in self.told if s in self.entry.keys]
        kept = [s for s in slots if self.w.chance(0.75)]
        slots = kept if len(kept) >= low else slots
        if len(slots) > 6:
            few = set(self.w.rng.sample(slots, self.w.number(max(low, 3), 6)))
            slots = [s for s in slots if s in few]
        if self.w.chance(0.25):
            self.w.rng.shuffle(slots)
        chosen = {}
        for slot in slots:
            key = self.w.one(self.entry.keys[slot])
            chosen.setdefault(key, slot)
        return list(chosen.items())

    def json(self, slot):
        value = self.values[slot]
        return int(value) if value.isdigit() and (slot.rstrip("0123456789") in NUMBERS or slot.rstrip("0123456789") in self.entry.lists) and str(int(value)) == value else value


# Ways to ask for JSON beside those of single sentences: by types, by an example, as a filled form.
BY_TYPE = ["[Return|Write|Answer with|Give me] [a JSON object|JSON] with {k}.", "[Fill|Use] this schema and answer in JSON: {k}.", "JSON object: {k}", "[Extract|Read out] {k} and [return|print|output] JSON."]
BY_SAMPLE = ["[Fill|Complete] this JSON:", "[Answer|Reply] in JSON like this:", "Use this JSON format:", "[Fill in|Complete] the template:", "JSON [shape|form|template]:", "[Put|Write] the values in:"]


def as_json(w):
    told = Told(w)
    fields = told.fields()
    if not fields:
        return as_json(w)
    answer = json.dumps({key: told.json(slot) for key, slot in fields}, ensure_ascii=False)
    kinds = {key: TYPE_NAMES[type(told.json(slot))] for key, slot in fields}
    form = w.number(0, 9)
    if form <= 6:
        return [w.task(w.ask(AS_JSON, k=listed(w, [key for key, _ in fields])), told.text), answer]
    if form == 7:
        return [w.task(w.ask(BY_TYPE, k=", ".join(f"{k} ({t})" for k, t in kinds.items())), told.text), answer]
    sample = json.dumps(w.one([kinds, {k: "" if t == "string" else 0 for k, t in kinds.items()}, {k: "..." for k in kinds}]))
    if form == 8:
        return [w.task(w.ask(BY_SAMPLE) + " " + sample, told.text), answer]
    schema = {"type": "object", "properties": {k: {"type": t} for k, t in kinds.items()}, "required": list(kinds)}
    return [told.text + "\n\nresponse format in json.\nname: " + w.one(["Record", "Entry", "Data", "Facts"]) + "\nschema: " + json.dumps(schema), answer]


def several_json(w):
    """The same keys for several texts in one conversation."""
    told = Told(w)
    fields = told.fields()
    turns, seen = [], set()
    for _ in range(w.number(2, 4)):
        if fields and all(slot in told.values for _, slot in fields) and told.text not in seen:
            seen.add(told.text)
            answer = json.dumps({key: told.json(slot) for key, slot in fields}, ensure_ascii=False)
            turns += [("user", told.text if turns else w.task(w.ask(AS_JSON, k=listed(w, [key for key, _ in fields])), told.text)), ("assistant", answer)]
        told = Told(w, told.entry)
    return turns or several_json(w)


def as_lines(w):
    told = Told(w)
    fields = told.fields(2)
    if not fields:
        return as_lines(w)
    names = [key.replace("_", " ") for key, _ in fields]
    return [w.task(w.ask(AS_LINES, k=listed(w, names).replace('"', "")), told.text), "\n".join(f"{cap(n)}: {told.values[slot]}" for n, (_, slot) in zip(names, fields))]


def field(w):
    told = Told(w)
    fields = told.fields()
    if not fields:
        return field(w)
    key, slot = w.one(fields)
    return [w.task(w.ask(ONE, k=key.replace("_", " ")), told.text), told.values[slot]]


def question(w):
    """A question with the words of the situation, open ones among them."""
    told = Told(w)
    asks = told.asks()
    if told.entry.open and w.chance(0.2) or not asks:
        fitting = [q for q in told.entry.open if told.answerable(q)]
        if not fitting:
            return question(w)
        return [w.task(w.ask(["{q}"], q=told.fill(w.expand(w.one(fitting)))), told.text), DONT]
    ask, slot = w.one(asks)
    return [w.task(w.ask(["{q}", "{q}", "{q}", "Question: {q}", "[Answer|Answer briefly|Short answer]: {q}", "{q} [Short answer|Only the answer|One word or two][ please|]."], q=ask), told.text), cap(told.values[slot])]


def yes_no(w):
    told = Told(w)
    asked = told.yes_no()
    if asked is None:
        return yes_no(w)
    return [w.task(w.ask(["{q}", "{q}", "{q} [Yes or no?|Answer yes or no.|Answer with yes or no.|Just say yes or no.|yes/no]", "[Yes or no|Answer yes or no]: {q}", "[Read this and answer yes or no|Look at the text]. {q}"], q=asked[0]), told.text), "Yes" if asked[1] else "No"]


def which(w):
    """A question and two or three answers to choose from."""
    told = Told(w)
    asks = told.asks()
    if not asks:
        return which(w)
    ask, slot = w.one(asks)
    options = list(dict.fromkeys([told.values[slot]] + [told.other(slot) for _ in range(w.number(1, 2))]))
    if len(options) < 2:
        return which(w)
    w.rng.shuffle(options)
    shown = w.one([" or ", " or ", " / "]).join(options) if len(options) == 2 else ", ".join(options[:-1]) + " or " + options[-1]
    return [w.task(w.ask(["{q} {o}?", "{q} {o}", "{q} [Choose|Pick one|Options]: {o}", "{q} ({o})", "{o}? {q}"], q=ask, o=shown), told.text), cap(told.values[slot])]


def conversation(w):
    """Questions of every kind about one text."""
    told = Told(w)
    asks, turns, seen = told.asks(), [], set()
    for _ in range(w.number(3, 8)):
        form = w.number(0, 9)
        if form <= 4 and asks:
            ask, slot = w.one(asks)
            answer = cap(told.values[slot])
        elif form <= 7 and (asked := told.yes_no()):
            ask, answer = asked[0] + w.one(["", "", " Yes or no?"]), "Yes" if asked[1] else "No"
        elif (fitting := [q for q in told.entry.open if told.answerable(q)]) and form > 7:
            ask, answer = told.fill(w.expand(w.one(fitting))), DONT
        else:
            continue
        if ask not in seen:
            seen.add(ask)
            turns += [("user", w.ask(["{q}", "{q}", "And: {q}"], q=ask) if turns else w.task(w.ask(["{q}"], q=ask), told.text)), ("assistant", answer)]
    return turns or conversation(w)


def left_open(w):
    """Questions that the text leaves open among others that it answers."""
    told = Told(w)
    opened = [told.fill(w.expand(q)) for q in told.entry.open if told.answerable(q)]
    if not opened:
        return left_open(w)
    answered = told.asks()
    asks = [(q, DONT) for q in opened] + [(q, cap(told.values[slot])) for q, slot in w.rng.sample(answered, min(len(answered), len(opened)))]
    turns = []
    for ask, answer in w.rng.sample(asks, min(len(asks), w.number(1, 4))):
        turns += [("user", ask if turns else w.task(w.ask(["{q}", "{q}", "{q} [Say so if the text does not tell.|If you do not know, say so.]"], q=ask), told.text)), ("assistant", answer)]
    return turns


def two_texts(w):
    """Two situations, and questions about either."""
    first, second = Told(w), Told(w)
    if first.entry is second.entry:
        return two_texts(w)
    asks = [(q, told.values[slot]) for told in (first, second) for q, slot in told.asks()]
    if not asks:
        return two_texts(w)
    text, turns = w.one(["\n", "\n\n", " "]).join([first.text, second.text]), []
    for ask, value in w.rng.sample(asks, min(len(asks), w.number(1, 4))):
        turns += [("user", ask if turns else w.task(w.ask(["{q}"], q=ask), text)), ("assistant", cap(value))]
    return turns


def summary(w):
    from .read import SUMMARISE

    told = Told(w)
    fitting = [s for s in told.entry.sums if told.answerable(s)]
    if not fitting or len(told.text) < 60:
        return summary(w)
    return [w.task(w.ask(SUMMARISE), told.text), told.fill(w.expand(w.one(fitting)))]


def copied(w):
    from .copying import EXACT

    text = Told(w).text
    return [w.task(w.ask(EXACT), text), text]


READ = [question] * 6 + [field] * 3 + [as_lines] * 2 + [conversation] * 4 + [two_texts] * 2
JSON = [as_json] * 5 + [several_json] * 2
DECIDE = [yes_no] * 7 + [which] * 4 + [conversation] * 3


def check():
    """Fills every text, question and sum of every entry; returns what is wrong."""
    import random

    from .writer import BANKS, COMPUTED, ENTITIES, Writer

    wrong = []
    for path in sorted(FOLDER.glob("*.txt")):
        for number, entry in enumerate(entries(path), 1):
            known = set(BANKS) | set(COMPUTED) | set(ENTITIES) | {"full"} | set(entry.lists)
            where = f"{path.name}, entry {number} ({(entry.texts or ['no text'])[0][:40]})"
            for text in entry.texts + entry.sums + entry.yes + entry.no + entry.open + sum(entry.questions.values(), []):
                for slot in SLOT.findall(text):
                    if slot.lstrip("~") not in known and slot.lstrip("~").rstrip("0123456789") not in known:
                        wrong.append(f"{where}: no bank {slot}")
            slots = {s for t in entry.texts for s in SLOT.findall(t)}
            wrong += [f"{where}: no text tells {slot}" for slot in entry.keys if slot not in slots]
            wrong += [f"{where}: the question for {slot} says it: {q}" for slot, qs in entry.questions.items() for q in qs if "{" + slot + "}" in q]
            wrong += [f"{where}: no question mark: {q}" for q in entry.yes + entry.no + entry.open + sum(entry.questions.values(), []) if not q.endswith("?")]
            wrong += [f"{where}: list {name} has one word" for name, words in entry.lists.items() if len(words) < 3]
            if not entry.texts or not entry.keys:
                wrong.append(f"{where}: a text and a key are needed")
            elif not wrong:
                for seed in range(4):
                    told = Told(Writer(random.Random(seed), False), entry)
                    filled = [told.text] + [q for q, _ in told.asks()] + [told.fill(s) for s in entry.sums if told.answerable(s)]
                    wrong += [f"{where}: open slot in {t}" for t in filled if CHOICE.search(t) and "|" in t or re.search(r"\{[a-z~ ]+\d?\}", t)]
    return wrong


if __name__ == "__main__":
    found = check()
    print("\n".join(found) or f"{len(ALL)} situations are well formed")
    raise SystemExit(bool(found))
