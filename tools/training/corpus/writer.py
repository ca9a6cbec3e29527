"""The little grammar that every task is written in, and the split between training and held-out text.

`fill` expands `[a|b|c]` to one alternative and `{bank}` to a word of that bank; `a {bank}` and `{a bank}` choose a or an.
What is held out, by content and never by line:
  entities  names of people and places of which one in ten never occurs in the training split;
  phrasings one in eight of the expanded instruction wordings never occurs in the training split (what has no word of its own, as a bare question, does);
  pairs     one in ten pairs of the first two content words of a dialogue never occurs in the training split.
"""

import hashlib
import random
import re

from .words import BANKS, ENTITIES

SLOT = re.compile(r"(\b[aA] )?\{(a |A )?(\w+)\}")
LETTER = re.compile(r"[A-Za-z]")
CHOICE = re.compile(r"\[([^\[\]]*)\]")


def part(text, parts):
    """A stable number in 0..<parts for a text."""
    return int.from_bytes(hashlib.sha1(text.encode()).digest()[:4], "little") % parts


def cap(text):
    return text[:1].upper() + text[1:]


class Writer:
    def __init__(self, rng: random.Random, held_out: bool):
        self.rng, self.held_out = rng, held_out
        self.contents, self.marks = [], 0

    # choices

    def one(self, items):
        return items[int(self.rng.random() * len(items))]

    def some(self, items, low, high=None):
        return self.rng.sample(list(items), self.rng.randint(low, high or low))

    def chance(self, p):
        return self.rng.random() < p

    def number(self, low, high):
        return self.rng.randint(low, high)

    def word(self, bank):
        if bank in COMPUTED:
            return COMPUTED[bank](self.rng)
        if bank in ENTITIES:
            return self.entity(bank)
        word = self.one(BANKS[bank])
        if len(self.contents) < 2 and bank in CONTENT_BANKS and word not in self.contents:
            self.contents.append(word)
        return word

    def entity(self, bank):
        if bank in INVENTED and self.chance(INVENTED[bank]):
            return self.invented(bank)
        want_held = self.held_out and self.chance(0.6)
        word = self.one(ENTITY_PARTS[bank][want_held])
        self.marks += want_held
        return word

    def invented(self, bank):
        while True:
            word = self.spliced(bank) if bank not in ENDINGS or self.chance(0.5) else self.one(ONSETS) + self.one(VOWELS) + self.one(MIDDLES) + self.one(ENDINGS[bank])
            held = part(word, 10) == 0
            if held == (self.held_out and held) and word.lower() not in NOBODY:
                self.marks += held
                return word[:1].upper() + word[1:]

    def spliced(self, bank):
        """The beginning of one name and the end of another, so that a name has to be read to its end: "Borde" may go on in any way."""
        first, last = self.one(ENTITIES[bank]), self.one(ENTITIES[bank])
        head, tail = first.split(" ")[0], last.split(" ")[0]
        word = head[: self.number(2, max(2, len(head) - 2))] + tail[self.number(1, max(1, len(tail) - 3)) :].lower()
        return " ".join([word, *last.split(" ")[1:]]) if bank in ("street", "company") else word

    # text

    def expand(self, template):
        while (m := CHOICE.search(template)) is not None:
            template = template[: m.start()] + self.one(m.group(1).split("|")) + template[m.end() :]
        return template

    def slots(self, text, known):
        def put(m):
            before, inside, key = m.groups()
            word = str(known[key]) if key in known else self.word(key)
            if article := before or inside:
                vowel = word[0].lower() in "aeiou" and not word.startswith(("one", "uni", "use", "uku", "eu")) or word.startswith("hono") or word == "honest"
                word = article.strip() + ("n " if vowel else " ") + word
            return word

        return SLOT.sub(put, text)

    def fill(self, template, **known):
        """Expands a template, or one of a list of templates."""
        if not isinstance(template, str):
            template = self.one(template)
        return self.slots(self.expand(template), known)

    def wording(self, templates):
        """One of the templates, expanded but with its slots; some wordings are kept for the held-out split."""
        if isinstance(templates, str):
            templates = [templates]
        for _ in range(50):
            wording = self.expand(self.one(templates))
            held = part(wording, 8) == 0 and LETTER.search(SLOT.sub("", wording)) is not None
            if self.held_out or not held:
                break
        self.marks += held
        return wording

    def say(self, templates, **known):
        """A wording with its slots filled."""
        return self.slots(self.wording(templates), known)

    def ask(self, templates, **known):
        """An instruction: a wording dressed and typed as people do, with its slots filled."""
        return self.slots(careless(self, dressed(self, self.wording(templates))), known)

    def task(self, ask, text):
        """An instruction and the text that it is about, in one of the orders and with one of the marks that people use."""
        bare, mark = ask.rstrip(".:!? "), ask[-1:] if ask[-1:] in ".:!?" else ""
        if "\n" in text or len(text) > 300:
            forms = [f"{ask}\n\n{text}", f"{ask}\n{text}", f"{text}\n\n{ask}", f"{text}\n{ask}", f"{bare}:\n{text}", f"{ask}\n---\n{text}\n---", f"Text:\n{text}\n\n{ask}"]
        else:
            colon = f"{bare}: {text}"
            forms = [colon, colon, colon, f"{ask}\n\n{text}", f"{ask}\n{text}", f"{text}\n\n{ask}", f"{text}\n{ask}", f"{bare}:\n{text}"]
            if '"' not in text:
                forms += [f'{ask} "{text}"', f'{bare}: "{text}"', f'"{text}" {ask}', f'"{text}"\n{ask}']
            forms += [f"{ask} {text}" if mark else colon, f"{text} {ask}" if text[-1:] in ".!?" and mark else f"{text}\n{ask}", f"Text: {text}\n{ask}", f"{ask}\nText: {text}", f"{bare} - {text}"]
        return self.one(forms)

    # split

    def belongs(self):
        """Whether what was written may stand in the split that it was written for."""
        held_pair = len(self.contents) == 2 and part("/".join(sorted(self.contents)), 10) == 0
        return (self.marks > 0 or held_pair) if self.held_out else not held_pair


