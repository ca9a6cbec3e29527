"""What everybody knows, written by hand in `knowledge.txt`: questions, claims, gaps and options about it, choices with a reason, what nobody can know, and small talk.

A part of the file begins with its mark; `/` stands between wordings of one thing, `=>` before an answer, `|` before what is wrong.
  @facts          `questions => answer | wrong; wrong | claim with {x}`; wrong answers and claim may be missing
  @table NAME: columns, then `ask COLUMN: questions`, `say: claim`, `is: question with yes or no`, `own: columns` without wrong answers, `make COLUMN: sentence of the others`, and rows; the first column is the key
  @judge          `questions => Yes` or `No`
  @kinds          `kind, kinds | kinds too near to be told apart: things`; a thing after `~` takes no article
  @scales         `more, most | less, least: thing < thing < ...`
  @rhymes         words of one sound
  @options        paragraphs of `options: a | b | c`, `ask: questions` and `1: situation / situation` for the option that fits
  @choices        `situation and question => right | wrong | wrong`
  @contrasts      paragraphs of `ask: questions`, `back: questions for the other one`, `more: texts`, `less: texts`; `pair: more | less` where the two belong together
  @unknown        `questions that nobody can answer ~ questions like them => answer`
  @talk           `user / user => assistant / assistant >> user => assistant`
Slots are those of the banks; {lo}, {mid} and {hi} are numbers in that order.
"""

import re
from pathlib import Path

from .unknown import DONT
from .world import LEAD, RIGHT, TRUE
from .writer import BANKS, COMPUTED, ENTITIES, cap
from .written import paragraphs

SLOT = re.compile(r"\{(?:an? )?(\w+)\}")
OPENERS = re.compile(r"^(The|A|An|In|On|At|Every|Most|You|People|We|There|It|If|When|All|Some|One|Two|Your|To|Which|What|Who|Where|How|With|From|Many|By|After|Before|Is|Does|Do|Are|Can) ")


def parts(text, between):
    return [p.strip() for p in text.split(between) if p.strip()]


def low(text):
    return text[0].lower() + text[1:] if OPENERS.match(text + " ") else text


class Fact:
    """Questions with one answer, answers that are wrong, and claims that may be made true or false."""

    def __init__(self, asks, key, known, wrong, says=(), questions=(), table=None):
        self.asks, self.key, self.known, self.wrong, self.says, self.questions, self.table = asks, key, known, wrong, says, questions, table

    @property
    def answer(self):
        return self.known[self.key]

    def others(self, w):
        """Wrong answers, as often as not those that are close to the right one."""
        return self.wrong[:5] if len(self.wrong) > 5 and w.chance(0.5) else self.wrong


class Table:
    def __init__(self, head, lines):
        self.name, columns = parts(head, ":")
        self.columns, self.asks, self.says, self.questions, self.own, self.rows = parts(columns, "|"), {}, [], [], [], []
        made = {}
        for line in lines:
            mark, _, rest = line.partition(":")
            if mark.startswith("ask "):
                self.asks[mark[4:].strip()] = parts(rest, " / ")
            elif mark in ("say", "is"):
                (self.says if mark == "say" else self.questions).extend(parts(rest, " / "))
            elif mark == "own":
                self.own = rest.split()
            elif mark.startswith("make "):
                made[mark[5:].strip()] = rest.strip()
            else:
                cells = [c.strip() for c in line.split("|")]
                row = {c: v for c, v in zip(self.columns, cells) if v}
                self.rows.append(row | {c: cap(SLOT.sub(lambda m: row[m.group(1)], t)) for c, t in made.items()})
        self.columns += made

    def facts(self):
        for column, asks in self.asks.items():
            values = list(dict.fromkeys(r[column] for r in self.rows if column in r))
            texts = asks + self.says + self.questions
            slots = {t: tuple(s for s in SLOT.findall(t) if s != column) or (self.columns[0],) for t in texts}
            right = {key: self.right(column, key) for key in {*slots.values(), (self.columns[0],)}}
            places = {v: [i for i, r in enumerate(self.rows) if r.get(column) == v] for v in values}
            for at, row in enumerate(self.rows):
                if column not in row:
                    continue
                found = {key: answers.get(tuple(row.get(s) for s in key), set()) for key, answers in right.items()}
                told = lambda t: set(SLOT.findall(t)) <= set(row)
                fitting = [q for q in asks if told(q) and len(found[slots[q]]) == 1]
                used = {s for t in texts if told(t) for s in SLOT.findall(t)}
                wrong = [] if column in self.own else [v for v in values if not any(v in found[slots[t]] for t in texts if told(t)) and v not in found[(self.columns[0],)]]
                # Of a thing whose cell is empty nothing is said; what stands close by in the table comes first.
                wrong = [v for v in wrong if column != self.columns[0] or all(used <= set(self.rows[i]) for i in places[v])]
                wrong.sort(key=lambda v: min(abs(i - at) for i in places[v]))
                if fitting:
                    of = lambda lines: [t for t in lines if column in SLOT.findall(t) and told(t)]
                    yield Fact(fitting, column, row, wrong, of(self.says), of(self.questions), self)

    def right(self, column, slots):
        """All values that answer a question with these slots, by their values."""
        answers = {}
        for row in self.rows:
            if column in row:
                answers.setdefault(tuple(row.get(s) for s in slots), set()).add(row[column])
        return answers


