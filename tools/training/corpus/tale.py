"""Little stories and dialogues written by hand, `tales.txt`, and the wishes that people have for them.

A tale is a paragraph of lines:
  title, about, moral   titles and themes, parted by " / " (themes by commas); a moral is a sentence
  end                   happy, sad or open
  sex, sex2             she or he, where the text needs it; else it goes by the name
  list who: a/b/c       words of this tale alone: who, who2 (characters), animal, thing, place, and others; all other slots are banks;
                        *who, *animal or *thing among them stands for the many words of WIDE, where any of them will do
  1 text                a sentence with its rank: a story of n sentences tells those of the ranks 1 to n in their order
A dialogue is a paragraph that begins with `talk: topic / topic`; `as:` names the roles of its speakers, and `1 A: text` is a line of speaker
A with its rank: lines of one rank are told together. {A} is the name of a speaker. A sentence with {name2} is one with a second character.
"""

import re
from pathlib import Path

from .words import BANKS, BOYS, GIRLS, NUMBER_WORDS, words
from .writer import CHOICE, cap
from .written import one_stop, paragraphs

FILE = Path(__file__).parent / "tales.txt"
SLOT = re.compile(r"\{(?:[aA] )?(\w+)\}")
SENTENCE = re.compile(r"(\d) (.+)")
LINE = re.compile(r"(\d) ([ABC]): (.+)")
PRONOUNS = {"she": {"he": "she", "his": "her", "him": "her", "himself": "herself"}, "he": {"he": "he", "his": "his", "him": "him", "himself": "himself"}}
WIDE = {
    "*who": BANKS["job"] + words("""acrobat, antique dealer, archer, baroness, bookbinder, bricklayer, butler, candle maker, cellist, cheesemaker, chess player, cobbler, crane driver, curator, cyclist, duchess, ferryman, florist, geologist, glassblower, goatherd,
        grandmother, hairdresser, hermit, historian, housekeeper, ice cream seller, janitor, jeweler, knitter, landlady, lamplighter, mathematician, midwife, milkman, mountaineer, newsreader, organist, painter, park ranger, peddler, piano tuner, potter,
        puppeteer, retired general, roofer, seamstress, shepherdess, shoemaker, signalman, skydiver, stamp collector, stonemason, street sweeper, student, surgeon, tax inspector, ticket seller, toymaker, truck driver, weaver, window cleaner, zookeeper"""),
    "*animal": BANKS["animal"] + words("""alpaca, armadillo, badger, bison, buzzard, chameleon, cheetah, cockatoo, crane, dormouse, eel, emu, falcon, ferret, flamingo, gazelle, gecko, gnu, guinea pig, hare, hyena, iguana, jackal, jellyfish, kingfisher, ladybird, lemur, leopard,
        lobster, marmot, mongoose, mule, newt, orangutan, pelican, pheasant, platypus, polecat, porcupine, puffin, quail, rat, reindeer, rhino, salamander, skunk, sloth, stork, tapir, tortoise, toucan, turkey, vulture, walrus, warthog, wildcat, wombat, woodpecker, yak"""),
    "*thing": BANKS["object"] + words("""abacus, accordion, alarm clock, apron, atlas, backpack, bagpipe, beach ball, binder, birdcage, bookmark, bow tie, bracelet, calculator, candlestick, cane, cap, chessboard, corkscrew, crutch, cushion, doorknob, doormat, earring, eggcup, envelope, fishing rod,
        flashlight, flowerpot, frying pan, funnel, glass eye, golf club, hairbrush, hammock, harmonica, horseshoe, hourglass, ice skate, inkwell, kettle, keyring, lampshade, locket, lunchbox, mask, microscope, mitten, mousetrap, mug, napkin, paintbrush, paperweight, pepper mill, pipe,
        pocketknife, raincoat, rake, rattle, ruler, sandal, screwdriver, sieve, skateboard, sled, slipper, snow globe, sock, spinning top, sponge, stopwatch, straw hat, teddy bear, thermos, thimble, tie, toothbrush, trowel, tuba, typewriter, wig, wooden leg, yo-yo, zipper"""),
}
GIVEN = {key + digit for key in PRONOUNS["he"] for digit in ("", "2")} | {"A", "B", "C"}


class Tale:
    def __init__(self, lines):
        self.titles, self.about, self.morals, self.end, self.sex, self.lists, self.lines, self.roles = [], [], [], "open", {}, {}, [], []
        self.talk = lines[0].startswith("talk:")
        for line in lines:
            if found := LINE.fullmatch(line):
                self.lines.append((int(found.group(1)), found.group(3), found.group(2)))
            elif found := SENTENCE.fullmatch(line):
                self.lines.append((int(found.group(1)), found.group(2), None))
            else:
                mark, rest = line.split(":", 1)
                rest = rest.strip()
                if mark.startswith("list "):
                    self.lists[mark[5:]] = [word.strip() for word in rest.split("/")]
                elif mark in ("sex", "sex2"):
                    self.sex[mark[3:]] = rest
                elif mark == "end":
                    self.end = rest
                else:
                    {"title": self.titles, "moral": self.morals, "about": self.about, "talk": self.about, "as": self.roles}[mark].extend(part.strip() for part in rest.split("," if mark in ("about", "as") else " / "))
        self.counts = sorted({sum(r <= rank for r, _, _ in self.lines) for rank, _, _ in self.lines} - {1})

    def texts(self):
        return [text for _, text, _ in self.lines] + self.titles + self.morals