def dressed(w, wording):
    """An order becomes a request now and then, or gets a greeting or thanks."""
    first = wording.split(" ")[0]
    if first not in ORDERS or wording[-1:] != "." or ". " in wording or "\n" in wording or not w.chance(0.3):
        return wording
    low = wording[0].lower() + wording[1:-1]
    return w.one([f"Please {low}.", f"Please {low}.", f"{wording[:-1]}, please.", f"Can you {low}?", f"Could you {low}?", f"Could you please {low}?", f"Can you please {low}?", f"I want you to {low}.", f"I need you to {low}.",
        f"Would you {low}?", f"Hi, {low}.", f"Hey, can you {low}?", f"Hello! Please {low}.", f"{wording} Thanks!", f"{wording} Thank you.", f"Now {low}.", f"Your task: {low}.", f"Quick, {low}.", f"I would like you to {low}.", f"{wording[:-1]} for me.", f"Ok, {low}.", f"Task: {low}."])


def careless(w, wording):
    """Typing as people do it: without capitals or marks, with slips and short forms. Slots stay as they are."""
    if not w.chance(0.35):
        return wording
    if w.chance(0.45):
        wording = PIECE.sub(lambda m: m.group(0) if m.group(0)[0] == "{" else m.group(0).lower(), wording)
    if w.chance(0.5):
        wording = wording.rstrip(".!?:")
    elif w.chance(0.15):
        wording = wording + w.one(["!", "!!", "?", " ..", " :)"]) if wording[-1:] in "?!" else wording.rstrip(".") + w.one(["!", "!!", " ..", "..."])
    if w.chance(0.35):
        places = [m for m in PIECE.finditer(wording) if m.group(0)[0] != "{" and len(m.group(0)) > 3]
        for m in sorted(w.rng.sample(places, min(len(places), w.number(1, 2))), key=lambda m: -m.start()):
            wording = wording[: m.start()] + slip(w, m.group(0)) + wording[m.end() :]
    if w.chance(0.15):
        wording = PIECE.sub(lambda m: SHORT_FORMS.get(m.group(0), m.group(0)), wording)
    return wording


