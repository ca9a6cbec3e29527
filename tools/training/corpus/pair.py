"""Sentences written by hand in several forms, `pairs.txt`: each is rewritten to order, and the written form is the answer.

An entry is a paragraph; `base` is the sentence, every other line one form of it:
  polite shorter past present future question negative formal casual plural singular passive active first third second opposite
  expanded contracted reported pronoun american british digits spelled    what the base becomes
  join WORD             the two sentences of the base as one, with that word
  wrong, wordy, rude    what becomes the base when it is corrected, shortened, made polite
  list                  words of this entry alone, as in situations
Most of the forms lead back as well: a passive to the active, a plural to the singular.
"""

import re
from pathlib import Path

from .situation import SLOT
from .writer import cap
from .written import paragraphs

FORMS_OF = "polite shorter past present future question statement negative positive order formal casual plural singular passive active first third second opposite expanded contracted reported pronoun american british digits spelled".split()
SOURCES = {"wrong": "correct", "wordy": "shorter", "rude": "polite"}
BACK = {"question": "statement", "negative": "positive", "positive": "negative", "plural": "singular", "singular": "plural", "passive": "active", "active": "passive", "third": "first", "first": "third", "opposite": "opposite", "expanded": "contracted", "contracted": "expanded", "american": "british", "british": "american", "digits": "spelled", "spelled": "digits", "polite": "order", "statement": "question"}
TENSES = ("past", "present", "future")
STARTS = re.compile(r"(^|[.!?] |\n)\{(a )?(\w+)\}")

