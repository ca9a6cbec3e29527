"""Finding things in a text: names, dates, numbers, places; one, several or all of them; as words, lines or lists."""

from .passage import EVENTS, Passage
from .writer import cap

# Sentences whose slots are all that can be found in them; {full} is a first and a last name.
SENTENCES = """{name} [called|wrote|waved|was late|won the race|went home early|laughed]. | I [met|saw|thanked|helped] {name} [at the station|in the park|after lunch|by chance]. | {full} [is our new neighbor|sent a letter|will speak first|forgot the tickets]. | {name} and {name} [were there|are friends|sang together|share a room].
We [stayed in|left|visited|drove through] {city}. | {city} [was beautiful|is far from here|has a new airport]. | {name} [moved to|comes from|works in|flew to] {city}. | The train goes from {city} to {city}. | The shop in {town} is closed. | I grew up in {town}. | They want to meet in {city}.
The [meeting|lesson|concert|party] is on {day}. | See you on {day}. | {name} [has time|is free] on {day}. | The deadline is {fulldate}. | {name} was born on {fulldate}. | The [offer|ticket|card] is valid until {fulldate}. | We met on {fulldate}. | The [bus|train|film|lesson] [leaves|starts] at {time}. | Wake me at {time}. | {name} will be there at {time}.
The [ticket|book|lamp|jacket] costs {money}. | {name} paid {money}. | We still owe them {money}. | My number is {phone}. | Call {name} at {phone}. | Write to {email}. | The address {email} no longer works. | The code is {code}. | {name}'s ticket number is {code}. | Use the code {code} at the door.
There are {count} [chairs|people|books|boxes] in the room. | {name} counted {count} [birds|cars|stars]. | We need {count} [cups|nails|plates]. | {name} is {age} years old. | {company} [opened an office|hired new people|makes good tools]. | {name} works for {company}. | I ordered it from {company}.
A {animal} [slept|waited|sat] by the door. | {name} has a {animal}. | There was a {animal} in the garden. | The door is {color}. | {name} wears a {color} coat. | We painted it {color}. | {name} likes {food}. | I bought {food}. | There is no more {food}. | The house is on {street}. | {name} lives on {street}.
It was a long day. | Nobody said anything. | The weather was fine. | That was all. | What a surprise! | I hope you are well. | Please be careful. | It took a while, but it worked. | Everybody was happy. | Let me know if you have questions.""".replace("\n", " | ").split(" | ")
# type -> (banks, one, several, question words)
TYPES = {
    "person": (("name", "full"), ["name", "person", "name of the person"], ["names", "people", "persons", "names of people"], ["Who is mentioned?", "Who is it about?", "Who is in the text?", "Which [person|name] is mentioned?", "who is this about"]),
    "city": (("city", "town"), ["city", "place", "town", "place name", "location"], ["cities", "places", "place names", "locations"], ["Where is it?", "Which [city|place|town] is mentioned?", "What place is mentioned?", "where is this about"]),
    "day": (("day",), ["day", "weekday", "day of the week"], ["days", "weekdays"], ["Which day is mentioned?", "When is it?", "On what day?", "What day?"]),
    "date": (("fulldate",), ["date"], ["dates"], ["What date is mentioned?", "Which date is it?", "What is the date?", "When is it?", "On what date?"]),
    "time": (("time",), ["time", "time of day", "clock time"], ["times"], ["What time is mentioned?", "At what time?", "When is it?", "What time?"]),
    "money": (("money",), ["price", "amount", "amount of money", "sum"], ["prices", "amounts", "amounts of money"], ["How much is it?", "What amount is mentioned?", "How much money?", "What does it cost?"]),
    "phone": (("phone",), ["phone number", "telephone number"], ["phone numbers"], ["What is the phone number?", "Which number can I call?", "What number do I call?"]),
    "email": (("email",), ["email address", "email", "mail address"], ["email addresses", "emails"], ["What is the email address?", "Where can I write to?", "what's the email"]),
    "code": (("code",), ["code", "number or code"], ["codes"], ["What is the code?", "Which code is it?", "whats the code"]),
    "number": (("count", "age"), ["number"], ["numbers"], ["How many?", "Which number is mentioned?", "What number is in the text?"]),
    "company": (("company",), ["company", "firm", "company name"], ["companies", "firms"], ["Which company is mentioned?", "What is the company called?", "What company is it?"]),
    "animal": (("animal",), ["animal"], ["animals"], ["Which animal is mentioned?", "What animal is it?"]),
    "color": (("color",), ["color", "colour"], ["colors", "colours"], ["Which color is mentioned?", "What colour is it?"]),
    "food": (("food",), ["food", "food item"], ["foods", "things to eat", "food items"], ["What food is mentioned?", "What is there to eat?"]),
    "street": (("street",), ["street", "street name"], ["streets", "street names"], ["Which street is mentioned?", "On which street?"]),
}
WHEN = ("day", "date", "time")
NUMERIC = {"fulldate", "time", "money", "phone", "email", "code", "count", "age", "price"}
ONE = ["[Extract|Find|Get|Pull out|Give me|Write down|Tell me|Pick out|Show] the {k} [from|in] [this|the] [text|message|sentence|note|line].", "[What|Which] {k} [is mentioned|is named|stands|is there|appears|do you see] in [this|the] [text|sentence|message|note]?", "[What|Which] is the {k} [here|in this text|in the message|in this sentence]?",
    "{k}?", "{k} only.", "[Return|Output|Reply with|Answer with] only the {k}.", "Just the {k} [please|, nothing else].", "[Find|Extract|Get|Name] the {k}.", "[Extract|Find|Get] the {k} [here|below|from the following].", "I only need the {k}.", "[Read|Look at] this and [give|tell] me the {k}.", "Where is the {k} in this[ text|]? [Write|Copy] only it.", "There is [one|a] {k} in this [text|sentence]. [What|Which] is it?", "What's the {k}?", "[Look for|Search for] the {k} in [this|the] text.", "The {k} in this [text|sentence] is"]