def slip(w, word):
    """A word with two letters exchanged, one left out, one doubled, or one wrong."""
    i, form = w.number(1, len(word) - 2), w.number(0, 3)
    if form == 0:
        return word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    if form == 1:
        return word[:i] + word[i + 1 :]
    return word[:i] + (word[i] if form == 2 else w.one("abcdefghiklmnoprstuvwy")) + word[i:][form - 2 :]


PIECE = re.compile(r"\{[^}]*\}|[A-Za-z']+")
SHORT_FORMS = {"please": "pls", "Please": "Pls", "you": "u", "are": "r", "your": "ur", "the": "teh", "What's": "Whats", "what's": "whats", "and": "&", "for": "4", "to": "2", "because": "cuz", "people": "ppl", "with": "w/", "message": "msg", "sentence": "sentance", "separated": "seperated"}
ORDERS = set("""Write Give Tell Find List Name Extract Copy Repeat Rewrite Make Turn Put Change Say Summarise Summarize Shorten Classify Label Choose Pick Decide Read Add Continue
    Count Sort Fill Return Explain Describe Show Convert Answer Invent Get Pull Reverse Spell Create Compose Draft Help Translate Rephrase Reword Reply Correct Fix Join Combine Tag
    Suggest Output Print Echo Type State Determine Judge Check Identify Pick Look Collect Note Guess Calculate Compute Work Solve Finish Complete Subtract Multiply Double Halve Share
    Switch Set Start Stop Send Open Close Lock Call Remind Book Reserve Schedule Buy Cancel Move Delete Save Search Track Invite Log Water Feed Roll Throw Transfer Pay Text Message Pause Skip
    Condense Cut Boil Imagine Play Transform Express Put Bring Sum Keep Drop Remove Replace Order Arrange Let Report Produce Pretend Split Rate Assess Sell Greet Act Ask Sketch""".split())


MONTHS = BANKS["month"]
ORDINALS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
HOURS = "one two three four five six seven eight nine ten eleven twelve".split()


def some_date(rng):
    day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1900, 2040)
    name, nth = MONTHS[month - 1], f"{day}{ORDINALS.get(day, 'th')}"
    return rng.choice([f"{day} {name}", f"{name} {day}", f"{name} {nth}", f"{nth} of {name}", f"{nth} {name}", f"{day} {name} {year}", f"{name} {day}, {year}", f"{day:02}/{month:02}/{year}", f"{day}.{month}.{year}", f"{year}-{month:02}-{day:02}", f"{name[:3]} {day}", f"{day}.{month}."])


def some_time(rng):
    hour, minute = rng.randint(1, 12), rng.choice([0, 0, 15, 30, 45, rng.randint(1, 59)])
    return rng.choice([f"{hour}:{minute:02}", f"{hour}:{minute:02}", f"{hour}:{minute:02}", f"{rng.randint(0, 23):02}:{minute:02}", f"{hour}:{minute:02} {rng.choice(['am', 'pm', 'AM', 'PM'])}", f"{hour} {rng.choice(['am', 'pm', 'a.m.', 'p.m.', 'PM'])}",
        f"{hour}{rng.choice(['am', 'pm'])}", f"{HOURS[hour - 1]} o'clock", f"half past {HOURS[hour - 1]}", f"quarter to {HOURS[hour - 1]}", f"quarter past {HOURS[hour - 1]}", "noon", f"{hour}.{minute:02}"])


