"""Notes, reviews and messages written by hand, `notes.txt`: tags, categories, titles, sentiment, urgency, spam.

  topic: main / other, other     a topic with its tag words, and below it
  near: topic, topic             topics that a note of it may touch as well: never offered beside it
  list NAME: word/word           words of this topic alone
  - text # own, own @ Title      a note, its own keywords, perhaps its title
  reviews: positive | negative | neutral, messages: urgent | calm | spam | ham     what follows, a text a line
"""

import re
from pathlib import Path

from .situation import SLOT
from .writer import cap

STARTS = re.compile(r"(^|[.!?] |\n)\{(a )?(\w+)\}")


class Topic:
    def __init__(self, line):
        main, _, other = line.partition(" / ")
        self.main, self.words, self.near, self.lists, self.notes = main.strip(), [x.strip() for x in other.split(",") if x.strip()], set(), {}, []


def load():
    topics, texts, current = [], {}, None
    for line in (Path(__file__).parent / "notes.txt").read_text().split("\n"):
        mark, _, rest = line.partition(": ")
        if not line.strip() or line.startswith("#"):
            continue
        if mark == "topic":
            topics.append(Topic(rest))
            current = None
        elif mark in ("reviews", "messages"):
            current = texts.setdefault(rest.strip(), [])
        elif current is not None:
            current.append(line.removeprefix("- "))
        elif mark == "near":
            topics[-1].near |= {x.strip() for x in rest.split(",")}
        elif mark.startswith("list "):
            topics[-1].lists[mark[5:]] = [x.strip() for x in rest.split("/")]
        else:
            text, _, title = line.removeprefix("- ").partition(" @ ")
            text, _, own = text.partition(" # ")
            topics[-1].notes.append((text.strip(), [x.strip() for x in own.split(",") if x.strip()], title.strip()))
    for topic in topics:
        for other in topics:
            if other.main in topic.near:
                other.near.add(topic.main)
    return topics, texts


TOPICS, TEXTS = load()
TITLED = [(topic, note) for topic in TOPICS for note in topic.notes if note[2]]


class Written:
    """A note with values for its slots."""

    def __init__(self, w, topic, note=None):
        self.topic = topic
        text, own, title = note or w.one(topic.notes)
        values = {}
        for slot in dict.fromkeys(SLOT.findall(text)):
            bank = slot.rstrip("0123456789")
            for _ in range(50):
                value = w.one(topic.lists[bank]) if bank in topic.lists else w.fill("{name} {surname}") if bank == "full" else w.word(bank)
                if value not in values.values():
                    break
            values[slot] = value
        shown = values | {k + "__": cap(v) for k, v in values.items()}
        self.text = re.sub(r"(?<!\.)\.\.(?!\.)", ".", w.slots(STARTS.sub(lambda m: m.group(1) + ("{A " + m.group(3) + "}" if m.group(2) else "{" + m.group(3) + "__}"), text), shown))
        self.own = [w.slots(x, values) for x in own]
        self.title = w.slots(title, {k: " ".join(map(cap, v.split(" "))) if v.islower() else v for k, v in values.items()})


def plain(w, text):
    values = {slot: w.fill("{name} {surname}") if slot == "full" else w.word(slot.rstrip("0123456789")) for slot in dict.fromkeys(SLOT.findall(text))}
    values |= {k + "__": cap(v) for k, v in values.items()}
    return re.sub(r"(?<!\.)\.\.(?!\.)", ".", w.slots(STARTS.sub(lambda m: m.group(1) + ("{A " + m.group(3) + "}" if m.group(2) else "{" + m.group(3) + "__}"), text), values))


def some_notes(w, topic):
    """One note, now and then two, of a topic: text and own words."""
    notes = [Written(w, topic, note) for note in w.rng.sample(topic.notes, 2 if w.chance(0.2) else 1)]
    return " ".join([ended(n.text) for n in notes[:-1]] + [notes[-1].text]), [x for n in notes for x in n.own]


def ended(text):
    return text if text[-1] in ".!?" else text + "."