IT = "[this|this sentence|the sentence|it|the following|this line]"
ASK = {
    "polite": [f"[Make|Rewrite|Put|Phrase|Write] {IT} [politely|in a polite way|more politely].", f"Make {IT} [polite|more polite|politer|friendlier|nicer|sound polite|sound kinder].", "[Turn|Change|Make|Convert] this [order|command] into a [polite|friendly] [request|question].", "[Say|Ask] this [politely|nicely|in a nicer way|kindly|in a friendly way].", "[Too rude|That sounds rude|A bit harsh]. [Make it polite.|Say it politely.|How do I ask nicely?]", "How [would I|can I|do I] ask this [politely|nicely]?", "[Reword|Rephrase|Rewrite] [it|this] so that [nobody is offended|it sounds friendly|it is polite|my boss could read it].", "[Polite version|Politely|Nicer][ please|].", "What would a polite person say?", "Ask this as a polite question.", "Rewrite as a polite request.", "I want to ask this in a polite way."],
    "order": [f"[Turn|Change|Make] {IT} into [an order|a command|a plain order|an instruction].", "[Say|Write|Rewrite] this as [an order|a command|an imperative].", "[Leave out the politeness|Without the polite words], only the order.", "[Order|Command|Imperative][ please|].", "[Make|Write] it direct[, as a command|].", "[Rewrite|Put] this in the imperative.", "What is the plain command behind this request?"],
    "shorter": [f"[Shorten|Condense|Tighten|Trim|Cut] {IT}.", f"[Make|Write] {IT} shorter.", "[Say|Write|Put|Rewrite] [this|it] [in fewer words|more briefly|briefly|shorter|concisely].", "[Too long|Too wordy|That is wordy]. [Shorten it.|Make it short.|Cut it down.|Keep what matters.]", "[Remove|Cut|Drop|Leave out] the [filler|unnecessary words|padding|empty words].", "[Shorter|Short version|Briefer][ please|].", "Get rid of the words that say nothing.", "Rewrite this so that it is [short|brief|to the point].", "[Boil|Cut] this down.", "How can I say this [in fewer words|shorter|more briefly]?", "Only the core of this sentence.", "Make it crisp."],
    "past": [f"[Rewrite|Put|Change|Turn|Write|Convert] {IT} [in|into] the past[ tense|].", "[Past tense|In the past|Past][ please|].", "[Say|Tell|Rewrite|Write] [this|it] as if it [were|was] [over|already over|long ago].", "[Use|Write it in|Switch to] the past tense.", "How does [this|it] sound in the past?", "Set the verbs in the past.", "[Rewrite|Tell] this as something that already happened.", "What is the past tense of this sentence?", "Same sentence, past tense.", "Pretend it was last year."],
    "present": [f"[Rewrite|Put|Change|Turn|Write|Convert] {IT} [in|into] the present[ tense|].", "[Present tense|In the present|Present][ please|].", "[Use|Switch to|Write it in] the present tense.", "[Say|Tell|Rewrite] this as if it [happens|were happening] now.", "How does [this|it] sound in the present?", "What is this in the present tense?", "Same sentence, present tense."],
    "future": [f"[Rewrite|Put|Change|Turn|Write|Convert] {IT} [in|into] the future[ tense|].", "[Future tense|In the future|Future][ please|].", "[Use|Write it in|Switch to] the future tense[ with will|].", "[Say|Tell|Rewrite] this as [something that will happen|if it were still to come|a plan for later].", "How does [this|it] sound in the future?", "Write it with will.", "What is this in the future tense?", "Same sentence, future tense.", "It has not happened yet. Rewrite it with will."],
    "question": [f"[Turn|Make|Change|Convert|Rewrite] {IT} into a [question|yes or no question|yes-no question].", "[Write|Rewrite|Ask|Say|Phrase] [this|it] as a question.", "[Question|As a question|Question form|Interrogative][ please|].", "[Make|Form] a question [out of|from] this.", "How would I ask [this|that]?", "I am not sure about this. Ask it.", "What question does this sentence answer with yes?", "Put a question in place of the statement.", "Ask whether this is so."],
    "statement": [f"[Turn|Make|Change|Convert|Rewrite] {IT} into a [statement|plain statement].", "[Write|Rewrite|Say] [this|it] as a [statement|normal sentence].", "[Statement|As a statement][ please|].", "Not as a question, as a statement.", "Make a statement out of this question.", "Say that it is so."],
    "negative": [f"[Make|Turn] {IT} negative.", f"[Negate|Deny] {IT}.", "[Rewrite|Write|Say|Put] [this|it] in the negative.", "[Negative|In the negative|Negation|Negative form][ please|].", "[Write|Rewrite|Say] [this|it] with not.", "Turn this into a negative sentence.", "Say that this is not so.", "It is not true. Rewrite it.", "What is the negative of this sentence?", "Add a not."],
    "positive": [f"[Make|Turn] {IT} [positive|affirmative].", "[Rewrite|Write|Say|Put] [this|it] in the affirmative.", "[Positive|Affirmative][ form|] please.", "Take the not out.", "[Remove|Leave out|Delete] the negation.", "[Write|Rewrite|Say] this without not.", "Turn this into a positive sentence."],
    "formal": [f"[Make|Rewrite|Write|Put] {IT} [formal|more formal|formally|in formal English|in a formal style|in business English].", "[Say|Write|Put] this [formally|as in a business letter|as one would write to a customer|in proper English].", "[Formal|Formal version|More formal][ please|].", "[Too casual|Too sloppy|This is slang]. [Make it formal.|Write it properly.]", "[Rephrase|Reword|Rewrite] [this|it] for [a formal letter|the office|an official email|my boss|the head teacher].", "How would I write this [to a client|in a formal email|to the authorities|to my professor]?", "Rewrite in a professional tone.", "Make this sound professional."],
    "casual": [f"[Make|Rewrite|Write|Put] {IT} [casual|more casual|casually|informal|in everyday English|in a casual way|relaxed].", "[Say|Write|Tell] this [like to a friend|casually|informally|in plain English|the way people talk].", "[Casual|Informal|Casual version|Less formal][ please|].", "[Too stiff|Too formal|Sounds stiff]. [Make it casual.|Relax it.|Write it as to a friend.]", "[Rephrase|Reword|Rewrite] [this|it] for [a friend|a text message|a chat|my sister|the family chat].", "How would I [say|text|tell] this to a friend?", "Make this sound relaxed."],
    "plural": [f"[Put|Rewrite|Write|Change|Turn] {IT} [in|into] the plural.", "[Plural|In the plural|Plural form][ please|].", "[Make|Turn] the subject plural.", "More than one of them. Rewrite the sentence.", "[Use|Write it with] the plural.", "How does this sound in the plural?", "Rewrite the sentence for several instead of one.", "Change singular to plural."],
    "singular": [f"[Put|Rewrite|Write|Change|Turn] {IT} [in|into] the singular.", "[Singular|In the singular|Singular form][ please|].", "[Make|Turn] the subject singular.", "Only one, not several. Rewrite the sentence.", "[Use|Write it with] the singular.", "How does this sound in the singular?", "Change plural to singular."],
    "passive": [f"[Put|Rewrite|Write|Change|Turn|Convert] {IT} [in|into] the passive[ voice|].", "[Passive|Passive voice|In the passive][ please|].", "[Use|Switch to] the passive[ voice|].", "Rewrite with the object first, in the passive.", "How does this sound in the passive?", "From active to passive."],
    "active": [f"[Put|Rewrite|Write|Change|Turn|Convert] {IT} [in|into] the active[ voice|].", "[Active|Active voice|In the active][ please|].", "[Use|Switch to] the active[ voice|].", "Who did it comes first. Rewrite it in the active.", "How does this sound in the active?", "From passive to active."],
    "first": [f"[Put|Rewrite|Write|Change|Turn|Tell] {IT} [in|into] the first person.", "[First person|In the first person][ please|].", "[Rewrite|Say|Tell|Write] this [as if it were about me|as if I did it|with I|from my point of view].", "It was me. Rewrite it with I.", "[Use|Write it with] I.", "Change it so that I am the one.", "From third person to first person."],
    "third": ["[Put|Rewrite|Write|Change|Tell] [this|the sentence|it] in the third person with {n}.", "[Use|Write] {n} instead of I.", "[Replace|Change] I [with|by|to] {n}[ and change the rest to fit|].", "[Rewrite|Tell|Write|Say] this about {m}.", "Third person, with {n}[ please|].", "Not I but {n} did it. Rewrite.", "[Say|Tell] this [about|of] {m}, not of me.", "It was {n}, not I. [Rewrite|Change] it.", "Where it says I, put {n}, and make the rest fit."],
    "second": ["[Put|Rewrite|Write|Change] [this|the sentence|it] in the second person.", "[Use|Write] you instead of I.", "[Replace|Change] I [with|by|to] you.", "[Second person|With you][ please|].", "Rewrite this as if I said it to you."],
    "opposite": [f"[Turn|Change] {IT} into its opposite.", "[Write|Say|Rewrite|Give me] the opposite[ of this| of this sentence|].", "[Opposite|The opposite|The contrary][ please|].", "[Say|Write] the contrary.", "Rewrite with the opposite [word|adjective|meaning].", "[Turn|Twist] it around: say the opposite.", "What would be the opposite of this?", "Make it mean the opposite."],
    "correct": ["[Correct|Fix|Mend|Repair] [this|this sentence|the mistakes|the mistakes in this|the errors|the grammar|it].", "[Rewrite|Write] this [correctly|without mistakes|without errors|in correct English|properly].", "[Find and fix|Remove] the [mistake|mistakes|error|errors].", "[Proofread|Check and correct|Edit] this.", "[Correct|Corrected|Corrected version][ please|].", "Is there a mistake in it? Write it right.", "Something is wrong here. [Fix it.|Correct it.]", "What is the correct form of this sentence?", "How should it be written?", "[Fix|Check] the [spelling and grammar|grammar|spelling].", "My pupil wrote this. Correct it.", "Put this right."],
    "expanded": [f"[Rewrite|Write] {IT} without [contractions|short forms|apostrophes].", "[Expand|Write out|Spell out] the [contractions|short forms].", "[Write|Use] the full forms.", "No contractions please.", "Replace the short forms by the long ones."],
    "contracted": [f"[Rewrite|Write] {IT} with [contractions|short forms].", "[Use|Put in] contractions[ please|].", "[Contract|Shorten] the verbs, as in don't.", "Write it with apostrophes, as people talk."],
    "reported": [f"[Put|Rewrite|Turn|Change] {IT} [in|into] [reported|indirect] speech.", "[Reported|Indirect] speech[ please|].", "[Tell|Write|Report] [it|this] without quotes[, with that|].", "[Report|Retell] what was said.", "[Remove|Take away] the quotation marks and report it."],
    "pronoun": ["[Replace|Change] the [name|noun|names|person] [by|with] [a pronoun|pronouns|the right pronoun].", "[Use|Write it with] pronouns[ instead of names|].", "Write he, she, it or they instead of the names.", "No names, pronouns please.", "With pronouns instead of the people."],
    "american": [f"[Put|Rewrite|Write|Change] {IT} [in|into] American [English|spelling].", "American [English|spelling] please.", "How would an American write this?", "From British to American."],
    "british": [f"[Put|Rewrite|Write|Change] {IT} [in|into] British [English|spelling].", "British [English|spelling] please.", "How would a Briton write this?", "From American to British."],
    "digits": [f"[Write|Rewrite|Put] {IT} with [digits|figures].", "[Write|Put] the numbers [as|in] [digits|figures].", "[Digits|Figures] instead of number words please.", "Turn the number words into figures."],
    "spelled": [f"[Write|Rewrite|Put] {IT} with the numbers in words.", "[Write|Spell] out the numbers.", "[Write|Put] the [digits|figures|numbers] in words.", "Change the [digits|figures] into words.", "Numbers as words please.", "No figures, words."],
    "join": ["[Join|Combine|Connect|Link] the two sentences with {x}.", "[Join|Combine|Merge|Put] [these|them|both] into one sentence[ using| with] {x}.", "Make one sentence with {x}.", "One sentence, with {x}[ please|].", "[Connect|Link] [these|both] [by|with] {x}.", "Use {x} to make one sentence of this.", "Write both as one sentence with {x}."],
}
# What a goal is called where several are asked of one sentence.
CALLED = {"polite": "politely", "shorter": "shorter", "past": "in the past tense", "present": "in the present tense", "future": "in the future tense", "question": "as a question", "negative": "in the negative", "formal": "formally", "casual": "casually", "plural": "in the plural", "singular": "in the singular", "passive": "in the passive", "active": "in the active", "first": "in the first person",
    "second": "with you instead of I", "opposite": "with the opposite meaning", "expanded": "without contractions", "contracted": "with contractions", "reported": "in reported speech", "american": "in American English", "british": "in British English", "digits": "with figures", "spelled": "with the numbers in words", "pronoun": "with pronouns"}