HERS = re.compile(r"(woman|girl|mother|widow|bride|wife|daughter|lady|shepherdess|seamstress|mistress|duchess|baroness|midwife|maid)$")
HIS = re.compile(r"((?<!wo)man|boy|father|son|lad|count|beggar|knight|squire)$")


def one_of(w, words):
    wide = [word for word in words if word in WIDE]
    return w.one(WIDE[wide[0]]) if wide and w.chance(0.7) else w.one([word for word in words if word not in WIDE])


def chosen(w, slots, lists, sex={}, taken=()):
    """Values for slots, all different, with the pronouns of the names."""
    values, sex = {}, dict(sex)
    for slot in sorted(dict.fromkeys(slots), key=lambda slot: slot.startswith("name")):
        if slot in GIVEN:
            continue
        bank = slot.rstrip("0123456789")
        for _ in range(99):
            words = lists.get(slot) or lists.get(bank)
            value = one_of(w, words) if words else w.fill("{name} {surname}") if bank == "full" else w.word(bank)
            wrong = {"she": BOYS, "he": GIRLS}.get(sex.get(slot[4:]), []) if bank == "name" else []
            if value.lower() not in {v.lower() for v in [*values.values(), *taken]} and value not in wrong:
                break
        values[slot] = value
        if bank == "who" and slot[3:] not in sex and (gender := "she" if HERS.search(value) else "he" if HIS.search(value) else ""):
            sex[slot[3:]] = gender
        if words and len(w.contents) < 2:
            w.contents.append(value)
    for digit in ("", "2"):
        name = values.get("name" + digit, "")
        which = sex.get(digit) or ("she" if name in GIRLS else "he" if name in BOYS else w.one(["he", "she"]))
        values |= {key + digit: word for key, word in PRONOUNS[which].items()}
    return values


class Told:
    """A tale with its values; its wordings are chosen once, so that it can be told again shorter or with another name."""

    def __init__(self, w, tale=None):
        self.w, self.tale = w, tale or w.one(TALES)
        self.templates = [w.expand(text) for _, text, _ in self.tale.lines]
        self.title = w.expand(w.one(self.tale.titles)) if self.tale.titles else ""
        self.moral = w.expand(w.one(self.tale.morals)) if self.tale.morals else ""
        self.values = chosen(w, SLOT.findall(" ".join(self.templates + [self.title, self.moral])), self.tale.lists, self.tale.sex)

    def kept(self, count):
        ranks = sorted(rank for rank, _, _ in self.tale.lines)[:count]
        return [i for i, (rank, _, _) in enumerate(self.tale.lines) if rank <= ranks[-1]]

    def slots(self, count):
        return {s for i in self.kept(count) for s in SLOT.findall(self.templates[i])} - GIVEN

    def sentences(self, count, **changed):
        return [one_stop(cap(self.w.slots(self.templates[i], self.values | changed))) for i in self.kept(count)]

    def text(self, count, **changed):
        return " ".join(self.sentences(count, **changed))

    def put(self, text, **changed):
        return cap(self.w.slots(text, self.values | changed))


# Who and what a wish may name, of what is told.
WHO = ["{name}", "{name}", "{a who}", "{a who}", "{a who} named {name}", "{name} the {who}", "{a who} called {name}", "{name}, {a who}", "{a who} whose name is {name}", "{name} and {name2}", "{name} and {name2}", "two people named {name} and {name2}", "{a who} and {a who2}", "{a who} who meets {a who2}", "{name}, {a who}, and {name2}",
    "{a who} named {name} and {a who2} named {name2}", "{a who} and {a animal}", "{name} and {a animal}", "{a animal}", "{a animal} and {a thing}", "{a who} and {a thing}", "{name} and {a thing}", "{a thing}", "{a thing} in the {place}", "{a who} in the {place}", "{name} at the {place}", "{a thing} and {a thing2}", "{a animal} and {a animal2}",
    "{name} from {town}", "{a who} from {town}", "the town of {town} and {a thing}", "{name} and {a who}", "a young {who}", "an old {who}", "a certain {who}", "{a who2}", "{a animal2}"]


def fitting(forms, slots):
    return [form for form in forms if set(SLOT.findall(form)) <= slots]


def about(w, told, count, theme=0.25):
    """What the story is about: characters and things in it, or a theme."""
    forms = fitting(WHO, told.slots(count))
    forms = [f for f in forms if not f.startswith(("a young", "an old", "a certain"))] or forms if w.chance(0.8) else forms
    if not forms or w.chance(theme):
        return w.one(told.tale.about)
    return told.w.slots(w.one(forms), told.values)


def number(w, count):
    return NUMBER_WORDS[count] if w.chance(0.6) else str(count)