def some_code(rng):
    letters = lambda n: "".join(rng.choice("ABCDEFGHJKLMNPQRSTUVWXYZ") for _ in range(n))
    digits = lambda n: "".join(rng.choice("0123456789") for _ in range(n))
    return rng.choice([f"{letters(2)}-{digits(4)}", f"{letters(3)}{digits(3)}", f"{digits(4)}-{digits(4)}", f"#{digits(5)}", f"{letters(1)}{digits(2)}", f"{letters(2)}{digits(2)}{letters(2)}", digits(rng.randint(3, 8)), f"{letters(4)}", f"{digits(3)}/{digits(2)}", f"{letters(1)}-{digits(3)}-{letters(1)}", f"no. {digits(4)}"])


def some_word(rng):
    """A made-up word of one to three syllables."""
    word = "".join(rng.choice(ONSETS) + rng.choice(VOWELS) for _ in range(rng.randint(1, 3))) + rng.choice(["", "", "n", "r", "s", "l", "t", "x", "m", "k", "nd", "sh", "p"])
    return word


def some_email(rng):
    name = rng.choice(NAMES_PLAIN).lower()
    return rng.choice([f"{name}@{some_word(rng)}.com", f"{name}.{some_word(rng)}@mail.org", f"{some_word(rng)}{rng.randint(1, 99)}@post.net", f"info@{some_word(rng)}.com"])


COMPUTED = {
    "price": lambda rng: str(rng.choice([rng.randint(2, 99), rng.randint(2, 40) * 5, rng.randint(1, 30) * 50, rng.randint(100, 9999)])),
    "small": lambda rng: str(rng.randint(2, 12)),
    "count": lambda rng: str(rng.choice([rng.randint(2, 20), rng.randint(2, 100), rng.randint(10, 999)])),
    "age": lambda rng: str(rng.randint(5, 80)),
    "date": lambda rng: str(rng.randint(1, 28)),
    "year": lambda rng: str(rng.randint(1950, 2040)),
    "percent": lambda rng: str(rng.randint(1, 19) * 5),
    "phone": lambda rng: rng.choice([f"{rng.randint(200, 999)}-{rng.randint(1000, 9999)}", f"0{rng.randint(10, 99)} {rng.randint(100000, 9999999)}", f"+{rng.randint(1, 99)} {rng.randint(100, 999)} {rng.randint(10000, 999999)}", f"{rng.randint(200, 999)} {rng.randint(100, 999)} {rng.randint(1000, 9999)}"]),
    "fulldate": some_date, "time": some_time, "code": some_code, "madeup": some_word, "email": some_email,
    "money": lambda rng: rng.choice(["${}", "{} dollars", "{} euros", "£{}", "{} pounds", "€{}", "{} EUR"]).format(rng.choice([rng.randint(1, 99), rng.randint(1, 40) * 5, rng.randint(100, 2500), f"{rng.randint(1, 99)}.{rng.randint(10, 99)}"])),
}
NAMES_PLAIN = [n for n in ENTITIES["name"] if n.isascii()]
CONTENT_BANKS = {"object", "animal", "food", "dish", "topic", "place", "kind", "job", "product", "activity", "feeling"}
INVENTED = {"name": 0.4, "town": 0.4, "surname": 0.4, "city": 0.25, "street": 0.3, "company": 0.3}
# What no made-up name shall come out as.
NOBODY = set("stalin hitler lenin satan mussolini putin trump biden obama goebbels himmler".split())
ONSETS = "b br d dr f g gr h j k kr l m n p r s st t tr v z th sh".split()
VOWELS = "a e i o u ai ea o a e".split()
MIDDLES = "l r n m d v s ll nn rr nd st lm rk th b g".split()
ENDINGS = {
    "name": "a o in an en ia us el or is ette ric".split(),
    "town": "ton ford wick burg stead haven mouth dale field by".split(),
    "surname": "son man well er ins ley ard more ov esco".split(),
}
ENTITY_PARTS = {
    bank: ([w for w in words if part(w, 10) != 0], [w for w in words if part(w, 10) == 0] or words[:1])
    for bank, words in ENTITIES.items()
}
for _bank, (_train, _held) in ENTITY_PARTS.items():
    if _held == ENTITIES[_bank][:1]:
        _train[:] = [w for w in _train if w not in _held]