def rest_of(text):
    return text.lower().replace(",", "") + " "


def within(text, other):
    """Whether a text says no word that the other does not say."""
    words = lambda t: {x for x in re.findall(r"[\w{}']+", t.lower()) if "'" not in x}
    return words(text) <= words(other)


class Entry:
    """Sentences of one paragraph, and the steps that can be asked between them: (goal, from, to)."""

    def __init__(self, lines):
        self.lists, self.forms = {}, {}
        for line in lines:
            mark, rest = (part.strip() for part in line.split(":", 1))
            if mark.startswith("list "):
                self.lists[mark[5:].strip()] = [word.strip() for word in rest.split("/")]
            elif mark in self.forms:
                raise ValueError(f"twice {mark}: {rest}")
            else:
                self.forms[mark] = rest
        self.steps = []
        told = [mark for mark in self.forms if mark in TENSES]
        self.own = own = next((tense for tense in TENSES if tense not in told), "present") if len(told) == 2 else None
        for mark in self.forms:
            if mark == "base":
                continue
            goal = SOURCES.get(mark) or mark.split(" ")[0]
            self.steps.append((goal, mark, "base") if mark in SOURCES else (goal, "base", mark))
            if mark in BACK and (mark != "polite" or "could you please " + self.forms["base"].split(" ")[0].lower() + " " in rest_of(self.forms[mark]) and within(self.forms["base"], self.forms[mark])):
                self.steps.append(("second" if mark == "first" and self.forms["base"].startswith("You ") else BACK[mark], mark, "base"))
            if own and mark in TENSES:
                self.steps += [(own, mark, "base")] + [(other, mark, other) for other in told if other != mark]


