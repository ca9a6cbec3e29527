"""Single sentences that hold several things, as JSON, as lines, or one by one: the same people and things in many orders."""

import json
import re

from .writer import cap

SENTENCES = """{name} is {age} years old and lives in {city}. | {name}, {age}, {job}, {city} | {name} from {city} bought a {product} for {price} dollars. | On {day} {name} flies to {city} with {company}. | {full} was born on {fulldate} in {city}. | The {product} costs {price} dollars at {company}. | {name} ordered {count} {dish} for {time}. | Meeting with {name} on {day} at {time} in the {room}.
{name} has a {color} {animal} called {name2}. | The {animal} of {name} is {small} years old and {color}. | {full}, phone {phone}, email {email} | Please call {full} at {phone} before {time}. | {name} works as {a job} at {company} in {city}. | I sold my {color} {product} to {name} for {price} euros. | Order {code}: {count} {fruit}, to be delivered on {day}. | Room {count} is booked for {full} from {fulldate}.
The {transport} to {city} leaves at {time}. | {name} plays the {instrument} every {day} at {time}. | {name} wants {food} and {food2} from the market in {town}. | We need {count} chairs and {small} tables on {day}. | {company} in {city} is looking for {a job}. | {name} likes {color} and drinks {drink}. | The {plan} of {name} is on {fulldate} in {town}. | {name} paid {money} for {small} tickets to {city}. | It is {weather} in {city} on {day}.
{name} scored {small} goals against {town} on {day}. | {name} ({age}) won the {activity} contest in {town}. | My {relative} {name} moved from {city} to {city2} in {year}. | {name} lost a {color} {object} on {street}. | Ticket {code} is for {full}, {day}, {time}. | {full} lives on {street} in {city}. | In {month} {name} will start a course in {subject} in {town}. | {name} weighs {count} kilos and is {age} years old. | The book by {full} came out in {year} and costs {price} dollars.
Send the {object} to {name} on {street}, {city}. | {name} and {name2} meet at {time} near the {place}. | Flight {code} to {city} is on {fulldate} at {time}. | Dr. {surname} sees {name} on {day} at {time}. | For {dish} you need {food}, {food2} and {small} eggs. | {name} is {feeling} because the {product} is broken. | The {color} {transport} belongs to {name} from {town}. | {name} has {small} brothers and {count} books. | Player {name}, level {small}, {count} points, carries a {object}.
There was an accident on {street} in {city} at {time}. | {name} rated the {dish} with {small} stars. | A table for {small} on {fulldate}, name {full}, phone {phone}. | {company} pays {name} {price} dollars a month. | {name} teaches {subject} to {count} children in {town}. | The {repair} in the {room} will be repaired by {company} on {day}. | {name} runs {small} miles every {day}. | {name} bought {count} {fruit} for {money} on {day}.""".replace("\n", " | ").split(" | ")
KEYS = {"name": ["name", "name", "first_name", "person"], "full": ["name", "name", "full_name", "person"], "name2": ["second_name", "other"], "age": ["age"], "city": ["city", "city", "place", "town"], "city2": ["new_city", "destination"], "town": ["town", "place", "location"], "job": ["job", "profession", "occupation"], "product": ["product", "item", "thing"], "price": ["price", "cost", "amount"], "day": ["day", "weekday"], "company": ["company", "firm"], "fulldate": ["date"], "count": ["count", "number", "quantity"], "small": ["number", "count", "quantity"], "dish": ["dish", "food", "meal"], "time": ["time"], "room": ["room"], "color": ["color", "colour"], "animal": ["animal", "pet"], "phone": ["phone", "phone_number"], "email": ["email"], "code": ["code", "id"], "fruit": ["fruit", "item"], "transport": ["transport", "vehicle"], "instrument": ["instrument"], "food": ["food", "first_food"], "food2": ["second_food"], "drink": ["drink"], "plan": ["event"], "money": ["money", "price", "amount"], "weather": ["weather"], "activity": ["sport", "activity"], "relative": ["relation"], "year": ["year"], "object": ["object", "item", "thing"], "street": ["street", "address"], "month": ["month"], "subject": ["subject", "course"], "surname": ["doctor", "surname"], "place": ["place", "spot"], "feeling": ["feeling", "mood"], "repair": ["broken", "part"]}
NOUN = re.compile(r"[a-z]+")
NUMBERS = {"age", "price", "count", "small", "year"}
AS_JSON = ["[Return|Give me|Write|Output|Make|Answer with] JSON with [the keys |keys |]{k}.", "[Turn|Convert|Change|Put|Transform] [this|the sentence|it] [into|to|in] JSON[ with|. Keys:|, keys] {k}.", "JSON with {k}[ please|]", "json: {k}", "[Extract|Get|Pull out] {k} [as|in] JSON.", "As a JSON object with {k}.", "[Answer|Reply] [only |]in JSON. [Keys|Fields]: {k}.", "[Make|Build|Create] a JSON object[ from this|] with {k}.", "{k} as json", "I need [a json|JSON] [with|of] {k}[ from this|].", "[Fill|Give] [the fields |]{k} in JSON.", "What would this be as JSON with {k}?", "[Write|Show] {k} as a JSON object.", "Sentence to JSON ({k}).", "Only JSON please: {k}.", "Parse this into json, keys {k}.", "{k} -> JSON", "Give [back|out] json with {k}, nothing else.", "Use {k} as keys and make JSON.", "Put {k} into a JSON object."]
AS_LINES = ["[Extract|Find|Get|Give me|Write down|Tell me] [the |]{k}.", "{k}?", "What are [the |]{k}?", "[List|Write] {k}, one per line.", "I need {k}.", "[Find|Pick out] {k} in this sentence.", "{k} please.", "Fill in: {k}."]
ONE = ["[What|Which] is the {k}?", "{k}?", "[Extract|Find|Get|Give me|Tell me] the {k}.", "The {k} please.", "Only the {k}.", "What {k} is [mentioned|named] here?", "Find the {k} in this[ sentence|].", "And what is the {k}?"]