PLAIN = ["[Write|Tell me|Tell] a [short |little |]story about {w}.", "[Can you tell me|Could you write|Would you tell us] a [short |little |]story about {w}?", "[I want|I'd like|I would love] [to hear |to read |]a [short |little |]story about {w}.", "A [short |little |tiny |]story about {w}, please.", "story about {w}", "[Make up|Invent] a [tale|story|little story] about {w}.",
    "[Give me|Let me hear|Let's have] a story about {w}.", "Do you know a story about {w}?", "[Please write|Write me|Type me] [something|a few lines] about {w}, [like|as] a story.", "Once more a story, this time about {w}.", "I can't sleep. Tell me a story about {w}.", "My [son|daughter|niece|nephew|grandson|class] wants a story about {w}.",
    "I am bored. [Got|Have you got|Do you have] a story about {w}?", "Tell us about {w}, as if by the fire.", "We are waiting for the bus, so tell us a story about {w}.", "Something short to read before bed, about {w}.", "[Story time|Storytime]: {w}.", "{w}: [write|tell] a story.", "Topic: {w}. Write a story.",
    "[Think up|Come up with|Dream up] a story [with|about] {w}.", "What story can you tell about {w}?", "Please [entertain|surprise] me with a story about {w}.", "For my homework I need a story about {w}.", "I'm writing for the school paper. Can I have a little story about {w}?", "Let's hear it: a story about {w}!", "Write a short piece of fiction about {w}.",
    "Draft a very short story on {w}.", "You are a storyteller. Tell the one about {w}.", "tell me something nice about {w}, a made-up story", "One story, please. It should be about {w}.", "Has anyone told you the tale of {w}? Tell it to me.", "Spin me a yarn about {w}.", "Tell a tale in which we meet {w}.", "Make me a story. The subject is {w}.", "Short fiction, subject: {w}"]
COUNTED = ["[Write|Tell|Tell me|Make up|Invent] a story about {w} in {n} sentences.", "[Write|Tell me] a story of {n} sentences about {w}.", "[Write|Tell] a {n}-sentence story about {w}.", "A story about {w}, {n} sentences long.", "A {n} sentence story about {w}, please.", "Tell a story about {w}. [Use|Take] exactly {n} sentences.", "Write exactly {n} sentences: a story about {w}.",
    "Story about {w}. {n} sentences.", "I want a story about {w} [with|in] [just|only|exactly] {n} sentences.", "In {n} sentences, tell [me |us |]a story about {w}.", "Can you tell a story about {w} in {n} sentences?", "[No more and no less than|Exactly] {n} sentences, please: a story about {w}.", "{n} sentences about {w}, as a story.", "Give me {n} sentences. They should tell a story about {w}.",
    "{w}, in {n} sentences.", "My teacher wants a story in {n} sentences. Let it be about {w}.", "Make it {n} sentences, and make it a story about {w}.", "Write a very short story about {w}; it must have {n} sentences.", "Could you fit a story about {w} into {n} sentences?", "Story, {n} sentences, {w}.", "[We need|I need] a story about {w} for a card. There is room for {n} sentences.", "Tell the story of {w} using {n} sentences.", "A tale about {w}? Keep it to {n} sentences.",
    "Please write {n} sentences that form a little story about {w}.", "story about {w}, {n} sentences", "Compose a story of exactly {n} sentences. It is about {w}."]
