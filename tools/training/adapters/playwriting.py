"""Playwriting: short plays for children as theatre scripts in an XML-like markup of our own.

    <play>
    <title>The Blue Drum</title>
    <cast>
    <role name="Anna">a brave baker</role>
    <role name="Tom">a shy fox</role>
    </cast>
    <scene place="old tower">
    <direction>Anna enters with a lantern.</direction>
    <line speaker="Anna">Tom, have you seen the drum?</line>
    </scene>
    </play>

The names, the place and the thing of the request stand in the play to the letter; somebody who is asked for by kind alone, "a baker", is called so.
"""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

from corpus.answer import cap

from . import stage

# Requests by what they name: w(ho), t(hing), p(lace). `{who}`, `{what}` and `{where}` come with their articles and prepositions.
ASK = {
    "wtp": ["[Write|Write me|Create|Make] a [short |little |]play about {who} and {what} {where}.", "[Write|Please write] a [short |]play {where} with {who}[. It is about {what}.|, about {what}.]", "[Invent|Make up] a [stage |]play: {who}, {where}, {what}.", "[Can you write|Could you write|I'd like|I need] a [short |]play [where|in which] {who} [find|lose|look for|fight over] {what} {where}[?|.]", "{who} {where}, and {what}. [Make|Write] a play of it.", "A [short |]play for [children|kids|my class]: {who} {where}, {what} [too|as well|].", "[Play|Script|Theatre script]: {who} / {where} / {what}", "[Give me|Show me] a [scene|play|script] with {who} {where}. [It|The scene|The play] should have {what} in it.", "A script for the stage please, with {who}, {what}, {where}.", "[Write|Create] a [theatre script|play for two|short drama] that takes place {where}. {who} [talk|quarrel|wonder|whisper] about {what}.", "Place: {where}. Characters: {who}. Thing: {what}. Write the play.", "We want to act a play {where} about {what}. The roles are {who}.", "My kids [want|would like|asked for] a play about {who}, {what} [and|,] all {where}.", "Let {who} talk about {what} {where}, as a [short |]play.", "I am looking for a short play. {who} should be in it, and {what}, {where}.", "Something for our puppet theatre: {who} {where} with {what}.", "There must be {what} in the play, it happens {where}, and {who} are the characters."],
    "wt": ["[Write|Write me|Create] a [short |]play about {who} and {what}.", "[Write|Make up|Invent] a [short |funny |sad |]play in which {who} [find|lose|steal|hide|share|fight over] {what}.", "[Can you write|Could you write|I'd like|I need|I want] a [short |]play about {who} and {what}[?|.]", "[A|One] [short |]play with {who} and {what}[, please|].", "play: {who}, {what}", "{who} and {what}: [write|make] a play.", "{who} [quarrel|argue|talk] about {what}. [Make it|Turn it into|Write it as] a play.", "[Theatre|Stage] script [with|for] {who}, topic: {what}.", "[Write|Create] a scene for the stage: {who} and {what}.", "Our drama group needs a play with {who}. It is about {what}.", "[Write|Give me] a mini play, {who}, something with {what}.", "[Can|Could] {who} have an adventure with {what}? As a play.", "[Write|Compose] a drama for children: {who} and the story of {what}.", "For the school stage: {who} and {what}.", "I'm {age} and I want to read a play about {who} with {what}.", "Roles: {who}. Subject: {what}. [Short play|Play], please.", "Do you know a play about {who} and {what}? Write one."],
    "wp": ["[Write|Please write|Create] a [short |]play [set|that takes place] {where} with {who}.", "[Write|Make up] a [short |]play in which {who} meet {where}.", "{who} meet {where}. [Write the play|Make it a play|Script, please].", "[Can you write|I would like|I need] a play with {who} {where}[?|.]", "[Write|Create] a [scene|script] for the stage: {who} {where}.", "A play {where}, roles: {who}.", "{who} {where} - [a short play|as a play], please", "[Imagine|Think of] {who} {where}. Write it as a theatre script.", "play with {who} {where}", "[Let|Have] {who} meet {where} in a [short |]play.", "What would {who} say {where}? [Write|Make] a play.", "The curtain opens {where}. {who} come in. Write the play.", "[Write|Invent] a [short |]children's play, {where}, with {who}.", "{who} are stuck {where}. [Play|A play], please!", "It's night {where}, and {who} are awake. Make a play of that."],
    "tp": ["[Write|Create|Make up] a [short |]play about {what} {where}.", "A [short |]play about {what} {where}, please.", "[Can you|Could you] write a play that takes place {where}[?|, with {what} in it?]", "[Theatre script|Play|Script]: {what} {where}", "I want a play {where}. {what} should be in it.", "[Someone|Somebody] finds {what} {where}. [Write|Make] a play about it.", "[Write|Invent] a play for two, {where}, about {what}.", "The play is set {where} and it is about {what}.", "{what} {where}: turn that into a stage play.", "We play theatre {where}, and we need a script about {what}."],
    "w": ["[Write|Write me|Create] a [short |little |]play [with|about] {who}.", "[Write|Create] a [theatre script|script for the stage|stage play|short drama] [with|about] {who}.", "[Can you write|I would like|I need|Please write] a [short |]play with {who}[?|.]", "play about {who}", "A play with {who}, please.", "{who} in a play!", "{who}: [write a play|one play, please|theatre script].", "The roles are {who}. Write a short play.", "[Characters|Cast]: {who}. [Play|Script|A short play], please.", "[Make|Invent] a play starring {who}.", "{who} want to be on stage. Write something for them.", "[We are|Our actors are] {who}. [What can we play|Write us a play]?", "Let {who} speak with each other, as a theatre script.", "A little scene between {who}[ for the stage|, as a play|]."],
    "t": ["[Write|Make up|Invent|Create] a [short |]play [for children |]about {what}.", "A [short |]play about {what}[, please|].", "[Can you write|I'd like|I need|I want] a [short |]play [about|with] {what}[?|.]", "play about {what}", "[Theatre|Stage] play, topic: {what}.", "{what} - write a play about that.", "[Write|Create] a scene for the stage in which somebody [loses|finds|breaks|buys] {what}.", "Script about {what}[ for kids|], two roles.", "Turn this idea into a play: {what}.", "My class needs a play about {what}.", "[Write|Do] something for the theatre with {what} in it."],
    "p": ["[Write|Make up|Create] a [short |]play [set|that takes place|that happens] {where}.", "A [short |]play {where}[, please|].", "[Can you write|I need|I'd like] a play [set|that plays] {where}[?|.]", "[Theatre|Stage] play {where}, two roles.", "Two people {where}: write a play.", "play {where}", "The scene is {where}. Write a short play.", "[Invent|Write] a children's play that happens {where}."],
    "": ["[Write|Create|Make up|Invent] a [short |little |funny |]play[ for children| for two actors| for us|].", "A [short |]play, please.", "[Can you|Could you] write a [short |]play[ for my class| for kids|]?", "[I need|I want|I'd like] a [short |]theatre script.", "theatre script please", "Surprise me with a play!", "[Write|Give me] any play you like.", "Something for the stage, two roles, not too long.", "We have to perform a play on {day}. Write one."],
}
EXTRA = [" [Not too long|Keep it short|Short, please].", " [It should be funny|Make it funny|A happy ending, please|With a happy end].", " It is for [children|my class|a birthday|our school|my little sister|the drama club].", " Use the usual markup.", " [Thanks!|Thank you.|Please!]", " [Only two roles|Two actors are enough|One scene is enough].", " As XML[, please|].", " Children of {small} should understand it."]