def mixture(w):
    """One or two topics, a text about them, and its own words."""
    first = w.one(TOPICS)
    text, own = some_notes(w, first)
    if w.chance(0.6):
        return [first], text, own
    second = w.one([t for t in TOPICS if t is not first and t.main not in first.near])
    other, more = some_notes(w, second)
    return [first, second], w.one([f"{ended(text)} {other}", f"{ended(text)} {other}", f"{text}\n{other}", f"- {text}\n- {other}"]), [own[0], more[0]]


def others(w, topics, count):
    """Names of topics that the text has nothing to do with."""
    far = [t.main for t in TOPICS if all(t is not x and t.main not in x.near for x in topics)]
    return w.rng.sample(far, min(count, len(far)))


NOTE = "[this|the] [note|text|message|entry|memo|post]"
TAGS = [f"[Tag|Label|Please tag] {NOTE}.", f"[Give|Write|Add|Suggest|Find|Assign] [tags|labels|keywords] [for|to fit] {NOTE}.", f"[Tags|Keywords|Labels] for {NOTE}?", f"[Which|What] [tags|labels|keywords] [fit|suit|describe|belong to] {NOTE}?", "[Tags|Labels|Keywords][?|:| please|]", f"How [would|should|do] [I|you] tag {NOTE}?", "[Topics|Subjects], comma separated.", "[Write|Output|Return|Give me] only the [tags|labels], [separated by commas|with commas].",
    f"Under [which|what] [tags|labels|headings] [do I file|would you file|should I keep] {NOTE}?", f"[I keep|I am sorting] my notes by tags. [What goes on this one?|Which for this one?|Tag this one.]", f"What [themes|topics] does {NOTE} have?", "[Auto-tag|Autotag] [this|the note].", f"[Choose|Pick|Think of] [fitting|good|a few] [tags|labels] for {NOTE}.", "What is it about? Tags only."]
COUNTED = [f"[Give|Write|Suggest|Add|Find|Choose|Pick] [exactly |]{{n}} {{t}} for {NOTE}.", f"{{n}} {{t}} for {NOTE}[ please|].", f"[Tag|Label] {NOTE} with {{n}} {{t}}.", "{N} {t}[?|:| please|]", f"I need {{n}} {{t}} for {NOTE}.", f"[Which|What] {{n}} {{t}} [fit|suit|describe] {NOTE}?", f"[Sum up|Describe] {NOTE} in {{n}} {{t}}.", "{N} {t}, comma separated."]
FROM_LIST = [f"[Choose|Pick|Select] the [tags|labels] that fit {NOTE}: {{l}}.", f"[Which|What] of these [tags|labels] fit {NOTE}? {{l}}", f"[Tag|Label] {NOTE}. [Allowed|Possible|Available] [tags|labels]: {{l}}.", f"[Use|Take] only these [tags|labels]: {{l}}.", f"[Tags|Labels] to choose from: {{l}}. Which belong to {NOTE}?", "[Tags|Labels] ({l})?", f"From this list, [which|what] [tags|labels] would you put on {NOTE}: {{l}}?", "My [tags|labels] are {l}. [Tag this.|Which ones here?|Label this with them.]", f"[Assign|Attach] all fitting [tags|labels] from {{l}}.", "Options: {l}. [All|List all] that apply.", f"Which of these topics does {NOTE} touch: {{l}}?"]
CATEGORY = [f"[Which|What] category [fits|suits|does it belong to|is it|is this]: {{l}}?", f"[Put|Sort|File] {NOTE} [in|into] one of these [folders|categories|drawers|boxes]: {{l}}.", f"[Categories|Folders|Categories to choose from]: {{l}}. [Which one?|Where does this go?|Choose one.]", f"[Categorise|Categorize|Classify] {NOTE} as {{l}}.", "Is this about {l}?", f"Which of these topics is {NOTE} about: {{l}}?", f"[Choose|Pick|Name] the [category|topic|subject|folder] of {NOTE}: {{l}}.", "Category ({l}):", "{l}?", f"[Into|In] which folder [goes|belongs] {NOTE}: {{l}}?", f"What is the [topic|subject|theme] of {NOTE}? [Options|Choose from|Pick from]: {{l}}.", "One of {l}[. Which?|?]", "Topic: {l}?", "[Answer with|Reply with|Say] one word of these: {l}."]
ABOUT = [f"Is {NOTE} about {{t}}?", "Is this about {t}? [Yes or no.|Answer yes or no.|]", f"Does {NOTE} belong [to|under|in the folder] {{t}}?", f"Has {NOTE} [anything|something] to do with {{t}}?", "Would the tag {t} fit here?", "{t}? Yes or no.", "Should I file this under {t}?"]
TITLE = [f"[Write|Suggest|Give me|Find|Think of|Invent] a [short |][title|heading|headline|caption|subject line] for {NOTE}.", f"[Title|Heading|Headline|Subject line] for {NOTE}?", "[Title|Headline|Heading|Subject][?|:| please|]", f"[What|Which] [title|heading] would you [give|put over] {NOTE}?", f"What should I call {NOTE}?", "Name this note.", f"Give {NOTE} a [title|heading|name|headline].", "A few words as a title[ please|].", "What would be a good [subject line|headline|title]?", "I need a [heading|title|subject line] for this."]
NUMBERS = {1: ["one", "one", "1", "a single"], 2: ["two", "2"], 3: ["three", "3"]}


