"""Tagging: the topics of a note as JSON, `{"tags": ["food", "travel"]}`, from a closed set of twenty tags.

The tags stand in alphabetical order. The set is the list of categories in `corpus.everyday`.
"""

import json
import random
import re

from corpus.everyday import CATEGORIES
from corpus.writer import Writer

from .notes import MORE

TAGS = sorted(CATEGORIES)
SENTENCES = {tag: CATEGORIES[tag] + MORE[tag] for tag in TAGS}
ASK = ["[Tag|Please tag] [this|the|my] [note|text|message|post].", "[Which|What] tags [fit|belong to|describe] [this|the] [note|text|message]?", "[Give|Find|Suggest] [me |][the |]tags for [this|the] [note|text|message].", "[Label|Categorise|Sort] [this|the] [note|message] [with tags|by topic].",
    "[What|Which] topics does [this|the] [note|text|message] have?", "Topics of [this|the] [note|text|message]?"]

# One sentence per tag that occurs in no training text, neither of the base nor of this adapter.
UNSEEN = {
    "animals": "Our {animal} chased the neighbor's {animal} around the yard.", "art": "She mixes her own paints for every portrait.", "books": "I could not put the novel down after the first chapter.", "family": "My {relative} and my {relative} live together now.",
    "food": "The {dish} burned because I forgot the oven.", "gardening": "The roses finally bloom and the soil is full of worms.", "health": "The pills against the fever make me tired.", "home": "We painted the walls of the {room} and hung new curtains.",
    "money": "The bank charged me {price} dollars for nothing.", "movies": "The film was too long, but the actor was great.", "music": "He sings in a band and plays the {instrument} at weddings.", "school": "The students wrote an exam in {subject}.",
    "science": "The laboratory measured the light of a distant galaxy.", "shopping": "The shop sold me a {product} with a discount.", "sports": "Our goalkeeper saved the match in the last minute.", "technology": "The software update deleted all the files on my {product}.",
    "traffic": "A broken truck stopped all the cars on {street}.", "travel": "Our flight to {city} was delayed, and the hotel was full.", "weather": "Snow and fog are expected in {city} tonight.", "work": "My boss moved the meeting with the colleagues to {day}.",
}


def answer(tags):
    return json.dumps({"tags": sorted(tags)})


def note(w, tags, bank=SENTENCES):
    sentences = []
    for tag in tags:
        templates = bank[tag] if isinstance(bank[tag], list) else [bank[tag]]
        sentences += [w.say(t) if bank is SENTENCES else w.fill(t) for t in w.rng.sample(templates, min(len(templates), 2 if w.chance(0.35) else 1))]
    w.rng.shuffle(sentences)
    return " ".join(sentences)


def example(w, bank=SENTENCES):
    tags = w.rng.sample(TAGS, w.rng.choices([1, 2, 3], [3, 5, 2])[0])
    w.contents += sorted(tags)[:2]
    text = note(w, tags, bank)
    form = w.number(0, 3)
    prompt = w.ask(ASK)
    prompt = [f"{prompt}\n\n{text}", f"{prompt}\n{text}", f"{prompt.rstrip('.?')}: {text}", text][form]
    return {"messages": [{"role": "user", "content": prompt}, {"role": "assistant", "content": answer(tags)}], "tags": sorted(tags)}


def read(text):
    """The tags of a JSON answer, or nothing where it is not the wanted object."""
    try:
        value = json.loads(text.strip())
    except ValueError:
        return None
    tags = value.get("tags") if isinstance(value, dict) and set(value) == {"tags"} else None
    return tags if isinstance(tags, list) and all(isinstance(t, str) for t in tags) else None


def measure(item, text):
    """Scores in 0...1: the exact object; a valid object; the right set of tags in whatever form, a bare list included."""
    tags = read(text)
    anyhow = set(re.findall("|".join(TAGS), text.lower()))
    return {"exact_match": float(tags is not None and sorted(tags) == item["tags"]), "valid_json": float(tags is not None), "right_tags_in_any_form": float(anyhow == set(item["tags"]))}


def unseen(seed):
    """Examples made of the sentences that no training text holds."""
    rng = random.Random(f"tagging/unseen/{seed}")
    while True:
        yield example(Writer(rng, False), UNSEEN)
