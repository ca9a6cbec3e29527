"""Tasks about a given text: summaries, extraction, questions, keywords."""

from .answer import cap
from .everyday import CATEGORIES
from .facts import TOPICS
from .passage import Passage

LABELS = {"name": "Name", "name2": "Second name", "company": "Company", "day": "Day", "time": "Time", "city": "City", "month": "Month", "price": "Price",
    "product": "Product", "street": "Street", "town": "Town", "object": "Object", "animal": "Animal", "color": "Color", "job": "Job", "surname": "Surname",
    "transport": "Transport", "room": "Room", "place": "Place", "activity": "Activity", "plan": "Event", "reason": "Reason", "weather": "Weather", "repair": "Repair"}
QUESTIONS = {
    "day": ["On which day does it happen?", "[Which|What] day is mentioned?", "When is it?"], "time": ["At what time?", "What time is mentioned?", "When does it start?"],
    "company": ["Which company is mentioned?", "What is the name of the company?"], "city": ["Which city is mentioned?", "What city is it about?"],
    "month": ["In which month does it happen?", "Which month is mentioned?"], "price": ["How much does it cost?", "What is the price?"],
    "product": ["Which product is it about?", "What was bought?"], "street": ["Which street is mentioned?", "On which street is it?"],
    "animal": ["Which animal is it about?", "What animal is mentioned?"], "color": ["What color is mentioned?", "Which color is it?"],
    "job": ["Which job is mentioned?", "What is the job?"], "object": ["What was found?", "Which object is mentioned?"],
    "transport": ["Which means of transport is mentioned?"], "activity": ["Which activity is taught?", "What is being taught?"], "plan": ["What is being planned?"],
    "name": ["Who is it about?", "Which person is mentioned first?", "Who is mentioned?"], "repair": ["What is broken?"], "reason": ["What was the reason?", "Why did it happen?"],
    "town": ["Which town is mentioned?"], "weather": ["What will the weather be like?", "How is the weather?"],
}


def joined(w, instruction, text):
    """An instruction before or after the text it is about."""
    form = w.number(0, 4)
    if form == 0:
        return f"{instruction}\n\n{text}"
    if form == 1:
        return f"{instruction}\n{text}"
    if form == 2:
        return f"{text}\n\n{instruction}"
    if form == 3:
        return f"{instruction.rstrip('.?!')}: {text}"
    return f"{instruction}\n\nText: {text}"


SUMMARISE = ["[Summarise|Summarize] [this|the following|the] [text|message|note|passage][ in a single sentence|].", "[Please summarise|Please summarize|Can you summarize|Can you summarise] [this|the text below|the following message]?",
    "[Give|Write] [me |]a [short|one-sentence|brief] summary of [this|the] [text|message|note].", "What is [this text|this message|the text] about?", "[Shorten|Condense] [this|the text] to one sentence.",
    "[Tell me|Sum up] in one sentence what [this|the text] says.", "TL;DR of [this|the] [text|message|note]"]


def summarise(w):
    if w.chance(0.25):
        topic = w.one(list(TOPICS))
        keywords, facts = TOPICS[topic]
        w.contents.append(topic)
        chosen = w.rng.sample(facts, w.number(3, 5))
        parts = [f"{k}" for k in keywords]
        return [joined(w, w.ask(SUMMARISE), " ".join(chosen)), f"The text is about {topic}: {chosen[0][0].lower() + chosen[0][1:] if not chosen[0].startswith(('Africa', 'Europe')) else chosen[0]}"]
    passage = Passage(w)
    return [joined(w, w.ask(SUMMARISE), passage.text), passage.summary(w)]


def summarise_many(w):
    passages = [Passage(w, sentences=w.number(1, 2)) for _ in range(w.number(2, 3))]
    prompt = w.ask(["[Summarise|Summarize] [these|the following] [notes|messages] as [bullet points|a bullet list].", "[Write|Make] one bullet point for each [note|message].", "[List|Give] the key points of [these|the] [notes|messages]."])
    return [prompt + "\n\n" + "\n".join(p.text for p in passages), "\n".join("- " + p.summary(w) for p in passages)]