# Requests that need two characters, or a thing that can be held.
TWO = re.compile(r"meet|quarrel|argue|each other|between|are stuck|are awake|are the|come in|roles|Roles|want to|find|talk|We are|all \{where")
HELD = re.compile(r"lose|finds|Thing:|adventure with")


@dataclass
class Wish:
    """What a request asks for: (name or nothing, kind, trait or nothing) of each character, the thing and the place."""

    people: list = field(default_factory=list)
    thing: dict = field(default_factory=dict)
    place: dict = field(default_factory=dict)


def a(word):
    return ("an " if word[0].lower() in "aeio" or word.startswith("u") and not word.startswith(("uni", "use", "uku")) or word.startswith(("hour", "honest")) else "a ") + word


def name(w):
    """A name: of some language, made up, with a title before it, or a nickname."""
    form = w.rng.random()
    if form < 0.5:
        return w.word("name")
    if form < 0.62:
        return w.one(stage.NAMES)
    if form < 0.82:
        return w.invented("name") if w.chance(0.6) else cap(w.word("madeup"))
    if form < 0.94:
        return f"{w.one(stage.TITLES)} {w.word('surname' if w.chance(0.3) else 'name')}"
    return w.one(stage.NICKNAMES)


def people(w, count):
    """Different characters, all with a name, all by their kind, or mixed."""
    found, used = [], set()
    by_kind = w.rng.choices([0, 1, 0.5], [62, 28, 10])[0]
    while len(found) < count:
        kind = w.one(stage.KINDS)
        known = None if w.chance(by_kind) else name(w)
        shown = (known or kind).casefold()
        if not any(shown == u or shown in u.split() or u in shown.split() for u in used):
            used.add(shown)
            found.append((known, kind, w.one(stage.TRAITS) if w.chance(0.35) else None))
    return found


