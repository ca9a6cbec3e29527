"""Playwriting: short plays for children as theatre scripts in an XML-like markup of our own.

    <play>
    <title>The Blue Drum</title>
    <cast>
    <role name="Anna">a brave baker</role>
    <role name="Tom">a shy fox</role>
    </cast>
    <scene place="old tower">
    <direction>Anna enters with a lantern.</direction>
    <line speaker="Anna">Tom, have you seen the drum?</line>
    </scene>
    </play>
"""

import re
import xml.etree.ElementTree as ElementTree

from corpus import story
from corpus.answer import cap

VISITOR = [
    ["[Who is there|Who knocks so late]?", "{n1}, somebody is at the door!", "[Good {daypart}|Hello]! Is this the {place}?"],
    ["I am {me}, and I bring {a object} for you.", "A stranger with {a color} {object}.", "It is only me, {n1}. Do not be afraid."],
    ["[Come in|Sit down], and tell me [everything|your story].", "Why do you carry {a object}?", "You must be hungry. Have some {food}."],
    ["I come from {town}, far away.", "I have walked for {small} days through the {place2}.", "They say that only you can [repair|use] it."],
    ["Nobody ever asked me for help before.", "I am not as {trait} as people say.", "Give it to me. I will try."],
    ["Look, it [shines|sings|moves]!", "It works! It really works!", "Careful, the {animal} is looking at it."],
    ["Stay with us, {n1}.", "[How can I|How shall I] thank you?", "Will you come back, {n1}?"],
    ["Every door in {town} is open for you now.", "Goodbye, my friend. I will never forget you.", "Let us eat first. The {food} is getting cold."],
]
JOURNEY = [
    ["[Hold on|Wait], {n1}! The {place} is [too dark|so large].", "Are we lost, {n1}?", "Hurry up, {n1}! The storm is coming."],
    ["The {object} will show us the way.", "We are not lost. I know this {place}.", "I hear {a animal}. Stay close to me."],
    ["You said that [an hour ago|yesterday].", "My feet hurt and my {food} is gone.", "What if nobody finds us?"],
    ["Then we sing until the sun comes up.", "Look at the stars. That way is {town}.", "A {trait} heart is never alone."],
    ["I see a {color} light over there!", "Wait! Something [moved|fell] behind us.", "Let us rest for a moment."],
    ["It is only {a animal} with {a object}.", "Take my hand, {n1}. We go together.", "That must be the {place2}."],
    ["We did it! We [found|reached] the {place2}!", "I was not afraid at all.", "Thank you for waiting for me, {n1}."],
    ["And next time we take a map.", "Home at last! Let us drink some {drink}.", "What a story we can tell in {town}!"],
]
PLOTS = [story.SCENE, VISITOR, JOURNEY]
ENTER = ["{n1} [enters|comes in] with {a object}.", "{n1} [sits|stands|waits] [alone|in the dark|near the door].", "It is {daypart}. {n1} and {n2} stand near the {place}.", "The curtain rises. {n1} looks at {n2}.", "{n2} is asleep. {n1} [enters quietly|knocks on the door].", "Wind and rain. {n1} runs [in|onto the stage]."]
BETWEEN = ["{who} [looks around|laughs|sighs|shakes the head|points at the door].", "{who} [hides|holds up|drops|picks up] the {object}.", "A [bell|drum|door] is heard[ from far away|].", "They [listen|look at each other|whisper].", "{who} walks [to the window|around the {object}|up and down].", "A {animal} runs across the stage."]
LEAVE = ["They [leave|go out|dance] together. Curtain.", "The light goes out.", "{who} waves goodbye. Curtain.", "They laugh. The curtain falls."]
ASK = ["[Write|Write me|Create] a [short |]play about {n1} and {n2} [and|who find|who lose] {a object}.", "[Write|Make up|Invent] a [short |]play [for children |]about {a color} {object}.", "[Write|Create] a [theatre script|script for the stage|stage play] [with|about] {a kind1} and {a kind2}.",
    "[Write|Please write] a [short |]play [set in|that takes place in] the {place} with {n1} and {n2}.", "[Can you write|I would like|I need] a [short |]play [in which|where] {n1} meets {n2}[ in the {place}|][?|.]", "A [short |]play about {a object} in the {place}, please.", "[Write|Invent] a [funny|sad|short] scene for the stage: {n1} the {kind1} and {n2} the {kind2}[ talk about {a object}|]."]


