"""Short stories and scenes in plain text, built from a wish, an obstacle, a helper and an end."""

from .words import NUMBER_WORDS
from .writer import cap

PRONOUNS = {"girl": ("she", "her", "her"), "queen": ("she", "her", "her"), "princess": ("she", "her", "her"), "boy": ("he", "his", "him"), "king": ("he", "his", "him")}
OPEN = ["[Once upon a time|Long ago|Many years ago] there was {a trait} {kind} named {name} who lived [near|in|beside] the {place}.", "{name} was {a trait} {kind} who lived [near|beside|in] the {place}[ of {town}|].", "In the {place}[ of {town}|] lived {a trait} {kind} named {name}.", "{name} the {kind} was the most {trait} {kind} in [all of |]{town}.", "There was once {a kind} named {name}, and {he} was very {trait}.", "Far away, [beyond the {place2}|behind the {place}], {a kind} named {name} lived [alone|with {his} {relative}].",
    "[One|On a] {weather} {daypart}, {a trait} {kind} named {name} [walked|came] to the {place}.", "Everyone in {town} knew {name}, the {trait} {kind} [from|of] the {place}."]
WISH = ["[One day|One {daypart}|That {daypart}] {name} found a {size} {color} {object} [under a stone|behind a door|in the grass|near the water].", "{name} had always wanted [to find|to own] the {color} {object} of {town}.", "[One day|One {daypart}] {his} {object} was gone.",
    "But {name} had a secret: {he} kept a {color} {object} under {his} bed.", "Then an old {job} gave {him} a {color} {object}."]
WISH_LOST = 2
TROUBLE = ["But [soon|then] a storm came, and the path to the {place2} was lost.", "But a {trait2} {animal} wanted the {object} [too|for itself].", "But nobody [believed|wanted to help] {him}.", "But the {object} was broken and would not work.", "But [people|the people of {town}] [laughed at|shook their heads at] {him}.", "But {he} did not know [what to do|how to use it].", "But the {object} was [too heavy|much too {size}] for {him}.", "But [winter|the night|the cold wind] came, and there was nothing to eat but {food}.", "But the way [led|went] through the dark {place2}, and {name} was afraid.",
    "But in the night a thief took the {object} and ran to the {place2}."]
HELP = ["[Then|There] {he} met {name2}, {a trait2} {animal}, who [knew the way|offered to help|was not afraid].", "{name2} the {animal} [heard|saw] {him} and said, \"[Do not worry|Come with me|I can help you].\"", "\"[Please help me|What should I do]?\" {he} asked. \"[Follow me|Be patient|Trust yourself],\" said {name2} the {animal}.",
    "An old {job} named {name2} gave {him} {food} and [good advice|a lantern]."]
