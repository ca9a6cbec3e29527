"""Tagging: the topics of a note as JSON, `{"tags": ["food", "travel"]}`, from a closed set of twenty tags.

The tags stand in alphabetical order. `topics/TAG.txt` holds what people jot down about a topic: word banks, `name = word, word`
(`~` before words that take no article), then a sentence a line, `@tag` before those that have another topic as well.
What a careful person tags, and every line keeps to:
  what a note says, asks, plans or wants something about is a tag; what only tells when, where or on the way to what is none
  ("on the way to work", "during the film"), nor is a comparison;
  things to buy are shopping, and the topic of the thing where there is one (food to eat: food, a racket: sports);
  a relative who does or needs something is family, beside what it is; money is about sums, bills and accounts, not about a price in passing;
  traffic is the road and the daily way, travel is the journey;
  greetings, fillers, names, times and marks alone have no tag: `{"tags": []}`.
"""

import json
import random
import re
from pathlib import Path

from corpus.writer import BANKS, COMPUTED, ENTITIES, PIECE, SLOT, Writer, cap, slip


class Topic:
    """Word banks and sentences of a tag; `lines` are (tags, templates): those of this tag alone first."""

    def __init__(self, path):
        self.tag, self.banks, alone, others = path.stem, {}, [], []
        for line in filter(None, path.read_text().splitlines()):
            if bank := re.fullmatch(r"([a-z]\w*) = (.+)", line):
                self.banks[bank.group(1)] = [word.strip() for word in bank.group(2).split(", ")]
            elif line[0] == "@":
                tag, text = line[1:].split(" ", 1)
                others.append((sorted({self.tag, tag}), text))
            else:
                alone.append(line)
        self.alone, self.others = list(dict.fromkeys(alone)), others


TOPICS = {path.stem: Topic(path) for path in sorted((Path(__file__).parent / "topics").glob("*.txt"))}
TAGS = list(TOPICS)
TOGETHER = [(topic, tags, text) for topic in TOPICS.values() for tags, text in topic.others]
ASK = ["[Tag|Please tag] [this|the|my] [note|text|message|post].", "[Which|What] tags [fit|belong to|describe|suit] [this|the] [note|text|message]?", "[Give|Find|Suggest] [me |][the |]tags for [this|the] [note|text|message].", "[Label|Categorise|Sort] [this|the] [note|message] [with tags|by topic].",
    "[What|Which] topics does [this|the] [note|text|message] have?", "Topics of [this|the] [note|text|message]?", "[Tags|Topics|Labels][ please|]:", "Tags?", "[Note|My note|Memo]:", "[What is|What's] [this|the|my] [note|message] about?", "[Which|What] [labels|categories|topics] [apply|fit|go here]?", "[Assign|Add|Attach|Put] tags to [this|the|my] [note|entry|text|memo].",
    "[Tag|Label|Classify] [it|this].", "[Return|Output|Print|Give me] the tags as JSON.", "[Tag|Classify] the following [note|text|message|entry].", "[Sort|File] [this|my] [note|memo] [under the right tags|into topics].", "[Choose|Pick|Select] the [right |best |]tags for [this|the|my] [note|entry|jotting].", "I [wrote|jotted down|typed] this. [Which tags?|Tags, please.|Tag it.]", "[Organise|Archive|File] my notes: [tags for this one|which tags here|tag this one]?",
    "[Determine|List|Name|Tell me] the [topics|subjects|tags] of [this|the] [note|text|memo].", "[Under which|With which] [topics|tags] [should I file|would you file|do I save] [this|it]?", "[Detect|Extract|Identify] the topics.", "From your list of tags, which [fit|match] [here|this note]?", "[Tag|Label] my [jotting|diary entry|reminder|scribble|voice memo].", "[One to three|Up to three] tags for [this|the note].",
    "What would you tag [this|it] [with|as]?", "How would you [tag|label|file] [this|my note]?", "[Need|I need|Want] tags for [this|my] [note|message].", "Tag: ", "[Auto-tag|Autotag] [this|my note].", "[tags 4 this|tag this pls|topics pls]", "[Read|Look at|See] [this|the] note and [give its tags|tag it|name its topics].", "[Say|Decide] which [topics|tags] [this|the] [note|text] [belongs to|has|gets].", "Here is a note. [Tag it.|What are its tags?|Which topics?]", "[Mark|Index] [this|my] note by [topic|topics|tag].", "[JSON|JSON with] tags for [this|the] note[ please|].",
    "[In which|Into which] category does [this|it] go?", "My notebook says this. [Tags?|Topics?]", "New note, [tag it|please tag|which tags]?", "[Do the tagging|Set the tags|Fill in the tags] for [this|the] [note|entry].", "Could you tell me [what topics are in|which tags go with] [this|this note]?", "[Help me|I want to] [file|sort|tag] [this|this note]."]
