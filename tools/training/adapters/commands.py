"""Commands: household requests in a made-up command language, `vel.stu=0@2145; lum.kit=30%+20;` (`adapters/prompts/README.md`).

The truth is a list of commands; the request is worded from it. What the language's page leaves open is decided so:
  an hour without a part of the day is the one on a 24-hour clock ("at seven" is 0700, "tonight at seven" 1900); tomorrow is no other day;
  a time or room that is named once before several orders, for "both" of them, or behind orders that only "and" joins, holds for all of them;
  one behind an order that "then" joins, or beside others that have their own, for that order;
  "for ten minutes" and "until ten" are two commands, the second undoes the first; "dark in the hall" asks for light, "cold" for heating;
  a garage door is the door of `grg`, a front door that of `hal`;
  questions, reports, orders to leave alone, more or less without a level, other things and other rooms are `nil;`.
"""

import re
from dataclasses import dataclass

from corpus.writer import cap, slip

from . import clock
from .clock import Moment, in_words
from .household import AND, BACK, CLOSE, EVERYWHERE, FRONT_ANY, FRONT_ORDER, LEVEL, NEAR, NIL, NO_DEVICE, NO_ROOM, NOUNS, NOW, OFF, ON, OPEN, OWN, ROOMS, THEN

GRAMMAR = re.compile(
    r"(?:(?:lum|vel|cal|ost|ven|son|vis|caf|aqu)\.(?:kit|bed|liv|bat|hal|gar|stu|nur|grg|all)=(?:[01]|\d{1,2}c|\d{1,2}%|100%)(?:@(?:[01]\d|2[0-3])[0-5]\d\*?|\+\d{1,3})?;)"
    r"(?: (?:lum|vel|cal|ost|ven|son|vis|caf|aqu)\.(?:kit|bed|liv|bat|hal|gar|stu|nur|grg|all)=(?:[01]|\d{1,2}c|\d{1,2}%|100%)(?:@(?:[01]\d|2[0-3])[0-5]\d\*?|\+\d{1,3})?;)*|nil;"
)
WITH_LEVEL = {"lum": 0.35, "vel": 0.25, "cal": 0.5, "ven": 0.4, "son": 0.35}
PLACES = {"lum": list(ROOMS), "vel": "kit bed liv bat stu nur hal".split(), "cal": "kit bed liv bat hal stu nur grg".split(), "ost": list(ROOMS), "ven": "kit bed liv bat stu nur grg".split(), "son": "kit bed liv bat gar stu nur grg".split(),
          "vis": "liv bed kit stu nur".split(), "caf": "kit stu liv grg".split(), "aqu": ["gar"]}
# What is said of this moment has no time behind it.
MOMENT = re.compile(r"~(?:It is|It's|I'm|I can't|The \{room\} |My feet|The plants|The grass|Everyone|The sun|The baby|The film|The match|Nobody is|We waste|We've|Did I|Coffee is|\{np\} \{is\} too)")
# Words that a slip of the finger would make another request.
FIXED = set("""open opened closed close shut lock locked unlock unlocked half quarter quarters three past noon midday midnight morning afternoon evening night tonight every daily each
    full minutes minute hour hours stop start raise lower lift drop kill pull roll enable disable mute percent degrees down from until then both""".split()) | set(clock.HOURS + clock.NUMBERS + clock.TENS)


@dataclass(frozen=True)
class Command:
    device: str
    room: str
    value: str
    when: Moment = Moment()

    def __str__(self):
        return f"{self.device}.{self.room}={self.value}{self.when};"

    def at(self, when):
        return Command(self.device, self.room, self.value, when)


@dataclass(frozen=True)
class Thing:
    """A device in a room, as one request calls them."""

    noun: str
    plural: bool
    room: str  # the room's word, or "" for all
    place: str  # "in the hall", "everywhere" or ""
    all: bool = False  # whether "all" stands before the noun
    single: bool = False  # whether its room is said elsewhere, so that neither "all" nor "every" may stand before it

    def alone(self):
        return f"all the {self.noun}" if self.all else f"the {self.noun}"