ALL = [Entry(lines) for lines in paragraphs((Path(__file__).parent / "pairs.txt").read_text())]


class Said:
    """An entry with values for its slots."""

    def __init__(self, w, entry):
        self.w, self.entry, self.values = w, entry, {}
        for slot in dict.fromkeys(SLOT.findall(" ".join(entry.forms.values()))):
            self.values[slot] = self.value(slot)
        self.values |= {slot + "__": cap(value) for slot, value in self.values.items()}

    def value(self, slot):
        lists, bank = self.entry.lists, slot.rstrip("0123456789")
        taken = {str(value).lower() for value in self.values.values()}
        for _ in range(60):
            value = self.w.one(lists[slot]) if slot in lists else self.w.one(lists[bank]) if bank in lists else self.w.fill("{name} {surname}") if bank == "full" else self.w.word(bank)
            if value.lower() not in taken:
                break
        return value

    def text(self, mark):
        template = STARTS.sub(lambda m: m.group(1) + ("{A " + m.group(3) + "}" if m.group(2) else "{" + m.group(3) + "__}"), self.entry.forms[mark])
        return re.sub(r"(?<!\.)\.\.(?!\.)", ".", self.w.slots(template, self.values))

    def ask(self, goal, start, end):
        known = {}
        if goal == "join":
            known["x"] = end.removeprefix("join ")
        if goal == "third":
            new = [slot for slot in SLOT.findall(self.entry.forms[end]) if slot not in SLOT.findall(self.entry.forms[start])]
            known["n"] = self.values[new[0]] if new else self.text(end).split(" ")[0].strip("'s").lower() if self.text(end).startswith(("He ", "She ", "They ")) else "he" if re.search(r"\b(he|his|him)\b", self.text(end).lower()) else "she"
            known["m"] = {"he": "him", "she": "her", "they": "them"}.get(known["n"], known["n"])
        return self.w.ask(ASK[goal], **known)