FILLERS = ["See you later.", "Do not forget.", "Don't forget!", "[Thanks|Thank you|Cheers][!|.| a lot.]", "[That's all|That is all] for [now|today].", "Let me know.", "[Call|Text|Ring] me back.", "[Hope|I hope] you are well.", "[Hi|Hello|Hey][!| {name}!| there.]", "More [later|soon|tomorrow].", "[Very|Really|So] important.", "Ask {name}[ again|].", "[No idea why.|Who knows.|Strange.]", "[As always.|As usual.|Same as last time.]", "{name} knows.", "[Love|Bye|Best], {name}", "Just so you know.",
    "Just saying.", "[Sorry|Apologies] for the [late reply|long message].", "[Anyway.|Well.|Hm.|Oh well.]", "I am not sure[ yet|].", "[Maybe|Perhaps] [later|tomorrow|not].", "Tell {name}, please.", "[lol|haha|ugh|phew]", "[Remember!|Urgent!|Asap.|!!]", "[It is already|It's] {time}.", "What do you think?", "[Tell me|Say] what you think.", "[See you|Until] {day}.", "[I will|I'll] write again on {day}.", "[Let us|Let's] talk about it[ on {day}|].", "[Today|Yesterday|Last {day}].", "[Finally!|At last!|Yay!|Wow.]", "{name} agrees.", "[What a day.|What a week.|Some day this was.]", "I keep forgetting.", "[Done|Not done|Half done].", "[Nothing else.|Nothing new.|Nothing more.]", "[To be continued.|Continue tomorrow.]", "[You know me.|You know how it is.]"]
FRONT = ["Note: ", "Reminder: ", "reminder - ", "Note to self: ", "todo: ", "To do: ", "TODO ", "Memo: ", "Hey {name}, ", "Hi {name}! ", "Dear {name}, ", "PS: ", "Today: ", "{day}: ", "On {day}: ", "FYI: ", "btw ", "ok so ", "Diary: ", "Dear diary, ", "News: ", "Quick note: ", "{time} ", "{name}: ", "important: ", "Idea: ", "# ", "1. ", "* ", "- ", "☐ "]
LATER = [" Tell {name}.", " (ask {name})", " - {name}", " ({day})", ", {name} says", "!!", " :)", " :(", " 🙂", " 😅", " 👍", " ‼️", " ...", " ok?", " pls"]
# What can be said of any topic: `{word}` is one of its words, `{this}` and `{that}` are words of two.
FRAMES = ["{word}", "{word}, {word2}", "{word}, {word2}, {word3}", "{word}[?|!]", "[Thoughts|Some thoughts|A few words] about {word}.", "think about {word}", "[Ask|Tell] {name} about {word}.", "{name} [asked|told me|talks|wrote] about {word}[ all the time| again|].", "{word} on {day}", "{day}: {word}", "Something about {word}[ and {word2}|].", "So much about {word} [today|lately].", "[Talked|Chatted] about {word} with {name}.", "I know nothing about {word}.",
    "I am thinking about {word}.", "{word} and {word2}", "{word} or {word2}?", "What about {word}?", "Don't forget: {word}.", "Remember {word}!", "All day nothing but {word}.", "Questions about {word} and {word2}.", "Notes on {word}: see page {small}.", "{word} again.", "{word} - why not?", "I [dream of|worry about|am tired of|am crazy about|have to think of] {word}.", "{name} [loves|hates|cannot stand|dreams of|is mad about] {word}.", "My topic today: {word}.", "Everything you need to know about {word}", "The truth about {word}", "Who knows [something|more|anything] about {word}?", "Can you help me with {word}?", "Not {word} again...",
    "{count} tips about {word}", "{word} before {day}", "{small} questions on {word}", "{word}: {name} knows more.", "What do you think of {word}?", "{word}, of course.", "Still {word}.", "First {word}, then {word2}.", "I [have had enough of|cannot get enough of|had a long talk about] {word}.", "next time: {word}", "Look up {word}.", "{word} vs {word2}", "Between {word} and {word2}.", "{name} sent me something about {word}.", "an article on {word}"]