def command(w, device=None, room=None):
    device = device or w.one(list(NOUNS) + ["lum", "lum", "vel", "ost", "son", "cal"])
    room = room or ("all" if w.chance(0.22) else w.one(PLACES[device] if w.chance(0.88) else list(ROOMS)))
    return Command(device, room, level(w, device) if w.chance(WITH_LEVEL.get(device, 0)) else w.one("1110" if device in ("caf", "aqu") else "10"))


def level(w, device):
    if device == "cal":
        return f"{w.one([w.number(16, 25), w.number(16, 25), w.number(10, 28)])}c"
    return f"{w.one([w.number(1, 19) * 5, w.number(1, 9) * 10, w.number(1, 9) * 10, 50, 25, 75, 100, w.number(1, 99)])}%"


def thing(w, c, content=True):
    plural = w.chance(0.35 if c.device in ("lum", "vel") else 0.08 if c.room != "all" else 0.2)
    everywhere = c.room == "all"
    if everywhere and w.chance(0.35):
        plural = True
    noun = w.one(NOUNS[c.device][plural])
    if c.device == "ost" and c.room == "hal" and not plural and w.chance(0.25):
        noun = "front door"
    if everywhere:
        room, place = "", w.one(EVERYWHERE) if w.chance(0.45) else ""
    else:
        room = w.one(ROOMS[c.room])
        place = "" if noun == "front door" else "outside" if c.room == "gar" and w.chance(0.08) else f"in the {room}"
    if content and len(w.contents) < 2:
        w.contents.extend([noun, room or "all"])
    return Thing(noun, plural, room, place, plural and w.chance(0.75 if everywhere else 0.12))


def with_room(w, t, fragment):
    """"the lamp in the hall", "the hall lamp"; without its article now and then where no order stands before it."""
    article = "" if w.chance(0.5 if fragment else 0.03) else "the "
    if t.place.startswith("in the ") and t.room and t.noun != "front door" and not t.noun.startswith(t.room) and w.chance(0.45):
        return f"{'all ' if t.all else ''}{article}{t.room} {t.noun}"
    if t.all:
        head = w.one(["all the ", "all ", "all of the "]) + t.noun
    elif not t.single and not t.room and not t.place and not t.plural and t.noun in ("light", "lamp", "door", "blind", "radiator", "television", "fan", "shutter", "heater") and w.chance(0.25):
        head = f"every {t.noun}"
    else:
        head = article + t.noun
    return f"{head} {t.place}".rstrip()


def amount(w, value, bare=False):
    """A level in words or digits; with `bare` the number alone may do."""
    number = int(value[:-1])
    if bare and w.chance(0.12):
        return w.one([str(number), str(number), in_words(number)])
    if value[-1] == "c":
        return w.one([f"{number} degrees", f"{number} degrees", f"{number} degrees", f"{in_words(number)} degrees", f"{in_words(number)} degrees", f"{number}°C", f"{number} °C", f"{number}°", f"{number} C", f"{number} degrees Celsius", f"{number} deg", f"{number}c"])
    known = {50: ["half", "half", "a half"], 25: ["a quarter"], 75: ["three quarters"], 100: ["full", "the maximum", "max"]}.get(number)
    if known and w.chance(0.6):
        return w.one(known)
    return w.one([f"{number}%", f"{number}%", f"{number} %", f"{number} percent", f"{number} percent", f"{in_words(number)} percent", f"{in_words(number)} percent", f"{in_words(number)} per cent", f"{number} per cent", f"{number} pct"])


