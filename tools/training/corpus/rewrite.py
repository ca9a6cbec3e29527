"""Rewriting: politer, formal, casual, shorter, tenses, persons, questions; translation of a list into prose."""

import re

from .answer import cap
from .read import joined
from .words import PAIRS

# imperative phrase with slots, used bare by the rude form and dressed by the others
REQUESTS = ["send me the [report|photos|bill]", "close the {repair}", "bring {food} to the {plan}", "call {name} [at {time}|on {day}]", "clean the {room}", "give me the {object}",
    "buy {food}", "come to the {plan}", "turn off the {product}", "wait near the {place}", "fix the {repair}", "help {name} with the {subject} homework", "write to {company}", "bring back my {product}", "book the {transport} to {city}",
    "open the {repair}", "pass me the {food}", "tell me the [time|way|price|truth]", "show me the {object}", "lend me your {product}", "wash the dishes", "take out the rubbish", "answer my [email|question|letter]", "be quiet", "hurry up", "move your {product}", "stop the noise", "leave the {room}", "explain the {subject} lesson", "read the [report|letter|contract]", "sign the [form|contract]", "pick up {name} at {time}", "send the [bill|papers] to {name}", "feed the {animal}", "turn down the music", "put the {object} on the table", "make some {drink}", "cook {dish}", "reply by {day}", "change the [date|time] of the {plan}", "pay the bill", "carry my {object}", "check the [numbers|list|address]", "water the plants", "walk the dog", "keep the {object} safe", "print the [photos|tickets]"]
# subject verb-present / verb-past / verb-future rest
ACTIONS = [("walks", "walked", "walk", "to the {place}"), ("plays", "played", "play", "the {instrument}"), ("cooks", "cooked", "cook", "{dish}"), ("buys", "bought", "buy", "a {color} {product}"), ("finds", "found", "find", "a {color} {object}"),
    ("writes", "wrote", "write", "a letter to {name2}"), ("goes", "went", "go", "to {city} by {transport}"), ("sees", "saw", "see", "a {color} {animal}"), ("sells", "sold", "sell", "the {object}"), ("paints", "painted", "paint", "the {room}"),
    ("eats", "ate", "eat", "{food} with {food2}"), ("drinks", "drank", "drink", "a cup of {drink}"), ("loses", "lost", "lose", "the {object}"), ("visits", "visited", "visit", "the {place} in {town}"), ("opens", "opened", "open", "the {repair}"),
    ("meets", "met", "meet", "{name2} near the {place}"), ("repairs", "repaired", "repair", "the {repair}"), ("brings", "brought", "bring", "{food} to the {plan}"), ("feeds", "fed", "feed", "the {animal}"), ("carries", "carried", "carry", "the {object} to {town}"),
    ("takes", "took", "take", "the {transport} to {town}"), ("makes", "made", "make", "{dish} for dinner"), ("reads", "read", "read", "a book about {animal}s"), ("runs", "ran", "run", "to the {place}"), ("sings", "sang", "sing", "in the {room}"), ("drives", "drove", "drive", "to {city}"), ("gives", "gave", "give", "{name2} a {object}"), ("sends", "sent", "send", "an email to {company}"), ("forgets", "forgot", "forget", "the {object} at home"), ("breaks", "broke", "break", "the {object}"), ("keeps", "kept", "keep", "the {object} in the {room}"), ("leaves", "left", "leave", "the {place} at {time}"), ("wears", "wore", "wear", "a {color} coat"), ("draws", "drew", "draw", "a {animal}"), ("catches", "caught", "catch", "a {animal}"), ("hears", "heard", "hear", "the {instrument}"), ("teaches", "taught", "teach", "{subject}"), ("builds", "built", "build", "a small boat"), ("swims", "swam", "swim", "in the river"), ("flies", "flew", "fly", "to {city}"), ("rides", "rode", "ride", "a {color} bicycle"), ("speaks", "spoke", "speak", "to {name2}"), ("waits", "waited", "wait", "for the {transport}"), ("asks", "asked", "ask", "{name2} for help"), ("calls", "called", "call", "{name2}"), ("cleans", "cleaned", "clean", "the {room}"), ("watches", "watched", "watch", "a film with {name2}"), ("helps", "helped", "help", "{name2} in the {room}"), ("works", "worked", "work", "at {company}"), ("lives", "lived", "live", "in {city}"), ("likes", "liked", "like", "the {color} {object}"), ("needs", "needed", "need", "a new {product}"), ("wants", "wanted", "want", "some {food}"), ("studies", "studied", "study", "{subject}"), ("tries", "tried", "try", "the {dish}"), ("stops", "stopped", "stop", "near the {place}"), ("travels", "traveled", "travel", "to {city}"), ("washes", "washed", "wash", "the {color} {product}"), ("dances", "danced", "dance", "with {name2}"), ("laughs", "laughed", "laugh", "about the {object}"), ("arrives", "arrived", "arrive", "in {city} by {transport}"), ("sleeps", "slept", "sleep", "in the {room}"), ("sits", "sat", "sit", "near the {place}"), ("pays", "paid", "pay", "{price} dollars for the {product}"), ("wins", "won", "win", "a {object}"), ("steals", "stole", "steal", "the {object}"), ("hides", "hid", "hide", "the {object} in the {place}"), ("throws", "threw", "throw", "the {object} into the river"), ("grows", "grew", "grow", "{food} in the garden"), ("learns", "learned", "learn", "{subject}"), ("cuts", "cut", "cut", "the {food}"), ("understands", "understood", "understand", "the joke"), ("begins", "began", "begin", "to sing"), ("moves", "moved", "move", "to {city}"), ("closes", "closed", "close", "the {repair}")]