WORDS_GIVEN = ["[Write|Tell] a story with [these words|the words|the following words]: {k}.", "[Use|Take] the words {k} and [write|make|tell] a story.", "Write a story in which {k} [appear|occur|come up].", "Story with {k}.", "These must be in the story: {k}.", "I give you {k}, and you give me a story.", "Make a story out of {k}.", "{k} - [turn this into|make] a story.", "Words: {k}. Write a short story with all of them.", "A story, please, and it has to mention {k}.", "Can you build a story around {k}?", "Put {k} into one story.", "The story needs {k}.", "Write a tale containing {k}."]
LAST = ["Write a story about {w}[ in {n} sentences|]. It [must|should|has to] end with: {e}", 'Tell a story about {w}. The last sentence [is|must be|should be]: "{e}"', 'End a story[ of {n} sentences|] about {w} with the words "{e}"', "I need a story about {w}[ in {n} sentences|] that finishes like this: {e}", 'Story about {w}[, {n} sentences|], last line: "{e}"', "Here is the last sentence of a story about {w}: {e}\nWrite the whole story.", '"{e}" is how the story ends. It is about {w}. Write it.', 'A story about {w}[ with {n} sentences|], please. Let it close with "{e}"']
FIRST = ["Write a story about {w}[ in {n} sentences|]. It [starts|begins] with: {f}", 'Tell a story[ of {n} sentences|]. The first sentence is: "{f}"', 'Begin with "{f}" and tell a story[ of {n} sentences|].', 'A story that starts with the sentence "{f}"[ and has {n} sentences|]', "Start the story like this: {f}[ Write {n} sentences in all.|]", 'First line: "{f}" [Write the story.|Tell me the whole story.|Now write a story of {n} sentences.]', 'Use "{f}" as the first sentence of a story[ with {n} sentences|].', 'My story opens with "{f}" Write all of it[, {n} sentences|].']
MORAL = ["[Write|Tell me] a [fable|story] about {w} with a moral.", "A [story|fable] with a [lesson|moral] about {w}.", "[Tell|Write] a [short |]fable about {w}[ and say what it teaches| and give the moral at the end].", "Tell a story about {w} and add the moral.", "I would like a story about {w} [that teaches something|with a message]. Name the [lesson|moral] at the end.", "Fable: {w}. With moral.", "What can we learn from {w}? Tell a story with a moral.", "A little fable about {w}, please, and its moral in one sentence."]
TITLED = ["[Write|Tell] a story about {w} [and give it a title|with a title].", "A story with a title, about {w}.", "Story about {w}, title on top.", "Write a short story about {w}. Put a title [above|before] it.", "Title and story, please: {w}.", "I need a titled short story about {w}[ in {n} sentences|]."]
FROM_TITLE = ['[Write|Tell me] [a|the] story [called|with the title] "{t}".', 'Title: {t}\n[Write the story.|Story?]', 'The story is called "{t}". [Tell it.|Write it down.|How does it go?]', '"{t}" - write the story that belongs to this title.', 'I have only a title: {t}. Please write the story[ in {n} sentences|].', 'Write "{t}", a story of {n} sentences.', "story with the title {t}"]
HAPPY = ["[Write|Tell me] a [happy|cheerful] story about {w}.", "[Write|Tell me] a story about {w} with a happy end[ing|].", "A story about {w} that ends well[, please|].", "I need cheering up. Tell me a story about {w} with a good ending.", "A feel-good story about {w}.", "Story about {w}, [happy ending|nothing sad], please.", "[Write|Tell] a heartwarming [little |]story about {w}.", "Let it end well: a story about {w}[ in {n} sentences|]."]
SAD = ["[Write|Tell me] a sad story about {w}.", "[Write|Tell me] a story about {w} with a sad end[ing|].", "A story about {w} that does not end well[, please|].", "Make me cry with a story about {w}.", "Story about {w}, sad ending.", "No happy ending this time: a story about {w}.", "A melancholy [little |]tale of {w}.", "Write something sad about {w}[ in {n} sentences|]."]
CHILD = ["[Write|Tell me] a [bedtime story|story for children|children's story|story for kids] about {w}.", "A bedtime story about {w}[ in {n} sentences|], please.", "My [{small}-year-old|little girl|little boy|toddler] wants a story about {w}.", "Tell the children a story about {w}.", "[Write|Make up] a story for [small children|a child of {small}|my {small} year old son|the kindergarten] about {w}.", "A goodnight story with {w}.", "Kids' story: {w}.", "A fairy tale about {w} for little ones[, {n} sentences|]."]
THEMES = ["[Write|Tell me] a story about {m}.", "[Write|Tell] a story on the theme of {m}[ in {n} sentences|].", "Theme: {m}. [Write|Tell] a [short |]story.", "A story about {m}[, {n} sentences|], please.", "Do you have a story that deals with {m}?", "Something about {m}, in story form.", "The theme of the evening is {m}. Tell a story.", "{m} - story, please", "Today we read about {m}. Can you add a little story[ of {n} sentences|]?"]
CONTINUE = ["[Continue|Finish|Go on with|Carry on] [this|the] story.", "[What happens next|How does the story go on|And then]?", "[Write|Tell me] the [end|rest] of this story.", "How does it end?", "I got this far with my story. [Write on.|Please finish it.|What now?]", "Complete the story.", "Here is the beginning. You write the rest.", "Please tell me how this ends.", "Pick up the story where it stops.", "The page is torn here. How does it go on?"]
ONE_MORE = ["[Continue|Go on] with one sentence.", "Add the next sentence.", "Write one more sentence.", "What is the next sentence?", "One sentence more, please.", "Add just one sentence to this story."]
LAST_MISSING = ["[Write|Add] the last sentence.", "Only the last sentence is missing. Write it.", "End this story in one sentence.", "How could the last sentence go?", "Give this story an ending of one sentence."]
ENDINGS = ["The end.", "And that was that.", "And that is the whole story.", "Nobody ever spoke of it again.", "Some things cannot be explained.", "And so the day came to an end.", "That is how it was told to me.", "The rest is another story.", "Then the lights went out.", "It was a night to remember.", "And all was quiet again.", "After that, it began to rain.", "Tomorrow would be another day.", "So ends our tale.", "What a day it had been!", "And outside, the first snow fell.", "That was the last anyone heard of it.", "And the clock struck twelve.", "Ask anyone in the village and they will tell you the same.",
    "Believe it or not.", "Everything had changed.", "And the moon saw it all.", "Life went on.", "Sometimes that is enough.", "Good night, sleep tight!", "And this, dear reader, is true.", "The wind carried the news away.", "If you do not believe it, go and see for yourself."]
STARTS = ["It was a dark and stormy night.", "Nobody saw it coming.", "It all began with a mistake.", "This happened a long time ago.", "Listen, and do not interrupt.", "The morning began like any other.", "There was a smell of snow in the air.", "Everyone has heard this story, but not the way I tell it.", "My grandmother told me this.", "It was the strangest week of the year.", "You will not believe this.", "The bells had just stopped ringing.", "It was the hottest day of the summer.", "Not long ago, and not far from here, something happened.", "The rain had stopped at last.", "Things were different in those days.", "It was the night before the big fair.", "Some stories are short, and this is one of them.", "Spring had come early that year.", "At first it seemed an ordinary day.", "The whole street was asleep.", "Let me begin at the beginning.", "This is what the old people say.", "It began on a {day}."]