def sentences(c):
    """The templates that fit a command."""
    kind = c.value if c.value in "01" else "level"
    own = OWN.get((c.device, kind), [])
    if kind == "level":
        return own, LEVEL
    opens = c.device in ("vel", "ost")
    return own, (OPEN if kind == "1" else CLOSE) if opens else ON if kind == "1" else OFF


def fits(template, t):
    """Whether a sentence can be said of a thing in its place."""
    return not ("{room}" in template and (not t.room or t.noun == "front door") or "{r}" in template and t.noun == "front door")


def clause(w, c, t=None, later=False, asking=True):
    """(whether it is an order, text) of one command, without its time: with `later` nothing that is said of this moment only, without
    `asking` no question."""
    t = t or thing(w, c)
    own, common = sentences(c)
    own = [x for x in own if not (later and MOMENT.match(x)) and fits(x, t)]
    templates = [x for x in (own if own and w.chance(0.45) else common) if fits(x, t) and (asking or "?" not in x)]
    return worded(w, c, t, w.wording(templates))


def worded(w, c, t, text):
    fragment = text.startswith("~")
    value = amount(w, c.value, bare="to {p}" in text and "open" not in text) if c.value not in "01" else ""
    if "open" in text and value in ("half", "a half"):
        value = w.one(["half", "halfway"])
    short = text.startswith(("~{n", "~off: {n", "~on: {n", "~open: {n", "~close: {n"))
    parts = {"{np}": with_room(w, t, short), "{n}": t.noun if short and w.chance(0.5) and not t.all else t.alone(), "{r}": t.place, "{bare}": t.noun, "{room}": t.room, "{p}": value, "{is}": "are" if t.plural else "is", "{comes}": "come" if t.plural else "comes"}
    text = text.lstrip("~")
    if "{r} {n}" in text:
        parts["{r} {n}"] = with_room(w, t, False)
    for slot, word in sorted(parts.items(), key=lambda p: -len(p[0])):
        text = text.replace(slot, word)
    text = re.sub(r"\ba (half|quarter) (speed|brightness|volume|power|light)\b", r"\1 \2", text)
    text = re.sub(r"\b(?:a half|half) open\b", "half open", text)
    text = re.sub(r"\bthe maximum (speed|brightness|volume|power|light)\b", r"maximum \1", text)
    text = re.sub(r"\s+([.,!?:])", r"\1", re.sub(r"  +", " ", text)).strip()
    return not fragment, cap(text)


def inside(text):
    """A sentence as it stands within another one: no capital, no mark at its end."""
    text = text.rstrip(".!")
    return text if text[:2] in ("TV", "I ", "I'") else text[:1].lower() + text[1:]


def timed(w, text, words, lead=None):
    """A sentence with its time before or behind it."""
    end = text[-1:] if text[-1:] in ".?!" else ""
    front = w.chance(0.25) if lead is None else lead
    if front and end != "?":
        return cap(words) + w.one([", ", ", ", " "]) + inside(text) + end
    if ": " in text or ", " in text or ". " in text:
        return f"{cap(words)}: {inside(text)}{end}" if end != "?" else f"{text[:-1]} {words}?"
    return f"{text.rstrip('.?!')} {words}{end}"


def polite(w, order, text):
    """A request as it is spoken to a house."""
    if "?" in text[-1:] or "\n" in text:
        return text if w.chance(0.8) else w.fill(FRONT_ANY, x=inside(text), X=cap(text))
    chance = w.rng.random()
    whole = ". " in text
    if order and chance < 0.28:
        return w.fill(FRONT_ORDER, x=inside(text)) if not whole else "Please " + inside(text) + "."
    if chance < 0.4:
        return w.fill(FRONT_ANY, x=inside(text), X=cap(text))
    if chance < 0.52:
        return w.fill(BACK, x=inside(text), X=cap(inside(text)))
    return text