def pick(w, goal=None):
    """An entry, and a step that can be asked of it."""
    while True:
        entry = w.one(ALL)
        steps = [step for step in entry.steps if goal in (None, step[0])]
        if steps:
            return Said(w, entry), w.one(steps)


def rewritten(w):
    said, (goal, start, end) = pick(w)
    return [w.task(said.ask(goal, start, end), said.text(start)), said.text(end)]


def evenly(w):
    """The same, every goal as often as the others."""
    said, (goal, start, end) = pick(w, w.one(list(ASK)))
    return [w.task(said.ask(goal, start, end), said.text(start)), said.text(end)]


def in_a_row(w):
    """One thing done to several sentences."""
    goal = w.one([g for g in ASK if g not in ("third", "join", "pronoun")])
    turns, seen = [], set()
    for _ in range(w.number(2, 5)):
        said, (_, start, end) = pick(w, goal)
        text = said.text(start)
        if said.entry not in seen:
            seen.add(said.entry)
            turns += [("user", w.one(["{t}", "{t}", "And this: {t}", "Next: {t}", "Now: {t}"]).replace("{t}", text) if turns else w.task(said.ask(goal, start, end), text)), ("assistant", said.text(end))]
    return turns


def of_one(w):
    """Several things done to one sentence."""
    for _ in range(200):
        said = Said(w, w.one(ALL))
        steps = [step for step in said.entry.steps if step[1] == "base" and step[0] in CALLED]
        if len(steps) > 1:
            break
    turns = []
    for goal, start, end in w.rng.sample(steps, w.number(2, min(4, len(steps)))):
        ask = w.ask(["[And|Now] the [original|first sentence|original sentence] {x}.", "The [first sentence|original] {x}[ please|].", "[How is|What about] the original sentence {x}?", "[Write|Now write] the first sentence {x}."], x=CALLED[goal]) if turns else w.task(said.ask(goal, start, end), said.text(start))
        turns += [("user", ask), ("assistant", said.text(end))]
    return turns


EACH = "past present future expanded contracted american british digits spelled correct formal casual opposite passive active".split()  # what can be done to a text sentence by sentence


def two_at_once(w):
    """The same done to two or three sentences that stand in one text."""
    goal, texts, ends = w.one(EACH), [], []
    for _ in range(w.number(2, 3)):
        said, (_, start, end) = pick(w, goal)
        if said.text(start) not in texts:
            texts.append(said.text(start))
            ends.append(said.text(end))
    if len(texts) < 2:
        return two_at_once(w)
    mark = w.one([" ", " ", "\n"]) if all(t[-1] in ".!?" for t in texts) else "\n"
    return [w.task(w.ask([a.replace("this sentence|the sentence|it|the following|this line", "this text|the text|the following") for a in ASK[goal] if "Same sentence" not in a and "one sentence" not in a]), mark.join(texts)), mark.join(ends)]