MANY = ["[List|Extract|Find|Write down|Name|Give me|Get|Pull out|Collect] all [the |]{k} [in|from] [this|the] [text|message|note].", "[Which|What] {k} [are mentioned|are named|appear|are there|do you find] in [this|the] text?", "[Give|Show|Tell] me [the|all|all the] {k}[ from the text|][, separated by commas|].", "{k}?", "All {k} [please|in this text].", "[List|Find|Extract|Name|Write] the {k}[ here| below| in it|].", "Which {k} [can you find|are in it]?", "[Return|Output|Reply with] only the {k}.", "What are the {k} [here|in this text]?", "I need [all|] the {k} [from|in] this.", "[List|Write] every {k1} in the text.", "Just the {k}, comma separated.", "Make a list of [the|all] {k}."]


def made(w, kind, count):
    """(text, values of that kind in order): `count` sentences with something to find among others without."""
    banks = TYPES[kind][0]
    taken = set(banks) | (NUMERIC if kind in ("number", "code", "phone") else set()) | ({"street"} if kind == "city" else {"city", "town"} if kind == "street" else set())
    if kind in WHEN:
        taken |= {"day", "fulldate", "time"}
    fitting = [s for s in SENTENCES if any("{" + b + "}" in s for b in banks) and not (kind == "number" and any("{" + b + "}" in s for b in NUMERIC - set(banks)))]
    others = [s for s in SENTENCES if not any("{" + b + "}" in s for b in taken)]
    chosen = [(s, True) for s in w.some(fitting, min(count, len(fitting)))] + [(s, False) for s in w.some(others, w.number(0, 3))]
    w.rng.shuffle(chosen)
    values, sentences, seen = [], [], set()

    def put(bank):
        value = w.fill("{name} {surname}") if bank == "full" else w.word(bank)
        while value in seen:
            value = w.fill("{name} {surname}") if bank == "full" else w.word(bank)
        seen.add(value)
        return value

    for sentence, _ in chosen:
        sentence = w.expand(sentence)
        while (at := sentence.find("{")) >= 0:
            bank = sentence[at + 1 : sentence.index("}", at)]
            value = put(bank)
            if bank in banks:
                values.append(value)
            if sentence[:at].endswith(("a ", "A ")) and value[0].lower() in "aeiou":
                sentence = sentence[: at - 1] + "n " + sentence[at:]
                at += 1
            sentence = sentence[:at] + value + sentence[sentence.index("}", at) + 1 :]
        sentences.append(cap(sentence))
    return " ".join(sentences), values


def one_kind(w):
    kind = w.one(["person", "person", "person", "city", "city", "date", "date", "number", "number"] + list(TYPES))
    text, values = made(w, kind, 1 if w.chance(0.55) else w.number(2, 3))
    _, one, many, questions = TYPES[kind]
    if len(values) == 1:
        ask = w.ask(questions) if w.chance(0.3) else w.ask(ONE, k=w.one(one))
        return [w.task(ask, text), values[0]]
    index = w.number(0, len(many) - 1)
    ask = w.ask(MANY, k=many[index], k1=one[min(index, len(one) - 1)])
    if w.chance(0.15):
        return [w.task(ask.rstrip(".?") + w.one([", one per line.", ", each on its own line.", ", line by line."]), text), "\n".join(values)]
    return [w.task(ask, text), ", ".join(values)]


def asked(w):
    """A question about an event, in the words that fit it."""
    kind = w.one([k for k, e in EVENTS.items() if "ask" in e])
    passage = Passage(w, kind)
    known = passage.known()
    turns = []
    keys = [k for k in EVENTS[kind]["ask"] if k in known]
    for index, key in enumerate(w.rng.sample(keys, min(len(keys), w.number(1, 3)))):
        template = w.one(EVENTS[kind]["ask"][key])
        value = known["full"] if key == "name" and "full" in known and "first" not in template else known[key]
        question = w.ask(["{q}", "{q}", "{q}", "Question: {q}", "[Answer|Answer this|Answer briefly]: {q}", "[Tell me|Quick question]: {q}", "{q} [Short answer|Only the answer|One word or two][ please|]."], q=template)
        turns += [("user", w.task(question, passage.text) if index == 0 else question), ("assistant", cap(value))]
    return turns


FORMS = [one_kind] * 5 + [asked] * 4