def tags(w):
    topics, text, own = mixture(w)
    mains = [t.main for t in topics]
    w.contents += mains
    form = w.number(0, 9)
    if form <= 3:
        return [w.task(w.ask(TAGS), text), ", ".join(mains if len(mains) > 1 else list(dict.fromkeys(mains + own))[:3])]
    if form <= 6:
        count = w.number(1, 3) if len(mains) == 1 else w.number(2, 3)
        answer = list(dict.fromkeys(mains + own + [x for t in topics for x in t.words]))[:count]
        n = w.one(NUMBERS[count])
        return [w.task(w.ask(COUNTED, n=n, N=cap(n), t=w.one(["tag", "label", "keyword"] if count == 1 else ["tags", "labels", "keywords"])), text), ", ".join(answer)]
    offered = mains + others(w, topics, w.number(2, 6))
    w.rng.shuffle(offered)
    return [w.task(w.ask(FROM_LIST, l=", ".join(offered)), text), ", ".join(mains)]


def category(w):
    topic = w.one(TOPICS)
    text, _ = some_notes(w, topic)
    w.contents.append(topic.main)
    if w.chance(0.2):
        true = w.chance(0.5)
        return [w.task(w.ask(ABOUT, t=topic.main if true else others(w, [topic], 1)[0]), text), "Yes" if true else "No"]
    offered = [topic.main] + others(w, [topic], w.number(1, 5))
    w.rng.shuffle(offered)
    shown = w.one([", ".join(offered[:-1]) + " or " + offered[-1], ", ".join(offered[:-1]) + " or " + offered[-1], ", ".join(offered), " / ".join(offered)])
    return [w.task(w.ask(CATEGORY, l=shown), text), topic.main]


def sorted_notes(w):
    """Several notes, one after the other, into the same categories."""
    topics = []
    for topic in w.rng.sample(TOPICS, len(TOPICS)):
        if all(topic.main not in t.near for t in topics) and len(topics) < w.number(2, 5):
            topics.append(topic)
    if len(topics) < 2:
        return sorted_notes(w)
    w.contents += [t.main for t in topics][:2]
    shown, turns = ", ".join(t.main for t in topics), []
    for _ in range(w.number(3, 6)):
        topic = w.one(topics)
        text = Written(w, topic).text
        if text not in [t.split("\n")[-1] for _, t in turns]:
            turns += [("user", text if turns else w.task(w.ask(CATEGORY, l=shown), text)), ("assistant", topic.main)]
    return turns


WHICH = ["Which [note|one|of these] is about {t}?", "[Find|Show me|Give me|Copy] the [note|one|entry] about {t}.", "[Search|Look through] my notes for {t}.", "Which line has to do with {t}?", "[What|Which] did I write about {t}?", "The note on {t}[, please|]?", "Only the one about {t}."]
HOW_MANY = ["How many of these notes are about {t}?", "How many [notes|lines|entries] have to do with {t}?", "Count the notes about {t}."]


