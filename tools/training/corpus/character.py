"""Characters of games written by hand, `characters.txt`: each is a system turn in several tellings, and answers players in its own voice.

A sheet is a paragraph of lines:
  list ware: a/b/c   words of this sheet alone; all other slots are banks
  sys: text          a telling of the sheet, for a system turn, with a backslash and n for a new line; it need not tell every slot
  sex, sex2          she or he, where the text needs it of {name} or {name2}
  hi, who, bye       answers to a greeting, to "who are you?" and to a goodbye
  q: a / b => c / d  wordings of a player's line, and answers that use the sheet
  no: a / b => c     the same for what the character cannot know
An answer is used where the telling tells its slots.
"""

import re
from pathlib import Path

from .game import BYE, SAY_HELLO
from .tale import GIVEN, SLOT, chosen
from .writer import cap
from .written import one_stop, paragraphs

STARTS = re.compile(r"(?:^|(?<=[.!?] )|(?<=\n))(?=\{(?:a )?\w+\})")
FILE = Path(__file__).parent / "characters.txt"
HELLO = [h for h in SAY_HELLO if "{role}" not in h and "{n}" not in h] + ["[Hello|Hi] there[, friend|]!", "Good day[ to you|].", "[Knock knock.|Is somebody there?]", "[Greetings|Salutations].", "Hey, you there!", "[Sorry|Pardon me], do you have a minute?", "[Can I talk to you?|May I come closer?]", "[Hi|Hello], I am new here.", "*waves*", "[Morning|Evening]!"]
WHO = ["[Who are you?|What is your name?|Tell me your name.|May I know your name?]", "[And who|Who] might you be?", "What [do they|do people|should I] call you?", "[whats|what's] your name", "Your name?", "I did not catch your name.", "Who am I [talking|speaking] to?", "Introduce yourself.", "Do you have a name?", "[And you are?|You are...?]", "We have not met. Who are you?", "Before we start: who are you?", "Tell me [who you are|about yourself]."]
FAREWELL = BYE + ["[I have to go now.|I should be going.|Time for me to leave.]", "[Thanks for everything|Thanks for your help], bye!", "[Good night|Good luck]!", "We will meet again."]


class Sheet:
    def __init__(self, lines):
        self.lists, self.tellings, self.hi, self.who, self.bye, self.lines, self.sex = {}, [], [], [], [], [], {}
        for line in lines:
            mark, rest = line.split(":", 1)
            rest = rest.strip()
            if mark.startswith("list "):
                self.lists[mark[5:]] = [word.strip() for word in rest.split("/")]
            elif mark in ("sex", "sex2"):
                self.sex[mark[3:]] = rest
            elif mark == "sys":
                self.tellings.append(rest.replace("\\n", "\n"))
            elif mark in ("q", "no"):
                asks, answers = rest.split(" => ")
                self.lines.append((asks.split(" / "), answers.split(" / "), mark))
            else:
                getattr(self, mark).extend(rest.split(" / "))

    def all(self):
        """Every move as (questions, answers, mark)."""
        fixed = [(HELLO, self.hi, "hi"), (WHO, self.who, "who"), (FAREWELL, self.bye, "bye")]
        return [move for move in fixed if move[1]] + self.lines


class Played:
    """A sheet in one of its tellings, with values."""

    def __init__(self, w, sheet=None, telling=None):
        self.w, self.sheet = w, sheet or w.one(SHEETS)
        template = w.expand(telling or w.one(self.sheet.tellings))
        self.values = chosen(w, SLOT.findall(template), self.sheet.lists, self.sheet.sex)
        self.told = set(self.values) | GIVEN
        self.system = self.put(template)

    def put(self, template):
        """A template filled, with a capital where a slot begins a sentence."""
        text = self.w.slots(STARTS.sub(lambda m: m.group(0) + "\0", template), self.values)
        return one_stop(re.sub("\0(.)", lambda m: m.group(1).upper(), text))

    def knows(self, text):
        return set(SLOT.findall(text)) <= self.told

    def moves(self):
        """The moves that this telling can answer, each with the wordings and answers that fit."""
        found = []
        for asks, answers, mark in self.sheet.all():
            asks, answers = [a for a in asks if mark in ("hi", "who", "bye") or self.knows(a)], [a for a in answers if self.knows(a)]
            if asks and answers:
                found.append((asks, answers, mark))
        return found

    def turn(self, move):
        w, (asks, answers, _) = self.w, move
        return [("user", w.ask(asks, **self.values)), ("assistant", cap(self.put(w.expand(w.one(answers)))))]


ENTER = ["Player: {q}", "The player says: {q}", 'The player asks: "{q}"', "A stranger says: {q}", "Visitor: {q}", "[Someone|A traveler] speaks to you: {q}", "Answer the player. Player: {q}", 'What do you answer to "{q}"?', "Reply in character: {q}"]


