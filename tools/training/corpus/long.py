"""Long dialogues, close to the whole context: long texts with questions, stories in chapters, games with many turns."""

from . import answer, choice, copying, extract, sums, unknown, world, classify, game, read, rewrite, schema, story
from .passage import Passage

MIXED = [answer.fact_question, world.quiz, answer.listing, read.summarise, read.question, read.extract_fields, classify.sentiment, classify.topic, rewrite.polite, rewrite.tense, schema.from_text, extract.one_kind, extract.asked, copying.exact, sums.plain, world.fact, choice.happened, unknown.cannot_know, unknown.missing, copying.ordered, story.story, read.keywords]


def many_tasks(w, count=None):
    """One conversation that goes through several tasks."""
    turns = []
    for _ in range(count or w.number(8, 12)):
        made = w.one(MIXED)(w)
        turns += made if not isinstance(made[0], str) else [("user", made[0]), ("assistant", made[1])]
    return turns


def questions_on_a_long_text(w):
    passages = [Passage(w) for _ in range(w.number(10, 16))]
    text = "\n".join(f"{i + 1}. {p.text}" for i, p in enumerate(passages))
    turns = [("user", w.ask(["[Here are|These are] [my|some] notes.", "[Read|Please read] these notes."]) + "\n\n" + text), ("assistant", w.fill("[I have read|Thank you, I have read] the {n} notes. [What would you like to know?|How can I help?]", n=len(passages)))]
    for index in w.rng.sample(range(len(passages)), min(len(passages), w.number(4, 8))):
        passage, form = passages[index], w.number(0, 2)
        if form == 0:
            turns += [("user", w.ask(["[Summarise|Sum up|Shorten] note {n}.", "What does note {n} say?", "What is note {n} about?"], n=index + 1)), ("assistant", passage.summary(w))]
        else:
            key = w.one([k for k in passage.known() if k in read.LABELS])
            turns += [("user", w.ask(["[What|Which] {k} is in note {n}?", "[Give|Tell] me the {k} from note {n}."], n=index + 1, k=read.LABELS[key].lower() if key != "name" or "full" not in passage.known() else "first name")), ("assistant", passage.facts[key])]
    return turns


def chapters(w):
    known = story.cast(w)
    turns = []
    for chapter in range(w.number(5, 8)):
        known |= {k: w.word(k.rstrip("2")) for k in ("object", "place2", "animal", "trait2", "color")}
        ask = w.ask(["[Write|Tell me] a [long |]story in chapters about {name} the {kind}. [Start with|Begin with] chapter one.", "[Write|Tell me] the first chapter of a story about {a kind} named {name}."], **known) if chapter == 0 else w.ask(["[Continue|Go on|The next chapter, please|And then|What happens next][.|!]", "[Write|Tell me] the next chapter."])
        turns += [("user", ask), ("assistant", f"Chapter {chapter + 1}\n" + " ".join(story.tell(w, known, lead=chapter == 0)))]
    return turns


def long_game(w):
    turns = game.game(w, 6)
    for _ in range(w.number(3, 5)):
        known = game.character(w)
        turns += [("user", w.fill("I [go|walk] [on|along the road] to {t} and meet {n}, the {role}, who sells {a x} for {p} coins and says that {rumor}.", **known)), ("assistant", w.fill(game.HELLO[known["role"]], **known))]
        for move in ("price", "rumor", "place", "name"):
            turns += [("user", w.ask(game.MOVES[move][0], **known)), ("assistant", w.fill(game.MOVES[move][1], **known))]
    return turns


def long_dialogue(w):
    known = story.scene_cast(w)
    turns = []
    for part in range(w.number(6, 9)):
        known |= {"object": w.word("object"), "place": w.word("place"), "color": w.word("color")}
        ask = w.ask(story.ASK_SCENE[:3], **known) if part == 0 else w.ask(["[Continue|Go on]. Now they talk about {a object}.", "[And now|Next,] they [talk|argue] about {a object} in the {place}."], **known)
        turns += [("user", ask), ("assistant", "\n".join(f"{a}: {b}" for a, b in story.moves(w, known, 8)))]
    return turns