def which_note(w):
    """One of several notes, found by its topic."""
    topics = []
    for topic in w.rng.sample(TOPICS, len(TOPICS)):
        if all(topic.main not in t.near for t in topics) and len(topics) < 2 + w.number(0, 3):
            topics.append(topic)
    wanted = w.one(topics)
    w.contents += [t.main for t in topics][:2]
    texts = [Written(w, t).text for t in topics]
    if w.chance(0.2):
        more = [Written(w, wanted, note).text for note in w.rng.sample(wanted.notes, w.number(1, 3))]
        lines = [t for t, topic in zip(texts, topics) if topic is not wanted] + more
        w.rng.shuffle(lines)
        return [w.task(w.ask(HOW_MANY, t=wanted.main), "\n".join("- " + t for t in lines)), str(len(more))]
    mark = w.one(["- {t}", "{i}. {t}", "{t}"])
    return [w.task(w.ask(WHICH, t=wanted.main), "\n".join(mark.replace("{t}", t).replace("{i}", str(i)) for i, t in enumerate(texts, 1))), texts[topics.index(wanted)]]


def title(w):
    topic, note = w.one(TITLED)
    written = Written(w, topic, note)
    return [w.task(w.ask(TITLE), written.text), written.title]


def sentiment(w):
    from .classify import LIKES, MOOD, MOOD_TWO

    form = w.number(0, 9)
    label = w.one(["positive", "negative", "neutral"] if form <= 5 else ["positive", "negative"])
    text = plain(w, w.one(TEXTS[label]))
    w.contents += text.split(" ")[:2]
    if form <= 5:
        a, b, c = w.rng.sample(["positive", "negative", "neutral"], 3)
        return [w.task(w.ask(MOOD + MORE_MOOD, a=a, b=b, c=c, A=cap(a)), text), label]
    if form <= 8:
        pair = w.one([("positive", "negative")] * 3 + [("happy", "unhappy"), ("good", "bad"), ("satisfied", "dissatisfied"), ("pleased", "annoyed"), ("praise", "complaint")])
        a, b = w.rng.sample(pair, 2)
        return [w.task(w.ask(MOOD_TWO, a=a, b=b, A=cap(a)) if pair[0] not in ("praise", "pleased") else w.ask(["{A} or {b}?", "[Is it|Is this] {a} or {b}?" if pair[0] == "praise" else "Is the writer {a} or {b}?", "[Decide|Choose]: {a} or {b}."], a=a, b=b, A=cap(a)), text), pair[label == "negative"]]
    return [w.task(w.ask(LIKES), text), "Yes" if label == "positive" else "No"] if w.chance(0.7) else [w.task(w.ask(["[Is this|Is it] a complaint?", "Does the writer complain?", "Is somebody [unhappy|dissatisfied|angry] here?", "Would the writer warn others?"]), text), "No" if label == "positive" else "Yes"]


MORE_MOOD = ["All in all, is it {a}, {b} or {c}?", "Overall [sentiment|opinion|verdict]: {a}, {b} or {c}?", "[Sort|File] this [review|comment] under {a}, {b} or {c}.", "[Taken|Judged] as a whole: {a}, {b} or {c}?", "Customer feedback, {a} / {b} / {c}:"]