def thing(w):
    """A thing, some things, an animal, an event or a theme: as it is asked for and with its words in the play."""
    form = w.rng.choices(["object", "plural", "mass", "animal", "event", "theme"], [56, 9, 4, 13, 12, 6])[0]
    plain = dict(it="it", was="was", has="has", s="s", form=form) | {"is": "is"}
    if form in ("event", "theme"):
        text = w.one(stage.EVENTS if form == "event" else stage.THEMES)
        bare = re.sub(r"^(an?|the) ", "", text)
        return plain | dict(asked=text, bare=bare, the=f"the {bare}" if text != bare else bare)
    if form == "plural":
        number = w.one(["two", "three", "seven", "a hundred", "some", "the", "five", "a few", "ten"])
        bare = (w.one(stage.COLOURS + stage.ADJECTIVES) + " " if w.chance(0.45) else "") + w.one(stage.PLURALS)
        full = f"{number} {bare}" if number in ("two", "three", "seven", "five", "ten") else bare
        return dict(it="them", was="were", has="have", s="", form="object", asked=f"{number} {bare}", bare=full, the=f"the {full}") | {"is": "are"}
    if form == "mass":
        bare = (w.one(["lost", "stolen", "golden", "magic", "last"]) + " " if w.chance(0.3) else "") + w.one(stage.MASS)
        return plain | dict(form="object", asked=f"{w.one(['some ', 'the ', ''])}{bare}", bare=bare, the=f"the {bare}")
    nouns, adjectives = (stage.ANIMALS, stage.ANIMAL_ADJECTIVES) if form == "animal" else (stage.OBJECTS, stage.ADJECTIVES + stage.COLOURS * 2)
    noun = w.word("madeup") if form == "object" and w.chance(0.07) else w.one(nouns)
    bare = (w.one(adjectives) + " " if w.chance(0.62) else "") + noun
    if len(set(bare.split())) < len(bare.split()):
        bare = bare.split(" ", 1)[1]
    if w.chance(0.07):
        return plain | dict(asked=w.one(["their ", "their ", "his ", "her ", "my ", "somebody's ", "an uncle's "]) + bare, bare=bare, the=f"the {bare}")
    return plain | dict(asked=f"the {bare}" if w.chance(0.15) or bare.startswith("last ") else a(bare), bare=bare, the=f"the {bare}")


