"""Short questions and answers, lists and greetings."""

from .facts import TOPICS
from .words import BANKS, NUMBER_WORDS
from .writer import cap

THINGS = {
    "fruits": BANKS["fruit"], "colors": BANKS["color"], "animals": [a + "s" for a in "fox owl cat dog horse rabbit bear crow goat duck turtle frog".split()] ,
    "drinks": BANKS["drink"], "jobs": BANKS["job"], "school subjects": BANKS["subject"], "instruments": BANKS["instrument"], "hobbies": BANKS["activity"],
    "rooms of a house": BANKS["room"], "dishes": BANKS["dish"], "ways to travel": BANKS["transport"], "feelings": BANKS["feeling"],
    "vegetables": ["carrots", "potatoes", "onions", "beans", "peas", "cabbage", "spinach", "leeks", "tomatoes", "pumpkins"],
    "things to pack for a beach trip": ["a towel", "sunscreen", "a hat", "a bottle of water", "sandals", "a good book", "an umbrella", "some snacks"],
    "things to pack for a mountain trip": ["warm socks", "a map", "strong boots", "a raincoat", "a lamp", "some bread", "a bottle of water", "a blanket"],
    "tools": ["a hammer", "a saw", "a screwdriver", "a drill", "a ladder", "a wrench", "a brush"],
    "ways to relax": ["take a walk", "listen to music", "read a book", "drink a cup of tea", "take a warm bath", "call a friend", "sit in the sun"],
    "ways to save money": ["cook at home", "make a shopping list", "walk instead of driving", "repair old things", "turn off the lights", "compare prices"],
    "ways to sleep better": ["go to bed at the same time", "keep the room dark", "avoid coffee in the evening", "read a book", "put the phone away", "open a window"],
    "ways to learn a language": ["read short stories", "learn ten words a day", "talk to a friend", "listen to songs", "keep a diary", "watch films"],
    "ideas for a birthday party": ["bake a cake", "play music", "hang up lanterns", "play a quiz", "have a picnic in the park", "tell ghost stories"],
    "ideas for a rainy day": ["bake bread", "read a novel", "play chess", "paint a picture", "write a letter", "clean the attic", "watch a film"],
    "ideas for a gift": ["a warm scarf", "a good book", "a box of tea", "a plant", "a framed photo", "tickets for a concert", "homemade jam"],
}


def fact_question(w):
    topic = w.word("topic") if "topic" in BANKS else w.one(list(TOPICS))
    w.contents.append(topic)
    keywords, facts = TOPICS[topic]
    form = w.number(0, 5)
    if form == 0:
        prompt = w.ask(["[Tell me|Please tell me|Can you tell me] [something|one thing|a fact|one fact] about {t}.", "What do you know about {t}?",
            "[Give|Share] [me |]one [fact|interesting fact] about {t}."], t=topic)
        return [prompt, w.one(facts)]
    if form in (1, 2):
        count = w.number(2, 3)
        prompt = w.ask(["[Give|Tell] me {n} [facts|things] about {t}.", "[List|Write|Name] {n} facts about {t}.", "[What are|Share] {n} facts about {t}"], t=topic, n=NUMBER_WORDS[count])
        chosen = w.rng.sample(facts, count)
        mark = w.number(0, 1)
        return [prompt, "\n".join((f"{i + 1}. " if mark else "- ") + f for i, f in enumerate(chosen))]
    prompt = w.ask(["[Explain|Describe] {t} [in a few sentences|briefly|in simple words|to a child|].", "[Write|Give me] a short [text|paragraph|description] about {t}.",
        "[Tell me|I want to learn|Teach me] [more |]about {t}.", "What [can you tell me|should I know] about {t}?", "What is [special|important] about {t}?"], t=topic)
    chosen = sorted(w.rng.sample(range(len(facts)), w.number(3, 4)))
    return [prompt, " ".join(facts[i] for i in chosen)]


def listing(w):
    thing = w.one(list(THINGS))
    count = w.number(3, 5)
    w.contents += [thing, NUMBER_WORDS[count]]
    items = w.rng.sample(THINGS[thing], count)
    style = w.number(0, 2)
    if style == 0:
        prompt = w.ask(["[List|Name|Give me|Tell me] {n} {t}.", "[Can you list|Can you name|Please list|Please name] {n} {t}?", "I need {n} {t}.", "What are {n} {t}?", "{n} {t}[ please|]", "[Think of|Find|Say|Suggest] {n} {t}.", "Do you know {n} {t}?", "Help me with {n} {t}.", "[Make|Write] a numbered list of {n} {t}.", "Which {n} {t} come to mind?"], n=NUMBER_WORDS[count], t=thing)
        return [prompt, "\n".join(f"{i + 1}. {cap(x)}" for i, x in enumerate(items))]
    if style == 1:
        prompt = w.ask(["[List|Write|Give me] {n} {t} [as bullet points|as a bulleted list|with dashes].", "Make a bullet list of {n} {t}.", "Bullet points: {n} {t}.", "{n} {t}, as bullets please", "[Put|Show] {n} {t} as bullet points."], n=NUMBER_WORDS[count], t=thing)
        return [prompt, "\n".join(f"- {cap(x)}" for x in items)]
    prompt = w.ask(["[List|Name|Give me] {n} {t} [in one line|separated by commas|on one line].", "Write {n} {t} with commas between them.", "{n} {t}, comma separated", "[Give|Tell] me {n} {t} in one line.", "Just {n} {t} in a row, with commas."], n=NUMBER_WORDS[count], t=thing)
    return [prompt, ", ".join(items)]