class Kind:
    def __init__(self, line):
        head, _, things = line.partition(":")
        names, *near = parts(head, "|")
        self.one, self.many = parts(names, ",")
        self.near = {n for n in parts(near[0], ",")} if near else set()
        self.things = {t.strip().lstrip("~"): t.strip().startswith("~") for t in things.split(",")}

    def called(self, thing):
        return thing if self.things[thing] else a(thing)


def a(thing):
    return ("an " if thing[0].lower() in "aeiou" and not thing.startswith(("uni", "use", "ukulele", "euro")) else "a ") + thing


class Knowledge:
    def __init__(self, path):
        self.facts, self.tables, self.judged, self.kinds, self.scales, self.rhymes = [], [], [], [], [], []
        self.options, self.choices, self.contrasts, self.unknown, self.talk = [], [], [], [], []
        for block in re.split(r"^@", path.read_text(), flags=re.M)[1:]:
            head, _, body = block.partition("\n")
            mark, _, rest = head.partition(" ")
            lines = [line for line in body.split("\n") if line.strip() and not line.startswith("#")]
            getattr(self, "read_" + mark.strip())(rest, lines, body)
        self.table_facts = [list(t.facts()) for t in self.tables]

    def read_facts(self, _, lines, body):
        for line in lines:
            asks, rest = line.split(" => ")
            answer, *more = [p.strip() for p in rest.split("|")]
            self.facts.append(Fact(parts(asks, " / "), "x", {"x": answer}, parts(more[0], ";") if more else [], more[1:2]))

    def read_table(self, head, lines, body):
        self.tables.append(Table(head, lines))

    def read_judge(self, _, lines, body):
        self.judged += [(parts(q, " / "), answer.strip()) for q, answer in (line.split(" => ") for line in lines)]

    def read_kinds(self, _, lines, body):
        self.kinds += [Kind(line) for line in lines]

    def read_scales(self, _, lines, body):
        for line in lines:
            head, _, things = line.partition(":")
            more, less = (parts(p, ",") for p in head.split("|"))
            self.scales.append((more, less, parts(things, "<")))

    def read_rhymes(self, _, lines, body):
        self.rhymes += [line.split() for line in lines]

    def read_options(self, _, lines, body):
        for paragraph in paragraphs(body):
            found = {}
            for line in paragraph:
                mark, _, rest = line.partition(":")
                found[mark] = parts(rest, " | " if mark == "options" else " / ")
            self.options.append((found.pop("options"), found.pop("ask"), [(int(n) - 1, text) for n, texts in found.items() for text in texts]))

    def read_choices(self, _, lines, body):
        for line in lines:
            ask, rest = line.split(" => ")
            self.choices.append((ask.strip(), parts(rest, " | ")))

    def read_contrasts(self, _, lines, body):
        for paragraph in paragraphs(body):
            found = {"ask": [], "back": [], "more": [], "less": [], "pair": []}
            for line in paragraph:
                mark, _, rest = line.partition(":")
                found[mark] += [tuple(parts(rest, " | "))] if mark == "pair" else parts(rest, " / ")
            self.contrasts.append(found)

    def read_unknown(self, _, lines, body):
        for line in lines:
            left, right = line.split(" ~ ")
            asks, answer = right.split(" => ")
            self.unknown.append((parts(left, " / "), parts(asks, " / "), answer.strip()))

    def read_talk(self, _, lines, body):
        for line in lines:
            self.talk.append([tuple(parts(side, " / ") for side in turn.split(" => ")) for turn in line.split(" >> ")])


KNOWN = Knowledge(Path(__file__).parent / "knowledge.txt")


def tidy(text):
    """One stop where a value with a stop ends a sentence."""
    return re.sub(r"(?<=\w)\.\.(?!\.)", ".", text)


def values(w, *texts):
    """Values for all slots of some texts; no two alike."""
    chosen = {}
    for slot in dict.fromkeys(s for t in texts for s in SLOT.findall(t)):
        bank = slot.rstrip("0123456789")
        if bank in ("lo", "mid", "hi"):
            continue
        while True:
            value = w.fill("{name} {surname}") if bank == "full" else w.word(bank)
            if value.lower() not in [v.lower() for v in chosen.values()]:
                break
        chosen[slot] = value
    return chosen | dict(zip(("lo", "mid", "hi"), map(str, sorted(w.rng.sample(range(3, w.one([15, 40, 99])), 3)))))


def any_fact(w, fitting=lambda fact: True):
    while True:
        fact = w.one(KNOWN.facts) if w.chance(0.6) else w.one(w.one(KNOWN.table_facts))
        if fitting(fact):
            return fact


# Questions with a short answer.

LEADS = LEAD + ["{q} [Please be brief.|Just the answer.|Only the word.|Keep it short.]", "[Riddle me this|For my homework|Trivia time|Next question|From the quiz book|A child asks|We are playing a quiz]: {q}", "[I forgot|I can never remember|Help me out|I am curious]: {q}", "Q: {q}"]


def led(w, questions):
    return [lead.replace("{q}", q) for q in questions for lead in w.some(LEADS, 3)]


def begun(w, text, fact):
    """A capital, mostly, where a value begins the question."""
    return cap(text) if text[:1].islower() and w.chance(0.75) and any(text.startswith(v) for v in fact.known.values()) else text