CASUAL = [("gonna", "going to"), ("wanna", "want to"), ("can't", "cannot"), ("don't", "do not"), ("I'm", "I am"), ("it's", "it is"), ("we're", "we are"), ("won't", "will not")]


POLITE = ["[Make|Rewrite|Write|Say|Turn] [this|the] [sentence|message|text|request|] [more polite|politer|polite|in a polite way|politely|nicer|friendlier|more friendly].", "[Say|Ask] [this|it] [more politely|in a friendlier way|nicely|kindly].", "[Rewrite|Rephrase|Reword|Change] this so that it [sounds|is] [polite|friendly|nicer|kind].", "[Politer|Nicer|More polite] please", "How [can|could|would] I say this [politely|more politely|nicely|in a polite way]?", "This is too rude. [Make it polite.|Rewrite it.]", "Make a polite [request|question] [of|out of] this.", "[Put|Write] this in polite words.", "[Turn|Change] this [command|order] into a polite [request|question].", "What is a polite way to say this?", "[Help me say|I want to say] this politely."]
TENSE = ["[Rewrite|Put|Change|Write|Turn|Convert|Transform] [this|the sentence|it|this sentence] [in|into|to] [the |]{t}[ tense|].", "[Change|Turn] [this|it|the verb] [in|]to [the |]{t}[ tense|].", "{t} tense [please|]", "[Say|Write|Tell] [this|it] in the {t}[ tense|].", "Use the {t} tense.", "What is this in the {t}[ tense|]?", "[How would|How do] you say this in the {t}[ tense|]?", "The same sentence in the {t} tense."]
YESTERDAY = {"past": ["[Rewrite|Write|Say] [it|this] as if it happened [yesterday|last week|long ago].", "[Pretend|Imagine] this happened yesterday and rewrite it.", "It already happened. Rewrite it."], "future": ["[Rewrite|Write|Say] [it|this] as if it will happen [tomorrow|next week|later].", "It has not happened yet. Write it in the future."], "present": ["[Rewrite|Write|Say] it as if it happens [now|every day]."]}
QUESTION = ["[Turn|Make|Change|Rewrite|Convert|Transform] [this|the sentence|this sentence|it] [into|to|as] a [question|yes-no question].", "[Rewrite|Write|Say|Ask] this as a question.", "[Ask|Write] [it|this] as a question.", "Make a question [of|from|out of] [this|it].", "[As a question|Question form][ please|].", "What is the question for this?", "How do I ask this?", "Form a question."]
NEGATIVE = ["[Make|Turn] [this|the] sentence negative.", "[Write|Say] the opposite with not.", "[Negate|Please negate] [this|this sentence|the sentence].", "[Rewrite|Write|Say] [it|this] with not.", "[Make|Write] [it|this] in the negative.", "Negative form please", "[Say|Write] that it did not happen.", "Change this [to|into] a negative sentence.", "Put not into this sentence.", "[Deny|Contradict] this."]
THIRD = ["[Rewrite|Put|Write] this in the third person with the name {n}.", "[Change|Rewrite] [the sentence|this|it] from I to {n}.", "Replace I [by|with] {n}.", "[Say|Write] this about {n} instead of I.", "Make {n} the one who did it."]
FIRST = ["[Rewrite|Put|Write|Say] this in the first person.", "[Change|Rewrite] [the sentence|it|this] so that I am speaking.", "[Write|Say] this as if I did it.", "[Use|Write it with] I instead of the name.", "Turn this into a sentence about me, with I."]
SHORTER = ["[Make|Write] [this|the] [sentence|text|] shorter.", "[Shorten|Please shorten|Cut|Trim] [this|the] [sentence|text].", "[Say|Write|Tell] [this|it] in fewer words.", "Shorter please", "[Shorter|Too long].", "Can you cut this down?", "[Make|Keep] it short.", "[Keep|Write] only what is important.", "[Remove|Leave out|Drop] [everything|the words] that [is|are] not needed.", "[Write|Say] this more [briefly|concisely].", "Get to the point.", "[Simplify|Condense|Tighten] this[ sentence|].", "Cut the unnecessary words.", "What is the short form of this sentence?"]
JOIN = ["[Combine|Join|Merge|Connect|Link] [these|the] two sentences[ with and|].", "[Make|Write] one sentence [from|out of|of] these[ two|].", "[Put|Turn] [them|these|both] [into|in] one sentence.", "One sentence please, with and.", "Write both in one sentence."]