def cast(w):
    known = story.scene_cast(w)
    known["kind1"] = known.pop("kind")
    known["kind2"] = w.word(w.one(["kind", "job"]))
    known["trait2"] = w.word("trait")
    return known


def title(w, known):
    shown = {k: v.title() for k, v in known.items()}
    return w.fill(["The {color} {object}", "The {object} in the {place}", "{n1} and {n2}", "{n1} and the {object}", "The {trait} {kind1}"], **shown)


def scene(w, known, plot, steps):
    lines = [f'<scene place="{known["place"]}">', f"<direction>{w.fill(ENTER, **known)}</direction>"]
    pause = w.number(1, len(steps) - 1)
    for turn, step in enumerate(steps):
        who, other = (known["n1"], known["n2"]) if turn % 2 == 0 else (known["n2"], known["n1"])
        if turn == pause:
            lines.append(f"<direction>{w.fill(BETWEEN, **(known | {'who': who}))}</direction>")
        lines.append(f'<line speaker="{who}">{w.fill(plot[step], **(known | {"n1": other, "me": who}))}</line>')
    return lines


def script(w, known):
    plot = w.one(PLOTS)
    middle = sorted(w.rng.sample(range(1, 7), w.number(3, 5)))
    lines = ["<play>", f"<title>{title(w, known)}</title>", "<cast>"]
    for name, trait, kind in ((known["n1"], known["trait"], known["kind1"]), (known["n2"], known["trait2"], known["kind2"])):
        lines.append(f'<role name="{name}">{w.fill("a {trait} {kind}", trait=trait, kind=kind)}</role>')
    lines.append("</cast>")
    lines += scene(w, known, plot, [0] + middle + [7])
    lines.append(f"<direction>{w.fill(LEAVE, **(known | {'who': known['n2']}))}</direction>")
    return "\n".join(lines + ["</scene>", "</play>"])


def example(w):
    known = cast(w)
    prompt = w.ask(ASK, **known)
    wanted = [known[k] for k in ("n1", "n2", "object", "place", "kind1", "kind2") if re.search(rf"\b{known[k]}\b", prompt)]
    text = script(w, known)
    while not all(word in text for word in wanted):
        text = script(w, known)
    return {"messages": [{"role": "user", "content": prompt}, {"role": "assistant", "content": text}], "wanted": wanted}


def well_formed(answer):
    """Whether an XML parser accepts the answer and it is a play: one title, a cast of two or more, in every scene a
    direction and three or more lines, each spoken by somebody of the cast."""
    try:
        play = ElementTree.fromstring(answer.strip())
    except ElementTree.ParseError:
        return False
    names = [role.get("name") for role in play.findall("cast/role")]
    scenes = play.findall("scene")
    lines = play.findall("scene/line")
    return (
        play.tag == "play" and len(play.findall("title")) == 1 and bool((play.findtext("title") or "").strip())
        and len(names) >= 2 and all(names) and bool(scenes)
        and all(s.get("place") and len(s.findall("line")) >= 3 and s.find("direction") is not None for s in scenes)
        and all(line.get("speaker") in names and (line.text or "").strip() for line in lines)
    )


def measure(item, answer):
    """Scores in 0...1 of one answer."""
    named = [word for word in item["wanted"] if word.lower() in answer.lower()]
    return {"well_formed_markup": float(well_formed(answer)), "names_and_things_of_the_prompt": len(named) / max(1, len(item["wanted"]))}