def typed(w, text):
    """Typing as people do it; nothing that decides the answer is touched."""
    if w.chance(0.25):
        text = text.lower()
    if w.chance(0.35):
        text = text.rstrip(".")
    if w.chance(0.12):
        places = [m for m in re.finditer(r"[A-Za-z']{4,}", text) if m.group().lower() not in FIXED]
        for m in w.rng.sample(places, min(1, len(places))):
            text = text[: m.start()] + slip(w, m.group()) + text[m.end() :]
    if w.chance(0.02):
        text = text.upper()
    return text


def single(w):
    c, later = command(w), w.chance(0.42)
    order, text = clause(w, c, later=later)
    if later:
        c = c.at(clock.moment(w))
        said = clock.said(w, c.when)
        front = w.chance(0.28)
        text = timed(w, text, said, front)
        order = order and not front
    elif w.chance(0.1) and text[-1:] != "?":
        text = timed(w, text, w.one(NOW), False)
    return [c], polite(w, order, text)


def different(w, count):
    """Some commands, no two for the same device and room."""
    found = {}
    room = "all" if w.chance(0.15) else None
    while len(found) < count:
        c = command(w, room=room)
        found.setdefault((c.device, c.room), c)
    return list(found.values())


def several(w):
    """Orders one after the other, each with its room and its time, or all with one time."""
    commands = different(w, w.one([2, 2, 2, 3]))
    commands = [c if c.room != "all" or all(x.room == "all" for x in commands) else command(w, c.device, w.one(PLACES[c.device])) for c in commands]
    together = w.rng.random()
    texts = [clause(w, c, later=together < 0.45, asking=together >= 0.22)[1] for c in commands]
    if together < 0.16:
        when = clock.moment(w)
        commands = [c.at(when) for c in commands]
        words = clock.said(w, when)
        joined = strung(w, texts, AND[:6])
        if len(texts) == 2 and w.chance(0.25):
            return commands, f"{strung(w, texts, [' and ']).rstrip('.!')} {words}"
        if w.chance(0.65):
            return commands, f"{cap(words)}{w.one([', ', ': '])}{inside(joined)}"
        return commands, f"{joined.rstrip('.')}, {'both' if len(texts) == 2 else 'all'} {words}"
    if together < 0.22:
        when = clock.moment(w)
        last = timed(w, texts[-1], clock.said(w, when), False)
        if w.chance(0.3):
            return commands[:-1] + [commands[-1].at(when)], f"{strung(w, texts[:-1], AND[:6]).rstrip('.!')}{w.one([', and ', ', then ', ' and then '])}{clock.said(w, when)} {inside(texts[-1])}"
        return commands[:-1] + [commands[-1].at(when)], strung(w, texts[:-1] + [last], THEN)
    if together < 0.45:
        made = []
        for i, (c, text) in enumerate(zip(commands, texts)):
            if w.chance(0.7) or i < len(texts) - 1 and made == [] and w.chance(0.4):
                when = clock.moment(w)
                made.append((c.at(when), timed(w, text, clock.said(w, when), i > 0 and w.chance(0.25))))
            else:
                made.append((c, timed(w, text, w.one(NOW), False)))
        return [c for c, _ in made], strung(w, [t for _, t in made], AND + THEN)
    return commands, strung(w, texts, AND + THEN[:2])


def strung(w, texts, joints):
    """Sentences strung together: commas first, one of the joints before the last; questions stand by themselves."""
    out = texts[0]
    for i, text in enumerate(texts[1:], 1):
        joint = w.one(joints if i == len(texts) - 1 else [", ", ", ", "; ", ". "])
        if "?" in (out[-1:], text[-1:]):
            joint = " " if out[-1:] in ".?!" else ". "
        if joint in (". ", " ", "\n"):
            out = (out.rstrip(".!") if joint == ". " else out) + joint + cap(text)
        else:
            mark = text[-1:] if text[-1:] in ".!" else ""
            out = out.rstrip(".!") + joint + inside(text) + mark
    return out


def doorless(noun):
    """A noun that may stand in another room than the hall."""
    return "door" if noun == "front door" else noun