MAYBE = ["[Correct|Check|Proofread|Edit] [this|this sentence|the sentence].", "[Correct|Fix] the mistakes, if there are any.", "Is there a mistake in it? Write it right.", "[Check|Look over] the [spelling|grammar|spelling and grammar].", "[Write|Return] the correct sentence.", "[Correct|Corrected] version[ please|].", "How is this written correctly?", "[Check and correct|Correct where needed]."]


def already_right(w):
    """A sentence without mistakes is corrected to itself."""
    while True:
        said = Said(w, w.one(ALL))
        if "wrong" in said.entry.forms or said.entry.forms["base"][-1] == "." and not {"formal", "casual"} & set(said.entry.forms):
            return [w.task(w.ask(MAYBE), said.text("base")), said.text("base")]


WHICH = {
    "tense": ["[Which|What] tense is this[, past, present or future|: past, present or future|]?", "Past, present or future?", "Does this happen in the past, the present or the future?", "[Name|Tell me] the tense: past, present or future."],
    "style": ["Is this {a} or {b}?", "{A} or {b}?", "[Is the style|Is the tone|Does it sound] {a} or {b}?", "[Label|Classify|Mark] [the style|the tone|this] as {a} or {b}.", "[What|Which] register is this, {a} or {b}?"],
    "manners": ["Is this {a} or {b}?", "{A} or {b}?", "Does this sound {a} or {b}?", "[Judge|Rate|Label] the tone: {a} or {b}.", "How does this come across, {a} or {b}?"],
    "voice": ["Active or passive?", "Is this sentence active or passive?", "[Which|What] voice is this, active or passive?", "Is the verb active or passive?"],
    "sort": ["[Question, statement or order|Is this a question, a statement or an order]?", "What kind of sentence is this: question, statement or order?", "[Label|Classify] the sentence as question, statement or order."],
    "right": ["Is this [correct|correct English|right|without mistakes|good English]?[ Yes or no.|]", "Is the [grammar|spelling and grammar] [right|correct|in order] here?", "[Can|Could] I send it like this, without mistakes?", "Would a teacher leave this as it is?"],
    "place": ["Is this American or British[ English|]?", "American or British?", "Which English is this, American or British?"],
}
SAME = ["Do [these|the] two sentences [mean|say] the same[ thing|]?", "[Same meaning|Do they mean the same]? [Yes or no.|]", "Is the meaning the same?", "Do both [lines|sentences] say the same?", "Is the second sentence another way to say the first?", "Paraphrase? Yes or no."]
AGAINST = ["Do these [sentences|lines|statements] contradict each other?", "Is there a contradiction[ between them|]?", "Does the second sentence contradict the first?", "Can both be true at the same time? [Yes or no.|]"]


def judged(w):
    """What a sentence is: its tense, tone, voice, and whether it is correct."""
    for _ in range(300):
        kind, said = w.one(["tense", "tense", "style", "manners", "voice", "sort", "right", "right", "place"]), Said(w, w.one(ALL))
        forms, entry = said.entry.forms, said.entry
        marks = {
            "tense": {mark: mark for mark in TENSES if mark in forms} | {"base": entry.own} if entry.own and "wrong" not in forms else {},
            "style": {"formal": "formal", "base": "casual"} if "formal" in forms else {"casual": "casual", "base": "formal"} if "casual" in forms else {},
            "manners": {"rude": "rude", "base": "polite"} if "rude" in forms else {"polite": "polite"} if "polite" in forms else {},
            "voice": {"passive": "passive", "base": "active"} if "passive" in forms and forms["base"][-1] == "." else {"active": "active", "base": "passive"} if "active" in forms else {},
            "sort": {"question": "question", "base": "statement"} if "question" in forms and forms["base"][-1] == "." else {"base": "order"} if any(step[0] == "order" for step in entry.steps) and "please" not in forms["base"] else {},
            "right": {"wrong": "No", "base": "Yes"} if "wrong" in forms else {},
            "place": {"american": "American", "base": "British"} if "american" in forms else {"british": "British", "base": "American"} if "british" in forms else {},
        }[kind]
        if marks:
            mark = w.one(list(marks))
            a, b = w.rng.sample(["formal", "casual"] if kind == "style" else ["polite", "rude"], 2)
            return [w.task(w.ask(WHICH[kind], a=a, b=b, A=cap(a)), said.text(mark)), marks[mark]]