PAIRS = ["{this} and {that}", "{this}, {that}", "First {this}, then {that}.", "Between {this} and {that} there is no time left.", "{this} in the morning, {that} in the evening.", "{name} talked about {this}, I talked about {that}.", "{this} / {that}", "Two things: {this} and {that}.", "Questions: {this}? {that}?", "Less {this}, more {that}.", "{day}: {this}. {day}: {that}.", "I think about {this} and about {that}.", "{name}: {this}. Me: {that}.", "not only {this} but also {that}", "From {this} to {that}.", "topics: {this}; {that}"]
# Notes without a topic.
NOTHING = ["", " ", ".", "...", "?", "!", "??", "!!!", "-", "--", "…", "***", "?!", ":)", ":-(", "👍", "😀", "[hi|hello|hey|Hi there|Hello!|hey you|Hi {name}|Hello {name}!|good {daypart}|Good {daypart} [everyone|{name}|to you all]!]", "[ok|Ok.|okay|OK!|fine|alright|yes|no|Yes.|No!|maybe|hm|hmm|Hmm...|aha|oh|well|so|lol|haha|ugh]", "[thanks|Thank you!|thx|Thanks {name}|cheers|Many thanks.]", "[bye|See you!|see you {day}|later|Good night|good night {name}|Until {day}!|take care|cu]",
    "[test|Test note|testing|test 123|asdf|asdfgh|qwerty|xxx|xyz|blah|blah blah|bla|abc|foo|hjkl]", "[todo|To do:|note|Note to self|untitled|Untitled note|New note|Note {small}|empty|nothing|no text|n/a|draft?]", "[Remember this|Remember!|Don't forget|Important!|important!!|Urgent|asap|reminder]", "{madeup}", "{madeup} {madeup}", "{count}", "{fulldate}", "{time}", "{day}", "{day} {time}", "[Monday|next week|some day|tomorrow|later today|not now]", "{name}", "{name} {phone}", "[Call {name} back|call me back|Ring {name}: {phone}|Ask {name}|Tell {name}|{name}?]", "[As I said|As we said|like I said|You know what I mean|so it goes|that is that]", "[I don't know what to write|Nothing to say|Nothing to note today|No idea|who knows|whatever]",
    "[How are you?|how are you today|What's up?|How is it going?|you there?|Are you awake?|Everything ok?|All good?]", "[What do you think?|And you?|Really?|why?|Why not?|When?|who?|What was it again?]", "[I forgot what I wanted to write|What did I want to say?|something with {letter}|I will think of it later]", "[Nice to meet you|Welcome!|Congratulations!|Good luck!|Well done|Sorry!|Excuse me|Never mind|no problem|You're welcome]", "[to be continued|More later|see above|see below|same as yesterday|copy of copy|continue here|page {small}]", "{code}", "[Yours, {name}|Best wishes, {name}|Love, {name}|Greetings from {name}]"]
MEN = re.compile(r"\b(?:\w*father|\w*son|dad|brother|brother-in-law|uncle|husband|nephew|grandpa|stepfather)\b")
LOWERED = set("The A An My Our We There It This Can Could Please Who How When What Where Why Is Are Do Does Did He She They You Your Your's Buy Get Take Bring Put In On At After Before During Ask Call Send Pay Look Only New Old".split())

# One sentence per tag that occurs in no training text, neither of the base nor of this adapter.
UNSEEN = {
    "animals": "Our {animal} chased the neighbor's {animal} around the yard.", "art": "She mixes her own paints for every portrait.", "books": "I could not put the novel down after the first chapter.", "family": "My {relative} and my {relative} live together now.",
    "food": "The {dish} burned because I forgot the oven.", "gardening": "The roses finally bloom and the soil is full of worms.", "health": "The pills against the fever make me tired.", "home": "We painted the walls of the {room} and hung new curtains.",
    "money": "The bank charged me {price} dollars for nothing.", "movies": "The film was too long, but the actor was great.", "music": "He sings in a band and plays the {instrument} at weddings.", "school": "The students wrote an exam in {subject}.",
    "science": "The laboratory measured the light of a distant galaxy.", "shopping": "The shop sold me a {product} with a discount.", "sports": "Our goalkeeper saved the match in the last minute.", "technology": "The software update deleted all the files on my {product}.",
    "traffic": "A broken truck stopped all the cars on {street}.", "travel": "Our flight to {city} was delayed, and the hotel was full.", "weather": "Snow and fog are expected in {city} tonight.", "work": "My boss moved the meeting with the colleagues to {day}.",
}