def bare(w, fact):
    return begun(w, w.ask(fact.asks, **fact.known), fact)


def asked(w):
    fact = any_fact(w)
    return [begun(w, w.ask(led(w, fact.asks), **fact.known), fact), cap(fact.answer)]


def plainly(w):
    fact = any_fact(w)
    return [bare(w, fact), cap(fact.answer)]


JUDGE = ["Is it true that {s}?", "Is it [right|correct|a fact] that {s}?", "{S}. [Is that right|Is this correct|Is that true|Do you agree|Yes or no]?", "{S}, [right|correct|yes|isn't that so]?", "[My brother|My friend|A classmate|Somebody|My little sister] [says|thinks|claims|told me] that {s}. Is [that|this] [so|true|right]?",
    "[Yes or no|Say yes or no|Answer yes or no]: {s}.", "Would you [say|agree] that {s}?", "[Can we say|Could one say|May I write] that {s}?", "I read that {s}. [Correct?|Is that true?]", "Check this for me: {s}. Yes or no?", "\"{S}.\" Is this sentence true?", "Do you believe that {s}?"]
GAP = ["[Fill the gap|Fill in the gap|Fill in the blank|Complete the sentence|Complete|Which word is missing|What is missing]: {s}", "{s} [Fill it in.|What belongs in the gap?|Which word fits?|Fill the gap.|What goes there?]", "{s}", "Put in the missing [word|words]: {s}", "[My worksheet says|The exercise]: {s}"]
FINISH = ["[Finish|Complete|End|Continue] [this|the sentence|my sentence]: {s}", "{s}", "{s}", "How does [this|it] go on? {s}", "[What comes next|Finish it]: {s}"]


def claim(w, answers=None):
    """Yes or no, true or false, right or wrong."""
    true = w.chance(0.5)
    fact = any_fact(w, lambda f: (f.says or f.questions) and f.wrong)
    known = fact.known if true else fact.known | {fact.key: w.one(fact.others(w))}
    if fact.questions and (w.chance(0.5) or not fact.says):
        return [w.ask([f.replace("{q}", q) for q in fact.questions for f in ("{q}", "{q}", "{q} [Yes or no?|Answer yes or no.|Just say yes or no.|Yes or no please.]", "[Yes or no|Yes/no|Answer with yes or no]: {q}")], **known), "Yes" if true else "No"]
    said = w.slots(w.one(fact.says), known)
    forms, words = w.one([(JUDGE, ("Yes", "No"))] * 4 + [(TRUE, ("True", "False"))] * 2 + [(RIGHT, ("Right", "Wrong"))])
    return [w.ask(forms, s=low(said), S=cap(said)), words[not true]]


def judged(w):
    questions, answer = w.one(KNOWN.judged)
    return [w.ask([f.replace("{q}", q) for q in questions for f in ("{q}", "{q}", "{q}", "{q} [Yes or no?|Answer yes or no.|Just say yes or no.]", "[Yes or no|Answer yes or no|Quick]: {q}")]), answer]


def gap(w):
    fact = any_fact(w, lambda f: f.says)
    say = w.one([s for s in fact.says if "{" + fact.key + "}" in s or "{a " + fact.key + "}" in s])
    place = re.compile(r"\{(?:a )?%s\}" % fact.key)
    article = "{a " + fact.key + "}" in say
    answer = w.slots("{a v}", {"v": fact.answer}) if article else fact.answer
    if place.search(say).end() == len(say) and w.chance(0.4):
        start = cap(w.slots(say[: place.search(say).start()], fact.known)).rstrip()
        return [w.ask(FINISH, s=start + w.one(["", " ...", "...", " …"])), answer]
    said = w.slots(place.sub(w.one(["___", "___", "____", "...", "(?)", "_____"]), say), fact.known)
    return [w.ask(GAP, s=cap(said) + w.one([".", ".", ""])), answer]


# What is offered, and how the answer is wanted.

MARKS = ["{}) ", "{}) ", "{}. ", "{}: ", "({}) ", "{} - "]
LETTER = ["Answer with the letter.", "[Give|Reply with|Write] [only|just] the letter.", "[Only the letter|Just the letter|Letter only][ please|].", "Which letter?", "[A, B or C?|Which letter is right?]", "Respond with one letter."]
FIGURE = ["Answer with the number.", "[Give|Reply with|Write] [only|just] the number.", "[Only the number|Just the number|Number only][ please|].", "Which number?", "Tell me the number of the right one."]
WORDS = ["[Write|Give|Say] the answer, not the {m}.", "Answer in words.", "[Without the {m}|No {m}], please.", "Copy the right answer without its {m}."]
PICK = ["[Choose one|Pick one|Choose|Pick|Select one|Take one]:", "[Options|Possible answers|Choices|Your options]:", "", "", ""]


