"""More calls of tools, worded as strangers word them: values in other words than the parameter wants, implied, corrected, said before or chosen from a result.

The tools are in `tools_more.txt`, in the catalogue's format, with parameters of their own:
: key kind | names | descriptions | values      a parameter; the kinds are below (KIND)
? - ! = &                                       as in the catalogue; @key=value is an argument that the words mean, @key="text" one that stands in them
* wish with {key+}                              a wish for two or three values, each of which is one call
^ said -> reply -> wish                         what was said before holds the value
x wish                                          what no tool of this neighbourhood can do
c said -> reply                                 talk about the matter that wants nothing done
# id=code; name=TITLE; … / other tool, key / "{name} for {price} dollars"     the tool finds several, of which another tool takes one
+ tool                                          what follows belongs to this tool; ¶ is a new line
n field / words for it                          a field of the result that another tool may be given
i field / yes-value; … / clause / otherwise     a condition that the result decides, and what is said when it is not so
"""

import json
import re
from pathlib import Path

from .tool import NO_TOOL, OFFER, SYSTEMS, UNSAID, Conversation, called, note
from .tool_offer import FIXED, KEY, PIECE, Style, Tool, joined, lowered, plain_value, told
from .tool_plan import Plan, asked_for, put_together
from .toolbox import FILLERS, KINDS
from .words import BANKS, ENTITIES
from .writer import COMPUTED, ORDERS, cap, careless, dressed

TEENS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
TENS = "_ _ twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDER = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
MONTHS = "January February March April May June July August September October November December".split()