def bank_of(topic, key):
    """The words of a slot: a bank of the topic, of the only other topic that has it, or none, where the corpus knows it."""
    for name in (key, key.rstrip("0123456789")):
        if name in topic.banks:
            return topic.banks[name]
        found = [t.banks[name] for t in TOPICS.values() if name in t.banks]
        if len(found) == 1:
            return found[0]
        if found:
            raise KeyError(f"{topic.tag}: more than one other topic has a bank {name}")
        if name in BANKS or name in COMPUTED or name in ENTITIES:
            return None
    raise KeyError(f"{topic.tag}: nobody has a bank {key}")


def sentence(w, topic, templates, **said):
    """One of the templates with words of its topic, or with those that are given; no word twice."""
    known = {}

    def put(m):
        words = [said[m.group(3)]] if m.group(3) in said else bank_of(topic, m.group(3))
        if words is None:
            return m.group()
        word = w.one([x for x in words if x not in known.values()])
        if len(w.contents) < 2:
            w.contents.append(word.lstrip("~"))
        known[f"word{len(known)}"] = word
        article = (m.group(1) or m.group(2) or "").strip()
        return ("" if word[0] == "~" or not article else article + " ") + "{word" + str(len(known) - 1) + "}"

    template = w.wording(templates)
    text = w.slots(SLOT.sub(put, template), {k: v.lstrip("~") for k, v in known.items()})
    if MEN.search(" ".join(known.values())) and re.search(r"\{(?:kin|relative)\d?\}", template):
        text = re.sub(r"\b(?:she|her)\b", lambda m: {"she": "he", "her": "his"}[m.group()], text)
    return text


def parts(w, count):
    """(tags, sentences) of a note with so many topics."""
    tags, said = [], []
    if count == 2 and w.chance(0.06):
        one, other = w.some(list(TOPICS.values()), 2)
        tags = [one.tag, other.tag]
        said.append(sentence(w, one, PAIRS, this=w.one(one.banks["word"]), that=w.one(other.banks["word"])))
    elif count > 1 and w.chance(0.6):
        topic, tags, text = w.one(TOGETHER)
        said.append(sentence(w, topic, text))
    elif count == 1:
        tags = [w.one(TAGS)]
    while len(tags) < count:
        tags = tags + [w.one([t for t in TAGS if t not in tags])]
    for tag in tags if not said else tags[2:]:
        said += [sentence(w, TOPICS[tag], FRAMES if w.chance(0.2) else TOPICS[tag].alone) for _ in range(1 + w.chance(0.25 if count > 1 else 0.4))]
    if count > 1 and not tags[2:] and len(said) == 1 and w.chance(0.2):
        tag = w.one(tags)
        said.append(sentence(w, TOPICS[tag], TOPICS[tag].alone))
    w.rng.shuffle(said)
    if w.chance(0.22):
        said.insert(w.number(0, len(said)), w.fill(FILLERS))
    return sorted(tags), said[:4]


def lowered(text):
    first = re.split(r"\W", text, maxsplit=1)[0]
    return text[:1].lower() + text[1:] if first in LOWERED else text


def jotted(w, said):
    """Sentences as one note: prose, lines, or strung together, typed as people do."""
    style = w.one(["prose", "prose", "prose", "as it is", "lines", "bullets", "strung"])
    if style == "prose":
        text = " ".join(cap(s) if s[-1:] in ".!?:)" or not s[-1:].isalnum() else cap(s) + "." for s in said)
    elif style == "bullets" and len(said) > 1:
        mark = w.one(["- ", "* ", "• ", "> "])
        text = "\n".join(mark + s.rstrip(".") for s in said)
    elif style == "strung" and len(said) > 1:
        text = w.one([", ", "; ", " - ", " / ", " and ", " + "]).join([said[0].rstrip(".")] + [lowered(s).rstrip(".") for s in said[1:]])
    else:
        text = "\n".join(said) if style == "lines" else " ".join(s if s[-1:] in ".!?" or i == len(said) - 1 else s + w.one([".", ",", " -"]) for i, s in enumerate(said))
    if w.chance(0.1):
        front = w.fill(FRONT) if "\n" not in text else "Notes:\n"
        text = front + (lowered(text) if front[-2:] == ", " else text)
    if w.chance(0.06) and "\n" not in text:
        text = text.rstrip(".") + w.fill(LATER)
    return typed(w, text)