def offered(w, ask, right, wrong):
    """A prompt with options in one of many forms, and the answer as it is asked for."""
    named = all(o.lower() in ask.lower() for o in [right, *wrong]) and len(wrong) < 4
    options = [right] + w.rng.sample(wrong, len(wrong) if named else min(len(wrong), w.number(1, 3)))
    w.rng.shuffle(options)
    longest = max(len(o) for o in options)
    form, capital = w.number(0, 9), w.one([cap, str])
    plain = [o.rstrip(".") for o in options]
    asks = ask.rstrip()
    if form <= 3 and longest < 45 and not any(p in o for o in options for p in ".,?"):
        row = w.one([", ".join(plain[:-1]) + " or " + plain[-1]] * 3 + [" / ".join(plain), ", ".join(plain), " or ".join(plain), "; ".join(plain)])
        shapes = [f"{asks} {cap(row)}?", f"{asks} {cap(row)}.", f"{asks} ({row})", f"{asks.rstrip('?.:! ')}: {row}?", f"{asks}\n{cap(row)}", f"{asks} Choose from: {row}.", f"{asks} Options: {row}"]
        return [w.one(shapes + ([f"{cap(row)}? {asks}", f"{cap(row)}: {low(asks)}"] if len(asks) < 60 and "\n" not in asks else [])), cap(right)]
    if form <= 5:
        bullet = w.one(["- ", "- ", "* ", "", "• "])
        return ["\n".join([asks, *filter(None, [w.expand(w.one(PICK))]), *(bullet + capital(o) for o in options)]), cap(right)]
    letters = form <= 8
    signs = (w.one(["ABCD", "ABCD", "abcd"]) if letters else "1234")[: len(options)]
    mark = w.one(MARKS)
    lines = [mark.format(s) + capital(o) for s, o in zip(signs, options)]
    at = options.index(right)
    wish = w.number(0, 5)
    end = ""
    if wish <= 2:
        end, answer = w.say([e for e in (LETTER if letters else FIGURE) if "A, B" not in e or len(options) == 3]), signs[at]
        if "A, B" in end and signs[0] == "a":
            answer = signs[at].upper()
    elif wish == 3:
        end, answer = w.say(WORDS, m="letter" if letters else "number"), cap(right)
    else:
        answer = lines[at]
    row = w.one(["\n", "\n", "\n", " "]) if longest < 30 and not any("-" in line[:5] for line in lines) else "\n"
    shown = row.join(lines)
    break_ = "\n" if row == "\n" else " "
    if not end:
        return [w.one([f"{asks}{break_}{shown}", f"{asks}\n{shown}", f"{shown}\n{asks}", f"{shown}\n\n{asks}"]), answer]
    return [w.one([f"{asks}{break_}{shown}{break_}{end}", f"{asks} {end}{break_}{shown}", f"{asks} {end}\n{shown}", f"{end} {asks}\n{shown}", f"{shown}\n{asks} {end}"]), answer]


def options(w):
    fact = any_fact(w, lambda f: f.wrong)
    return offered(w, bare(w, fact), fact.answer, fact.others(w))


def chosen(w):
    """A situation and the option that fits it."""
    if w.chance(0.55):
        names, asks, situations = w.one(KNOWN.options)
        at, text = w.one(situations)
        known = values(w, text, *names, *asks)
        text, names = cap(tidy(w.slots(w.expand(text), known))), [tidy(w.slots(n, known)) for n in names]
        ask = w.ask(asks, **known)
        text += "" if text[-1] in ".!?\"" else "."
        together = w.one([f"{text} {ask}", f"{text} {ask}", f"{text}\n{ask}", f"{ask}\n{text}", f"{ask} {text}" if ask[-1] in ".?!:" else f"{text} {ask}"])
        return offered(w, together, names[at], [n for i, n in enumerate(names) if i != at])
    ask, names = w.one(KNOWN.choices)
    known = values(w, ask, *names)
    names = [w.slots(n, known) for n in names]
    text = tidy(w.slots(w.expand(ask), known))
    return offered(w, cap(text) if ask[0] == "{" else text, names[0], names[1:])


def several_choices(w):
    """The same options for several situations."""
    names, asks, situations = w.one(KNOWN.options)
    if len(situations) < 3:
        return several_choices(w)
    known = values(w, *(t for _, t in situations), *names, *asks)
    shown = [w.slots(n, known) for n in names]
    told = w.some(situations, 2, min(5, len(situations)))
    ask, turns = w.ask(asks, **known), []
    head = f"{ask} {w.one(['Options', 'Choose from', 'Choices', 'One of'])}: {w.one([', ', ' / ', '; ']).join(shown)}"
    for at, text in told:
        text = cap(tidy(w.slots(w.expand(text), known)))
        turns += [("user", text if turns else w.one([f"{head}\n{text}", f"{text}\n{head}", f"{head}\n\n{text}"])), ("assistant", cap(shown[at]))]
    return turns


def contrast(w):
    """Two or three texts, of which one is more of something than the others."""
    found = w.one(KNOWN.contrasts)
    back = bool(found["back"]) and w.chance(0.4)
    if found["pair"] and (w.chance(0.6) or not found["more"]):
        right, *wrong = w.one(found["pair"])
        right, wrong = (wrong[0], [right]) if back else (right, wrong)
    else:
        right, wrong = w.one(found["less" if back else "more"]), w.some(found["more" if back else "less"], 1, 2)
    known = values(w, right, *wrong)
    return offered(w, w.ask(found["back" if back else "ask"]), tidy(w.slots(right, known)), [tidy(w.slots(x, known)) for x in wrong])


# Kinds, scales and rhymes.


