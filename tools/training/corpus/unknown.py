"""Not knowing: what an assistant on a machine cannot know, what a text does not say, and the same questions where it can."""

from .choice import event
from .passage import EVENTS, Passage
from .writer import cap

DONT = "I do not know."
PERSONAL = """What is my name? | How old am I? | Where do I live? | What did I [eat|have] for [breakfast|lunch|dinner]? | What am I thinking[ of| about|][ right now|]? | Where are my keys? | What is my [mother|father|sister|dog|cat|boss|neighbor|teacher]'s name? | What is my favorite [color|food|song|film|book|animal]? | How many [brothers|sisters|children|friends] do I have? | What is my [phone number|password|address|shoe size|birthday|job]?
What is in my [pocket|bag|fridge|hand|room|garage]? | Who is standing behind me? | What did I dream last night? | What color is my [car|house|shirt|bicycle]? | When is my birthday? | Where did I put my [glasses|phone|wallet|umbrella]? | What time did I [get up|wake up|go to bed] [today|yesterday]? | How much money [do I have|is in my wallet]? | Who [called|visited|texted] me [yesterday|last night|this morning]? | What did my [boss|wife|husband|friend] say [yesterday|today]? | What is my {relative} doing [now|right now]? | What will I [eat|do|buy|wear] tomorrow?
Do you remember what I told you last week? | What is my {relative} called? | Which school did I go to? | What is the name of my {relative}? | How tall am I? | What is the color of my {product}? | How much did I pay for my {product}? | Who gave me the {object}? | Which {animal} do I have at home? | What is my cat called?""".replace("\n", " | ").split(" | ")
NOW = """What is the weather [like |][today|now|outside|in {city} today|in {city} right now|tomorrow]? | Is it raining [now|outside|in {city}]? | What time is it[ now| in {city}|]? | What day is it today? | What is today's date? | Who won the [game|match|race|election] [yesterday|last night|today|last week]? | What is in the news today? | What is the price of {food} today? | How many people are in {city} right now? | Is the shop on {street} open now? | When does the next [bus|train|tram] [leave|come|go]? | Who will win the [next election|match on {day}|world cup next time|lottery]? | What will happen [tomorrow|next year|in {year}]? | What are tomorrow's lottery numbers? | How will the weather be on {day}? | What will the price of gold be next month? | Will it rain [tomorrow|on {day}|next week]? | How is the traffic on {street}? | Is {name} at home [now|today]? | What is on TV tonight?
Where is {name} [now|right now]? | What did {name} [do|buy|eat|say] [yesterday|last night|on {day}]? | How old is {name} {surname}? | What is the phone number of {name} {surname}? | Where does {name} {surname} live? | Who is {name} {surname}? | What is {name} {surname}'s [address|favorite food|job|email]? | How many {object}s does {name} have? | When was {name} {surname} born? | Why was {name} late [yesterday|on {day}]? | What is the capital of {madeup}land? | Who is the king of {madeup}? | What does the word {madeup} mean? | What is a {madeup}? | How many people live in {town}? | Who is the mayor of {town}? | What did {company} earn last year? | How many people work at {company}? | Who is the boss of {company}? | What is the {color} {object} of {town}? | What does {madeup} taste like? | What is the name of the {animal} of {name}? | How many stars are there exactly? | How many hairs does {name} have? | Which number am I thinking of? | What card did I draw? | What is the secret of {name}? | How many grains of sand are on the beach? | Which team will win? | Who ate my {food}? | Who took the {object}?""".replace("\n", " | ").split(" | ")
FRAMES = ["{q}", "{q}", "{q}", "{q}", "[Tell me|Hey|Quick question|Can you tell me|Guess|I have a question|Say]: {q}", "Do you know this? {q}", "{q} [Short answer.|Please be honest.|Tell me please.|One word.]"]
# questions that the passage of a kind may leave open: fact -> question
OPEN = {"fulldate": ["What is the date?", "On which date is it?"], "phone": ["What is the phone number?", "Which number can I call?"], "email": ["What is the email address?"], "age": ["How old is the person?", "What is the age?"], "money": ["How much does it cost?", "What is the price?"], "time": ["At what time?", "What time does it start?"], "company": ["Which company is it?", "What is the company called?"], "color": ["What color is it?", "Which color is mentioned?"], "surname": ["What is the last name?", "What is the surname of the person?"], "animal": ["What animal is it?", "Which animal is mentioned?"], "weather": ["What was the weather like?", "How is the weather?"], "city": ["In which city is it?", "Which city is mentioned?"], "job": ["What is the job of the person?"], "transport": ["Which means of transport is used?"], "reason": ["Why did it happen?", "What is the reason?"], "food": ["What is there to eat?"]}
RELATED = {"money": ("money", "price", "count", "code"), "fulldate": ("fulldate", "date", "month", "day", "year"), "time": ("time", "day"), "city": ("city", "town", "city2", "town2", "place"), "age": ("age", "count", "small", "year"), "company": ("company",), "phone": ("phone", "code"), "weather": ("weather", "weather2"), "surname": ("surname",), "food": ("food", "food2")}