def count_of(w, told, low=2):
    """Mostly stories of middle length."""
    counts = [c for c in told.tale.counts if c >= low]
    return w.one([c for c in counts if 3 <= c <= 6] or counts) if w.chance(0.7) else w.one(counts)


def shown(w, sentences):
    """The sentences as a paragraph, now and then as two."""
    if len(sentences) > 4 and w.chance(0.2):
        cut = w.number(2, len(sentences) - 2)
        return " ".join(sentences[:cut]) + "\n" + " ".join(sentences[cut:])
    return " ".join(sentences)


def wish(w, told, templates, count, **more):
    return w.ask(templates, **({"w": about(w, told, count), "n": number(w, count)} | more))


def plain(w):
    told = Told(w)
    count = count_of(w, told, 3)
    return [wish(w, told, PLAIN, count), shown(w, told.sentences(count))]


def counted(w):
    told = Told(w)
    count = w.one(told.tale.counts) if w.chance(0.4) else w.number(2, 6)
    return [wish(w, told, COUNTED, count), told.text(count)]


def with_words(w):
    told = Told(w)
    count = count_of(w, told, 3)
    slots = [s for s in told.slots(count) if s.rstrip("2") in ("name", "town", "city", "who", "thing", "animal")]
    if len(slots) < 2:
        return with_words(w)
    slots = w.rng.sample(sorted(slots), min(len(slots), w.number(2, 4)))
    values = [told.values[s] for s in slots]
    if w.chance(0.35):
        values = [v if s.startswith(("name", "town", "city")) else w.slots("{a x}", {"x": v}) for s, v in zip(slots, values)]
    k = ", ".join(values[:-1]) + w.one([" and ", " and ", ", "]) + values[-1]
    return [wish(w, told, WORDS_GIVEN, count, k=k), told.text(count)]


def with_last(w):
    told = Told(w)
    count = count_of(w, told, 3)
    lines = told.sentences(count)
    if w.chance(0.5):
        lines = told.sentences(count - 1) + [w.one(ENDINGS)] if count - 1 in told.tale.counts else lines
    return [wish(w, told, LAST, len(lines), e=lines[-1]), " ".join(lines)]


def with_first(w):
    told = Told(w)
    count = count_of(w, told, 3)
    lines = told.sentences(count)
    if w.chance(0.4):
        lines = [w.fill(STARTS)] + lines
    return [wish(w, told, FIRST, len(lines), f=lines[0]), " ".join(lines)]


def with_moral(w):
    told = Told(w, w.one([t for t in TALES if t.morals]))
    count = count_of(w, told, 3)
    moral = told.put(told.moral)
    return [wish(w, told, MORAL, count), told.text(count) + w.one(["\nMoral: ", "\n\nMoral: ", "\nThe moral: ", " The moral of the story: ", "\nWhat it teaches: "]) + moral]


def with_title(w):
    told = Told(w)
    count = count_of(w, told, 3)
    return [wish(w, told, TITLED, count), told.put(told.title) + w.one(["\n\n", "\n"]) + told.text(count)]


def from_title(w):
    told = Told(w)
    count = count_of(w, told, 3)
    return [wish(w, told, FROM_TITLE, count, t=told.put(told.title)), told.text(count)]


AT_MOST = ["[Write|Tell] a story about {w} in [at most|no more than|not more than] {n} sentences.", "A story about {w}, {n} sentences at the most.", "Story about {w}. Maximum {n} sentences.", "Tell me a story about {w}, but not longer than {n} sentences.", "Keep it under {m} sentences: a story about {w}.", "I only have time for {n} sentences. Tell me about {w}, as a story."]
AT_LEAST = ["[Write|Tell] a story about {w} with at least {n} sentences.", "A story about {w}, {n} sentences or more.", "Story about {w}. Minimum {n} sentences.", "Tell me a story about {w}, and do not stop before {n} sentences.", "I want a longer story about {w}, at least {n} sentences."]
TWO_PARTS = ["[Write|Tell] a story about {w} in two paragraphs.", "A story about {w}, two paragraphs.", "Two short paragraphs, please: a story about {w}.", "Tell a story about {w}. Make a new paragraph in the middle."]
SAID = ['[Write|Tell] a story about {w} in which somebody says "{q}"', 'A story about {w}, please, and someone in it has to say "{q}"', 'The sentence "{q}" should be spoken in the story. It is about {w}.', 'Put this into the mouth of somebody in a story about {w}: "{q}"', 'Story about {w} with the line "{q}" in it.', 'I heard "{q}" and want a story with it. Topic: {w}.']
QUOTE = re.compile(r'(?:[^"]* )?"([A-Z][^"]{6,90}[.!?])"')