THEMES = [{"mammals", "birds", "fish", "insects", "reptiles"}, {"fruits", "vegetables", "spices", "sweets", "drinks"}, {"countries", "cities", "continents", "languages", "rivers"}, {"days of the week", "months", "seasons"},
    {"flowers", "trees", "vegetables"}, {"metals", "precious stones", "planets"}, {"vehicles", "tools", "instruments", "toys"}, {"jobs", "relatives", "fairy-tale figures"}, {"clothes", "parts of the body", "pieces of furniture"}, {"verbs", "adjectives", "numbers", "feelings"}, {"sports", "instruments", "dances"}]


def far(w, kind, count=1):
    """Kinds that share nothing with a kind; a single one may be akin to it."""
    fitting = [k for k in KNOWN.kinds if k is not kind and k.many not in kind.near and kind.many not in k.near and not set(k.things) & set(kind.things)]
    close = [k for k in fitting if any({k.many, kind.many} <= theme for theme in THEMES)]
    if count == 1 and close and w.chance(0.4):
        return [w.one(close)]
    return w.rng.sample(fitting, count)


def row_of(w, things):
    return w.one([", ".join(things)] * 3 + [", ".join(things[:-1]) + " and " + things[-1], " ".join(things) if not any(" " in t for t in things) else ", ".join(things), " - ".join(things), "\n".join(things), ", ".join(things[:-1]) + ", " + things[-1] + "."])


ODD = ["Which [word|one] does not [fit|belong]?", "[Find|Pick|Name|Spot] the odd one out.", "Odd one out?", "Which is [different|not like the others]?", "One of these does not belong. Which?", "[Three|The rest] go together. Which one does not?", "Who is the stranger in this row?", "Which word should be crossed out?", "What doesn't belong in this list?", "[One|A word] got into this list by mistake. Which one?"]


def odd(w):
    kind = w.one(KNOWN.kinds)
    other = far(w, kind)[0]
    if len(kind.things) < 4:
        return odd(w)
    many, single = w.some(kind.things, 3 if w.chance(0.8) else 2), w.one(list(other.things))
    things = many + [single]
    w.rng.shuffle(things)
    if len(many) == 3 and w.chance(0.2):
        return [w.task(w.ask(["Which [word|one] does not fit, and why?", "Find the odd one out and [say|tell me] why.", "Odd one out? [Give a reason.|Why?]", "Which one is the stranger here? Explain."]), row_of(w, things)), f"{cap(single)}. The others are {kind.many}."]
    return [w.task(w.ask(ODD), row_of(w, things)), cap(single)]


def kinds(w):
    kind = w.one(KNOWN.kinds)
    other = far(w, kind)[0]
    thing = w.one(list(kind.things))
    form = w.number(0, 7)
    name = lambda k: a(k.one)
    if form == 0:
        true = w.chance(0.5)
        return [w.ask(["Is {x} {k}?", "Is {x} {k}? [Yes or no?|Answer yes or no.]", "Would you call {x} {k}?", "Does {x} belong to the {m}?", "Can {x} be found among the {m}?", "Yes or no: is {x} {k}?", "{X} is {k}, isn't it?"], x=kind.called(thing), X=cap(kind.called(thing)), k=name(kind if true else other), m=kind.many if true else other.many), "Yes" if true else "No"]
    if form == 1:
        wrong = [name(k) for k in far(w, kind, 3)]
        return offered(w, w.ask(["What is {x}?", "What kind of thing is {x}?", "{x}: what is it?", "What do we call {x}?", "In which group does {x} belong?"], x=kind.called(thing)), name(kind), wrong)
    if form == 2:
        wrong = [w.one(list(k.things)) for k in far(w, kind, 3)]
        return offered(w, w.ask(["Which of these is {k}?", "Find the {o}.", "Which one is {k}?", "Only one of these belongs to the {m}. Which?", "Where is the {o}?", "Show me {k}.", "One is {k}. Which one?"], k=name(kind), o=kind.one, m=kind.many), thing, [x for x in wrong if x not in kind.things])
    if form == 3:
        things = w.some(kind.things, 2, 4)
        return [w.task(w.ask(["What do [these|they] have in common?", "One word for all of these?", "What are these?", "[Find|Give me] a [heading|title|name] for this [list|row|group].", "Which [group|category] is this?", "Name the category."]), row_of(w, things)), cap(kind.many)]
    if form <= 5:
        mine, theirs = w.some(kind.things, 1, min(3, len(kind.things))), [x for k in far(w, kind, 2) for x in w.some(k.things, 1)]
        things = mine + [x for x in theirs if x not in mine]
        w.rng.shuffle(things)
        if form == 4:
            return [w.task(w.ask(["Which of these are {m}?", "Find [all|the] {m}.", "Pick out the {m}.", "[Write down|List|Copy] only the {m}.", "Leave only the {m}."], m=kind.many), row_of(w, things)), ", ".join(x for x in things if x in mine)]
        return [w.task(w.ask(["How many of these are {m}?", "How many {m} are in this list?", "Count the {m}.", "Number of {m}?"], m=kind.many), row_of(w, things)), str(len(mine))]
    if form == 6:
        return [w.ask(["Name {k}.", "[Tell|Give] me the name of {k}.", "I need {k}. Just one.", "Think of {k}.", "An example of {k}?", "Give an example of {k}."], k=name(kind)), cap(w.one(list(kind.things)[:4]))]
    things = list(kind.things)[:8]
    n = w.number(2, 3)
    return [w.ask(["Name {n} {m}.", "[Tell|Give] me {n} {m}.", "{n} {m}, please.", "Which {m} do you know? {N} are enough.", "List {n} {m} [in one line|with commas]."], n=["two", "three"][n - 2], N=["Two", "Three"][n - 2], m=kind.many), cap(", ".join(w.rng.sample(things, min(n, len(things)))))]


