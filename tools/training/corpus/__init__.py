"""The training corpus of the base model: dialogues written by grammars, deterministic by seed.

`python -m corpus --split train --count 60000 --seed 1 -o train.jsonl` writes one dialogue a line:
{"task": ..., "messages": [{"role", "content"}, ...]}.
"""

import json
import random
import re
from pathlib import Path

from . import answer, classify, game, long, read, rewrite, schema, story
from .writer import Writer

DEFAULT_SYSTEM = "A conversation between a user and a helpful assistant."
OTHER_SYSTEMS = ["You are a helpful assistant.", "You are a friendly assistant that answers briefly.", "Answer in short sentences.", "You help people with small tasks.", "Be brief and polite.", "You are an assistant on a phone."]

# task -> (share, short forms)
SHORT = {
    "summarise": (9, [read.summarise] * 4 + [read.summarise_many]),
    "extract": (15, [read.extract_fields, read.extract_fields, read.extract_names]),
    "classify": (8, [classify.sentiment, classify.topic, classify.intent, classify.two_way]),
    "tag": (4, [read.keywords, read.keywords, read.title]),
    "rewrite": (8, [rewrite.polite, rewrite.tense, rewrite.person, rewrite.negate, rewrite.formal, rewrite.shorter, rewrite.combine]),
    "copy": (8, [rewrite.repeat, rewrite.repeat, rewrite.drill_copy, rewrite.drill_lookup, rewrite.symbols, rewrite.symbols]),
    "story": (11, [story.story] * 4 + [story.continue_story]),
    "dialogue": (6, [story.dialogue]),
    "game": (9, [game.game, game.game, game.npc_line]),
    "json": (11, [schema.from_text] * 3 + [schema.list_object, schema.invent]),
    "question": (11, [read.question]),
    "knowledge": (7, [answer.fact_question, answer.fact_question, answer.knowledge]),
    "list": (4, [answer.listing]),
    "chat": (3, [answer.greeting]),
    "note": (3, [answer.write_note]),
    "several": (4, [lambda w: long.many_tasks(w, w.number(2, 3))]),
}
DRILL = {"copy": (1, [rewrite.drill_repeat] * 3 + [rewrite.drill_copy, rewrite.drill_lookup, rewrite.drill_lookup, rewrite.repeat])}
LONG = {"long": (1, [long.many_tasks, long.questions_on_a_long_text, long.chapters, long.long_game, long.long_dialogue])}


def messages(w, made):
    """Brings a maker's result into messages and puts a system turn first."""
    if isinstance(made[0], str):
        made = [("user", made[0]), ("assistant", made[1])]
    if made[0][0] != "system":
        system = DEFAULT_SYSTEM if w.chance(0.75) else w.one(OTHER_SYSTEMS)
        made = [("system", system)] + made
    return [{"role": role, "content": careless(w, content) if role == "user" else content} for role, content in made]


def careless(w, text):
    """Some people leave out the last mark or the capital letters."""
    if "\n" not in text and len(text) < 120:
        if w.chance(0.12):
            text = text.rstrip(".!?")
        if w.chance(0.05):
            text = text[0].lower() + text[1:]
    return text


def plain(text):
    return " ".join(re.findall(r"[\w']+", text.casefold()))


# The prompts written by hand. Their wordings are kept out by `tools/check-held-out`; "What is 2 plus 3?" can come about by chance.
# One with instructions before it is not asked by its words alone.
WRITTEN_BY_HAND = {
    plain(item["prompt"])
    for path in Path(__file__).resolve().parents[3].glob("adapters/**/prompts/*.jsonl")
    for item in map(json.loads, path.read_text().splitlines())
    if "instructions" not in item and plain(item["prompt"])
}


def dialogue(rng, held_out, tasks):
    """One dialogue that belongs to the wanted split."""
    names = list(tasks)
    task = rng.choices(names, [tasks[n][0] for n in names])[0]
    while True:
        writer = Writer(rng, held_out)
        made = messages(writer, writer.one(tasks[task][1])(writer))
        if writer.belongs() and not any(m["role"] == "user" and plain(m["content"]) in WRITTEN_BY_HAND for m in made):
            return {"task": task, "messages": made}


def dialogues(seed, held_out=False, tasks=SHORT):
    """An endless stream of dialogues."""
    rng = random.Random(f"{seed}/{'held-out' if held_out else 'train'}")
    while True:
        yield dialogue(rng, held_out, tasks)