def limited(w):
    """At most or at least so many sentences, or two paragraphs."""
    told, form = Told(w), w.number(0, 2)
    counts = told.tale.counts
    if form == 0:
        limit = w.number(3, 7)
        count = w.one([c for c in counts if max(2, limit - 2) <= c <= limit])
        return [wish(w, told, AT_MOST, count, n=number(w, limit), m=number(w, limit + 1)), told.text(count)]
    if form == 1:
        count = w.one([c for c in counts if c >= 4])
        return [wish(w, told, AT_LEAST, count, n=number(w, w.number(max(3, count - 2), count))), told.text(count)]
    count = w.one([c for c in counts if c >= 4])
    lines = told.sentences(count)
    cut = w.number(2, count - 2)
    return [wish(w, told, TWO_PARTS, count), " ".join(lines[:cut]) + w.one(["\n\n", "\n\n", "\n"]) + " ".join(lines[cut:])]


def with_quote(w):
    for _ in range(50):
        told = Told(w)
        count = count_of(w, told, 3)
        lines = told.sentences(count)
        if quotes := [found.group(1) for line in lines if (found := QUOTE.fullmatch(line))]:
            return [wish(w, told, SAID, count, q=w.one(quotes)), " ".join(lines)]
    return plain(w)


def ending(w):
    sad = w.chance(0.5)
    told = Told(w, w.one([t for t in TALES if t.end == ("sad" if sad else "happy")]))
    count = count_of(w, told, 4)
    return [wish(w, told, SAD if sad else HAPPY, count), told.text(count)]


def for_children(w):
    told = Told(w, w.one([t for t in TALES if t.end == "happy"]))
    count = count_of(w, told, 3)
    return [wish(w, told, CHILD, count), shown(w, told.sentences(count))]


def on_theme(w):
    told = Told(w)
    count = count_of(w, told, 3)
    return [wish(w, told, THEMES, count, m=w.one(told.tale.about)), told.text(count)]


def continued(w):
    told = Told(w)
    count = w.one([c for c in told.tale.counts if c >= 4])
    lines = told.sentences(count)
    form = w.number(0, 3)
    if form <= 1:
        cut = w.number(1, count - 2)
        return [w.task(w.ask(CONTINUE), " ".join(lines[:cut])), " ".join(lines[cut:])]
    if form == 2:
        cut = w.number(1, count - 1)
        return [w.task(w.ask(ONE_MORE), " ".join(lines[:cut])), lines[cut]]
    return [w.task(w.ask(LAST_MISSING), " ".join(lines[:-1])), lines[-1]]


SHORTER = ["[Now shorter|Shorter|Make it shorter|Too long|Can you make it shorter|Cut it down].", "That is too long. [Shorter, please.|Cut it.]", "a bit shorter", "The same story, but shorter.", "Shorten it.", "Can I have the short version?", "Not so long, please."]
IN_N = ["Now in {n} sentences.", "The same in {n} sentences.", "[Tell it|Write it] again in {n} sentences.", "Can you do it in {n} sentences?", "{n} sentences, please.", "Make it {n} sentences.", "Only {n} sentences."]
LONGER = ["[Now longer|Longer|Make it longer], please.", "A bit longer, please.", "Tell it again with more detail.", "That was short. [Can you tell more?|Longer!]", "Can you make it longer?", "more detail please", "I want the long version."]
GIVE_TITLE = ["[Give it|It needs|Find] a title.", "What could the title be?", "What would you call it?", "Title?", "And a title for it?", "How should I call the story?", "Suggest a title."]
GIVE_MORAL = ["What is the moral[ of the story|]?", "What does it teach?", "Moral?", "And the lesson?", "What can we learn from it?", "Say the moral in one sentence."]
RENAME = ["[Now call {him} {x}|Change the name to {x}|Call {him} {x} instead of {name}].", "The same story, but with the name {x}.", "Replace {name} with {x}.", "{x} instead of {name}, please.", "I like the name {x} better. Change it."]
ANOTHER = ["And one about {w}.", "Now one about {w}.", "Another one, about {w}.", "[Good|Nice|Lovely|Thanks]. And now [one|a story] about {w}.", "Now tell one about {w}.", "One more: {w}.", "Do you have one about {w}, too?", "The next one should be about {w}.", "and {w}?"]
WHO_ASKED = ["[What was the name of the {who}|What is the {who} called|What's the name of the {who} again]?", "Who is the {who} in [the|your] story?"]