ACT = ["Together they [searched|walked] all [night|day] [through|across] the {place2}.", "They [climbed over|went past|crossed] the {place2} and did not give up.", "{name} thought for a long time and then had a clever idea.", "{name} [waited|worked] for {small} days and {small} nights.", "\"I will try [once more|again],\" said {name}, and went [back to|into] the {place2}.", "{name} shared {his} {food} with {name2} and told the whole story.", "Step by step, {name} [followed the sound|looked behind every door|asked everyone in {town}].", "{name} took a deep breath and [spoke|sang] [softly|with a clear voice]."]
END = ["At last {he} [found|held] the {object} [again|in {his} hands], and everyone [cheered|was glad].", "In the end, the {object} [shone like a star|was safe], and {name} was {feeling}.", "{name2} [smiled|laughed] and said, \"[You did it|The {object} is yours|Now you are free]!\"", "All the people of {town} [came to see|talked about] the {object}.", "Suddenly the {object} began to [sing|glow|move], and {name} [laughed|cried] with joy.", "When the sun came up, the {object} [was back in its place|began to shine].", "[Finally|At last] they came home, and {name} put the {object} on the table."]
MORAL = ["From that day on, {name} and {name2} were friends.", "{name} never [forgot|lost] the {object} again.", "And {name} learned that [a friend is worth more than gold|it is good to ask for help|even a small light helps in the dark|patience wins].", "That night {name} slept well and dreamed of the {place2}.", "And if you go to the {place} today, you can still hear them laugh."]
ASK = ["[Write|Tell me|Tell] a [short |]story about [{a trait} {kind}|{a kind}|{a kind} named {name}|{a trait} {kind} named {name}].", "[Write|Tell me] a [short |]story about {a kind} and {a object}.", "[Write|Tell me] a [short |]story [in which|where] {a kind} named {name} [finds|looks for] {a color} {object}.",
    "[Can you tell me|Please write|I want|I would like] a [short |]story [about|with] {a kind} [in|near] the {place}[?|.]", "[Make up|Invent] a [short |]story [set in|about] [the|a] {place} with {a kind}[ and {a object}|].", "A [short |]story about {name} the {kind}, please.", "[Write|Tell me] a [short |]story about {a trait} {kind}[ who lives in the {place}| and {a trait2} {animal}|].", "[Write|Tell] a [bedtime story|fairy tale|tale] about {a kind} and {a animal}.",
    "[Tell|Write|Give|Show] me [a|one] [short |little |nice |]story [about|with] {name} the {kind}.", "[I want|I'd like|I would love] [to hear |]a [short |]story about {a kind}[ named {name}| and {a object}|].", "story about {a kind} and {a object}", "[Story|Tale] please: {name}, {a kind}, {a object}.", "[Write|Tell] [something|a few sentences] about {a kind} [named|called] {name}.", "[Invent|Make up|Imagine] a [tale|story|little story] about {a trait} {kind}[ called {name}|].", "{name} is {a kind}. [Tell|Write] a [short |]story about {him}.", "Tell my [daughter|son|children|kids] a story about {a kind}[ and {a animal}|].",
    "Can you [invent|write|tell|make up] a story with {a kind} and {a animal}?", "Write about {a kind} who [finds|loses|looks for] {a object}.", "Once upon a time there was {a kind} named {name}. [Continue.|Go on.|What happened?]", "I need a [bedtime story|short tale] [for|about] {a trait} {kind}.", "[Use|With] the words {kind}, {object} and {place}: write a story.", "[Write|Tell] a story that [takes place|happens] in the {place}, with {a kind} named {name}."]


def cast(w):
    kind = w.word("kind")
    he, his, him = PRONOUNS.get(kind) or w.one([("he", "his", "him"), ("she", "her", "her")])
    known = dict(kind=kind, he=he, his=his, him=him)
    for key in ("object", "place", "place2", "name", "name2", "animal", "trait", "trait2", "color", "town", "size", "job", "relative", "food"):
        value = w.word(key.rstrip("2"))
        while value in known.values():
            value = w.word(key.rstrip("2"))
        known[key] = value
    return known


def tell(w, known, lead=True):
    """A story of five to eight sentences."""
    wish = w.number(0, len(WISH) - 1)
    trouble = "But nobody [knew where it was|had seen it], not even in the {place2}." if wish == WISH_LOST else w.one(TROUBLE)
    parts = ([w.one(OPEN)] if lead else []) + [WISH[wish], trouble, w.one(HELP), w.one(ACT), w.one(END), w.one(MORAL)]
    return [cap(w.fill(p, **known)) for p in parts]


def story(w):
    known = cast(w)
    prompt = w.ask(ASK, **known)
    lines = tell(w, known)
    if prompt.rstrip(". ").endswith(("Continue", "Go on", "What happened?")):
        lines = lines[1:]
    if w.chance(0.4):
        return [prompt, " ".join(lines[:3]) + "\n" + " ".join(lines[3:])]
    return [prompt, " ".join(lines)]