def in_words(n):
    if n < 20:
        return TEENS[n]
    if n < 100:
        return TENS[n // 10] + (f"-{TEENS[n % 10]}" if n % 10 else "")
    return in_words(n // 100) + " hundred" + (f" and {in_words(n % 100)}" if n % 100 else "")


def figure(w, n):
    return in_words(n) if 0 <= n < 1000 and w.chance(0.3) else str(n)


def plural(w, n, one, many=None):
    return f"{figure(w, n)} {one if n == 1 else many or one + 's'}"


def things(w, low, high):
    for _ in range(30 if w.chance(0.3) else 0):
        text, n = w.one([("a dozen", 12), ("half a dozen", 6), ("two dozen", 24), ("a hundred", 100), ("three dozen", 36), ("a dozen", 12)])
        if low <= n <= high:
            return text, n
    n = w.number(low, high)
    return figure(w, n), n


def phrased(w, low, high, share, phrases):
    """One of the phrases, where its number fits and in that share of cases; None where a figure is to be told."""
    text, n = w.one(phrases)
    return (text, n) if low <= n <= high and w.chance(share) else None


def minutes(w, low, high):
    if phrase := phrased(w, low, high, 0.4, [("half an hour", 30), ("a quarter of an hour", 15), ("an hour", 60), ("an hour and a half", 90), ("two hours", 120), ("three quarters of an hour", 45), ("half an hour", 30), ("1 hour", 60), ("2 hours", 120), ("3 hours", 180)]):
        return phrase
    n = w.number(low, high) if w.chance(0.5) else max(low, w.number(low, high) // 5 * 5)
    return w.one([plural(w, n, "minute"), plural(w, n, "minute"), f"{n} min"]), n


def in_units(unit, share, phrases):
    def say(w, low, high):
        if phrase := phrased(w, low, high, share, phrases):
            return phrase
        n = w.number(low, high)
        return plural(w, n, unit), n

    return say


hours = in_units("hour", 0.3, [("a day", 24), ("half a day", 12), ("two days", 48), ("an hour", 1), ("a whole day", 24), ("three days", 72)])
days = in_units("day", 0.35, [("a week", 7), ("two weeks", 14), ("a fortnight", 14), ("one day", 1), ("three weeks", 21), ("a single day", 1)])
seconds = in_units("second", 0.35, [("half a minute", 30), ("a minute", 60), ("two minutes", 120), ("a minute and a half", 90), ("one minute", 60), ("3 minutes", 180)])


def percent(w, low, high):
    if phrase := phrased(w, low, high, 0.25, [("half", 50), ("a quarter", 25), ("three quarters", 75), ("a third", 33), ("a tenth", 10)]):
        return phrase
    n = w.number(low, high)
    return w.one([f"{n} percent", f"{n}%", f"{n} %", f"{figure(w, n)} percent", f"{n} per cent"]), n


def money(w, low, high):
    n = w.number(low, high) if w.chance(0.5) else max(low, w.number(low, high) // 10 * 10)
    if w.chance(0.2):
        n = round(n + w.one([0.5, 0.99, 0.25, 0.75, 0.2]), 2)
        return w.one([f"${n:.2f}", f"{n:.2f} dollars", f"€{n:.2f}", f"{n:.2f} euros", f"£{n:.2f}"]), n
    return w.one([f"${n}", f"{n} dollars", f"{n} dollars", f"{figure(w, n)} dollars", f"€{n}", f"{figure(w, n)} euros", f"£{n}", f"{n} pounds", f"{n} bucks"]), n


def hour(w, low, high):
    n = w.number(low, high)
    if n in (0, 12) and w.chance(0.7):
        return ("noon" if n else "midnight"), n
    h, part = (n - 1) % 12 + 1, "am" if n < 12 else "pm"
    told_part = "in the morning" if 0 < n < 12 else "in the afternoon" if 12 < n < 18 else "in the evening" if 18 <= n < 22 else "at night"
    return w.one([f"{h} {part}", f"{h}{part}", f"{n}:00", f"{in_words(h)} {told_part}", f"{h} {told_part}", f"{h} o'clock {told_part}"]), n


def measure(small, short, big, bigshort):
    def made(w, low, high):
        text, n = w.one([(f"half a {big}", 500), (f"a {big}", 1000), (f"2 {big}s", 2000), (f"two {big}s", 2000), (f"a {big} and a half", 1500), (f"3 {big}s", 3000), (f"1.5 {big}s", 1500), (f"3 {bigshort}", 3000), (f"5 {bigshort}", 5000), (f"four {big}s", 4000)])
        if low <= n <= high and w.chance(0.45):
            return text, n
        n = max(low, w.number(low, min(high, 950)) // 10 * 10)
        return w.one([f"{n} {small}s", f"{n} {small}s", f"{n} {short}", f"{figure(w, n)} {small}s"]), n

    return made


def degrees(w, low, high):
    n = w.number(low, high)
    if n < 0:
        return w.one([f"minus {-n}", f"minus {-n} degrees", f"{-n} below zero", f"-{-n} degrees"]), n
    return w.one([f"{n} degrees", f"{n} degrees", f"{figure(w, n)} degrees", f"{n}°", f"{n} °C"]), n


def ahead(w, low, high):
    text, n = w.one([("today", 0), ("tomorrow", 1), ("tomorrow", 1), ("the day after tomorrow", 2), ("in a week", 7), ("in two weeks", 14)])
    if low <= n <= high and w.chance(0.7):
        return text, n
    n = w.number(max(low, 2), high)
    return f"in {figure(w, n)} days", n


def floor(w, low, high):
    n = w.number(low, high)
    if n < 1:
        return w.one(["the ground floor", "the ground floor", "floor 0"] if n == 0 else ["the basement", "the cellar"]), n
    return w.one([f"the {ORDER[n - 1]} floor"] * 3 + [f"floor {figure(w, n)}"] if n <= 10 else [f"floor {n}", f"floor {in_words(n)}"]), n


def nth(w, low, high):
    n = w.number(low, min(high, 10))
    return w.one([ORDER[n - 1], ORDER[n - 1], f"{n}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(n, 'th')}"]), n


def month(w, low, high):
    n = w.number(1, 12)
    return MONTHS[n - 1], n


def stars(w, low, high):
    n = w.number(low, high)
    return w.one([plural(w, n, "star"), f"{n} out of {high}", f"{n} of {high} stars"]), n


def whole(w, low, high):
    n = w.number(low, high)
    return figure(w, n), n


def bare(w, low, high):
    n = w.number(low, high)
    return str(n), n


def decimal(w, low, high):
    n = w.number(low, high)
    n = round(n + w.one([0.5, 0.25, 0.1, 0.8, 0.3]), 2) if w.chance(0.5) else n
    return str(n), n


# kind: (JSON type, what says a value of it, whether its definition must tell the unit)
KIND = {
    "int": ("integer", whole, False), "bare": ("integer", bare, False), "things": ("integer", things, False), "minutes": ("integer", minutes, True), "hours": ("integer", hours, True), "days": ("integer", days, True),
    "seconds": ("integer", seconds, True), "percent": ("integer", percent, True), "money": ("number", money, False), "hour": ("integer", hour, True), "grams": ("integer", measure("gram", "g", "kilo", "kg"), True),
    "meters": ("integer", measure("meter", "m", "kilometer", "km"), True), "ml": ("integer", measure("milliliter", "ml", "liter", "liters"), True), "degrees": ("number", degrees, False), "ahead": ("integer", ahead, True),
    "floor": ("integer", floor, False), "nth": ("integer", nth, True), "month": ("integer", month, True), "stars": ("integer", stars, False), "num": ("number", decimal, False),
}
MINE = {}  # what this file knows of its parameters, besides what KINDS has
MEANT = {}  # arguments that the words mean
WANTED = re.compile(r'@(\w+)=("[^"]*"|-?\w+(?:\.\d+)?)')


def meant(m):
    key = f"v{len(MEANT)}"
    MEANT[key] = m.group(2)
    return f"@{m.group(1)}={key}"


def parameter(line, index):
    """(key of the tool, key of all, what KINDS has) for a line of a parameter."""
    head, names, about, *values = [p.strip() for p in line.split(" | ", 3)]
    key, kind, *limits = head.split(" ")
    whole_key = f"{key}_q{index}"
    if kind == "enum":
        made = {}
        for v in values[0].split(";"):
            v, _, said = v.strip().partition("=")
            made[v] = said or v.replace("_", " ")
        entry = ("enum", made)
    elif kind == "bool":
        entry = ("bool", None)
    elif kind in ("str", "list"):
        made = [v.strip() for v in values[0].split("; ")]
        entry = ("string" if kind == "str" else "array", made[0] if made[0] in ("TITLE", "FULL", "FILE") else made)
    else:
        low, high = re.fullmatch(r"(-?\d+)-(\d+)", limits[0]).groups()
        entry = (KIND[kind][0], (int(low), int(high)))
        MINE[whole_key] = kind
    MINE.setdefault(whole_key, entry[0])
    KINDS[whole_key] = (entry[0], names.replace(", ", "|"), about.replace("; ", "|"), entry[1])
    return key, whole_key


def tools():
    plans, local = [], {}

    def own(text):
        """A line with the keys of its tool instead of short ones."""
        text = re.sub(r"\{(an? |A )?(\w+)(\+?)\}", lambda m: "{" + (m.group(1) or "") + local.get(m.group(2), m.group(2)) + m.group(3) + "}", text)
        text = re.sub(r"<(\w+):", lambda m: f"<{local.get(m.group(1), m.group(1))}:", text)
        return WANTED.sub(meant, re.sub(r"@(\w+)=", lambda m: f"@{local.get(m.group(1), m.group(1))}=", text))

    for line in (Path(__file__).parent / "tools_more.txt").read_text().strip().split("\n"):
        mark, rest = line[:2], line[2:].replace("¶", "\n")
        if not line.strip():
            continue
        if mark == "+ ":
            plan = next(p for p in plans if p.key == f"more {rest}")
            local = plan.local
        elif mark == ": ":
            key, whole_key = parameter(rest, len(plans))
            local[key] = whole_key
        elif mark in NAMES:
            parts = rest.split(" ~ ") if mark in ("x ", "c ") else [own(part) for part in rest.split(" ~ ")]
            if mark not in ("x ", "c ", "^ ") and (foreign := [k for part in parts for k in KEY.findall(part.replace("+}", "}")) + [k for k, _ in FIXED.findall(part)] + [k for k, _ in PIECE.findall(part)] if k not in MINE and (k in KINDS or k not in BANKS and k not in ENTITIES and k not in COMPUTED)]):
                raise ValueError(f"{plan.key}: {foreign} is no parameter of its own")
            setattr(plan, NAMES[mark], list(getattr(plan, NAMES[mark])) + parts)
        elif mark == "! ":
            plan.done = own(rest)
        elif mark == "= ":
            fields, answer, *more = rest.split(" > ")
            plan.fields, plan.answer = [tuple(f.split("=", 1)) for f in fields.split("; ")], own(answer)
            plan.more = [tuple(own(m).split(" -> ")) for m in more]
        elif mark in ("n ", "i "):
            getattr(plan, "given" if mark == "n " else "ifs").append(own(rest).split(" / "))
        elif mark == "# ":
            fields, (act, key), shown = [p.strip() for p in rest.split(" / ")][0], rest.split(" / ")[1].split(", "), rest.split(" / ")[2].strip('" ')
            plan.found = ([tuple(f.split("=", 1)) for f in fields.split("; ")], act.strip(), key.strip(), shown)
        else:
            key, domain, names, about = line.split(" / ")
            plan = Plan(f"more {key}", f"more {domain}", names.split("; "), about.split("; "), [])
            plans.append(plan)
            plan.each, plan.beyond, plan.talk, plan.before, plan.found, plan.given, plan.ifs = [], [], [], [], None, [], []
            local = {}
        plan.local = local
    return plans


NAMES = {"? ": "asks", "- ": "vague", "& ": "again", "* ": "each", "x ": "beyond", "c ": "talk", "^ ": "before"}
PLANS = tools()
BY_KEY = {p.key.removeprefix("more "): p for p in PLANS}
DOMAINS = sorted({p.domain for p in PLANS})

BEFORE = """So, long story. My {relative} was here all morning and we talked about everything and nothing, and now I am behind with my work. ~ I have had quite a day. First the {transport} was late, then it rained, and then I could not find my keys. Anyway. ~ Good morning! I hope you are well. ~
Sorry to bother you again, but there is one more thing. ~ I am standing in the rain right now, so let us be quick. ~ ok so ~ hey ~ Hello there, it's me again. ~ I don't really know how to put it, but ~ You won't believe what happened to me on {day}, but I will tell you later. ~ Listen, this is important. ~
My {relative} always did this for me, but now I am on my own. ~ {name} said that you could help me. ~ As I told {name}, I am no good with machines. ~ I was about to go to bed when I remembered this. ~ The children are screaming, so forgive me if I am short. ~ um, let me think ~ Right. ~ Okay, next thing. ~
Before we begin: thank you for yesterday. ~ I tried to do it on my own, honestly, and I failed three times. ~ First of all, I am very happy with you. ~ My glasses are broken and I can hardly read the buttons. ~ Since {name} left I have to do all of this alone. ~ It has been on my mind all week. ~ Quick one. ~
I never thought that I would ask a machine for this. ~ We have been waiting for this day since spring. ~ My doctor says I should worry less, so I am asking you. ~ You know how it is in {month}, everybody wants something at once. ~ I am writing this on my phone, so please excuse the typing. ~ Here goes. ~
This is what I would like. ~ My boss is standing behind me, so please hurry. ~ It is Friday, I want to go home. ~ Nobody else is in the office today. ~ Well, well, well. ~ Time is short. ~ Guess what? My {relative} is getting married! ~ I slept badly, so bear with me. ~ My battery is nearly empty, so in short:""".replace("\n", " ").split(" ~ ")
AFTER = """Thanks in advance. ~ Can you manage that? ~ That's all. ~ I would be so grateful. ~ And be quick about it, please. ~ No hurry, though. ~ My {relative} will be delighted. ~ Then I can finally relax. ~ You are a star. ~ I hope that is not too much to ask. ~ That would be lovely. ~ Cheers! ~ thx ~ ty :) ~
{name} asked me to. ~ Do that now, please. ~ If you don't mind. ~ OK? ~ Got it? ~ Otherwise I'll forget. ~ Is that possible? ~ You know me. ~ As always. ~ It is for my {relative}. ~ Everything else can wait. ~ I mean it. ~ Go on. ~ Make it so.""".replace("\n", " ").split(" ~ ")
AWKWARD = UNSAID | set("which why when whom is of as until after before below in for every near within again done end ready new old at up max min from highest lowest more earlier lower upper most starts begins enabled replace hold".split())
MENDED = ["{new}, not {old}", "{new} (not {old})", "{old}, no, {new}", "{old} - no, wait, {new}", "{old}, sorry, {new}", "{old}, I mean {new}", "{old}, no sorry, {new}", "{old}... no, {new}", "{old} (no: {new})", "{old}, or rather {new}", "{old}, oh no, make that {new}", "{old}, uh, {new}"]
HUMAN_ERRORS = ["no connection", "timeout", "the server is busy", "too many requests", "the device is offline", "the line is busy", "the service is down", "out of memory", "the battery is low", "the database is locked", "try again later", "the request was lost"]


TITLES = """The {object} of {town} ~ {name} and the {animal} ~ goodbye, {city} ~ {small} nights in {city} ~ the last {job} ~ nobody knows {name} ~ my {relative}'s {object} ~ {town} blues ~ how to lose a {animal} ~ dancing with {name} ~ {day} in {month} ~ no more {food} ~ waiting for {name} ~
the {trait} {job} ~ a {object} for {name} ~ under the {place} ~ letters from {city} ~ {name} was here ~ {season} ~ the {animal} who could fly ~ return to {town} ~ what {name} saw ~ the {job}'s {relative} ~ never on a {day} ~ {madeup} ~ murder at the {place} ~ {city} at midnight ~ the secret {room} ~ salt and {food} ~
one {season} in {town} ~ stay, {name} ~ the house on {street} ~ {food} for breakfast ~ the sound of {weather} mornings ~ a short history of the {object} ~ lonely {job} ~ two coats and a {object} ~ don't look back, {name} ~ {year} ~ and then there was {name}""".replace("\n", " ").split(" ~ ")


def headline(w):
    """A title of several words."""
    words = w.fill(TITLES).split(" ")
    return " ".join(x if i and x in SMALL else x[:1].upper() + x[1:] for i, x in enumerate(words))


DOUBLED = re.compile(r"\b(last|past|another|next|extra|these) an? ", re.I)  # "the last a week"
SMALL = set("of the in and a an to with from for on at was who by".split())


# What a result may hold besides what was asked for.
NOISE = {"source": "[sensor|archive|{company}|manual entry|server {small}]", "request_id": "{code}", "updated": "{time}", "version": "{small}.{small}", "station": "{town}", "operator": "{name}", "region": "[north|south|east|west]", "quality": "[good|fair|poor]", "device": "{madeup}-{count}", "next_update": "{time}", "language": "[English|French|Korean|Polish]", "priority": "[low|normal|high]", "checked_by": "{name} {surname}", "valid_until": "{day}", "page": "{small}", "status": "[ok|final|draft]", "model": "{madeup} {count}", "contact": "{phone}"}


class More(Tool):
    """A tool whose wishes say its values in other words."""

    def rule(self, key, style, about):
        w, (kind, _, _, made) = self.w, KINDS[key]
        if key not in MINE:
            return super().rule(key, style, about)
        about = cap(about) if w.chance(0.8) else about
        if kind == "bool":
            rule = {"type": "boolean"}
        elif kind == "enum":
            values = list(made)
            if w.chance(0.5):
                w.rng.shuffle(values)
            rule = {"type": "string", "enum": values}
        elif kind == "array":
            rule = {"type": "array", "items": {"type": "string"}}
        else:
            rule = {"type": kind}
        unit = MINE[key] in KIND and KIND[MINE[key]][2]
        if not (unit or kind == "bool" or w.chance(style.described)):
            return rule
        return rule | {"description": about} if style.late else {"type": rule["type"], "description": about} | rule

    def label(self, key):
        """The name of a parameter as words."""
        return " ".join(re.sub(r"([A-Z])", r" \1", self.names[key].replace("_", " ")).lower().split())

    def drawn(self, key):
        """(as it is said, the argument)"""
        w, (kind, _, _, made) = self.w, KINDS[key]
        if kind == "enum":
            value = w.one(list(made))
            return w.one(made[value].split("/")), value
        if kind == "bool":
            value = w.chance(0.5)
            return ("yes" if value else "no"), value
        if kind == "array":
            items = list(dict.fromkeys(plain_value(w, made) for _ in range(w.number(1, 4))))
            return w.one([joined(items), joined(items), ", ".join(items)]), items
        if kind == "string":
            text = headline(w) if made == "TITLE" and w.chance(0.6) else plain_value(w, made)
            quoted = made == "TITLE" and w.chance(0.25) or isinstance(made, list) and " " in text and w.chance(0.06)
            return (f'"{text}"' if quoted else text), text
        return KIND[MINE[key]][1](w, *made)

    def argument(self, key, name):
        """The argument that @key=name stands for."""
        raw, kind = MEANT[name], KINDS[key][0]
        if kind == "bool":
            return raw in ("yes", "true", "on")
        if kind in ("integer", "number"):
            return float(raw) if "." in raw else int(raw)
        if kind == "array":
            return raw.strip('"').split(", ")
        if kind == "enum" and raw not in KINDS[key][3]:
            raise ValueError(f"{self.plan.key}: {key}={raw}")
        return raw.strip('"')

    def values(self, wording):
        """Values for the slots of a wording, none twice, the lower one before the higher one."""
        said, arguments = {}, {}
        for key in KEY.findall(wording.replace("+}", "}")):
            if key in self.rules and key not in said:
                for _ in range(12):
                    said[key], arguments[key] = self.drawn(key)
                    if arguments[key] not in [v for k, v in arguments.items() if k != key]:
                        break
        low, high = [next((k for k in arguments if k.startswith(part + "_q")), None) for part in ("low", "high")]
        if low and high and arguments[low] > arguments[high]:
            arguments[low], arguments[high], said[low], said[high] = arguments[high], arguments[low], said[high], said[low]
        return said, arguments

    def wish(self, templates, known=None):
        w = self.w
        wording = w.wording([self.whole(t) for t in templates])
        fixed = {k: v for k, v in FIXED.findall(wording)}
        wording = re.sub(r"([!?])\.", r"\1", FIXED.sub("", wording))
        said, arguments = self.values(wording)
        spoken = dict(said)
        if said and w.chance(0.06):
            key = w.one(list(said))
            other, value = self.drawn(key)
            if KINDS[key][0] in ("string", "integer", "number") and value != arguments[key] and not key.startswith(("low", "high")) and '"' not in other + said[key]:
                spoken[key] = w.one(MENDED).replace("{old}", other).replace("{new}", said[key])
        quoted = any(MEANT[v][0] == '"' for v in fixed.values())
        typed = dressed(w, wording) if quoted else careless(w, dressed(w, wording))
        text = w.slots(re.sub(r"\b4 (?=\{)", "for ", re.sub(r"\b2 (?=\{)", "to ", typed)), spoken)
        if wording[:1] == "{" and (KEY.findall(wording) or [""])[0] in MINE and KINDS[KEY.findall(wording)[0]][0] not in ("string", "array") and w.chance(0.3):
            text = cap(text)
        text = DOUBLED.sub(r"\1 ", text)
        form = w.number(0, 99)
        if form < 7:
            start = w.fill(BEFORE)
            text = f"{start} {text[:1].lower() + text[1:] if start[-1] not in '.!?' and text.split(' ')[0] in LOW else text}"
        elif form < 12 and wording[-1:] in ".!?":
            text = f"{text}{'' if text[-1:] in '.!?' else '.'} {w.fill(AFTER)}"
        elif form < 14:
            text = f"{w.fill(FILLERS)} {text}"
        for key, value in fixed.items():
            arguments[key] = self.argument(key, value)
            said[key] = told(arguments[key])
        if w.chance(0.1):
            text = text.lower()
            arguments = {k: lowered(v) if KINDS[k][0] in ("string", "array") else v for k, v in arguments.items()}
        return text, arguments, said | {k: told(v) for k, v in arguments.items() if KINDS[k][0] in ("string", "array")}


    def found(self, arguments, count):
        """What a search returns: things with what is told of them."""
        w, made = self.w, []
        low, high = [next((v for k, v in arguments.items() if k.startswith(parts)), None) for parts in (("low_q", "pay_q"), ("high_q",))]
        start = next((v for k, v in arguments.items() if k.startswith("from_q")), None)
        for _ in range(60):
            item = {}
            for name, bank in self.plan.found[0]:
                if name in ("price", "pays") and low and high:
                    item[name] = w.number(int(low), int(high))
                elif name in ("price", "pays") and (low or high):
                    item[name] = w.number(int(low), int(low) * 2) if low else w.number(int(high) // 2, int(high))
                elif name == "time" and isinstance(start, int):
                    item[name] = f"{w.number(start, 23)}:{w.one(['00', '15', '30', '45', '20', '10'])}"
                else:
                    item[name] = found_field(w, name, bank)
            if len(made) < count and all(item[n] != m[n] for m in made for n in item):
                made.append(item)
        return made

    def listed(self, made):
        return [self.w.slots(self.plan.found[3], {k: str(v) for k, v in m.items()}).replace(" 1 stars", " 1 star") for m in made]

    def result(self, arguments, said):
        w = self.w
        if self.plan.found:
            if w.chance(0.08):
                return super().result(arguments, said) if w.chance(0.1) and self.plan.done else (f"Error: {(error := w.one(HUMAN_ERRORS))}", f"That did not work: {error}.", None)
            made = self.found(arguments, w.one([0, 1, 2, 2, 3]))
            return json.dumps(made if w.chance(0.6) else {"results": made}, ensure_ascii=False), f"I found {joined(self.listed(made))}." if made else "I found nothing.", {}
        if not self.plan.fields and w.chance(0.14):
            name = w.one(["confirmation", "reference", "id", "number", "receipt", "ticket", "code", "operator", "message_id", "queue", "cost", "started", "finishes"])
            value = {"operator": w.word("name"), "queue": w.number(1, 20), "cost": w.number(1, 90), "started": w.word("time"), "finishes": w.word("time"), "number": w.number(1, 999)}.get(name) or w.word("code")
            return json.dumps(w.one([{"status": "ok", name: value}, {name: value}, {"success": True, name: value}, {name: value, "status": "done"}, {"result": {name: value}}]), ensure_ascii=False), cap(w.slots(self.plan.done, said)), {name: str(value)}
        text, answer, fields = super().result(arguments, said)
        if fields and text.startswith("{") and w.chance(0.3):
            found = json.loads(text)
            wrapped = isinstance(found.get("result"), dict)
            inner = found["result"] if wrapped else found
            extra = {k: w.fill(v) for k, v in w.some(sorted(NOISE.items()), 1, 4) if k not in inner}
            both = list((inner | extra).items())
            w.rng.shuffle(both)
            text = json.dumps({"result": dict(both)} if wrapped else dict(both), ensure_ascii=False)
            return text, answer, fields | {"more " + k: v for k, v in extra.items()}
        if fields is None and answer.startswith("That did not work") and w.chance(0.6):
            error = w.one(HUMAN_ERRORS)
            return w.one([f"Error: {error}", json.dumps({"error": error}), json.dumps({"success": False, "error": error})]), f"That did not work: {error}.", None
        return text, answer, fields


LOW = set("Can Could Please I'd Would Set Put Send Find Book Turn Make Give Show Tell What How When Where Which Is Do Does We My The A An It This There Is Are Should Will Who Let Get Add Take Cancel Order Start Stop Open Close".split())


class Talk(Conversation):
    """The tools that are offered, and turns about them."""

    def __init__(self, w, count=None, wanted=(), alone=False):
        self.w, style = w, Style(w)
        count = count or w.one([1, 1, 2, 2, 3, 3, 3, 4])
        plans = {p.key: p for p in wanted or [w.one(PLANS)]}
        first = next(iter(plans.values()))
        domains = {p.domain for p in plans.values()}
        for _ in range(40):
            if len(plans) < count:
                if alone:
                    other = w.one(PLANS)
                    if other.domain in domains:
                        continue
                else:
                    form = w.number(0, 9)
                    other = w.one([p for p in PLANS if p.domain == first.domain]) if form < 5 else w.one(PLANS) if form < 9 else w.one([put_together, asked_for])(w)
                plans.setdefault(other.key, other)
        self.tools = []
        for plan in plans.values():
            note(w, plan.key)
            tool = (More if hasattr(plan, "each") else Tool)(w, plan, style)
            while tool.name in [t.name for t in self.tools]:
                if plan not in list(wanted)[:2] and plan is not first:
                    tool = None
                    break
                tool = More(w, plan, style)
                if w.chance(0.1):
                    tool.name += "2"
                    tool.definition["function"]["name"] = tool.name
            if tool:
                self.tools.append(tool)
        self.own = [t for t in self.tools if isinstance(t, More)]
        self.first = self.tools[0]
        w.rng.shuffle(self.tools)
        self.style, self.keys = style, [t.plan.key for t in self.tools]
        self.turns, self.chats = [("system", "")], []
        self.opened = w.one(SYSTEMS) if w.chance(0.2) else ""

    def told(self):
        """All turns, with the offer as the tools are now."""
        return [("system", self.opened + OFFER + "\n".join(json.dumps(t.definition, ensure_ascii=False) for t in self.tools))] + self.turns[1:]

    def tool_of(self, key):
        return next(t for t in self.tools if t.plan.key == f"more {key}")

    def finish(self, tool, arguments, said, end=False):
        w = self.w
        text, answer, fields = tool.result(arguments, said)
        self.say(("tool", text), ("assistant", answer))
        extra = [k for k in fields or () if k.startswith("more ")]
        if extra and w.chance(0.5):
            name = w.one(extra)
            label = name[5:].replace("_", " ")
            self.say(("user", w.ask(["And the {l}?", "What is the {l}?", "What does it say about the {l}?", "Tell me the {l}.", "I also need the {l}.", "{l}?"], l=label)), ("assistant", f"The {label} is {fields[name]}."))
        elif fields and tool.plan.more and w.chance(0.5):
            question, reply = w.one(tool.plan.more)
            self.say(("user", w.ask(question)), ("assistant", cap(w.slots(reply, said | fields))))
        elif fields and not tool.plan.fields and w.chance(0.6):
            (name, value), = fields.items()
            name = name.replace("_", " ")
            self.say(("user", w.ask([f"What is the {name}?", f"And the {name}?", f"Which {name} does it have?", f"[Tell me|Give me] the {name}.", f"What does it say, which {name}?", f"I need the {name}."]) if name not in ("started", "finishes") else w.ask([f"When has it {name}?" if name == "started" else "When does it finish?", "At what time?"])), ("assistant", f"The {name} is {value}." if name not in ("started", "finishes") else f"At {value}."))
        if fields is None and answer.startswith("That did not work") and w.chance(0.6):
            return self.once_more(tool, arguments, said)
        if w.chance(0.06):
            self.looked_back(tool, arguments)
        if not end and w.chance(0.35):
            self.again(tool, arguments, said)

    def looked_back(self, tool, arguments):
        """A question about the call that was made."""
        w = self.w
        keys = [k for k in arguments if isinstance(tool, More) and tool.label(k).split(" ")[0] not in AWKWARD and KINDS[k][0] != "bool"]
        if keys and w.chance(0.6):
            key = w.one(keys)
            self.say(("user", w.ask(["What did you use for the {l}?", "What did you take as the {l}?", "With which {l} did you call it?", "What did you put in for the {l}?", "What did you say for the {l}?"], l=tool.label(key))), ("assistant", told(arguments[key])))
        else:
            self.say(("user", w.ask(["Which tool did you use?", "Which tool was that?", "What tool did you call?", "With which tool did you do that?", "What is the name of the tool that you used?"])), ("assistant", tool.name))

    def once_more(self, tool, arguments, said):
        w = self.w
        self.say(("user", w.ask(["Try again.", "[Please |]try it again.", "Once more.", "One more time, please.", "Give it another try.", "Again, please.", "Hm, [do it|try] again.", "Can you repeat that?", "And now?", "What a pity. Try once more."])), called((tool, arguments)))
        for _ in range(30):
            text, answer, fields = tool.result(arguments, said)
            if fields is not None or not answer.startswith("That did"):
                break
        self.say(("tool", text), ("assistant", answer))

    def again(self, tool, arguments, said):
        w = self.w
        fitting = [t for t in tool.plan.again if set(KEY.findall(t)) | {k for k, _ in FIXED.findall(t)} <= set(tool.rules)]
        for _ in range(20 if fitting else 0):
            text, changed, new_said = tool.wish(fitting)
            new = arguments | changed
            if new != arguments:
                low, high = [next((new[k] for k in new if k.startswith(part + "_q")), None) for part in ("low", "high")]
                if low is not None and high is not None and low > high:
                    continue
                self.say(("user", text), called((tool, new)))
                return self.finish(tool, new, said | new_said, end=True)

    def both(self, answered):
        """Two wishes at once, of two tools or of one."""
        w = self.w
        tools = w.rng.sample(self.tools, 2) if len(self.tools) > 1 and w.chance(0.8) else [self.tools[0]] * 2
        (one, a, said), (two, b, said2) = [t.wish(t.asks) for t in tools]
        if tools[0] is tools[1] and a == b:
            return self.finish(*self.call())
        if one[-1:] in ".!" and not one.endswith(tuple(v for v in a.values() if isinstance(v, str))) and w.chance(0.6):
            text = one[:-1] + w.one([" and ", " and then ", ", and ", ", then ", " and also "]) + (two[:1].lower() + two[1:] if two.split(" ")[0] in LOW else two)
        else:
            text = one + ("" if one[-1:] in ".!?" else ".") + w.one([" ", " Also: ", " And ", " Then: ", "\n", " Oh, and one more thing: "]) + two
        self.say(("user", text), called((tools[0], a), (tools[1], b)))
        if answered:
            results = [t.result(x, s) for t, x, s in zip(tools, (a, b), (said, said2))]
            self.say(*[("tool", r[0]) for r in results], ("assistant", " ".join(r[1] for r in results)))

    def call(self):
        tool = self.w.one(self.own or self.tools)
        text, arguments, said = tool.wish(tool.asks)
        self.say(("user", text), called((tool, arguments)))
        return tool, arguments, said

    def ask_for(self, tool, answered, given_up=False):
        """What the tool needs and the wish left open is asked for."""
        w = self.w
        text, arguments, said = tool.wish([v for v in tool.plan.vague if set(KEY.findall(v)) | {k for k, _ in FIXED.findall(v)} <= set(tool.rules)] or [tool.plan.vague[0]])
        arguments = {k: v for k, v in arguments.items() if k in tool.rules}
        self.say(("user", text))
        missing = [k for k in tool.rules if k in tool.required and k not in arguments]
        if any(tool.label(k).split(" ")[0] in AWKWARD for k in missing):
            return None
        for key in missing:
            rule = tool.rules[key]
            label = tool.label(key)
            options = ": " + ", ".join(rule["enum"][:-1]) + " or " + rule["enum"][-1] if "enum" in rule else ": yes or no" if rule["type"] == "boolean" else ""
            spoken, argument = tool.drawn(key)
            for _ in range(9):
                if argument not in arguments.values():
                    break
                spoken, argument = tool.drawn(key)
            self.say(("assistant", f"Please tell me the {label}{options}."))
            if given_up and key == missing[-1]:
                return self.say(*w.one(GIVEN_UP))
            forms = ["{x}", "{x}", "{x}.", "{x} please", "{x}, please", "Let's say {x}.", "{x}, I think.", "hmm, {x}", "Oh, I forgot. {x}.", "{x} of course", "I said {x}, didn't I?", "{x}!", "It's {x}.", "um {x}", "{x}, thanks", "That would be {x}.", "Well, {x}."]
            if KINDS[key][0] == "enum":
                forms = forms[:7] + forms[8:9] + ["{x}!", "{x}, thanks", "um {x}"]
                spoken = spoken if w.chance(0.6) else argument.replace("_", " ")
            form = w.one(forms)
            self.say(("user", form.replace("{x}", cap(spoken) if form.startswith("{x}") and w.chance(0.3) and KINDS[key][0] not in ("string", "array") else spoken)))
            arguments[key], said[key] = argument, spoken if KINDS[key][0] not in ("string", "array") else told(argument)
        low, high = [next((k for k in arguments if k.startswith(part + "_q")), None) for part in ("low", "high")]
        if low and high and arguments[low] > arguments[high]:
            return None
        self.say(called((tool, arguments)))
        if answered:
            self.finish(tool, arguments, said, end=True)
        return True

    def step(self):
        w, form = self.w, self.w.number(0, 19)
        if form <= 11:
            self.finish(*self.call())
        elif form <= 13:
            self.chat()
        elif form == 14:
            self.thanks()
        elif form <= 16:
            w.one([self.about_tools, self.can_it])()
        else:
            able = [t for t in self.own if t.plan.vague]
            if able:
                self.try_to_ask(w.one(able), answered=True)
            else:
                self.finish(*self.call())

    def try_to_ask(self, tool, **how):
        for _ in range(20):
            start = len(self.turns)
            if self.ask_for(tool, **{"answered": self.w.chance(0.5)} | how) or how.get("given_up") and len(self.turns) > start + 2:
                return
            del self.turns[start:]
        self.finish(*self.call())

    def chat(self):
        """Talk that wants nothing done, about the matter of a tool or about anything."""
        w = self.w
        talk = [c for t in self.own for c in t.plan.talk]
        for _ in range(20):
            chosen = w.one(talk) if talk and w.chance(0.6) else w.one(CHAT)
            if chosen not in self.chats:
                break
        self.chats.append(chosen)
        said, reply = chosen.split(" -> ")
        known = {m: w.word(m) for m in re.findall(r"\{(?:an? )?(\w+)\}", said) if "{" + m + "}" in reply}
        said, reply = w.slots(careless(w, w.wording(said)), known), w.fill(reply, **known)
        self.say(("user", said), ("assistant", reply))

    def can_it(self):
        """Whether there is a tool for something."""
        w = self.w
        there = w.chance(0.6)
        if there:
            tool = w.one(self.tools)
            plan, name = tool.plan, tool.name
        else:
            plan = w.one([p for p in PLANS if p.domain not in {t.plan.domain for t in self.tools}])
        about = [a for a in plan.about if re.match(r"[A-Z][a-z]+s ", a) and " and " not in a and " or " not in a] or [None]
        if about[0] is None:
            return self.chat()
        first, _, rest = w.one(about).partition(" ")
        verb = (first[:-3] + "y" if first.endswith("ies") else first[:-2] if first.endswith(("ches", "shes", "sses", "xes", "oes")) else first[:-1]).lower()
        self.say(("user", w.ask(["Do you have a tool to {x}?", "Is there a tool that can {x}?", "Which tool can {x}?", "Is there [anything|something] to {x}?", "Have you got a tool with which I can {x}?", "Do any of your tools {x}?"], x=f"{verb} {rest}")), ("assistant", w.one([f"Yes, {name}."]) if there else NO_TOOL))


GIVEN_UP = [(("user", said), ("assistant", reply)) for said, reply in [("Never mind.", "OK."), ("Forget it.", "OK."), ("Oh, leave it.", "OK."), ("I don't know. Let's not do it.", "OK."), ("never mind, I'll do it myself", "OK."), ("Actually, no. Don't do it.", "OK."), ("stop, cancel that", "OK."), ("Then don't.", "OK."), ("I changed my mind, forget about it.", "OK."), ("Too complicated. Leave it.", "OK.")]]
CHAT = """How are you [today|]? -> I am fine, thank you. What can I do for you? ~ Are you a person? -> No, I am an assistant. ~ I had a terrible [day|morning]. -> I am sorry to hear that. ~ It's my birthday! -> Happy birthday! ~ Do you ever get tired? -> No, I never get tired. ~ We won the match! -> Congratulations! ~
I'm bored. -> I am sorry to hear that. What would you like to do? ~ good night -> Good night! ~ See you tomorrow. -> See you tomorrow! ~ I passed my exam in {subject}! -> Congratulations! ~ My {animal} is ill. -> I am sorry to hear that. I hope it gets better soon. ~ ok -> OK. ~ lol -> I am glad that you are amused. ~
You are funny. -> Thank you! ~ that was wrong -> I am sorry about that. ~ You are slow today. -> I am sorry about that. ~ Nice work! -> Thank you! ~ never mind -> OK. ~ Don't do anything yet. -> OK, I will wait. ~ wait a moment -> OK, I will wait. ~ Hold on, somebody is at the door. -> OK, I will wait. ~ I'm back. -> Welcome back! ~
I have to think about it. -> Take your time. ~ I'm not sure yet. -> Take your time. ~ Let me ask my {relative} first. -> Take your time. ~ Who made you? -> I do not know. ~ What is my name? -> I do not know. ~ My name is {name}. -> Hello, {name}! What can I do for you? ~ I moved to {city} last month. -> How do you like {city}? ~
I am on holiday. -> Enjoy your holiday! ~ My {relative} is visiting us. -> That sounds nice. ~ Do you like music? -> I cannot hear music, but I can talk about it. ~ We had a baby! -> Congratulations! ~ I lost my job. -> I am very sorry to hear that. ~ I'm nervous about tomorrow. -> I am sure that you will do well. ~ Wish me luck! -> Good luck! ~
What a beautiful morning. -> Yes, enjoy it! ~ brb -> OK, I will wait. ~ My {relative} says hello. -> Thank you! Please say hello from me. ~ I learned to swim at last. -> Well done! ~ Are you still there? -> Yes, I am here. ~ hello? -> Hello! What can I do for you? ~ I broke my arm. -> I am sorry to hear that. Get well soon! ~ You saved my day! -> I am glad to hear that!""".replace("\n", " ").split(" ~ ")


# the forms


def begun(w, **how):
    """A talk that now and then has begun with something else."""
    talk = Talk(w, **how)
    if w.chance(0.1):
        talk.chat()
    return talk


def one_call(w):
    talk = begun(w)
    tool = talk.first if isinstance(talk.first, More) else w.one(talk.own)
    text, arguments, _ = tool.wish(tool.asks)
    talk.say(("user", text), called((tool, arguments)))
    return talk.told()


def answered(w):
    talk = Talk(w)
    talk.finish(*talk.call())
    for _ in range(w.number(0, 2)):
        talk.step()
    return talk.told()


def wishes(w):
    talk = Talk(w, w.number(2, 4))
    for _ in range(w.number(3, 5)):
        talk.step()
    return talk.told()


def neighbours(w):
    """Tools that are near to each other, of which the wish decides."""
    domain = w.one([d for d in DOMAINS if sum(p.domain == d for p in PLANS) > 2])
    plans = [p for p in PLANS if p.domain == domain]
    talk = Talk(w, 1, w.some(plans, min(3, len(plans)), min(4, len(plans))))
    for _ in range(w.number(1, 3)):
        tool, arguments, said = talk.call()
        talk.finish(tool, arguments, said, end=w.chance(0.6))
    return talk.told()


def described_only(w):
    """Names that tell nothing, or something else: only the description decides."""
    talk = Talk(w, w.number(2, 4))
    form = w.number(0, 9)
    names = [t.name for t in talk.tools]
    if form < 4:
        names = w.one([[f"tool_{i + 1}" for i in range(9)], [f"fn{w.number(1, 99)}{c}" for c in "abcdefgh"], list("ABCDEFGH"), [f"action{i}" for i in range(9)], ["alpha", "beta", "gamma", "delta", "omega", "sigma"], ["red", "blue", "green", "white", "black"], ["monday", "tuesday", "friday", "sunday", "saturday"]])
        w.rng.shuffle(names)
    elif form < 7:
        names = w.some(["do_it", "handler", "run_action", "execute", "helper", "process", "my_function", "service_call", "api_v2", "perform", "magic", "task_runner", "module", "endpoint", "trigger", "job", "utility", "main"], 6)
    elif form < 8:
        names = list(dict.fromkeys(w.word("madeup") for _ in range(12)))
    else:
        names = names[1:] + names[:1]
    for tool, name in zip(talk.tools, names):
        tool.name = tool.definition["function"]["name"] = name
    for _ in range(w.number(1, 3)):
        tool, arguments, said = talk.call()
        talk.finish(tool, arguments, said, end=w.chance(0.6))
    return talk.told()


def asked_back(w):
    plan = w.one([p for p in PLANS if p.vague])
    talk = Talk(w, wanted=[plan])
    for _ in range(9):
        if not any(talk.first.label(k).split(" ")[0] in AWKWARD for k in talk.first.required):
            break
        talk = Talk(w, wanted=[plan])
    talk.try_to_ask(talk.first)
    return talk.told()


def given_up(w):
    plan = w.one([p for p in PLANS if p.vague])
    talk = Talk(w, wanted=[plan])
    for _ in range(9):
        if not any(talk.first.label(k).split(" ")[0] in AWKWARD for k in talk.first.required):
            break
        talk = Talk(w, wanted=[plan])
    talk.try_to_ask(talk.first, given_up=True)
    if w.chance(0.5):
        talk.finish(*talk.call(), end=True)
    return talk.told()


def one_each(w):
    """One sentence that wants the same for two or three."""
    plan = w.one([p for p in PLANS if p.each])
    talk = Talk(w, wanted=[plan])
    tool = talk.first
    for _ in range(60):
        wording = w.wording([tool.whole(t) for t in plan.each])
        fixed = FIXED.findall(wording)
        keys = re.findall(r"\{(\w+)\+\}", wording)
        if set(keys) | {k for k, _ in fixed} | set(k for k in KEY.findall(wording) if k in MINE) <= set(tool.rules):
            break
    else:
        return one_each(w)
    wording, (key,) = FIXED.sub("", wording), keys
    said, arguments = tool.values(wording)
    drawn = {}
    for _ in range(w.one([2, 2, 2, 3])):
        spoken, value = tool.drawn(key)
        drawn.setdefault(str(value), (spoken.strip('"'), value))
    if len(drawn) < 2:
        return one_each(w)
    for k, v in fixed:
        arguments[k] = tool.argument(k, v)
    listed = [s for s, _ in drawn.values()]
    text = w.slots(careless(w, dressed(w, wording.replace("+}", "}"))), said | {key: joined(listed)})
    calls = [arguments | {key: value} for _, value in drawn.values()]
    talk.say(("user", text), called(*[(tool, c) for c in calls]))
    if w.chance(0.6):
        results = [tool.result(c, said | {key: s}) for c, (s, _) in zip(calls, drawn.values())]
        talk.say(*[("tool", r[0]) for r in results], ("assistant", " ".join(r[1] for r in results)))
    return talk.told()


def two_at_once(w):
    talk = Talk(w, w.number(2, 4))
    talk.both(answered=w.chance(0.6))
    return talk.told()


def said_before(w):
    """The value was said before; the wish only points to it."""
    plan = w.one([p for p in PLANS if p.before])
    talk = Talk(w, wanted=[plan])
    tool = talk.first
    fitting = [b for b in plan.before if set(k for k in KEY.findall(b) if k in MINE) | {k for k, _ in FIXED.findall(b)} <= set(tool.rules)]
    if not fitting:
        return said_before(w)
    line = w.one(fitting)
    fixed = FIXED.findall(line)
    said, arguments = tool.values(line)
    names = {m: w.word(m) for m in set(re.findall(r"\{(?:an? |A )?(\w+)\}", FIXED.sub("", line))) if m not in MINE}
    remark, reply, wish = w.expand(FIXED.sub("", line)).split(" -> ")
    known = names | {k: told(arguments[k]) if KINDS[k][0] == "string" else s for k, s in said.items()}
    for k, v in fixed:
        arguments[k] = tool.argument(k, v)
        known[k] = told(arguments[k])
    talk.say(("user", w.slots(careless(w, remark), known)), ("assistant", cap(w.slots(reply, known))), ("user", w.slots(careless(w, dressed(w, wish)), known)), called((tool, arguments)))
    if w.chance(0.5):
        talk.finish(tool, arguments, known, end=True)
    return talk.told()


def beyond(w):
    """A wish that comes near to the tools, and none can do it."""
    plan = w.one([p for p in PLANS if p.beyond])
    talk = Talk(w, wanted=[plan], alone=True)
    text = w.ask(w.one(plan.beyond))
    if w.chance(0.08):
        text = f"{w.fill(FILLERS)} {text}"
    if w.chance(0.35):
        talk.finish(*talk.call(), end=True)
    talk.say(("user", text), ("assistant", NO_TOOL))
    if w.chance(0.35):
        talk.call()
    return talk.told()


def no_call(w):
    """Talk beside the tools."""
    talk = Talk(w)
    for _ in range(w.number(1, 3)):
        talk.chat()
    if w.chance(0.5):
        talk.finish(*talk.call(), end=True)
    return talk.told()


def not_so(w):
    """An error: the same again, or another value."""
    talk = Talk(w)
    tool, arguments, said = talk.call()
    texts = [k for k, v in arguments.items() if KINDS[k][0] == "string" and k in MINE and isinstance(v, str)]
    if texts and w.chance(0.6):
        key = w.one(texts)
        label = tool.names[key].replace("_", " ").lower()
        error = w.one(["{v} is not known", "no such {l}: {v}", "{v} not found", "unknown {l} {v}", "{v} does not exist", "{v}: not in the list"]).replace("{v}", arguments[key]).replace("{l}", label)
        talk.say(("tool", w.one([f"Error: {error}", json.dumps({"error": error}, ensure_ascii=False), f"failed: {error}", json.dumps({"success": False, "error": error}, ensure_ascii=False)])), ("assistant", f"That did not work: {error}."))
        spoken, value = tool.drawn(key)
        if value in arguments.values():
            return not_so(w)
        talk.say(("user", w.ask(["Sorry, I meant {x}.", "I meant {x}.", "{x}, not {o}.", "Then {x}.", "Oh, it is {x}.", "Try {x}.", "Take {x} instead.", "My mistake: {x}.", "It must be {x}, then.", "Typo! {x}", "Ah, {x}."], x=value, o=arguments[key])))
        arguments = arguments | {key: value}
        said = said | {key: value}
        talk.say(called((tool, arguments)))
        if w.chance(0.5):
            talk.finish(tool, arguments, said, end=True)
        return talk.told()
    error = w.one(HUMAN_ERRORS)
    talk.say(("tool", w.one([f"Error: {error}", json.dumps({"error": error}), json.dumps({"success": False, "error": error}), json.dumps({"status": "error", "message": error})])), ("assistant", f"That did not work: {error}."))
    if w.chance(0.35):
        talk.say(("user", w.ask(["Why[ not|]?", "What [was|is] the [problem|matter]?", "What went wrong?", "Why didn't it work?", "What does it say?"])), ("assistant", f"{cap(error)}."))
    if w.chance(0.7):
        talk.once_more(tool, arguments, said)
    return talk.told()


FINER = {"price": ("cheaper", "cheapest", min), "pays": ("better paid", "best paid", max), "stars": ("better rated", "best rated", max), "minutes": ("shorter", "shortest", min), "meters": ("nearer", "nearest", min), "pages": ("longer", "longest", max), "seats": ("bigger", "biggest", max), "percent": ("fuller", "fullest", max), "year": ("newer", "newest", max), "kilos": ("lighter", "lightest", min)}
COARSER = {"price": ("more expensive", "most expensive", max), "pages": ("shorter", "shortest", min), "seats": ("smaller", "smallest", min), "year": ("older", "oldest", min), "meters": ("farther", "farthest", max), "kilos": ("heavier", "heaviest", max)}


def choosing(w):
    """Several things are found, and one of them is taken: by its name, its place in the list or what it is like."""
    plan = w.one([p for p in PLANS if p.found])
    _, act, key, _ = plan.found
    other = BY_KEY[act]
    talk = Talk(w, w.one([2, 2, 3]), [plan, other])
    one, two = talk.tool_of(plan.key.removeprefix("more ")), talk.tool_of(act)
    key = next(k for k in KINDS if k == other.local[key])
    if key not in two.rules:
        return choosing(w)
    text, arguments, said = one.wish(one.asks)
    talk.say(("user", text), called((one, arguments)))
    made = one.found(arguments, w.number(2, 4))
    if len(made) < 2:
        return choosing(w)
    listed = one.listed(made)
    talk.say(("tool", json.dumps(made if w.chance(0.6) else {"results": made}, ensure_ascii=False)), ("assistant", f"I found {joined(listed)}."))
    wanted, index = w.one(made), 0
    numbers = [n for n in wanted if n in FINER]
    degree = 0 if len(made) == 2 else 1
    if numbers and w.chance(0.35):
        n = w.one(numbers)
        question = w.one(["Which is the {x}?", "Which one is the {x}?", "What is the {x} of them?", "And the {x}?"]).replace("{x}", FINER[n][degree])
        wanted = FINER[n][2](made, key=lambda m: m[n])
        talk.say(("user", question), ("assistant", str(wanted.get("name", next(iter(wanted.values()))))))
        words = w.one(["it", "that one", "that"])
    else:
        index = made.index(wanted)
        form = w.number(0, 3)
        if form == 0 or not numbers and form == 1:
            words = w.one([f"the {ORDER[index]} one", f"the {ORDER[index]}", f"number {index + 1}"] + (["the last one"] if index == len(made) - 1 else []))
        elif form == 1:
            n = w.one(numbers)
            low, high, best = w.one([FINER[n]] + ([COARSER[n]] if n in COARSER else []))
            wanted = best(made, key=lambda m: m[n])
            words = w.one(["the {x} one", "the {x}", "the {x} of them"]).replace("{x}", low if degree == 0 else high)
            if degree == 0:
                words = words.replace(" of them", " of the two")
        elif form == 2 and "name" in wanted:
            words = wanted["name"]
        else:
            words = None
            rest = [n for n in list(wanted)[1:] if n != "name" and isinstance(wanted[n], (int, str))]
            if rest:
                n = w.one(rest)
                words = {"price": "the one for {v} dollars", "pays": "the one for {v} dollars", "time": "the one at {v}", "town": "the one in {v}", "color": "the {v} one", "minutes": "the one that takes {v} minutes", "meters": "the one {v} meters away", "pages": "the one with {v} pages", "seats": "the one with {v} seats", "stars": "the one with {v} stars", "year": "the one from {v}", "author": "the one by {v}", "street": "the one on {v}", "kilos": "the one of {v} kilos", "owner": "{v}'s", "day": "the one on {v}", "kind": "the {v}", "percent": "the one with {v} percent"}[n].replace("{v}", str(wanted[n]))
            else:
                words = wanted["name"]
    field = next(iter(wanted))
    value = wanted[field]
    needed = [k for k in two.required if k != key]
    if needed:
        raise ValueError(f"{other.key} needs {needed}")
    verb = w.one(CHOSEN.get(act, ["Take {x}.", "I'll take {x}.", "Then {x}, please."]))
    talk.say(("user", w.slots(careless(w, verb), {"x": words})), called((two, {key: value})))
    if w.chance(0.5):
        talk.finish(two, {key: value}, {key: value}, end=True)
    return talk.told()


CHOSEN = {
    "reserve book": ["Reserve {x}.", "Put {x} aside for me.", "I'd like {x}.", "Keep {x} for me, please.", "{x} sounds good, hold it for me."],
    "buy seats": ["Get us tickets for {x}.", "We'll see {x}.", "Let's watch {x}.", "Then {x}, please.", "I'd like to see {x}."],
    "view flat": ["I want to see {x}.", "Can we visit {x}?", "Arrange a visit to {x}.", "Then let me look at {x}."],
    "apply job": ["Apply for {x}.", "I'd like {x}, send my papers.", "Send an application for {x}.", "{x} is what I want, apply."],
    "reserve dinner": ["Reserve {x}.", "Get us a table at {x}.", "We take {x}.", "Let's eat at {x}.", "Then {x}, please."],
    "book train": ["Book {x}.", "I'll take {x}.", "We ride with {x}.", "Then {x}, please.", "Get me a seat in {x}."],
    "take scooter": ["Unlock {x}.", "I take {x}.", "Then {x}, please.", "Let me ride {x}.", "Give me {x}."],
}


def found_field(w, name, bank):
    if bank.startswith("~"):
        return w.fill(w.one(bank[1:].split("|")))
    if re.fullmatch(r"\d+-\d+", bank):
        low, high = map(int, bank.split("-"))
        return w.number(low, high)
    text = w.fill(bank) if "{" in bank else plain_value(w, bank)
    return int(text) if bank in ("count", "small", "price", "year") else text


# Tools that are given what another one found: its parameter for it, a parameter for a person, requests.
GIVEN = {
    "tell somebody": ("text", "who", ["Find out {n} and send it to {who}.", "Look up {n} and write it to {who}.", "{who} wants to know {n}. Look it up and send it[ over|].", "Send {who} {n}[, please look it up|].", "Get {n} for {who} and [text|message] it.", "Let {who} have {n}, you'll have to look it up.", "Tell {who} {n}. [First look it up|You will have to check it first]."]),
    "keep note": ("text", None, ["Look up {n} and write it down.", "Find out {n} and note it.", "Get {n}, then keep it as a note.", "I must not forget {n}. Find it and make a note.", "Note {n}, but look it up first.", "Write down {n} [for me|], after you've checked it."]),
    "read aloud": ("text", None, ["Look up {n} and read it to me.", "Find out {n} and say it aloud.", "Check {n}, then read it out through the speaker.", "Say {n} over the speaker, look it up first.", "Get {n} and speak it aloud, my hands are full."]),
    "show sign": ("text", None, ["Look up {n} and show it on the sign.", "Put {n} on the board, after looking it up.", "Find out {n} and let the sign show it.", "The display should show {n}. Look it up."]),
}


def orders_of(tool):
    """Wishes that are plain orders of one clause."""
    return [a for a in tool.asks if a.split(" ")[0] in ORDERS and re.fullmatch(r"[^.?!:]*\.( ?@.*)?", a)]


def told_not(w):
    """Something is not to be done."""
    talk = Talk(w)
    able = [t for t in talk.own if orders_of(t)]
    if not able:
        return told_not(w)
    tool = w.one(able)
    if w.chance(0.4):
        talk.finish(*talk.call(), end=True)
    wording = FIXED.sub("", w.wording([tool.whole(a) for a in orders_of(tool)])).rstrip(".")
    said, _ = tool.values(wording)
    order = wording[:1].lower() + wording[1:]
    text = w.slots(careless(w, w.wording(["Don't " + order + ".", "Please don't " + order + ".", "Do not " + order + ", please.", "Never " + order + ".", "There is no need to " + order + ".", "I don't want you to " + order + ".", "You must not " + order + ".", "Whatever you do, don't " + order + ".", "Under no circumstances " + order + "!", "You needn't " + order + "."])), said)
    talk.say(("user", text), ("assistant", "OK, I will not."))
    if w.chance(0.5):
        talk.call()
    return talk.told()


def by_label(w):
    """A wish like a form that was filled in: what is wanted, and each value with its label."""
    talk = Talk(w)
    tool = w.one(talk.own)
    keys = [k for k in tool.rules if k in tool.required or w.chance(0.5)]
    if not keys:
        return by_label(w)
    arguments, lines = {}, []
    said, drawn = tool.values(" ".join("{" + k + "}" for k in keys))
    for key in keys:
        arguments[key] = drawn[key]
        _, names, _, _ = KINDS[key]
        label = w.one([tool.label(key), tool.label(key), w.one(names.split("|"))])
        lines.append((label, said[key]))
    if len({label for label, _ in lines}) < len(lines):
        return by_label(w)
    w.rng.shuffle(lines)
    head = w.one([tool.name, w.one(tool.plan.names), w.one(tool.plan.names).capitalize(), tool.definition["function"]["description"].rstrip("."), w.one(tool.plan.names) + "!", "New: " + w.one(tool.plan.names)])
    style = w.number(0, 4)
    text = [lambda: head + "\n" + "\n".join(f"{a}: {b}" for a, b in lines), lambda: head + "\n" + "\n".join(f"- {a} = {b}" for a, b in lines), lambda: head + ": " + ", ".join(f"{a} {b}" for a, b in lines), lambda: head + " (" + ", ".join(f"{a}: {b}" for a, b in lines) + ")", lambda: head + " | " + " | ".join(f"{cap(a)}: {b}" for a, b in lines)][style]()
    talk.say(("user", text), called((tool, arguments)))
    if w.chance(0.4):
        talk.finish(tool, arguments, {k: said[k] if KINDS[k][0] not in ("string", "array") else told(v) for k, v in arguments.items()})
    return talk.told()


def handed_on(w):
    """What one tool finds is given to another."""
    plan = w.one([p for p in PLANS if p.given])
    goal = w.one([g for g in GIVEN if g in BY_KEY])
    other = BY_KEY[goal]
    talk = Talk(w, w.one([2, 2, 3]), [plan, other])
    one, two = talk.tool_of(plan.key.removeprefix("more ")), talk.tool_of(goal)
    field, phrase = w.one(plan.given)
    text_key, who_key, requests = GIVEN[goal]
    said, arguments = one.values(phrase)
    if set(arguments) < set(one.required):
        return handed_on(w)
    found = {name: one.field(made, {}) for name, made in plan.fields}
    given = {other.local[text_key]: told(found[field])}
    known = {"n": w.slots(phrase, said)}
    if who_key:
        known["who"] = two.drawn(other.local[who_key])[1]
        if known["who"] in " ".join(map(str, arguments.values())):
            return handed_on(w)
        given[other.local[who_key]] = known["who"]
    talk.say(("user", w.ask(requests, **known)), called((one, arguments)), ("tool", json.dumps(found, ensure_ascii=False) if w.chance(0.7) else ", ".join(f"{k}: {told(v)}" for k, v in found.items())), called((two, given)))
    if w.chance(0.6):
        talk.finish(two, given, {k: told(v) for k, v in given.items()}, end=True)
    return talk.told()


def only_if(w):
    """Something is to be done only if a tool says so."""
    plan = w.one([p for p in PLANS if p.ifs])
    other = w.one([p for p in PLANS if p.domain != plan.domain])
    talk = Talk(w, w.one([2, 2, 3]), [plan, other])
    one, two = talk.tool_of(plan.key.removeprefix("more ")), talk.tool_of(other.key.removeprefix("more "))
    orders = orders_of(two)
    if not orders:
        return only_if(w)
    field, yes, clause, otherwise = w.one(plan.ifs)
    said, arguments = one.values(clause)
    wording = w.wording([two.whole(a) for a in orders])
    fixed, wording = FIXED.findall(wording), FIXED.sub("", wording).rstrip(".")
    said2, arguments2 = two.values(wording)
    for k, v in fixed:
        arguments2[k] = two.argument(k, v)
        said2[k] = told(arguments2[k])
    if set(arguments) < set(one.required):
        return only_if(w)
    clause, order = w.slots(clause, said), w.slots(wording, said2)
    low = order[:1].lower() + order[1:]
    request = w.one(["If {c}, {l}.", "{o} if {c}.", "Check whether {c}. If so, {l}.", "{o}, but only if {c}.", "In case {c}, {l}.", "If {c}, please {l}.", "Should it be that {c}, {l}.", "Find out whether {c}, and if yes, {l}.", "{o} when {c}. Otherwise don't.", "Look if {c}; if it's true, {l}."])
    talk.say(("user", request.replace("{c}", clause).replace("{l}", low).replace("{o}", order)), called((one, arguments)))
    wanted = w.chance(0.5)
    for _ in range(200):
        found = {name: one.field(made, {}) for name, made in plan.fields}
        if is_yes(found[field], yes) == wanted:
            break
    talk.say(("tool", json.dumps(found, ensure_ascii=False)))
    if is_yes(found[field], yes):
        talk.say(called((two, arguments2)))
        if w.chance(0.6):
            talk.finish(two, arguments2, said2 | {k: told(v) for k, v in arguments2.items() if KINDS[k][0] in ("string", "array")}, end=True)
    else:
        talk.say(("assistant", cap(w.slots(otherwise, said | {k: told(v) for k, v in found.items()}))))
    return talk.told()


def is_yes(value, yes):
    """Whether a value is one of those that are named, or on the named side of a number."""
    if yes[0] in "<>":
        return value < int(yes[1:]) if yes[0] == "<" else value > int(yes[1:])
    return str(value) in [y.strip() for y in yes.split(";")]


FORMS = [one_call] * 4 + [answered] * 3 + [wishes] * 3 + [neighbours] * 2 + [described_only] * 2 + [asked_back] * 2 + [given_up, one_each, two_at_once, said_before, said_before, beyond, beyond, no_call, no_call, not_so, choosing, choosing, handed_on, only_if, told_not, by_label]