def made(w):
    """(sentence, {slot: value} with every value once in the sentence, {slot: key} for numbers that only the word behind them tells apart)."""
    template = w.one(SENTENCES)
    values = {}
    for slot in dict.fromkeys(p.split("}")[0].split(" ")[-1] for p in template.split("{")[1:]):
        value = w.fill("{name} {surname}") if slot == "full" else w.word(slot.rstrip("2"))
        while value in values.values():
            value = w.word(slot.rstrip("2"))
        values[slot] = value
    order = sorted(values, key=lambda s: min(template.find("{" + s + "}") % 999, template.find("{a " + s + "}") % 999))
    numbers = [slot for slot in order if slot in ("count", "small")] if len({"count", "small", "age"} & values.keys()) > 1 else []
    own = {slot: NOUN.search(template.replace("level {small}", "{small} level").split("{" + slot + "}")[1]).group() for slot in numbers}
    return cap(w.fill(template, **values)), {slot: values[slot] for slot in order}, own


def chosen(w, values, own, low=1):
    """[(key, slot)]: some of the things, in the order of the sentence mostly, under keys of their own, or those in `own`."""
    slots = [s for s in values if w.chance(0.8)] or list(values)[:1]
    slots = slots if len(slots) >= low else list(values)[: max(low, len(slots))]
    if w.chance(0.25):
        w.rng.shuffle(slots)
    result, used = [], set()
    for slot in slots:
        key = own[slot] if slot in own else w.one(KEYS[slot])
        if key not in used:
            used.add(key)
            result.append((key, slot))
    return result


def listed(w, names):
    form = w.number(0, 3)
    if form == 0 or len(names) < 2:
        return ", ".join(names)
    if form == 1:
        return ", ".join(f'"{n}"' for n in names)
    return ", ".join(names[:-1]) + " and " + names[-1] if form == 2 else ", ".join(names)


def as_json(w):
    text, values, own = made(w)
    keys = chosen(w, values, own)
    result = {key: int(values[slot]) if slot in NUMBERS else values[slot] for key, slot in keys}
    names = [key for key, _ in keys]
    shown = listed(w, names) if w.chance(0.85) else "{" + ", ".join(f'"{n}": ...' for n in names) + "}"
    return [w.task(w.ask(AS_JSON, k=shown), text), json.dumps(result, ensure_ascii=False)]


def as_lines(w):
    text, values, own = made(w)
    keys = chosen(w, values, own, 2)
    names = [key.replace("_", " ") for key, _ in keys]
    return [w.task(w.ask(AS_LINES, k=listed(w, names).replace('"', "")), text), "\n".join(f"{cap(n)}: {values[slot]}" for n, (_, slot) in zip(names, keys))]


def one_by_one(w):
    text, values, own = made(w)
    turns = []
    for index, (key, slot) in enumerate(w.rng.sample(c := chosen(w, values, own), min(len(c), w.number(1, 3)))):
        ask = w.ask(ONE, k=key.replace("_", " "))
        turns += [("user", w.task(ask, text) if index == 0 else ask), ("assistant", values[slot])]
    return turns