def conversation(w):
    """A story and wishes about it, and other stories."""
    told = Told(w)
    count = count_of(w, told, 3)
    counted_first = w.chance(0.3)
    turns = [("user", wish(w, told, COUNTED if counted_first else PLAIN, count)), ("assistant", told.text(count))]
    changed, used = {}, set()
    for _ in range(w.number(1, 3)):
        form = w.one(["shorter", "in", "longer", "title", "moral", "rename", "another", "another", "who"])
        if form in used and form != "another":
            continue
        fewer, more = [c for c in told.tale.counts if c < count], [c for c in told.tale.counts if c > count]
        if form == "shorter" and fewer:
            count = w.one(fewer)
            ask, answer = w.ask(SHORTER), told.text(count, **changed)
        elif form == "in" and len(told.tale.counts) > 1:
            count = w.one([c for c in told.tale.counts if c != count and c <= 6])
            ask, answer = w.ask(IN_N, n=number(w, count)), told.text(count, **changed)
        elif form == "longer" and more:
            count = w.one(more)
            ask, answer = w.ask(LONGER), told.text(count, **changed)
        elif form == "title":
            ask, answer = w.ask(GIVE_TITLE), told.put(told.title, **changed)
        elif form == "moral" and told.moral:
            ask, answer = w.ask(GIVE_MORAL), told.put(told.moral, **changed)
        elif form == "rename" and "name" in told.slots(count):
            new = chosen(w, ["name"], {}, {"": told.values["he"]}, told.values.values())["name"]
            ask = w.ask(RENAME, x=new, name=changed.get("name", told.values["name"]), him=told.values["him"])
            changed = {"name": new}
            answer = told.text(count, **changed)
        elif form == "who" and {"name", "who"} <= told.slots(count):
            ask, answer = w.ask(WHO_ASKED, who=told.values["who"]), changed.get("name", told.values["name"]) + w.one(["", "."])
        elif form == "another":
            told, changed = Told(w), {}
            count = w.number(2, 5) if not counted_first else count if count in told.tale.counts else 3
            ask, answer = wish(w, told, ANOTHER, count), told.text(count)
            used = set()
        else:
            continue
        used.add(form)
        turns += [("user", ask), ("assistant", answer)]
    return turns


# Dialogues

TALK = ["[Write|Make up|Invent] a [short |]dialogue between {p} about {m}.", "[Write|Give me|Show me] a [short |]conversation between {p} about {m}.", "{p} talk about {m}. [Write down what they say.|Write the dialogue.|What do they say?]", "Dialogue: {p}, topic: {m}.", "dialogue between {p}, {m}", "[Let|Make] {p} talk about {m}.", "I need a dialogue about {m}. The speakers are {p}.", "What might {p} say to each other about {m}?", "Write a [little |short |]scene with {p}. It is about {m}.", "Can you write a conversation about {m}? {p} are speaking.", "For a language class: a dialogue between {p} on {m}.", "A chat between {p} about {m}.", "Script, please. Speakers: {p}. Subject: {m}."]
TALK_LINES = ["[Write|Make up|Invent] a dialogue of {n} lines between {p} about {m}.", "A dialogue between {p} in {n} lines. They talk about {m}.", "{p} talk about {m}. [Write {n} lines.|Exactly {n} lines.|Use {n} lines.]", "Write {n} lines of dialogue: {p}, {m}.", "In {n} lines, let {p} talk about {m}.", "Dialogue, {n} lines, {p}, topic {m}.", "I want a {n}-line conversation between {p} about {m}.", "{n} lines of talk between {p} about {m}, please."]
LINES_NOW = ["[Now in|The same in|Again, in] {n} lines.", "Make it {n} lines.", "Can you do it in {n} lines?", "{n} lines, please.", "I need it to have {n} lines."]
TALK_ON = ["[Continue|Go on with|Finish] [this|the] dialogue.", "How does the conversation go on?", "What do they say next?", "Write the rest of the dialogue."]


class Spoken:
    """A dialogue with its speakers."""

    def __init__(self, w):
        self.w, self.tale = w, w.one(TALKS)
        self.templates = [w.expand(text) for _, text, _ in self.tale.lines]
        speakers = sorted({who for _, _, who in self.tale.lines})
        self.topic = w.expand(w.one(self.tale.about))
        values = chosen(w, SLOT.findall(" ".join(self.templates + [self.topic])), self.tale.lists)
        names = chosen(w, ["name", "name2", "name3"], {}, taken=values.values())
        self.values = values | {s: names[n] for s, n in zip("ABC", ("name", "name2", "name3"))}
        named = any(s in GIVEN for t in self.templates for s in SLOT.findall(t))
        self.by_role = len(self.tale.roles) == len(speakers) and not named and w.chance(0.4)
        self.label = {s: cap(self.tale.roles[i]) if self.by_role else self.values[s] for i, s in enumerate(speakers)}
        self.topic = w.slots(self.topic, self.values)

    def lines(self, count):
        ranks = sorted(rank for rank, _, _ in self.tale.lines)[:count]
        return [f"{self.label[who]}: {one_stop(cap(self.w.slots(text, self.values)))}" for (rank, _, who), text in zip(self.tale.lines, self.templates) if rank <= ranks[-1]]

    def people(self):
        w, words = self.w, [self.w.slots("{a x}", {"x": label.lower()}) for label in self.label.values()] if self.by_role else list(self.label.values())
        if not self.by_role and len(self.tale.roles) == len(words) and w.chance(0.3):
            words = [f"{n} ({r})" if w.chance(0.5) else f"{n} the {r}" for n, r in zip(words, self.tale.roles)]
        return ", ".join(words[:-1]) + " and " + words[-1]


def spoken(w):
    talk = Spoken(w)
    count = w.one(talk.tale.counts)
    lines = talk.lines(count)
    return [w.ask(TALK_LINES if w.chance(0.45) else TALK, p=talk.people(), m=talk.topic, n=number(w, count)), "\n".join(lines)]