def place(w):
    """A place: as it is asked for, its name, and with its article and its preposition in the play."""
    if w.chance(0.06):
        town = w.word(w.one(["town", "city"]))
        return dict(asked=f"in {town}", noun=town, place=town, at=f"in {town}")
    asked = w.one(stage.PLACES)
    preposition, noun = asked.split(" ", 1)
    if noun[:2] in ("a ", "an") and w.chance(0.12):
        preposition = w.one(stage.BESIDE)
        asked = f"{preposition} {noun}"
    if asked.startswith("at the bottom of"):
        return dict(asked=asked, noun="bottom of the sea", place="the bottom of the sea", at=asked)
    bare = re.sub(r"^(an?|the) ", "", noun)
    if w.chance(0.15) and noun != bare:
        trait = w.one(["old", "dark", "tiny", "empty", "quiet", "noisy", "famous", "abandoned", "cosy", "big"])
        if trait not in bare:
            bare = f"{trait} {bare}"
            noun = f"the {bare}" if noun.startswith("the ") else a(bare)
            asked = f"{preposition} {noun}"
    the = bare if noun == bare else f"the {bare}"
    return dict(asked=asked, noun=bare, place=the, at=f"{preposition} {the}")


def called(w, person, index=0):
    """A character in a request; the second one may belong to the first."""
    known, kind, trait = person
    described = f"{trait} {kind}" if trait else kind
    if not known:
        return f"{w.one(['his', 'her'])} {described}" if index == 1 and w.chance(0.1) else f"the {described}" if w.chance(0.08) else a(described)
    return w.one([known] * 7 + [f"{known} the {kind}", f"{known}, {a(described)},", f"{a(described)} {w.one(['called', 'named'])} {known}", f"{known} ({kind})"])


def listed(w, names):
    """"Anna and Tom", "Anna, Tom and Ida"."""
    if len(names) == 1:
        return names[0].rstrip(",")
    last = w.one([" and "] * 5 + [" & "]) if len(names) == 2 else " and "
    text = ", ".join(n.rstrip(",") if i == len(names) - 2 and last == " & " else n for i, n in enumerate(names[:-1]))
    return re.sub(r",,", ",", f"{text}{last}{names[-1].rstrip(',')}")


def wish(w):
    """What is asked for, and the request."""
    flags = w.rng.choices(list(ASK), [24, 20, 18, 7, 14, 8, 6, 3])[0]
    count = w.rng.choices([1, 2, 3], [12, 78, 10])[0]
    asked = Wish(people(w, count) if "w" in flags else [], thing(w), place(w))
    group = w.one(list(stage.GROUPS)) if count == 2 and "w" in flags and w.chance(0.06) else None
    if group:
        asked.people = []
    w.contents[:] = [asked.thing["bare"], asked.place["noun"]]
    who = listed(w, [called(w, p, i) for i, p in enumerate(asked.people)]) if asked.people else group or ""
    if len(asked.people) == 2 and who.startswith(asked.people[0][0] or "\0") and w.chance(0.08):
        who = w.one(["the friends ", "two friends, ", "the siblings ", "two rivals, "]) + who
    fitting = [x for x in ASK[flags] if not (count == 1 and TWO.search(x)) and not (asked.thing["form"] in ("event", "theme") and HELD.search(x))]
    prompt = w.ask(fitting, who=who, what=asked.thing["asked"], where=asked.place["asked"])
    if w.chance(0.75):
        prompt = re.sub(r"(?:^|(?<=[.?!] ))[a-z]", lambda m: m.group().upper(), prompt)
    if w.chance(0.18):
        prompt += ("" if prompt[-1:] in ".?!" else ".") + w.fill(EXTRA)
    if w.chance(0.1):
        prompt = prompt.lower()
    return asked, flags, prompt, stage.GROUPS.get(group)