def deed(w):
    """(name, present, past, base, rest) of something that somebody does."""
    present, past, base, rest = w.one(ACTIONS)
    name = w.word("name") if w.chance(0.7) else w.one(["She", "He", "My {r}", "The {j}", "The {a}"]).replace("{r}", w.word("relative")).replace("{j}", w.word("job")).replace("{a}", w.word("animal"))
    return name, present, past, base, w.fill(rest, name2=w.word("name"), food2=w.word("food"))


def lowered(name):
    """The subject as it stands inside a sentence."""
    return name if name.split(" ")[0] not in ("She", "He", "My", "The") else name[0].lower() + name[1:]


def polite(w):
    request = w.fill(REQUESTS)
    rude = w.fill(["{r}!", "{r} now!", "{r}, quickly.", "You must {r0}.", "Hey, {r0}!", "{r}.", "{r0}", "{r} right now!", "I told you to {r0}.", "{r}, and be quick!", "You have to {r0}!", "I want you to {r0}.", "{r}, idiot!"], r=cap(request), r0=request)
    return [joined(w, w.ask(POLITE), rude), w.fill("[Could you please|Could you please|Could you please|Would you please] {r}?", r=request)]


def tense(w):
    name, present, past, base, rest = deed(w)
    when = w.fill(["", "", " on {day}", " in the {daypart}"])
    forms = {"present": f"{name} {present} {rest}{when}.", "past": f"{name} {past} {rest}{when}.", "future": f"{name} will {base} {rest}{when}."}
    source, target = w.one([("present", "past"), ("present", "past"), ("future", "past"), ("past", "present"), ("present", "future"), ("past", "future"), ("future", "present")])
    prompt = w.ask(TENSE if w.chance(0.8) else YESTERDAY[target], t=target)
    return [joined(w, prompt, forms[source]), forms[target]]