def shared(w):
    """One order for two things, or for one thing in two or three rooms."""
    c = command(w, w.one(["lum", "lum", "vel", "cal", "ost", "ven", "son"]), None)
    while c.room == "all":
        c = command(w, c.device)
    t = thing(w, c)
    if w.chance(0.5):
        others = w.some([r for r in PLACES[c.device] if r != c.room], 1, 2)
        commands = [c] + [Command(c.device, r, c.value) for r in others]
        names = [w.one(ROOMS[x.room]) for x in commands]
        place = f"in the {', the '.join(names[:-1])} and {w.one(['the', 'the', 'in the'])} {names[-1]}"
        t = Thing(doorless(t.noun), t.plural, "", place, t.all)
    else:
        opens = c.device in ("vel", "ost")
        second = w.one([d for d in (("vel", "ost") if opens else ("lum", "cal", "ven", "son", "vis")) if d != c.device])
        c = Command(c.device, c.room, w.one("10"))
        commands = [c, Command(second, c.room, c.value)]
        other = thing(w, commands[1], False)
        t = Thing(f"{doorless(t.noun)} and {w.one(['the ', ''])}{doorless(other.noun)}", True, "", f"in the {w.one(ROOMS[c.room])}")
    order, text = worded(w, c, t, w.wording(sentences(c)[1]))
    if w.chance(0.3):
        when = clock.moment(w)
        commands = [x.at(when) for x in commands]
        front = w.chance(0.5)
        text, order = timed(w, text, clock.said(w, when), front), order and not front
    return commands, polite(w, order, text)


def apart(w):
    """One thing in two rooms, with a verb for both and a value for each: "light on in the kitchen and off in the hall"."""
    c = command(w, w.one(["lum", "lum", "vel", "cal", "ost", "ven", "son", "vis"]), None)
    while c.room == "all":
        c = command(w, c.device)
    room = w.one([r for r in PLACES[c.device] if r != c.room])
    other = Command(c.device, room, "10"[int(c.value)] if c.value in "01" else level(w, c.device))
    noun = w.one(NOUNS[c.device][w.chance(0.3)])
    one, two = (f"in the {w.one(ROOMS[x.room])}" for x in (c, other))
    w.contents.extend([noun, one])
    join = w.one([" and ", ", ", ", and ", " but "])
    if c.value in "01":
        words = {"vel": w.one([("open", "closed"), ("up", "down")]), "ost": ("open", "closed")}.get(c.device, ("on", "off"))
        first, second = words if c.value == "1" else words[::-1]
        forms = [f"{w.one(['', 'the '])}{noun} {first} {one}{join}{second} {two}", f"{w.one(['', 'the '])}{noun} {one} {first}{join}{two} {second}", f"I want the {noun} {first} {one}{join}{second} {two}"]
        if c.device not in ("vel", "ost"):
            forms += [f"{w.one(['turn', 'switch', 'put'])} the {noun} {first} {one}{join}{second} {two}", f"turn {first} the {noun} {one}{join}turn {second} the one {two}", f"the {noun} {one} goes {first}, the one {two} goes {second}"]
        else:
            verbs = ("open", "close") if c.value == "1" else ("close", "open")
            forms += [f"{verbs[0]} the {noun} {one}{join}{verbs[1]} {w.one(['the one', f'the {noun}', 'that'])} {two}"]
    else:
        first, second = amount(w, c.value), amount(w, other.value)
        forms = [f"{w.one(['', 'the '])}{noun} {w.one(['at', 'to'])} {first} {one}{join}{second} {two}", f"{w.one(['set', 'turn', 'put'])} the {noun} to {first} {one}{join}to {second} {two}", f"{w.one(['', 'the '])}{noun} {one} {first}{join}{two} {second}"]
    text = cap(w.one(forms)) + "."
    commands = [c, other]
    if w.chance(0.2):
        when = clock.moment(w)
        commands, text = [x.at(when) for x in commands], timed(w, text, clock.said(w, when), True)
    return commands, polite(w, False, text)