def scale(w):
    (more, most), (less, least), things = w.one(KNOWN.scales)
    up, form = w.chance(0.5), w.number(0, 6)
    if form <= 2:
        i, j = w.rng.sample(range(len(things)), 2)
        answer = max(i, j) if up else min(i, j)
        return [w.ask(["[Which|What] is {m}, {a} or {b}?", "{a} or {b}: which is {m}?", "[Which|What] is {m}: {a} or {b}?", "Of {a} and {b}, which is {m}?", "{a} and {b} are compared. Which one is {m}?", "Choose the {m} one: {a} / {b}", "The {m} of the two: {a} or {b}?"], m=more if up else less, a=things[i], b=things[j]), cap(things[answer])]
    if form <= 4:
        i, j = w.rng.sample(range(len(things)), 2)
        return [w.ask(["Is {a} {m} than {b}?", "Is {a} {m} than {b}?", "Would you say that {a} is {m} than {b}?", "Yes or no: {a} is {m} than {b}.", "{a} is {m} than {b}. [Right|Correct|Yes or no]?", "Is it true that {a} is {m} than {b}?"], m=more if up else less, a=things[i], b=things[j]), "Yes" if (i > j) == up else "No"]
    picked = sorted(w.rng.sample(range(len(things)), min(len(things), w.number(3, 4))))
    shuffled = w.rng.sample(picked, len(picked))
    listed = [things[i] for i in shuffled]
    if form == 5:
        return offered(w, w.ask(["Which of these is the {m}?", "Find the {m}.", "What is the {m} here?", "The {m} one?", "Name the {m} of them."], m=most if up else least), things[picked[-1] if up else picked[0]], [things[i] for i in picked if i != (picked[-1] if up else picked[0])])
    ordered = [things[i] for i in (picked if up else picked[::-1])]
    return [w.task(w.ask(["[Sort|Order|Put in order] from {l} to {m}.", "Sort these, the {l} first.", "Start with the {l} and end with the {m}.", "Arrange them: {l} to {m}."], l=least if up else most, m=most if up else least), ", ".join(listed)), ", ".join(ordered)]


def rhyme(w):
    row, other = w.rng.sample(KNOWN.rhymes, 2)
    x, y = w.rng.sample(row, 2)
    form = w.number(0, 3)
    if form == 0:
        true = w.chance(0.5)
        return [w.ask(["Do {x} and {y} rhyme?", "Does {x} rhyme with {y}?", "Is {x} a rhyme for {y}?", "Are {x} and {y} rhyming words?", "{x} and {y}: is that a rhyme?"], x=x, y=y if true else w.one(other)), "Yes" if true else "No"]
    if form == 1:
        wrong = [w.one(r) for r in w.rng.sample([r for r in KNOWN.rhymes if r is not row], 3)]
        return offered(w, w.ask(["Which word rhymes with {x}?", "What rhymes with {x}?", "Find the rhyme for {x}.", "I need a rhyme for {x}.", "{x} rhymes with which of these?"], x=x), y, wrong)
    if form == 2:
        things = w.rng.sample(row, min(3, len(row)))
        single = w.one(other)
        mixed = w.rng.sample(things + [single], len(things) + 1)
        return [w.task(w.ask(["Which word does not rhyme?", "Find the word that does not rhyme with the others.", "All but one of these words rhyme. Which one does not?", "One of them spoils the rhyme. Which?"]), row_of(w, mixed)), cap(single)]
    x = row[0]
    return [w.ask(["[Tell me|Give me|Name|Find] a word that rhymes with {x}.", "What rhymes with {x}?", "A rhyme for {x}?", "I am writing a poem. What rhymes with {x}?"], x=x), cap(row[1])]


# Rows.

QUICK = [plainly] * 5 + [claim] * 2 + [judged] * 2 + [gap, options, scale, rhyme, kinds, odd, chosen]


def in_row(w):
    """Questions of all kinds, one after the other."""
    return [turn for _ in range(w.number(3, 7)) for turn in zip(("user", "assistant"), w.one(QUICK)(w))]


def rounds(form):
    def rows(w):
        return [turn for _ in range(w.number(3, 6)) for turn in zip(("user", "assistant"), form(w))]

    rows.__name__ = f"{form.__name__}_in_rounds"
    return rows


AND = ["And {k}?", "And {k}?", "What about {k}?", "{k}?", "How about {k}?", "And for {k}?", "Next: {k}", "Now {k}.", "the same for {k}", "And with {k}?"]


def one_after_another(w):
    """One question of a table, and the same for other things in a word or two."""
    facts = w.one(KNOWN.table_facts)
    table = facts[0].table
    key = table.columns[0]
    column = w.one([c for c in table.asks if c != key] or [key])
    fitting = [f for f in facts if f.key == column and any(SLOT.findall(q) == [key] for q in f.asks)]
    if column == key or len(fitting) < 3:
        return one_after_another(w)
    turns = []
    for fact in w.rng.sample(fitting, min(len(fitting), w.number(3, 6))):
        asks = [q for q in fact.asks if SLOT.findall(q) == [key]]
        turns += [("user", w.ask(AND, k=fact.known[key]) if turns else w.ask(asks, **fact.known)), ("assistant", cap(fact.answer))]
    return turns