def person(w):
    name, present, past, base, rest = deed(w)
    form = w.number(0, 2)
    if form == 0:
        return [joined(w, w.ask(THIRD, n=name), f"I {past} {rest}."), f"{name} {past} {rest}."] if name not in ("She", "He") and name[:3] not in ("My ", "The") else person(w)
    if form == 1:
        return [joined(w, w.ask(FIRST), f"{name} {past} {rest}."), f"I {past} {rest}."]
    if w.chance(0.4):
        return [joined(w, w.ask(QUESTION), f"{name} {present} {rest}."), f"Does {lowered(name)} {base} {rest}?"]
    return [joined(w, w.ask(QUESTION), f"{name} {past} {rest}."), f"Did {lowered(name)} {base} {rest}?"]


def negate(w):
    name, present, past, base, rest = deed(w)
    if w.chance(0.4):
        return [joined(w, w.ask(NEGATIVE), f"{name} {present} {rest}."), f"{name} does not {base} {rest}."]
    return [joined(w, w.ask(NEGATIVE), f"{name} {past} {rest}."), f"{name} did not {base} {rest}."]


def opposite(w):
    """A sentence with one adjective turned into its opposite."""
    a, b = w.one([p for p in PAIRS if p[0] in ADJECTIVES])
    text = w.fill(["This {object} is {a}.", "{name}'s {product} is {a}.", "The {room} was {a} [yesterday|this {daypart}].", "I think the {animal} is {a}.", "The {animal} looked {a}."], a=a, A=("an " if a[0] in "aeiou" else "a ") + a)
    new = re.sub(rf"\b(an? )?{re.escape(a)}\b(?=[^a-z]*(?:$|\.| [a-z]))", lambda m: (("an " if b[0] in "aeiou" else "a ") if m.group(1) else "") + b, text)
    return [joined(w, w.ask(["[Replace|Change] the adjective [by|with|to] its opposite.", "[Write|Say] the opposite[ of this| of this sentence|].", "Turn this into the opposite.", "[Replace|Swap] {a} [by|with|for] its opposite.", "[Say|Write] the contrary."], a=a), text), new] if text.count(a) == 1 and new != text else opposite(w)


ADJECTIVES = set("hot big happy old empty hard strong dry loud clean long good thick wide deep cheap heavy young warm smooth sharp safe bright calm beautiful fresh".split())


def correct(w):
    """A sentence typed carelessly, set right."""
    name, present, past, base, rest = deed(w)
    text = f"{name} {past} {rest}."
    bad = [text.lower().rstrip("."), text[0].lower() + text[1:-1], text.rstrip("."), text.lower()][w.number(0, 3)]
    if any(x.isupper() for x in rest[0:]) and bad == text.lower():
        bad = text.rstrip(".")
    return [joined(w, w.ask(["[Correct|Fix] the [spelling|capital letters and marks|punctuation|mistakes][ in this|].", "[Write|Rewrite] this [correctly|properly|without mistakes].", "[Put in|Add] capital letters and [the |a ]full stop.", "Fix this[ sentence|].", "Make this a correct sentence."]), bad), text]