def spoken_on(w):
    talk = Spoken(w)
    lines = talk.lines(w.one([c for c in talk.tale.counts if c >= 4] or talk.tale.counts))
    cut = w.number(1, len(lines) - 1)
    return [w.task(w.ask(TALK_ON), "\n".join(lines[:cut])), "\n".join(lines[cut:])]


def spoken_again(w):
    """A dialogue, and then the same one in another length."""
    talk = Spoken(w)
    if len(talk.tale.counts) < 2:
        return spoken_again(w)
    first, second = w.rng.sample(talk.tale.counts, 2)
    turns = [("user", w.ask(TALK_LINES if w.chance(0.5) else TALK, p=talk.people(), m=talk.topic, n=number(w, first))), ("assistant", "\n".join(talk.lines(first)))]
    ask = w.ask(LINES_NOW, n=number(w, second)) if w.chance(0.6) else w.ask(SHORTER if second < first else LONGER)
    return turns + [("user", ask), ("assistant", "\n".join(talk.lines(second)))]


EVERY = [Tale(lines) for lines in paragraphs(FILE.read_text())]
TALES, TALKS = [t for t in EVERY if not t.talk], [t for t in EVERY if t.talk]
FORMS = [plain] * 4 + [counted] * 6 + [with_words] * 3 + [with_last] * 2 + [with_first] * 2 + [limited, limited, with_quote, with_moral, with_title, from_title, ending, ending, for_children, for_children, on_theme, on_theme] + [continued] * 2 + [conversation] * 4
TALK_FORMS = [spoken] * 4 + [spoken_on, spoken_again]


def check():
    """Tells every tale in every length; returns what is wrong."""
    import random

    from .writer import BANKS, COMPUTED, ENTITIES, Writer

    wrong, seen = [], set()
    for tale in EVERY:
        where = (tale.titles or tale.about or ["?"])[0]
        known = set(BANKS) | set(COMPUTED) | set(ENTITIES) | {"full"} | set(tale.lists) | GIVEN
        wrong += [f"{where}: no bank {s}" for t in tale.texts() + tale.about for s in SLOT.findall(t) if s not in known and s.rstrip("0123456789") not in known]
        wrong += [f"{where}: told twice"] if where in seen else []
        seen.add(where)
        ranks = sorted(rank for rank, _, _ in tale.lines)
        if tale.talk:
            if not 6 <= len(ranks) <= 12 or min(ranks) != 1 or ranks.count(1) < 2:
                wrong.append(f"{where}: {len(ranks)} lines, ranks {ranks}")
            for rank in set(ranks):
                who = [s for r, _, s in tale.lines if r <= rank]
                wrong += [f"{where}: the same speaker twice up to rank {rank}"] if any(a == b for a, b in zip(who, who[1:])) else []
            wrong += [f"{where}: {len(tale.roles)} roles"] if tale.roles and len(tale.roles) != len({s for _, _, s in tale.lines}) else []
        else:
            if ranks != list(range(1, len(ranks) + 1)) or not 6 <= len(ranks) <= 9:
                wrong.append(f"{where}: ranks {ranks}")
            if not (tale.titles and tale.about and tale.morals) or tale.end not in ("happy", "sad", "open"):
                wrong.append(f"{where}: title, about, moral or end")
            wrong += [f"{where}: not one sentence: {t}" for _, t, _ in tale.lines if len(re.findall(r"[.!?]", t)) != 1 and not re.search(r"\[[^\]]*[.!?]", t) or not re.search(r"[.!?]\"?$", t)]
            wrong += [f"{where}: a slot in a theme: {t}" for t in tale.about if SLOT.search(t)]
            slots = {s for _, t, _ in tale.lines for s in SLOT.findall(t)}
            wrong += [f"{where}: no sentence names {s}" for s in tale.lists if s not in slots and not s.startswith("x")]
        if not wrong:
            for seed in range(6):
                w = Writer(random.Random(seed), False)
                if not tale.talk:
                    told = Told(w, tale)
                    for count in tale.counts:
                        lines = told.sentences(count)
                        if len(lines) != count or re.search(r"[{}\[\]|]", " ".join(lines)):
                            wrong.append(f"{where}: {lines}")
    for form in FORMS + TALK_FORMS if not wrong else []:
        for seed in range(60):
            w = Writer(random.Random(seed), seed % 2 == 1)
            made = form(w)
            text = " ".join(m[1] if isinstance(m, tuple) else m for m in made)
            if re.search(r"[{}\[\]|]", text):
                wrong.append(f"{form.__name__}: {text}")
    return wrong


if __name__ == "__main__":
    found = check()
    wishes = sum(len(t) for t in (PLAIN, COUNTED, WORDS_GIVEN, LAST, FIRST, MORAL, TITLED, FROM_TITLE, HAPPY, SAD, CHILD, THEMES, CONTINUE, ONE_MORE, LAST_MISSING, SHORTER, IN_N, LONGER, GIVE_TITLE, GIVE_MORAL, RENAME, ANOTHER, AT_MOST, AT_LEAST, TWO_PARTS, SAID))
    print("\n".join(found) or f"{len(TALES)} tales ({sum(t.end == 'sad' for t in TALES)} sad) and {len(TALKS)} dialogues are well formed; {wishes} wishes")
    raise SystemExit(bool(found))