def numbered(w):
    """Several questions in one message."""
    pairs = []
    while len(pairs) < w.number(2, 5):
        prompt, answer = w.one([plainly, plainly, plainly, claim, judged, gap, scale])(w)
        if "\n" not in prompt and prompt not in [p for p, _ in pairs]:
            pairs.append((prompt, answer))
    head = w.one(["", "", "Answer these questions.\n", "Quiz:\n", "Short answers please.\n", "My worksheet:\n", "Please answer each one briefly:\n"])
    marks = w.one([[f"{i}. " for i in range(1, 6)], [f"{i}) " for i in range(1, 6)], [f"{c}) " for c in "abcde"], [f"Q{i}: " for i in range(1, 6)], [""] * 5])
    answers = [m.replace("Q", "A") for m in marks]
    return [head + "\n".join(m + p for m, (p, _) in zip(marks, pairs)), "\n".join(m + x for m, (_, x) in zip(answers, pairs))]


def quizmaster(w):
    """Answers in the form that was agreed at the beginning."""
    forms, words, how = w.one([(TRUE[:1], ("True", "False"), "[Answer true or false.|True or false?|I say something, you say true or false.]"), (["{S}.", "{S}?"], ("Yes", "No"), "[Answer only yes or no.|Yes or no?|I make claims. Say yes if they are true and no if not.]"), (["{S}."], ("Right", "Wrong"), "[Say right or wrong.|Right or wrong?|Is it right or wrong?]")])
    turns = []
    for _ in range(w.number(3, 6)):
        true = w.chance(0.5)
        fact = any_fact(w, lambda f: f.says and f.wrong)
        said = w.slots(w.one(fact.says), fact.known if true else fact.known | {fact.key: w.one(fact.others(w))})
        question = cap(said) + "."
        turns += [("user", question), ("assistant", words[not true])]
    how = w.say([how])
    return [("system", how)] + turns if w.chance(0.25) else [("user", how + w.one([" ", "\n"]) + turns[0][1])] + turns[1:]


# What cannot be known, beside what can.

FRAMES = ["{q}", "{q}", "{q}", "{q}", "[Tell me|Hey|Quick question|Can you tell me|I have a question|Say]: {q}", "{q} [Short answer.|Please be honest.|Tell me please.|If you do not know, say so.]"]


SECRET = re.compile(r"\{(madeup|code|email)\}$")


def ask_of(w, entry, known_one):
    cannot, can, answer = entry
    asks = can if known_one else cannot
    text = w.one(asks)
    known = values(w, answer if known_one else "", text)
    return [tidy(w.ask([f.replace("{q}", text) for f in FRAMES] if len(text) < 90 else [text], **known)), (w.slots(answer, known) if SECRET.match(answer) else cap(w.slots(answer, known))) if known_one else DONT]


def unknown(w):
    return ask_of(w, w.one(KNOWN.unknown), w.chance(0.35))


def known_beside(w):
    """Questions that cannot be answered and those like them that can; what was told is not asked again as unknown."""
    rows = []
    for entry in w.some(KNOWN.unknown, 2, 4):
        both = w.chance(0.6)
        rows.append([ask_of(w, entry, False), ask_of(w, entry, True)] if both else [ask_of(w, entry, w.chance(0.5))])
    turns = []
    while any(rows):
        ask, answer = w.one([row for row in rows if row]).pop(0)
        turns += [("user", ask), ("assistant", answer)]
    return turns


# Small talk.


def talk(w):
    entry = w.one(KNOWN.talk)
    known = values(w, *(t for turn in entry for side in turn for t in side))
    turns = []
    for asks, answers in entry if w.chance(0.7) else entry[:1]:
        turns += [("user", w.ask(asks, **known)), ("assistant", cap(w.slots(w.expand(w.one(answers)), known)))]
    return turns


LAST = re.compile("Goodbye|Sleep well|I stop here")


def talks(w):
    """Small talk in a row, and a question in between."""
    turns = []
    for entry in w.some([e for e in KNOWN.talk if len(e) == 1 and not any(LAST.search(t) for t in e[0][1])], 2, 4):
        known = values(w, *(t for turn in entry for side in turn for t in side))
        turns += [("user", w.ask(entry[0][0], **known)), ("assistant", cap(w.slots(w.expand(w.one(entry[0][1])), known)))]
        if w.chance(0.3):
            turns += list(zip(("user", "assistant"), w.one(QUICK)(w)))
    return turns


FACTS = [plainly] * 4 + [asked] * 4 + [in_row] * 8 + [one_after_another] * 3 + [numbered] * 4 + [claim] * 3 + [judged] * 2 + [gap] * 3 + [quizmaster] * 2 + [options] * 3
SORTS = [kinds] * 3 + [odd] * 2 + [scale] * 2 + [rhyme] + [rounds(kinds), rounds(odd), rounds(scale), rounds(rhyme)]
CHOOSE = [chosen] * 6 + [several_choices] * 2 + [contrast] * 3 + [rounds(chosen)] * 2 + [rounds(contrast)] + [rounds(judged), rounds(claim), rounds(options)]
UNKNOWN = [unknown] * 3 + [known_beside] * 4
TALK = [talk] * 3 + [talks]
FORMS = FACTS + SORTS + CHOOSE + UNKNOWN + TALK
WEIGHTS = {"knowledge": (6, FACTS + SORTS), "choosing": (6, CHOOSE + SORTS), "unknown": (3, UNKNOWN), "chat": (1, TALK)}