def one_room(w):
    """Several things in a room that is named once, or named again as "in there"."""
    room = w.one(list(ROOMS))
    devices = [d for d in NOUNS if room in PLACES[d]]
    form = w.one(["before", "before", "before", "again", "again", "again", "behind"])
    commands = [command(w, d, room) for d in w.some(devices, 2, 2 if form == "behind" else min(3, len(devices)))]
    name = w.one(ROOMS[room])
    w.contents.extend(["together", name])
    there = {"before": [""], "again": ["in there", "in there", "there", "there too", "in the same room", "in that room"], "behind": [""]}[form]
    places = [w.one(there) for _ in commands]
    if form != "before":
        places[0 if form == "again" else -1] = f"in the {name}"
    texts = []
    for c, place in zip(commands, places):
        t = thing(w, c, False)
        fitting = [x for x in sentences(c)[1] if form == "again" or "?" not in x and (form == "before" or x[0] != "~")]
        texts.append(worded(w, c, Thing(doorless(t.noun), t.plural, "", place, False, True), w.wording(fitting))[1])
    if form == "again":
        text = strung(w, texts, AND + THEN[:2])
    elif form == "behind":
        text = strung(w, texts, [" and "])
    elif w.chance(0.5):
        text = f"{cap(w.one([f'in the {name}', name, f'the {name}']))}: {', '.join(map(inside, texts))}"
    else:
        text = f"In the {name}, {inside(strung(w, texts, AND[:6]))}"
    if w.chance(0.2) and form == "before":
        when = clock.moment(w)
        commands = [c.at(when) for c in commands]
        text = f"{cap(clock.said(w, when))}, {inside(text)}"
    return commands, text


def undone(w):
    """A command and later its opposite: for a while, until or from then on, or told to do so."""
    c = command(w)
    while c.device == "caf":
        c = command(w)
    t = thing(w, c)
    back = Command(c.device, c.room, "10"[int(c.value)] if c.value in "01" else "0")
    order, text = worded(w, c, t, w.wording([x for x in sentences(c)[1][:12] if "?" not in x]))
    form = w.number(0, 3) if c.value in "01" else 3
    if form == 0:
        when = clock.moment(w, ["in"])
        return [c, back.at(when)], polite(w, order, timed(w, text, "for " + clock.lasting(w, when.minute), False))
    if form == 1:
        when = clock.moment(w, ["at"])
        return [c, back.at(when)], polite(w, order, timed(w, text, "until " + clock.spelled(w, when), False))
    start, end = clock.moment(w, ["at"]), clock.moment(w, ["at"])
    if form == 2:
        return [c.at(start), back.at(end)], polite(w, order, timed(w, text, f"from {clock.spelled(w, start)} {w.one(['to', 'until', 'till'])} {clock.spelled(w, end)}", False))
    it = "them" if t.plural else "it"
    undo = {"1": [f"open {it}", f"open {it} again"], "0": [f"close {it}", f"close {it} again"]} if c.device in ("vel", "ost") else {"1": [f"turn {it} on", f"switch {it} back on", f"turn {it} on again"], "0": [f"turn {it} off", f"switch {it} off", f"turn {it} off again"]}
    later = clock.moment(w, ["at", "in"])
    first = Moment() if w.chance(0.5) else clock.moment(w, ["at"])
    text = timed(w, text, clock.said(w, first) if first.kind else w.one(NOW), False) if first.kind or w.chance(0.4) else text
    return [c.at(first), back.at(later)], f"{text.rstrip('.?!')} and {w.one(['then ', ''])}{w.one(undo[back.value])} {clock.said(w, later)}."