# What a text of a kind may tell without a word for it.
HINTED = {"money": ("order", "class", "repair", "purchase", "rental", "invoice"), "reason": ("accident",), "job": ("class", "match")}


def left_open(passage):
    facts = {k.rstrip("2") for k in passage.facts}
    return [k for k in OPEN if not facts & set(RELATED.get(k, (k,))) and passage.kind not in HINTED.get(k, ())]


def cannot_know(w):
    question = w.expand(w.one(PERSONAL + NOW))
    return [w.ask([f.replace("{q}", question) for f in FRAMES]), DONT]


def not_told(w):
    """A question that the text leaves open, or, as often, one that it answers."""
    passage = Passage(w)
    open_keys = left_open(passage)
    if not open_keys:
        return not_told(w)
    question = w.ask(["{q}", "{q}", "{q} [Say so if the text does not tell.|If you cannot know it, say so.|]", "Question: {q}"], q=w.expand(w.one(OPEN[w.one(open_keys)])))
    return [w.task(question, passage.text), DONT]


ELSE = ["Why did {n} do it?", "What did it cost?", "How old is {n}?", "What is {n}'s last name?", "Who helped {n}?", "What color are {n}'s shoes?", "How long did it take?", "What did {n} do the day before?", "What is the name of {n}'s {r}?", "What did {n} say?", "What time was it exactly?", "Where does {n} live?", "What does {n} do for a living?", "What did {n} eat after that?", "Who paid for it?", "How did {n} feel?", "What will {n} do next week?", "How tall is {n}?"]


def missing(w):
    text, name, past, base, rest, value, other = event(w)
    form = w.number(0, 3)
    if form <= 1:
        return [w.task(w.ask(ELSE, n=name, r=w.word("relative")), text), DONT]
    if form == 2:
        stranger = w.word("name")
        if stranger in text:
            return missing(w)
        return [w.task(w.ask([f"What did {{s}} {base.split()[0]}?" if " " not in base else f"Where is {{s}}?", "What did {s} do?", "Where was {s}?", "How old is {s}?", "Who is {s}?"], s=stranger), text), DONT]
    said = w.slots(rest, {"x": value})
    if w.chance(0.5):
        return [w.task(w.ask(["Who {p} {s}?", "Who was it that {p} {s}?", "Which person {p} {s}?"], p=past, s=said), text), name]
    if base not in ("buy", "find", "lose", "cook", "eat", "drink", "study"):
        return missing(w)
    return [w.task(w.ask(["What did {n} {b}?", "What did {n} {b}? Short answer.", "Tell me what {n} {p}.", "What was it that {n} {p}?"], n=name, b=base, p=past), text), said[:1].upper() + said[1:]]


def known_or_not(w):
    """The same kind of question twice: first answered by what was said, then not."""
    facts = {"name": ("My name is {v}.", "name", "What is my name?"), "city": ("I live in {v}.", "city", "Where do I live?"), "age": ("I am {v} years old.", "age", "How old am I?"), "dog": ("My dog is called {v}.", "name", "What is my dog called?"), "color": ("My favorite color is {v}.", "color", "What is my favorite color?"), "job": ("I work as {v}.", "company", "What is my phone number?"), "food": ("I had {v} for lunch.", "dish", "What did I have for lunch?"), "key": ("The code of my door is {v}.", "code", "What is the code of my door?")}
    first, second = w.some([k for k in facts if k != "job"], 2)
    text, bank, question = facts[first]
    value = w.word(bank)
    turns = [("user", text.replace("{v}", value)), ("assistant", "I will remember that.")]
    asks = [(w.ask(["{q}", "Tell me: {q}", "So, {q}"], q=question), value), (w.ask(["{q}", "Tell me: {q}", "And: {q}"], q=facts[second][2]), DONT)]
    w.rng.shuffle(asks)
    for q, a in asks:
        turns += [("user", q), ("assistant", a)]
    return turns


def told_or_not(w):
    """Several questions about one text; some of them it leaves open."""
    passage = Passage(w, w.one([k for k, e in EVENTS.items() if "ask" in e]))
    known, open_keys = passage.known(), left_open(passage)
    told = [k for k in EVENTS[passage.kind]["ask"] if k in known]
    turns = []
    for key, is_open in w.rng.sample([(k, False) for k in told] + [(k, True) for k in w.rng.sample(open_keys, min(len(open_keys), len(told)))], min(len(told) * 2, w.number(3, 6))):
        template = w.one(OPEN[key] if is_open else EVENTS[passage.kind]["ask"][key])
        value = DONT if is_open else cap(known["full"] if key == "name" and "full" in known and "first" not in template else known[key])
        question = w.ask(["{q}", "{q}", "{q}", "And: {q}"] if turns else ["{q}"], q=template)
        turns += [("user", question if turns else w.task(question, passage.text)), ("assistant", value)]
    return turns if len(turns) > 2 else told_or_not(w)


FORMS = [told_or_not] * 3 + [cannot_know] * 4 + [not_told] * 2 + [missing] * 3 + [known_or_not] * 2