def placed(w, system, turns):
    """The sheet as a system turn, or now and then in front of the first line."""
    if w.chance(0.75):
        return [("system", system + w.one(["", "", "", " Stay in character.", " Answer briefly.", " Speak as this character.", " Never leave your role.", " Answer in one or two sentences."]))] + turns
    first = turns[0][1]
    said = w.expand(w.one(ENTER)).replace("{q}", first)
    return [("user", w.one([f"{system}\n\n{said}", f"{system}\n{said}", f"{system} {said}", f"{system}\n\n{first}"]))] + turns[1:]


def single(w):
    played = Played(w)
    return placed(w, played.system, played.turn(w.one([m for m in played.moves() if m[2] != "bye"])))


def talk(w, low=3, high=6):
    played = Played(w)
    moves = played.moves()
    middle = [m for m in moves if m[2] not in ("hi", "bye")]
    count = w.number(low, high)
    first, last = [m for m in moves if m[2] == "hi" and w.chance(0.5)], [m for m in moves if m[2] == "bye" and w.chance(0.25)]
    order = first + w.rng.sample(middle, min(len(middle), count - len(first) - len(last))) + last
    return placed(w, played.system, [turn for move in order for turn in played.turn(move)])


def unknown(w):
    """A question that the character cannot answer, alone or after one that it can."""
    played = Played(w)
    moves = played.moves()
    open_ones, others = [m for m in moves if m[2] == "no"], [m for m in moves if m[2] == "q"]
    if not open_ones:
        return unknown(w)
    order = ([w.one(others)] if others and w.chance(0.5) else []) + [w.one(open_ones)]
    return placed(w, played.system, [turn for move in order for turn in played.turn(move)])


SHEETS = [Sheet(lines) for lines in paragraphs(FILE.read_text())]
FORMS = [single] * 5 + [talk] * 6 + [unknown] * 2


def check():
    """Plays every telling and every move; returns what is wrong."""
    import random

    from .writer import BANKS, COMPUTED, ENTITIES, Writer

    wrong, seen = [], set()
    for sheet in SHEETS:
        where = sheet.tellings[0][:50]
        known = set(BANKS) | set(COMPUTED) | set(ENTITIES) | {"full"} | set(sheet.lists) | GIVEN
        told = {s for t in sheet.tellings for s in SLOT.findall(t)} | GIVEN
        texts = sheet.tellings + sheet.hi + sheet.who + sheet.bye + [t for asks, answers, _ in sheet.lines for t in asks + answers]
        wrong += [f"{where}: no bank {s}" for t in texts for s in SLOT.findall(t) if s not in known and s.rstrip("0123456789") not in known]
        wrong += [f"{where}: no telling tells {s}" for t in texts for s in SLOT.findall(t) if s not in told]
        wrong += [f"{where}: {len(sheet.tellings)} tellings, {len(sheet.lines)} lines"] if not 2 <= len(sheet.tellings) <= 4 or len(sheet.lines) < 6 or not sheet.hi or not sheet.who or not any(m == "no" for _, _, m in sheet.lines) else []
        wrong += [f"{where}: told twice"] if where in seen else []
        seen.add(where)
        for text in [a for _, answers, _ in sheet.all() for a in answers]:
            plain = re.sub(r"\[([^\]|]*)[^\]]*\]", r"\1", text)
            if len(re.findall(r"[.!?]+(?=\s|\"|$)", plain)) > 3 or len(plain.split()) > 38 or not re.search(r"[.!?]\"?$", plain) or re.search(r"[*#`]", plain):
                wrong.append(f"{where}: answer: {text}")
        if not wrong:
            for telling in sheet.tellings:
                for seed in range(3):
                    w = Writer(random.Random(seed), False)
                    played = Played(w, sheet, telling)
                    moves = played.moves()
                    if len(moves) < 6:
                        wrong.append(f"{where}: a telling answers {len(moves)} moves: {telling[:40]}")
                    for move in moves:
                        text = played.system + " ".join(t for _, t in played.turn(move))
                        wrong += [f"{where}: {text}"] if re.search(r"[{}\[\]|]", text) else []
    for form in FORMS if not wrong else []:
        for seed in range(60):
            form(Writer(random.Random(seed), seed % 2 == 1))
    return wrong


if __name__ == "__main__":
    found = check()
    lines = sum(len(s.all()) for s in SHEETS)
    print("\n".join(found) or f"{len(SHEETS)} sheets with {sum(len(s.tellings) for s in SHEETS)} tellings and {lines} moves ({sum(m == 'no' for s in SHEETS for _, _, m in s.lines)} open) are well formed")
    raise SystemExit(bool(found))