def nothing(w):
    """A request that no device can answer."""
    known = {"known": w.one(ROOMS[w.one(list(ROOMS))]), "room1": w.one(["floor", "attic", "kitchen", "bathroom", "stairs", "hall"])}
    form = w.rng.random()
    c = command(w)
    t = thing(w, c)
    if form < 0.45:
        return polite(w, False, w.say(NIL, lamp=f"the {w.one(NOUNS['lum'][0])}", **known))
    if form < 0.62:
        door = f"the {w.one(ROOMS[w.one(list(ROOMS))])} door"
        return cap(w.say(NEAR, thing=with_room(w, t, False), bare=t.noun, door=door, was="were" if t.plural else "was", it="they" if t.plural else "it", **({"is": "are" if t.plural else "is"} | known)))
    if form < 0.82:
        device = w.one(NO_DEVICE)
        t, c = Thing(device, False, t.room, t.place if t.place != "outside" else "", False), Command(w.one(["lum", "ost", "ven"]), c.room, w.one("10"))
        w.contents[:] = [device, t.room or "all"]
        order, text = worded(w, c, t, w.wording([x for x in sentences(c)[1] if fits(x, t)]))
    else:
        room = w.one(NO_ROOM)
        w.contents[:] = [t.noun, room]
        t = Thing(doorless(t.noun), t.plural, room, f"{'on' if room in ('balcony', 'terrace', 'roof terrace') else 'in'} the {room}", False)
        order, text = clause(w, c, t)
    if w.chance(0.15):
        text = timed(w, text, clock.said(w, clock.moment(w)), False)
    return polite(w, order, text)


def example(w):
    form = w.rng.random()
    if form < 0.13:
        commands, text = [], nothing(w)
    else:
        maker = single if form < 0.56 else several if form < 0.73 else shared if form < 0.81 else apart if form < 0.84 else one_room if form < 0.95 else undone
        commands, text = maker(w)
    answer = " ".join(map(str, commands)) or "nil;"
    return {"messages": [{"role": "user", "content": typed(w, text)}, {"role": "assistant", "content": answer}], "commands": answer}


def templates():
    """Name -> wordings, for the counts."""
    return {"on": ON, "off": OFF, "open": OPEN, "closed": CLOSE, "levels": LEVEL, "nil": NIL, "near nil": NEAR, "courtesies": FRONT_ORDER + FRONT_ANY + BACK} | {f"{d}={v}": x for (d, v), x in OWN.items()}


def check(writer):
    """Every sentence said of every device that it fits, in a room and everywhere."""
    for device in NOUNS:
        for value in ["1", "0"] + (["level"] if device in WITH_LEVEL else []):
            for room in ("kit", "all"):
                w = writer()
                c = Command(device, room, level(w, device) if value == "level" else value)
                for text in (x for bank in sentences(c) for x in bank):
                    t = thing(w, c)
                    if fits(text, t):
                        yield worded(w, c, t, w.expand(text))[1]
    w = writer()
    words = dict(lamp="the lamp", known="hall", room1="hall", thing="the lamp", bare="lamp", door="the door", was="was", it="it", x="x", X="X")
    for text in NIL + NEAR + FRONT_ORDER + FRONT_ANY + BACK:
        yield w.fill(text, **(words | {"is": "is"}))


def valid(item):
    """Whether the answer of an example is written in the language."""
    return GRAMMAR.fullmatch(item["messages"][-1]["content"]) is not None


def parse(text):
    """The commands of an answer, or nothing where it is not written in the language."""
    return text.strip().split(" ") if GRAMMAR.fullmatch(text.strip()) else None


def measure(item, text):
    """Scores in 0...1: the commands to the letter; an answer in the language; the share of the wanted commands that it has."""
    given, wanted = parse(text), item["commands"].split(" ")
    return {"exact_match": float(text.strip() == item["commands"]), "in_the_language": float(given is not None), "commands_right": sum(c in (given or []) for c in wanted) / len(wanted)}