# Little stories of a given number of sentences: a beginning, a middle that can be left out, an end.
BEGIN = ["{name} the {kind} lived [near|beside] the {place}.", "[One|On a] {weather} {daypart} {name} the {kind} went to the {place}.", "{name} was {a trait} {kind} who loved {a object}.", "Once there was {a trait} {kind} named {name}.", "{name}, {a trait} {kind}, had lost {a color} {object}."]
MIDDLE = ["There {he} found {a color} {object}.", "Then {a animal} came and asked for help.", "It began to rain, and {he} hid in the {place2}.", "{name} was {feeling}, but {he} did not give up.", "An old {job} gave {him} some {food}.", "Nobody believed {him}.", "{he} looked everywhere in the {place2}.", "Suddenly {he} heard a strange sound.", "{he} had an idea and ran home."]
WITH = ["There {he} met {name2}, {a trait2} {animal}.", "{name2} the {animal} wanted to help.", "{name2} came along and laughed.", "Then {name2} knocked at the door.", "{he} asked {name2} for help."]
LAST = ["In the end everybody was happy.", "So {name} went home with a smile.", "From that day on {he} was never lonely.", "That night {name} slept very well.", "At last all was well, and they had {food}.", "And {name} was {feeling} ever after."]
LAST_TWO = ["In the end {name} and {name2} were friends.", "{name} and {name2} went home together.", "{name} thanked {name2}, and they shared the {food}.", "Since then {name} and {name2} have never been apart."]
ENDINGS = ["The end.", "And they lived happily ever after.", "And that was that.", "Good night!", "And so it was.", "And everybody laughed."]


def sentences_of(w, known, count, two):
    middle = ([w.one(WITH)] if two and count > 2 else []) + w.rng.sample(MIDDLE, max(0, count - 2 - (two and count > 2)))
    return [cap(w.fill(t, **known)) for t in [w.one(BEGIN)] + middle + ([w.one(LAST_TWO if two else LAST)] if count > 1 else [])]


def little_story(w):
    """A story whose length, people or ending the user has asked for."""
    known = cast(w)
    count, two, ending = w.number(2, 5), w.chance(0.5), w.chance(0.25)
    lines = sentences_of(w, known, count, two)
    length = w.one(["in {c} sentences", "with {c} sentences", "of {c} sentences", "in exactly {c} sentences", "{c} sentences long"]).replace("{c}", NUMBER_WORDS[count] if w.chance(0.6) else str(count))
    who = w.fill(["{name} and {name2}", "{name} the {kind} and {name2}", "a {kind} named {name} and {name2}", "two friends, {name} and {name2}"] if two else ["{name}", "{name} the {kind}", "a {kind} named {name}", "{a kind} called {name}", "{a trait} {kind} named {name}"], **known)
    last = w.one(ENDINGS)
    if ending:
        lines[-1] = last
        end = w.one([" It must end with: {e}", ' End with "{e}"', " The last sentence is: {e}", ' The story ends with the words "{e}"', " Finish with: {e}"]).replace("{e}", last)
        return [w.ask(["[Write|Tell|Tell me|Make up|Invent] a story about {w} {l}.{e}", "A story about {w} {l}.{e}", "[Can you write|I want] a [short |]story about {w} {l}?{e}"], w=who, l=length, e=end), " ".join(lines)]
    return [w.ask(["[Write|Tell|Tell me|Make up|Invent|Give me] a [short |]story about {w} {l}.", "A story about {w}, {l}.", "Story {l} about {w}[ please|].", "[Can you write|Could you tell me|Write me] a story {l}? It is about {w}.", "[Write|Tell] {c} sentences about {w}.", "About {w}: a story {l}.", "{w}: a story {l}"], w=who, l=length, c=NUMBER_WORDS[count]), " ".join(lines)]


def continue_story(w):
    known = cast(w)
    lines = tell(w, known)
    prompt = w.ask(["[Continue|Finish|Go on with] [this|the] story.", "[What happens next|How does the story go on]?", "[Write|Tell me] the end of this story."])
    return [prompt + "\n\n" + " ".join(lines[:3]), " ".join(lines[3:])]


