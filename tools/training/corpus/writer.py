"""The little grammar that every task is written in, and the split between training and held-out text.

`fill` expands `[a|b|c]` to one alternative and `{bank}` to a word of that bank; `a {bank}` and `{a bank}` choose a or an.
What is held out, by content and never by line:
  entities  names of people and places of which one in ten never occurs in the training split;
  phrasings one in eight of the expanded instruction wordings never occurs in the training split;
  pairs     one in ten pairs of the first two content words of a dialogue never occurs in the training split.
"""

import hashlib
import random
import re

from .words import BANKS, ENTITIES

SLOT = re.compile(r"(\b[aA] )?\{(a |A )?(\w+)\}")
CHOICE = re.compile(r"\[([^\[\]]*)\]")


def part(text, parts):
    """A stable number in 0..<parts for a text."""
    return int.from_bytes(hashlib.sha1(text.encode()).digest()[:4], "little") % parts


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
        if bank in INVENTED and self.chance(0.3):
            return self.invented(bank)
        want_held = self.held_out and self.chance(0.6)
        word = self.one(ENTITY_PARTS[bank][want_held])
        self.marks += want_held
        return word

    def invented(self, bank):
        while True:
            word = self.one(ONSETS) + self.one(VOWELS) + self.one(MIDDLES) + self.one(ENDINGS[bank])
            held = part(word, 10) == 0
            if held == (self.held_out and held):
                self.marks += held
                return word.capitalize()

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
                vowel = word[0].lower() in "aeiou" or word.startswith("hono") or word == "honest"
                word = article.strip() + ("n " if vowel else " ") + word
            return word

        return SLOT.sub(put, text)

    def fill(self, template, **known):
        """Expands a template, or one of a list of templates."""
        if not isinstance(template, str):
            template = self.one(template)
        return self.slots(self.expand(template), known)

    def ask(self, templates, **known):
        """An instruction: as `fill`, but some wordings are kept for the held-out split."""
        if isinstance(templates, str):
            templates = [templates]
        for _ in range(50):
            wording = self.expand(self.one(templates))
            held = part(wording, 8) == 0
            if self.held_out or not held:
                break
        self.marks += held
        return self.slots(wording, known)

    # split

    def belongs(self):
        """Whether what was written may stand in the split that it was written for."""
        held_pair = len(self.contents) == 2 and part("/".join(sorted(self.contents)), 10) == 0
        return (self.marks > 0 or held_pair) if self.held_out else not held_pair


COMPUTED = {
    "price": lambda rng: str(rng.choice([rng.randint(2, 99), rng.randint(2, 40) * 5, rng.randint(1, 30) * 50])),
    "small": lambda rng: str(rng.randint(2, 12)),
    "age": lambda rng: str(rng.randint(5, 80)),
    "date": lambda rng: str(rng.randint(1, 28)),
    "year": lambda rng: str(rng.randint(1950, 2025)),
    "percent": lambda rng: str(rng.randint(1, 19) * 5),
    "phone": lambda rng: f"{rng.randint(200, 999)}-{rng.randint(1000, 9999)}",
}
CONTENT_BANKS = {"object", "animal", "food", "dish", "topic", "place", "kind", "job", "product", "activity", "feeling"}
INVENTED = {"name", "town", "surname"}
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