def cast(w, asked, group=None):
    """[(name, description)] of two roles or more."""
    roles, used = [], set()
    wanted = list(asked.people)
    while len(roles) < max(2, len(asked.people)):
        known, kind, trait = wanted[len(roles)] if len(roles) < len(wanted) else (name(w), group or w.one(stage.KINDS), None)
        shown = known or cap(kind)
        if shown.casefold() in used:
            continue
        used.add(shown.casefold())
        roles.append((shown, w.fill(stage.ROLES if not trait else ["{a trait} {kind}", "the {trait} {kind}"], kind=kind, trait=trait or w.one(stage.TRAITS), feature=w.one(stage.FEATURES), habit=w.one(stage.HABITS))))
    return roles


SMALL = set("a an and at by for in of on or the to under with behind".split())


def titled(text):
    return " ".join(x if i and x in SMALL else cap(x) for i, x in enumerate(text.split()))


def title(w, roles, asked):
    thing, where = asked.thing, asked.place
    first = roles[0][0]
    forms = [thing["the"], thing["the"], f"{first} and {thing['the']}", f"{thing['the']} {where['at']}", f"The Secret of {thing['the']}", f"{first} and {roles[1][0]}", f"A {w.one(['Night', 'Day', 'Meeting', 'Surprise', 'Morning'])} {where['at']}", f"Who {'Knows' if thing['form'] != 'object' else 'Has'} {thing['the']}?", f"The Story of {thing['the']}", f"{first} {where['at']}"]
    return titled(w.one(forms))


def filled(w, text, known):
    """A line with its slots filled, begun with a capital; what is a subject in the plural is "they"."""
    text = re.sub(r"\{it\}(?= \{(?:is|was|has)\})", "{they}", text)
    return re.sub(r"(?<=[.!?] )(?:it|they)\b", lambda m: cap(m.group()), cap(w.fill(text, **known)))


def exchange(w, first, second):
    """A line and its answer: those in the same place belong together, where there are as many of both."""
    first, second = split_line(first), split_line(second)
    which = w.number(0, len(first) - 1)
    return first[which], second[which] if len(first) == len(second) else w.one(second)


def split_line(text):
    """The alternatives of a line: bars outside of brackets part them."""
    return re.split(r"\|(?![^\[]*\])", text)


def script(w, roles, asked):
    plots = {"object": stage.OBJECT_PLOTS, "animal": stage.ANIMAL_PLOTS, "event": stage.EVENT_PLOTS, "theme": stage.THEME_PLOTS}[asked.thing["form"]]
    plot = plots[w.one(list(plots))]
    where, it = asked.place, asked.thing
    known = {k: it[k] for k in ("the", "it", "is", "was", "has", "s")} | {"they": "they" if it["it"] == "them" else "it"} | {"The": cap(it["the"]), "place": where["place"], "at": where["at"], "At_cap": cap(where["at"]), "Time": w.one(stage.TIMES), "small": w.word("small"), "a": roles[0][0], "b": roles[1][0]}
    middle = sorted(w.rng.sample(range(1, len(plot) - 1), w.rng.choices([0, 1, 2, 3], [1, 5, 6, 2])[0]))
    lines = ["<play>", f"<title>{escape(title(w, roles, asked))}</title>", "<cast>"]
    lines += [f"<role name={quoted(n)}>{escape(text)}</role>" for n, text in roles]
    lines += ["</cast>", f"<scene place={quoted(where['noun'])}>", directed(w, stage.ENTER, known)]
    steps = [text for i in [0] + middle + [len(plot) - 1] for text in exchange(w, *plot[i])]
    names = [n for n, _ in roles]
    pause = w.number(2, len(steps) - 1) if len(steps) > 2 else None
    for turn, step in enumerate(steps):
        who, other = names[turn % len(names)], names[(turn + 1) % len(names)] if turn == 0 else names[(turn - 1) % len(names)]
        if turn == pause:
            lines.append(directed(w, stage.BETWEEN, known))
        lines.append(f"<line speaker={quoted(who)}>{escape(filled(w, step, known | {'o': other}))}</line>")
    lines.append(directed(w, stage.LEAVE, known))
    return "\n".join(lines + ["</scene>", "</play>"])