def extract_fields(w):
    passage = Passage(w)
    known = passage.known()
    tellable = [k for k in known if k in LABELS]
    keys = w.rng.sample(tellable, min(len(tellable), w.number(1, 4)))
    if w.chance(0.12):
        keys.append(w.one([k for k in ("price", "city", "time", "street", "animal") if k not in passage.facts]))
    labels = [LABELS[k] for k in keys]
    wanted = ", ".join(x.lower() for x in labels)
    prompt = w.ask(["[Extract|Find|Get|Pull out] [the following|these fields]: {f}.", "[Extract|Find] the {f} [from|in] [this|the] [text|message|note].", "[Read the text|Look at the text] and [give|write down] the {f}.", "Which {f} does the text mention? [Answer line by line|One per line]."], f=wanted)
    answer = "\n".join(f"{label}: {known.get(key, 'not given')}" for key, label in zip(keys, labels))
    return [joined(w, prompt, passage.text), answer]


def extract_names(w):
    """All names, cities or days of a text, as a plain list."""
    kind, bank = w.one([("names", "name"), ("cities", "city"), ("days", "day"), ("companies", "company"), ("prices", "price"), ("animals", "animal"), ("colors", "color")])
    lines = {"name": ["{x} [called|came late|wrote a letter|won the race].", "I [met|saw|thanked] {x} [yesterday|at the {place}|on {day}].", "{x} likes {food}."],
        "city": ["The {transport} goes to {x}.", "We [stayed in|left|visited] {x} for {small} days.", "{x} was {weather}."], "day": ["The {plan} is on {x}.", "We go {activity} on {x}.", "The shop is closed on {x}."],
        "company": ["{x} makes a new {product}.", "{x} has an office in {city}.", "She works for {x}."], "price": ["The {product} costs {x} dollars.", "We paid {x} dollars for the {dish}.", "The {color} {object} is {x} dollars."],
        "animal": ["There was a {x} near the {place}.", "A {x} [slept|waited] by the door.", "{name} has a {x}."], "color": ["The {object} is {x}.", "{name} wears a {x} coat.", "They painted the {repair} {x}."]}[bank]
    found = []
    for _ in range(w.number(2, 4)):
        value = w.word(bank)
        if value not in found:
            found.append(value)
    text = " ".join(w.fill(lines, x=value) for value in found)
    for other in ("day", "city", "name", "color", "animal"):
        if other == bank:
            found = [v for v in dict.fromkeys(found)]
    prompt = w.ask(["[List|Extract|Find|Write down] all [the |]{k} in [this|the] text.", "Which {k} are [mentioned|named] in the text?", "[Give|Show] me the {k} from the text, separated by commas."], k=kind)
    unit = " dollars" if bank == "price" else ""
    return [joined(w, prompt, text), ", ".join(v + unit for v in found)] if all(text.count(v) == 1 for v in found) else extract_names(w)


def question(w):
    passage = Passage(w)
    known = [k for k in passage.known() if k in QUESTIONS]
    key = w.one(known)
    value = passage.facts[key] + (" dollars" if key == "price" else "")
    prompt = w.ask(QUESTIONS[key])
    if w.chance(0.4):
        prompt = w.fill("[Read the text and answer|Answer the question]: ") + prompt
    return [joined(w, prompt, passage.text), w.fill(["{v}", "{v}."], v=cap(value))]


def keywords(w):
    """Tags as a plain comma list."""
    ask = ["[Give|Suggest|Write|Find] [three|some|a few] [tags|keywords] for [this|the] [text|note].", "[Tag|Please tag] [this|the] [text|note|message].", "What are [good|the] [tags|keywords] for [this text|this note]?", "[List|Extract] the keywords."]
    if w.chance(0.5):
        topic = w.one(list(TOPICS))
        w.contents.append(topic)
        words, facts = TOPICS[topic]
        return [joined(w, w.ask(ask), " ".join(w.rng.sample(facts, w.number(2, 4)))), ", ".join([topic.removeprefix("the ")] + words[:2])]
    chosen = w.rng.sample(list(CATEGORIES), w.number(1, 2))
    w.contents += chosen
    return [joined(w, w.ask(ask), " ".join(w.fill(CATEGORIES[c]) for c in chosen)), ", ".join(chosen)]


def title(w):
    passage = Passage(w, w.one(["find", "match", "party", "trip", "pet"]))
    f = passage.facts
    headline = {"find": "{name} Finds {Object} in {town}", "match": "{name} Wins the Match for {town}", "party": "{name} Plans a {Plan}", "trip": "{name} Travels to {city}", "pet": "{name} Looks for {name2} the {Animal}"}[passage.kind]
    shown = {k.title(): v.title() for k, v in f.items()} | f
    prompt = w.ask(["[Write|Suggest|Give me] a [title|headline] for [this|the] [text|story|message].", "What would be a good [title|headline] for this text?"])
    return [joined(w, prompt, passage.text), w.fill(headline, **shown)]