def check():
    """What is wrong with the file."""
    import random

    from .writer import Writer

    wrong = []
    known = set(BANKS) | set(COMPUTED) | set(ENTITIES) | {"full", "lo", "mid", "hi"}
    seen = {}

    def slots_of(where, *texts):
        for text in texts:
            wrong.extend(f"{where}: no bank {s} in {text}" for s in SLOT.findall(text) if s.rstrip("0123456789") not in known)
            if text.count("[") != text.count("]") or text.count("{") != text.count("}"):
                wrong.append(f"{where}: brackets in {text}")

    for fact in KNOWN.facts:
        where = f"fact {fact.asks[0][:50]}"
        if len(fact.asks) < 2:
            wrong.append(f"{where}: one wording")
        for q in fact.asks:
            if seen.setdefault(q.lower(), fact.answer) != fact.answer:
                wrong.append(f"{where}: {q} has two answers")
            slots_of(where, q)
        if fact.answer.lower() in [x.lower() for x in fact.wrong]:
            wrong.append(f"{where}: the answer is wrong too")
        wrong += [f"{where}: no {{x}} in {s}" for s in fact.says if "{x}" not in s and "{a x}" not in s]
        wrong += [f"{where}: {s} ends with a stop" for s in fact.says if s.endswith(".")]
    for table in KNOWN.tables:
        for texts in [*table.asks.values(), table.says, table.questions]:
            wrong += [f"table {table.name}: no column {s}: {t}" for t in texts for s in SLOT.findall(t) if s not in table.columns]
        wrong += [f"table {table.name}: cells of {r}" for r in table.rows if table.columns[0] not in r or len(r) < 2]
        wrong += [f"table {table.name}: no column {c}" for c in table.asks if c not in table.columns]
    for asks, answer in KNOWN.judged:
        if answer not in ("Yes", "No"):
            wrong.append(f"judge {asks[0]}: {answer}")
    for kind in KNOWN.kinds:
        if len(kind.things) < 3:
            wrong.append(f"kind {kind.one}: few things")
        wrong += [f"kind {kind.one}: no kind {n}" for n in kind.near if n not in [k.many for k in KNOWN.kinds]]
    for names, asks, situations in KNOWN.options:
        slots_of(f"options {names[0]}", *names, *asks, *(t for _, t in situations))
        wrong += [f"options {names[0]}: no option {i + 1}" for i, _ in situations if not 0 <= i < len(names)]
        if len(names) < 2:
            wrong.append(f"options {names}: too few")
    for ask, names in KNOWN.choices:
        slots_of(f"choice {ask[:40]}", ask, *names)
        if len(set(names)) < 2 or len(set(names)) != len(names):
            wrong.append(f"choice {ask[:40]}: options")
    for found in KNOWN.contrasts:
        slots_of(f"contrast {found['ask'][:1]}", *found["ask"], *found["back"], *found["more"], *found["less"], *(t for p in found["pair"] for t in p))
        if not found["ask"] or not (found["pair"] or found["more"] and len(found["less"]) > 1):
            wrong.append(f"contrast {found['ask'][:1]}: texts")
        wrong += [f"contrast: no pair {p}" for p in found["pair"] if len(p) < 2]
    for cannot, can, answer in KNOWN.unknown:
        slots_of(f"unknown {cannot[0]}", *cannot, *can, answer)
        wrong += [f"unknown {q}: does not tell {s}" for q in can for s in SLOT.findall(answer) if s not in SLOT.findall(q)]
    for entry in KNOWN.talk:
        for turn in entry:
            if len(turn) != 2:
                wrong.append(f"talk {entry[0][0][:1]}: sides")
            else:
                slots_of(f"talk {turn[0][0]}", *turn[0], *turn[1])
    if not wrong:
        for form in dict.fromkeys(FORMS):
            for seed in range(150):
                made = form(Writer(random.Random(seed), seed % 2 == 1))
                texts = made if isinstance(made[0], str) else [t for _, t in made]
                wrong += [f"{form.__name__}: open slot in {t!r}" for t in texts if not t.strip() or re.search(r"[{}|\[\]]", t)]
    return wrong


if __name__ == "__main__":
    found = check()
    print("\n".join(found[:60]))
    rows = sum(len({tuple(f.known.items()) for f in facts}) for facts in KNOWN.table_facts)
    print(f"{len(KNOWN.facts)} facts, {sum(map(len, KNOWN.table_facts))} in {len(KNOWN.tables)} tables of {rows} rows, {len(KNOWN.judged)} judged, {len(KNOWN.kinds)} kinds, {len(KNOWN.scales)} scales, {len(KNOWN.rhymes)} rhymes, "
        f"{sum(len(s) for _, _, s in KNOWN.options)} situations with options, {len(KNOWN.choices)} choices, {sum(len(c['more']) + len(c['pair']) for c in KNOWN.contrasts)} contrasts, {len(KNOWN.unknown)} unknown, {len(KNOWN.talk)} talks")
    raise SystemExit(bool(found))