def compared(w):
    """Whether two sentences say the same."""
    for _ in range(300):
        said = Said(w, w.one(ALL))
        forms = said.entry.forms
        alike = [m for m in ("passive", "active", "expanded", "contracted", "british", "american", "digits", "spelled", "wordy", "reported", "formal", "casual") if m in forms]
        unlike = [m for m in ("negative", "opposite", "positive") if m in forms]
        same = w.chance(0.5)
        if forms["base"][-1] == "." and (alike if same else unlike):
            texts = [said.text("base"), said.text(w.one(alike if same else unlike))]
            w.rng.shuffle(texts)
            pair = w.one([f"{texts[0]}\n{texts[1]}", f"1. {texts[0]}\n2. {texts[1]}", f"A: {texts[0]}\nB: {texts[1]}", f"{texts[0]} / {texts[1]}"])
            if w.chance(0.3):
                ask = w.wording(AGAINST)
                return [w.task(ask, pair), "No" if same != ask.startswith("Can both") else "Yes"]
            return [w.task(w.ask(SAME), pair), "Yes" if same else "No"]


FORMS = [rewritten] * 8 + [evenly] * 5 + [in_a_row] * 2 + [of_one, judged, judged, compared, two_at_once, two_at_once, already_right]


def check():
    import random

    from .writer import BANKS, COMPUTED, ENTITIES, Writer

    wrong = []
    for entry in ALL:
        where = entry.forms.get("base", str(entry.forms))[:60]
        if "base" not in entry.forms or len(entry.forms) < 2:
            wrong.append(f"{where}: a base and another form are needed")
            continue
        base = set(SLOT.findall(entry.forms["base"]))
        known = set(BANKS) | set(COMPUTED) | set(ENTITIES) | {"full"} | set(entry.lists)
        for mark, text in entry.forms.items():
            slots = set(SLOT.findall(text))
            wrong += [f"{where}: no bank {slot}" for slot in slots if slot not in known and slot.rstrip("0123456789") not in known]
            if mark not in FORMS_OF and mark not in SOURCES and mark != "base" and not re.fullmatch(r"join .+", mark):
                wrong.append(f"{where}: what is {mark}?")
            if mark not in ("third", "first", "wordy", "wrong", "rude") and slots - base or mark in SOURCES and base - slots:
                wrong.append(f"{where}: slots of {mark}: {slots ^ base}")
            if mark == "question" and not text.endswith("?") or mark == "negative" and not re.search(r"\b(not|never|no|nobody|nothing|nowhere|none|cannot|neither|without)\b|n't", text.lower()):
                wrong.append(f"{where}: {mark}: {text}")
            if mark != "wrong" and text[-1] not in ".!?\"'" and entry.forms["base"][-1] in ".!?" or "[" in text or "|" in text:
                wrong.append(f"{where}: how does it end, or a choice: {text}")
            if mark != "base" and text == entry.forms["base"]:
                wrong.append(f"{where}: {mark} changes nothing")
        for name in entry.lists:
            if not any(re.search(r"\{(?:an? )?" + name + r"\d?\}", text) for text in entry.forms.values()):
                wrong.append(f"{where}: list {name} is not used")
    if not wrong:
        for seed in range(3):
            for entry in ALL:
                w = Writer(random.Random(seed), False)
                said = Said(w, entry)
                for goal, start, end in entry.steps:
                    texts = [said.ask(goal, start, end), said.text(start), said.text(end)]
                    wrong += [f"open slot: {t}" for t in texts if re.search(r"[{}|\[\]]|__", t)]
                    if texts[1] == texts[2]:
                        wrong.append(f"nothing changes: {texts}")
    return wrong


if __name__ == "__main__":
    from collections import Counter

    found = check()
    print("\n".join(found) or f"{len(ALL)} entries are well formed, {sum(len(e.steps) for e in ALL)} steps: {dict(Counter(s[0] for e in ALL for s in e.steps))}")
    raise SystemExit(bool(found))