def directed(w, templates, known):
    return f"<direction>{escape(w.fill(templates, **known))}</direction>"


def quoted(text):
    return '"' + escape(text, {'"': "&quot;"}) + '"'


def example(w):
    asked, flags, prompt, group = wish(w)
    roles = cast(w, asked, group)
    names = [n or cap(kind) for n, kind, _ in asked.people]
    item = {"names": names, "thing": asked.thing["bare"] if "t" in flags and mentions(prompt, asked.thing["bare"]) else "", "place": asked.place["noun"] if "p" in flags else ""}
    text = script(w, roles, asked)
    while min(measure(item, text).values()) < 1:
        text = script(w, roles, asked)
    return {"messages": [{"role": "user", "content": prompt}, {"role": "assistant", "content": text}]} | item


def mentions(prompt, words):
    return words.casefold() in prompt.casefold()


def templates():
    """Name -> wordings, for the counts."""
    counts = {f"requests for {'+'.join(flags) or 'any play'}": x for flags, x in ASK.items()} | {"extras": EXTRA}
    plots = stage.OBJECT_PLOTS | stage.ANIMAL_PLOTS | stage.EVENT_PLOTS | stage.THEME_PLOTS
    return counts | {f"plot {key}": [x for pair in plot for line in pair for x in split_line(line)] for key, plot in plots.items()} | {"directions": stage.ENTER + stage.BETWEEN + stage.LEAVE}


def check(writer):
    """Every request and every line once."""
    w = writer()
    for flags, asks in ASK.items():
        for text in asks:
            yield w.fill(text, who="Anna and Tom", what="a key", where="in a barn")
    for text in EXTRA:
        yield w.fill(text)
    known = dict(the="the key", The="The key", it="it", they="it", was="was", has="has", s="s", place="the barn", at="in the barn", At_cap="In the barn", Time="Noon", a="Anna", b="Tom", o="Tom") | {"is": "is"}
    for name, texts in templates().items():
        if name.startswith(("plot", "directions")):
            for text in texts:
                yield w.fill(text, **known)


def valid(item):
    return well_formed(item["messages"][-1]["content"])


def well_formed(answer):
    """Whether an XML parser accepts the answer and it is a play: one title, a cast of two or more of different names, in every scene a
    place, a direction and three or more lines, each spoken by somebody of the cast."""
    try:
        play = ElementTree.fromstring(answer.strip())
    except ElementTree.ParseError:
        return False
    names = [(role.get("name") or "").casefold() for role in play.findall("cast/role")]
    scenes = play.findall("scene")
    lines = play.findall("scene/line")
    return (
        play.tag == "play" and len(play.findall("title")) == 1 and bool((play.findtext("title") or "").strip())
        and len(names) >= 2 and all(names) and len(set(names)) == len(names) and bool(scenes)
        and all(s.get("place") and len(s.findall("line")) >= 3 and s.find("direction") is not None for s in scenes)
        and all((line.get("speaker") or "").casefold() in names and (line.text or "").strip() for line in lines)
    )


def speakers(answer):
    try:
        return {(line.get("speaker") or "").casefold() for line in ElementTree.fromstring(answer.strip()).iter("line")}
    except ElementTree.ParseError:
        return set()


def measure(item, answer):
    """Scores in 0...1 of one answer: well formed; two that speak, and all who were asked for; the place and the thing occur."""
    spoken = speakers(answer)
    text = answer.replace("&amp;", "&").replace("&quot;", '"')
    return {"well_formed": float(well_formed(answer)), "asked_names_speak": float(len(spoken) >= 2 and all(n.casefold() in spoken for n in item["names"])),
            "place_occurs": float(mentions(text, item["place"])), "thing_occurs": float(mentions(text, item["thing"]))}