def messages(w):
    from .classify import HURRY, URGENCY

    if w.chance(0.3):
        spam = w.chance(0.5)
        text = plain(w, w.one(TEXTS["spam" if spam else "ham"]))
        w.contents += text.split(" ")[:2]
        form = w.number(0, 3)
        if form == 0:
            return [w.task(w.ask(["Is this [message|email|mail|text] spam?", "spam?", "Is it [spam|junk|a scam]? [Yes or no.|]", "[Should|Can] I [delete this as spam|put this in the spam folder]?", "Is this [a scam|junk mail]?", "Would you [distrust|report] this [message|mail]?"]), text), "Yes" if spam else "No"]
        if form == 1:
            return [w.task(w.ask(["Can I trust this [message|mail|sender]?", "Is this [message|mail] [serious|genuine|honest|safe]?", "Does this [mail|message] belong in my inbox?"]), text), "No" if spam else "Yes"]
        first, second = w.one([("spam", "not spam"), ("spam", "ham"), ("spam", "inbox"), ("junk", "normal"), ("scam", "genuine")])
        a, b = w.rng.sample([first, second], 2) if second != "not spam" else (first, second)
        return [w.task(w.ask(["{A} or {b}?", "[Classify|Label|Mark|Sort] this [message|mail|email] as {a} or {b}.", "[Is it|Is this] {a} or {b}?" if second != "inbox" else "[Inbox|To the inbox] or {first}?".replace("{first}", "spam"), "[Decide|Choose|Pick]: {a} or {b}.", "What is this [mail|message], {a} or {b}?", "Spam filter: {a} or {b}?"], a=a, b=b, A=cap(a)), text), first if spam else second]
    urgent = w.chance(0.5)
    text = plain(w, w.one(TEXTS["urgent" if urgent else "calm"]))
    w.contents += text.split(" ")[:2]
    if w.chance(0.35):
        return [w.task(w.ask(HURRY + ["Is [there|this] a reason to hurry?", "[Can|May] [this|it] not wait?", "Should I [drop everything|wake the boss|interrupt the meeting] for this?"]), text), "Yes" if urgent else "No"]
    if w.chance(0.2):
        return [w.task(w.ask(["Can this wait?", "[Can|May] I answer this [tomorrow|next week|later]?", "Is there time?", "Is this [without hurry|not urgent]?", "Will tomorrow do for this?"]), text), "No" if urgent else "Yes"]
    first, second = w.one([("urgent", "not urgent")] * 3 + [("urgent", "normal"), ("high", "low"), ("now", "later"), ("urgent", "can wait"), ("emergency", "routine")])
    a, b = (first, second) if w.chance(0.6) or second.startswith("not") else (second, first)
    asks = {"high": ["Priority {a} or {b}?", "Is the [priority|urgency] {a} or {b}?", "How urgent is this: {a} or {b}?", "Give this message a priority, {a} or {b}."], "now": ["[Answer|React|Act|Reply] {a} or {b}?", "Does this need an answer {a} or {b}?", "{A} or {b}?"]}.get(first, URGENCY + ["Triage: {a} or {b}?", "For the help desk: {a} or {b}?", "{A} or {b}, judging by the message?"])
    return [w.task(w.ask(asks, a=a, b=b, A=cap(a)), text), first if urgent else second]


FORMS = [tags] * 4 + [category] * 3 + [sorted_notes] + [which_note] * 2 + [title] * 2 + [sentiment] * 4 + [messages] * 4


def check():
    import random

    from .writer import BANKS, COMPUTED, ENTITIES, Writer

    wrong, names = [], {t.main for t in TOPICS}
    banks = set(BANKS) | set(COMPUTED) | set(ENTITIES) | {"full"}
    for topic in TOPICS:
        wrong += [f"{topic.main}: no topic {x}" for x in topic.near if x not in names]
        if len(topic.notes) < 14:
            wrong.append(f"{topic.main}: only {len(topic.notes)} notes")
        for text, own, title in topic.notes:
            slots = set(SLOT.findall(text))
            wrong += [f"{topic.main}: no bank {s}: {text}" for s in slots if s.rstrip("0123456789") not in banks | set(topic.lists)]
            wrong += [f"{topic.main}: {s} is not in {text}" for s in set(SLOT.findall(title + " ".join(own))) - slots]
            if not own or "[" in text or "|" in text:
                wrong.append(f"{topic.main}: no own word, or a choice: {text}")
    for label in ("positive", "negative", "neutral", "urgent", "calm", "spam", "ham"):
        for text in TEXTS.get(label, []):
            wrong += [f"{label}: no bank {s}: {text}" for s in SLOT.findall(text) if s.rstrip("0123456789") not in banks]
            if "[" in text or "|" in text or " # " in text:
                wrong.append(f"{label}: {text}")
    if not wrong:
        for seed in range(300):
            for form in set(FORMS):
                made = form(Writer(random.Random(seed), False))
                for turn in made:
                    text = turn if isinstance(turn, str) else turn[1]
                    if not text.strip() or re.search(r"[{}\[\]|]|__", text):
                        wrong.append(f"{form.__name__}: {text}")
    return wrong


if __name__ == "__main__":
    found = check()
    print("\n".join(found[:60]) or f"{len(TOPICS)} topics, {sum(len(t.notes) for t in TOPICS)} notes, {len(TITLED)} titles, " + ", ".join(f"{k} {len(v)}" for k, v in TEXTS.items()))
    raise SystemExit(bool(found))