def typed(w, text):
    kind = w.rng.random()
    if kind < 0.18:
        text = text.lower()
    elif kind < 0.19:
        text = text.upper()
    if w.chance(0.1):
        text = text.rstrip(".")
    if w.chance(0.12):
        places = [m for m in PIECE.finditer(text) if len(m.group(0)) > 4 and m.group(0).isascii()]
        for m in sorted(w.rng.sample(places, min(len(places), w.number(1, 2))), key=lambda m: -m.start()):
            text = text[: m.start()] + slip(w, m.group(0)) + text[m.end() :]
    if w.chance(0.04):
        text = re.sub(r"\b(?:the|an?) ", "", text)
    return text


def nothing(w):
    """A note that has no topic."""
    text = w.say(NOTHING, letter=w.one("BKLMPRST"))
    if text.strip() and w.chance(0.25):
        text = text + w.one([" ", "\n", ". "]) + w.fill(FILLERS)
    return text.lower() if w.chance(0.15) else text


def example(w):
    if w.chance(0.08):
        tags, text = [], nothing(w)
    else:
        tags, said = parts(w, w.rng.choices([1, 2, 3], [48, 40, 12])[0])
        text = jotted(w, said)
    prompt = text
    if not text.strip():
        ask = w.ask(ASK)
        prompt = w.one([ask, ask.rstrip(".?: ") + ":", ask.rstrip(".?: ") + ': ""', ask + "\n\n" + text, ask + "\n---\n\n---", f"Note: {text}\n{ask}"])
    elif w.chance(0.55):
        prompt = w.task(w.ask(ASK), text)
    return {"messages": [{"role": "user", "content": prompt}, {"role": "assistant", "content": answer(tags)}], "tags": tags}


def answer(tags):
    return json.dumps({"tags": sorted(tags)})


def templates():
    """Name -> wordings, for the counts."""
    return {"requests": ASK, "fillers": FILLERS, "no topic": NOTHING, "frames": FRAMES + PAIRS} | {t.tag: t.alone + [text for _, text in t.others] for t in TOPICS.values()}


def check(writer):
    """Every sentence is written once; its tags are of the set and its banks are there."""
    for topic in TOPICS.values():
        for text in topic.alone:
            yield sentence(writer(), topic, text)
        for tags, text in topic.others:
            if not set(tags) <= set(TAGS) or len(tags) != 2:
                raise ValueError(f"{topic.tag}: {text!r} has the tags {tags}")
            yield sentence(writer(), topic, text)
    for text in FRAMES:
        yield sentence(writer(), TOPICS["art"], text)
    for text in PAIRS:
        yield sentence(writer(), TOPICS["art"], text, this="charcoal", that="rain")
    for bank in (ASK, FILLERS, FRONT, LATER, NOTHING):
        for text in bank:
            yield writer().fill(text, letter="K")


def valid(item):
    """Whether the answer of an example is what this adapter promises: sorted tags of the set, at most three."""
    tags = read(item["messages"][-1]["content"])
    return tags is not None and tags == sorted(set(tags)) == item["tags"] and set(tags) <= set(TAGS) and len(tags) <= 3


def read(text):
    """The tags of a JSON answer, or nothing where it is not the wanted object."""
    try:
        value = json.loads(text.strip())
    except ValueError:
        return None
    tags = value.get("tags") if isinstance(value, dict) and set(value) == {"tags"} else None
    return tags if isinstance(tags, list) and all(isinstance(t, str) for t in tags) else None


def measure(item, text):
    """Scores in 0...1: the exact object; a valid object; a right tag at least; the right set of tags in whatever form, a bare list included."""
    tags, wanted = read(text), set(item["tags"])
    anyhow = set(re.findall(rf"\b(?:{'|'.join(TAGS)})\b", text.lower()))
    return {"exact_match": float(tags is not None and sorted(tags) == item["tags"]), "valid_json": float(tags is not None),
            "one_right_tag": float(bool(wanted & set(tags or [])) or not wanted and tags == []), "right_tags_in_any_form": float(anyhow == wanted)}


def unseen(seed):
    """Examples made of the sentences that no training text holds."""
    rng = random.Random(f"tagging/unseen/{seed}")
    while True:
        w = Writer(rng, False)
        tags = sorted(w.some(TAGS, 1, 3))
        text = " ".join(w.fill(UNSEEN[tag]) for tag in w.some(tags, len(tags)))
        yield {"messages": [{"role": "user", "content": w.task(w.ask(ASK), text)}, {"role": "assistant", "content": answer(tags)}], "tags": tags}