def formal(w):
    casual, full = w.one(CASUAL)
    tails = {"gonna": "We're gonna {r}.", "wanna": "I wanna {r}.", "can't": "I can't {r}.", "don't": "Please don't {r}.", "I'm": "I'm going to {r}.", "it's": "I think it's time to {r}.", "we're": "Tomorrow we're going to {r}.", "won't": "I won't {r}."}
    text = w.fill(tails[casual], r=w.fill(["visit {name}", "go to {city}", "come to the {plan}", "buy the {product}", "cook {dish}", "sell the {object}", "meet {name} on {day}"]))
    greeting = w.fill(["Hey {name}! ", "Hi {name}! ", "Yo {name}, ", ""])
    name = greeting.strip("!, ").split(" ")[-1] if greeting else ""
    prompt = w.ask(["[Make|Rewrite|Write|Say] [this|the text|it] [more formal|in a formal style|formally|formal].", "[Rewrite|Rephrase] this for a formal [letter|email].", "[Too casual|This is slang]. Make it formal.", "Formal version please", "How would I write this to my boss?", "[Write|Say] this in [formal|proper] English."])
    body = text.replace(casual, full).replace("We're", "We are")
    return [joined(w, prompt, greeting + text), (f"Dear {name}, " + (body if body.startswith("I ") else body[0].lower() + body[1:])) if name else body]


LONG_FORMS = ["[It was|I remember it was] a {weather} {daypart}, and after a long time {c}, which made everybody feel {feeling}.", "As far as I know, and I am quite sure about it, {c} while the others were still talking.", "Because there was nothing else to do, {c}, and nobody was surprised by it.",
    "To make a long story short, {c}, although it was already rather late.", "I just wanted to let you know that, as a matter of fact, {c}.", "Well, what I really want to say is that {c}, you know.", "In the end, after all that had happened before, {c}, and that was that.", "It is a fact, as everybody knows, that {c}.", "Believe it or not, and I could hardly believe it myself, {c}.", "At this point in time it should be said that {c}."]


def shorter(w):
    name, present, past, base, rest = deed(w)
    return [joined(w, w.ask(SHORTER), w.fill(LONG_FORMS, c=f"{lowered(name)} {past} {rest}")), f"{name} {past} {rest}."]


def combine(w):
    first, second = deed(w), deed(w)
    name = first[0]
    again = name if w.chance(0.6) else {"She": "She", "He": "He"}.get(name, name)
    return [joined(w, w.ask(JOIN), f"{name} {first[2]} {first[4]}. {again} {second[2]} {second[4]}."), f"{name} {first[2]} {first[4]} and {second[2]} {second[4]}."]


def symbols(w):
    """Marks and brackets, so that no character is a stranger: comparisons, formulas, single marked-up words."""
    word = lambda: w.one([w.word("name"), w.word("food"), w.word("object"), w.word("place"), w.one(COMMON)])
    mark, color = w.one(["b", "i", "em", "li", "h1", "p", "td", "item", "name", "note", "word"] + COMMON), w.word("color")
    forms = [f"<{mark}>{word()}</{mark}>", f'<{mark} color="{color}">{word()}</{mark}>', f"<{mark}>{word()} and {word()}</{mark}>\n<{mark}>{word()}</{mark}>", f"{w.number(1, 99)} < {w.number(100, 999)}", f"({word()} + {word()}) / {w.number(2, 9)} = x", f'{word()}="{word()}"; {word()}="{word()}"', f"[{word()}] {{{word()}}} <{word()}> #{word()} *{word()}* & {word()}"]
    count = w.number(1, 3)
    end = w.one(".!?")
    forms.append(f"<{mark}>{w.fill(REQUESTS)}{end}</{mark}>")
    text = "\n".join(w.rng.sample(forms, count))
    if w.chance(0.4):
        one = w.one([word(), cap(w.fill(REQUESTS)) + end])
        return [w.ask(["[Put|Write] {x} [between|in] {m} [marks|tags].", "Mark {x} with {m}."], x=one, m=mark), f"<{mark}>{one}</{mark}>"]
    return [w.ask(["[Repeat|Copy|Say again|Write again]: {x}", "[Repeat|Copy] [this|the text]:\n{x}"], x=text), text]


COMMON = ["line", "title", "cast", "role", "scene", "place", "direction", "speaker", "play", "name", "tag", "tags", "topic", "list", "table", "row"]
