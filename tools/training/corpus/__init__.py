"""The training corpus of the base model: dialogues written by grammars, deterministic by seed.

`python -m corpus --split train --count 60000 --seed 1 -o train.jsonl` writes one dialogue a line:
{"task": ..., "messages": [{"role", "content"}, ...]}.
"""

import random

from . import answer, character, choice, classify, copying, drill, extract, game, known, long, note, order, pair, problem, read, record, rewrite, schema, several, situation, story, sums, tale, tool, tool_more, unknown, world
from .held_out import met
from .writer import Writer

DEFAULT_SYSTEM = "A conversation between a user and a helpful assistant."
OTHER_SYSTEMS = ["You are a helpful assistant.", "You are a friendly assistant that answers briefly.", "Answer in short sentences.", "You help people with small tasks.", "Be brief and polite.", "You are an assistant on a phone."]
SYSTEMS = {DEFAULT_SYSTEM, *OTHER_SYSTEMS}

# task -> (share, short forms)
SHORT = {
    "copy": (10, copying.FORMS + [rewrite.symbols] + order.FORMS + [situation.copied] * 2),
    "extract": (11, extract.FORMS + [read.extract_fields] * 2 + [record.as_lines] + [record.one_by_one] * 2 + situation.READ),
    "json": (11, [schema.from_text] * 2 + [record.as_json] * 4 + [schema.list_object] + situation.JSON * 2),
    "invent": (1, [schema.invent]),
    "choice": (11, choice.FORMS + [world.yes_no] * 4 + [choice.in_rounds(world.yes_no)] * 3 + [drill.drill_same] * 4 + situation.DECIDE * 2 + known.CHOOSE),
    "classify": (8, [classify.sentiment] * 4 + [classify.two_way] * 3 + [classify.topic, classify.intent] + [note.category] * 3 + [note.sentiment] * 5 + [note.messages] * 5),
    "tag": (5, [read.keywords, read.keywords, read.title] + [note.tags] * 6 + [note.title] * 2 + [note.sorted_notes, note.which_note]),
    "rewrite": (10, [rewrite.polite] * 4 + [rewrite.tense] * 4 + [rewrite.person] * 3 + [rewrite.shorter] * 3 + [rewrite.negate, rewrite.formal, rewrite.combine, rewrite.opposite, rewrite.correct] + pair.FORMS),
    "facts": (8, ([world.fact] * 3 + [world.quiz]) * 2 + known.FACTS),
    "sums": (12, sums.FORMS + problem.FORMS),
    "summarise": (6, [read.summarise] * 2 + [read.main_point] * 3 + [read.summarise_many] + [situation.summary] * 7),
    "story": (6, ([story.story] * 2 + [story.little_story] * 3 + [story.continue_story]) * 3 + tale.FORMS),
    "dialogue": (3, [story.dialogue] * 4 + tale.TALK_FORMS),
    "game": (5, [game.game, game.game, game.npc_line] * 3 + character.FORMS),
    "unknown": (6, unknown.FORMS + [situation.left_open] * 5 + known.UNKNOWN),
    "question": (3, [read.question]),
    "knowledge": (2, [answer.fact_question]),
    "list": (1, [answer.listing]),
    "chat": (2, [answer.greeting] + known.TALK),
    "note": (1, [answer.write_note]),
    "recall": (2, [drill.drill_lookup, drill.drill_recall, drill.drill_place, drill.drill_same]),
    "tool": (10, tool.FORMS + tool_more.FORMS),
    "several": (5, several.FORMS + [lambda w: long.many_tasks(w, w.number(2, 4))]),
}
DRILL = {"drill": (1, drill.DRILLS)}
LONG = {"long": (1, [long.many_tasks, tool.many_wishes, long.questions_on_a_long_text, long.questions_on_a_long_text, long.chapters, long.long_game, long.long_dialogue])}


def messages(w, made):
    """Brings a maker's result into messages and puts a system turn first."""
    if isinstance(made[0], str):
        made = [("user", made[0]), ("assistant", made[1])]
    system = DEFAULT_SYSTEM if w.chance(0.75) else w.one(OTHER_SYSTEMS)
    if made[0][0] != "system":
        made = [("system", system)] + made
    elif made[0][1].startswith(tool.OFFER):
        made = [("system", system + made[0][1])] + made[1:]
    return [{"role": role, "content": content} for role, content in made]


def dialogue(rng, held_out, tasks):
    """One dialogue that belongs to the wanted split."""
    names = list(tasks)
    task = rng.choices(names, [tasks[n][0] for n in names])[0]
    while True:
        writer = Writer(rng, held_out)
        made = messages(writer, writer.one(tasks[task][1])(writer))
        if writer.belongs() and not any(m["role"] != "assistant" and m["content"] not in SYSTEMS and met(m["content"]) for m in made):
            return {"task": task, "messages": made}


def dialogues(seed, held_out=False, tasks=SHORT):
    """An endless stream of dialogues."""
    rng = random.Random(f"{seed}/{'held-out' if held_out else 'train'}")
    while True:
        yield dialogue(rng, held_out, tasks)