def thanks(w):
    return [w.ask(["[Thanks|Thank you][!| very much!| so much!| for your help!]", "[That was helpful|Great], thank you."]), w.fill("[You are welcome|My pleasure|Glad to help]! [Let me know if you need anything else.|Have a nice day!|Is there anything else?]")]


def greeting(w):
    form = w.number(0, 6)
    if form == 0:
        return [w.ask(["[Hello|Hi|Hey|Good {daypart}][!|.| there!]", "[Hello|Hi|Hey], [how are you|how is it going|how are you today]?"]),
            w.fill(["[Hello|Hi|Good to see you]! [How can I help you today?|What can I do for you?|What would you like to do?]", "Hello! I am well, thank you. [How can I help you?|What can I do for you today?]"])]
    if form == 1:
        name = w.word("name")
        return [w.ask(["[Hello|Hi|Hey], my name is {n}.", "[Hi|Hello], I am {n}.", "I am {n}. [Nice to meet you|How are you]?"], n=name),
            w.fill("[Hello|Hi|Nice to meet you], {n}! [How can I help you today?|What can I do for you?|What would you like to talk about?]", n=name)]
    if form == 2:
        return thanks(w)
    if form == 3:
        return [w.ask(["Who are you?", "What are you?", "[What can you do|What can you help me with|How can you help me]?", "[Tell me|Say something] about yourself."]),
            w.fill("I am a small [assistant|language model]. I can [summarise|shorten] texts, [find names and dates|extract facts], write short stories and answer [simple|short] questions.")]
    if form == 4:
        return [w.ask(["[Goodbye|Bye|See you later|Good night][!|.]", "I have to go now. [Bye|Goodbye]!"]), w.fill("[Goodbye|Bye|See you soon]! [Have a nice {daypart}.|Take care.|Until next time.]")]
    feeling = w.word("feeling")
    reply = {"happy": "That is wonderful to hear!", "excited": "That sounds exciting!", "proud": "You can be proud of that!", "calm": "That is good to hear.",
        "grateful": "That is a lovely feeling.", "hopeful": "That is good to hear.", "surprised": "Oh, what a surprise!"}.get(feeling, "I am sorry to hear that.")
    return [w.ask(["I am {f} [today|right now|this {daypart}].", "I feel [very |a little |]{f}.", "[Today|This week] I feel {f}."], f=feeling), reply + w.fill(" [Would you like to tell me why?|Do you want to talk about it?|What happened?]")]


def write_note(w):
    """Short messages to order: invitations, excuses, thanks."""
    name, plan, day, time, place = (w.word(b) for b in ("name", "plan", "day", "time", "place"))
    w.contents += [plan]
    form = w.number(0, 2)
    if form == 0:
        prompt = w.ask(["[Write|Draft] [an invitation|a short invitation] to {n} for [a|the] {p} on {d} at {t}.", "[Invite|Please invite] {n} to [a|the] {p} on {d} at {t}.", "I want to invite {n} to my {p}, {d} at {t}. Write [it|the message|something short].", "[Invitation|Invite] for {n}: {p}, {d}, {t}.", "[Ask|Tell] {n} to come to the {p} on {d} at {t}.", "We have a {p} on {d} at {t}. Write to {n}."], n=name, p=plan, d=day, t=time)
        return [prompt, w.fill("[Dear|Hello|Hi] {n},\n[I would like to invite you to|You are invited to|Please come to] our {p} on {d} at {t}. [I hope you can come!|It would be lovely to see you.|Let me know if you can come.]", n=name, p=plan, d=day, t=time)]
    if form == 1:
        reason = w.word("reason")
        prompt = w.ask(["[Write|Draft] a [short |]message to {n} that I [cannot come to|will miss] the {p} because of {r}.", "Tell {n} that I cannot come to the {p} because of {r}.", "I cannot come to the {p}, {r}. [Write to|Tell] {n}.", "[Excuse|An excuse] for {n}: no {p} for me because of {r}.", "Say sorry to {n}: I miss the {p} because of {r}."], n=name, p=plan, r=reason)
        return [prompt, w.fill("[Dear|Hello|Hi] {n},\nI am sorry, but I cannot come to the {p} because of {r}. [I hope we can meet soon.|Please enjoy it without me.|Let us find another day.]", n=name, p=plan, r=reason)]
    gift = w.word("object")
    prompt = w.ask(["[Write|Draft] a [short |]thank-you [note|message] to {n} for the {g}.", "Thank {n} for the {g} in a short message.", "{n} gave me a {g}. Write a thank-you note.", "Say thanks to {n} for the {g}.", "I got a {g} from {n}. Write a few words of thanks."], n=name, g=gift)
    return [prompt, w.fill("[Dear|Hello|Hi] {n},\n[thank you so much|many thanks] for the {g}. [I like it very much.|It is beautiful.|It was very kind of you.] [See you soon!|I hope to see you soon.]", n=name, g=gift)]