# A scene: two or three people speak in turn, as "Name: text". The moves keep the talk on one wish and one trouble.
SCENE = [
    ["{n1}, have you seen the {object}?", "Look, {n1}! I found the {color} {object}!", "[Good {daypart}|Hello], {n1}. I have come for the {object}.", "{n1}, wake up! The {object} is gone!", "Tell me the truth, {n1}. Where is the {object}?"],
    ["The {object}? [It was here this {daypart}|I have not seen it|I thought you had it].", "[Quiet|Not so loud]! Somebody in the {place} might hear us.", "[Why|What for]? What do you want with {a object}?", "I gave it to the {job}. I needed the money."],
    ["But it belonged to my {relative}!", "Without it we cannot [leave the {place}|go home|open the door].", "People in {town} say that it brings [luck|bad luck|storms].", "I have been looking for it since {day}."],
    ["Then we must [go to|search] the {place} at once.", "Maybe the {animal} took it.", "[Calm down|Sit down], my friend. We will find it.", "I am sorry. I did not know."],
    ["And if we do not find it?", "I am afraid of the dark.", "You always say that, {n1}.", "Do you promise to help me?"],
    ["I promise.", "Trust me. I have a plan.", "Then we will [build|buy|make] a new one.", "Listen! Do you hear the {animal}?"],
    ["There it is! Under the [chair|table|blanket]!", "You had it in your pocket all the time!", "Look at the door. Somebody is coming.", "Well, let us go before the rain starts."],
    ["[Ha|Oh]! What a day.", "I will never lose it again.", "Come, {n1}. Let us drink some {drink}.", "Then everything is well in the end."],
]
ASK_SCENE = ["[Write|Make up|Invent] a [short |]dialogue between {n1} and {n2} about {a object}.", "[Write|Show me] a [short |]conversation between {n1} and {n2} in the {place}.", "{n1} and {n2} [talk|argue] about {a color} {object}. [Write|Invent] their [dialogue|conversation].",
    "[Write|Give me] a [short |]dialogue [between|with] {a job} and {a kind} about {a object}.", "[Write|Invent] a [short |]dialogue in which {n1} [looks for|has lost|finds] {a object}.",
    "[Write|Give me|Show|Make up] a [short |little |]talk between {n1} and {n2}[ about {a object}|].", "{n1} meets {n2} in the {place}. What do they say?", "What would {n1} and {n2} say [to each other|] about {a object}?", "[Dialogue|Conversation]: {n1} and {n2}, topic {object}.", "[Let|Make] {n1} and {n2} talk about {a object}.", "[I need|I want|I would like] a [short |]dialogue between {n1} and {n2} in the {place}.", "[Write|Invent] a scene[ in the {place}|] where {n1} asks {n2} about {a object}.", "dialogue {n1} {n2} {object}", "[Write|Make up] what {n1} and {n2} [say|said] when they [find|lost] {a object}.", "Two people, {n1} and {n2}, [discuss|argue about|talk about] {a object}. Write it down."]


def moves(w, known, count):
    """(speaker, text) pairs; the two speakers take turns and name the other one."""
    n1, n2 = known["n1"], known["n2"]
    chosen = sorted(w.rng.sample(range(1, len(SCENE) - 1), count - 2))
    lines = []
    for turn, step in enumerate([0] + chosen + [len(SCENE) - 1]):
        speaker, other = (n1, n2) if turn % 2 == 0 else (n2, n1)
        lines.append((speaker, w.fill(SCENE[step], **(known | {"n1": other}))))
    return lines


def scene_cast(w):
    known = cast(w)
    known |= {"n1": known.pop("name"), "n2": known.pop("name2")}
    return known | {"day": w.word("day"), "drink": w.word("drink")}


def dialogue(w):
    known = scene_cast(w)
    prompt = w.ask(ASK_SCENE, **known)
    if known["n1"] not in prompt:
        known |= {"n1": cap(known["job"]), "n2": cap(known["kind"])}
    count = w.number(3, 7)
    if known["n1"] in prompt and w.chance(0.35):
        prompt = prompt.rstrip(" .?!:)") + w.one([" in {c} lines.", ", {c} lines.", ". Use {c} lines.", ". Exactly {c} lines.", ", {c} lines long."]).replace("{c}", NUMBER_WORDS[count] if w.chance(0.6) else str(count))
    return [prompt, "\n".join(f"{who}: {what}" for who, what in moves(w, known, count))]
