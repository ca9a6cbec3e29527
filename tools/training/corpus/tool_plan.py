"""What tools do, before a conversation gives them a form: those of the catalogue, and some put together of verbs and nouns that nobody has seen together."""

from .toolbox import ATTRIBUTES, CATALOGUE, MACHINE_EXTRAS, MACHINE_VERBS, MACHINES, RECORD_EXTRAS, RECORD_VERBS, RECORDS
from .writer import cap


class Plan:
    """What a tool does, before a conversation gives it a form."""

    def __init__(self, key, domain, names, about, asks, done="", vague=(), again=(), fields=(), answer="", more=()):
        self.key, self.domain, self.names, self.about, self.asks, self.done = key, domain, names, about, asks, done
        self.vague, self.again, self.fields, self.answer, self.more = vague, again, fields, answer, more


def catalogue():
    plans, lines = [], CATALOGUE.strip().split("\n")
    for line in lines:
        mark, rest = line[:2], line[2:]
        if mark not in ("? ", "! ", "= ", "& ", "- "):
            key, domain, names, about = line.split(" / ")
            plans.append(Plan(key, domain, names.split("; "), about.split("; "), []))
        elif mark == "! ":
            plans[-1].done = rest
        elif mark == "= ":
            fields, plans[-1].answer, *more = rest.split(" > ")
            plans[-1].fields = [tuple(f.split("=", 1)) for f in fields.split("; ")]
            plans[-1].more = [tuple(m.split(" -> ")) for m in more]
        else:
            setattr(plans[-1], {"? ": "asks", "& ": "again", "- ": "vague"}[mark], rest.split(" ~ "))
    return plans


PLANS = catalogue()


def put_together(w):
    """A tool of a verb and a noun, either of which may be a word that does not exist."""
    machine = w.chance(0.5)
    name, third, said, past = w.one(MACHINE_VERBS if machine else RECORD_VERBS).split("/")
    noun, said = w.one(MACHINES if machine else RECORDS), said.split(", ")
    if w.chance(0.15):
        noun = w.word("madeup")
    if w.chance(0.06):
        name = w.word("madeup")
        third, said, past = name + "s", [name], name + "ed"
    extras = MACHINE_EXTRAS if machine else RECORD_EXTRAS
    keys = w.some(extras, 0, 3)
    needed = keys[: w.number(0, 2)] if w.chance(0.5) else []
    pieces = [" " + extras[k] if k in needed else f"<{k}:  {extras[k]}>" for k in keys]
    forms = ["{v} the {n}", "{v} the {n}", "{v} the {n}", "I want to {l} the {n}", "The {n}: {l} it", "{v} our {n}", "Somebody should {l} the {n}", "Time to {l} the {n}", "{v} my {n}", "I'd like you to {l} the {n}", "We have to {l} the {n}", "Let's {l} the {n}"]
    asks, vague = [], []
    for form in forms:
        verb = name if "it" in form.split() else w.one(said)
        text = form.replace("{v}", cap(verb)).replace("{l}", verb).replace("{n}", noun)
        w.rng.shuffle(pieces)
        asks.append(text + "".join(pieces) + ".")
        vague.append(text + ".")
    names = [f"{name} {noun}", f"{name} {noun}", f"{name} the {noun}", f"{noun} {name}"] + ([w.fill(["tool {small}", "fn {madeup}", "action {count}", "{madeup}"])] if w.chance(0.15) else [])
    about = [f"{cap(third)} the {noun}", w.slots(f"{cap(third)} {{a n}}", {"n": noun}), f"The {noun} is {past}"]
    return Plan(f"{name}/{noun}", "made", names, about, asks, f"The {noun} is {past}.", vague if needed else ())


def put_together_beside(w, plan):
    """Another tool with the verb or the noun of one that was put together."""
    for _ in range(200):
        other = put_together(w)
        if other.key != plan.key and set(other.key.split("/")) & set(plan.key.split("/")):
            break
    return other


def asked_for(w):
    """A tool that tells one or two things about something with a number or a name."""
    noun = w.one(MACHINES + RECORDS)
    chosen = [a.split("/") for a in w.some(ATTRIBUTES, 1, 3)]
    (first, rest), more = chosen[0], chosen[1:]
    field, key = rest.split("=", 1), w.one(["code", "number"])
    verb, third = w.one([("get", "Gets"), ("read", "Reads"), ("find", "Finds"), ("show", "Shows"), ("look up", "Looks up"), ("check", "Checks"), ("fetch", "Fetches")])
    asks = [a.replace("{a}", first).replace("{n}", noun) for a in (f"What is the {{a}} of {{n}} {{{key}}}?", f"{{a}} of {{n}} {{{key}}}?", f"I need the {{a}} of {{n}} {{{key}}}.", f"Tell me the {{a}} of the {{n}} {{{key}}}.", f"{{n}} {{{key}}}, what is the {{a}}?", f"Look up the {{a}} of {{n}} {{{key}}}.", f"Which {{a}} has {{n}} {{{key}}}?")]
    fields = [tuple(field)] + [tuple(r.split("=", 1)) for _, r in more]
    w.rng.shuffle(fields)
    follow = [(f"[And the {name}|What about the {name}|And what is the {name}]?", f"The {name} is {{{r.split('=', 1)[0]}}}.") for name, r in more]
    return Plan(f"{first}/{noun}", "made", [f"{verb} {noun} {first}", f"{noun} {first}", f"{verb} {noun}"], [w.slots(f"{does} the {first} of {{a n}}", {"n": noun}) for does in ("Tells", third)],
        asks, fields=fields, answer=f"The {first} of {noun} {{{key}}} is {{{field[0]}}}.", more=follow, again=[f"And of {{{key}}}?", f"And {noun} {{{key}}}?", f"What about {{{key}}}?"])


def a_plan(w):
    form = w.number(0, 9)
    return w.one(PLANS) if form <= 4 else put_together(w) if form <= 7 else asked_for(w)
