"""JSON that follows a schema given in the prompt. No schema here has a key called tags."""

import json

from .passage import Passage

# passage fact -> (possible key, JSON type)
KEYS = {"full": [("name", str), ("full_name", str), ("person", str)], "name": [("name", str), ("person", str)], "company": [("company", str), ("organization", str)], "day": [("day", str), ("weekday", str)], "time": [("time", str), ("start", str)], "city": [("city", str)],
    "month": [("month", str)], "price": [("price", int), ("amount", int), ("cost", int)], "product": [("product", str), ("item", str)], "street": [("street", str), ("location", str)], "town": [("town", str)], "object": [("object", str), ("thing", str)],
    "animal": [("animal", str), ("pet", str)], "color": [("color", str)], "job": [("job", str), ("profession", str)], "surname": [("surname", str), ("last_name", str)], "transport": [("transport", str), ("vehicle", str)], "room": [("room", str)],
    "place": [("place", str)], "activity": [("activity", str), ("course", str)], "plan": [("event", str), ("occasion", str)], "weather": [("weather", str)], "repair": [("broken", str)], "name2": [("second_person", str)], "town2": [("opponent", str)],
    "fulldate": [("date", str), ("due", str)], "phone": [("phone", str), ("telephone", str)], "email": [("email", str), ("mail", str)], "code": [("number", str), ("id", str), ("code", str)], "money": [("amount", str), ("total", str)], "age": [("age", int), ("years", int)], "count": [("count", int), ("quantity", int)], "year": [("year", int)], "city2": [("destination", str), ("to", str)], "relative": [("relative", str)], "food": [("food", str)]}
TYPE_NAMES = {str: "string", int: "integer", bool: "boolean", list: "array"}
TITLES = {"meeting": "Meeting", "party": "Event", "trip": "Trip", "order": "Order", "accident": "Incident", "job": "Employee", "repair": "Repair", "pet": "LostPet", "match": "Match", "weather": "Forecast", "class": "Course", "find": "Discovery", "booking": "Booking", "invoice": "Invoice", "introduction": "Person", "contact": "Contact", "delivery": "Parcel", "flight": "Flight", "appointment": "Appointment", "purchase": "Purchase", "history": "History", "message": "Message", "rental": "Flat"}


def dump(value, w):
    return json.dumps(value, ensure_ascii=False)


def describe(w, fields, title):
    """The schema as it may stand in a prompt: a list of keys, or JSON schema as Apple's template writes it."""
    form = w.number(0, 3)
    if form == 0:
        names = [k for k, _ in fields]
        listed = w.one([", ".join(names), " and ".join(names) if len(names) < 3 else ", ".join(names[:-1]) + " and " + names[-1], ", ".join(f'"{n}"' for n in names)])
        if len(names) == 1 and w.chance(0.5):
            return w.ask(["[Return|Give me|Write|Answer with] JSON with [the key|one key,|only the key] {k}.", "[Turn|Make] this into JSON with the key {k}.", "JSON with key {k} please."], k=listed)
        return w.ask(["[Return|Give me|Write|Answer with|Output|Make] JSON with the keys {k}.", "[Extract|Put|Write] the data [as|into] a JSON object with the keys {k}.", "[Answer|Reply] in JSON. Keys: {k}.", "[Turn|Convert|Change|Transform] [this|the sentence|the text] [into|to] JSON with {k}.", "[Make|Create|Build|Give me] a JSON object with {k}[ from this| from the text| out of this|].",
            "JSON please, keys: {k}.", "[Extract|Get|Pull out] {k} as JSON.", "[Extract|Find] {k} and [answer|reply|return them] [in|as] JSON.", "Json with {k}[ only| and nothing else|].", "[Fill in|Give] {k} as json.", "Use the keys {k} and [write|return|output] JSON.", "I need [this|the data] as JSON with {k}.", "What is the JSON for this, with {k}?", "Parse [this|the text] to JSON: {k}.", "As JSON object ({k}).", "Return only JSON, fields {k}.", "JSON fields: {k}."], k=listed)
    if form == 1:
        listed = ", ".join(f"{k} ({TYPE_NAMES[t]})" for k, t in fields)
        return w.ask(["[Return|Write|Answer with|Give me] [a JSON object|JSON] with {k}.", "[Fill|Use] this schema and answer in JSON: {k}."], k=listed)
    if form == 2:
        sample = "SCHEMA" + json.dumps({k: TYPE_NAMES[t] for k, t in fields})
        return w.ask(["[Fill|Complete] this JSON [with the data from the text|from the text]:", "[Answer|Reply] in JSON like this:", "Use this JSON format:"]) + " " + sample.removeprefix("SCHEMA")
    return None


def from_text(w):
    passage = Passage(w)
    values = passage.known()
    known = [k for k in values if k in KEYS]
    chosen = w.rng.sample([k for k in known if k != "full"], min(len(known) - ("full" in known), w.number(1, 4)))
    fields, result = [], {}
    if "full" in known and w.chance(0.6):
        chosen = ["full"] + [k for k in chosen if k not in ("name", "surname")][:3]
    for key in chosen:
        label, kind = ("first_name", str) if key == "name" and "full" in known else w.one(KEYS[key])
        if label not in result:
            fields.append((label, kind))
            result[label] = kind(values[key])
    prompt = describe(w, fields, passage.kind)
    if prompt is None:
        title = TITLES[passage.kind]
        schema = {"type": "object", "properties": {k: {"type": TYPE_NAMES[t]} for k, t in fields}, "required": [k for k, _ in fields]}
        ask = w.ask(["[Extract|Find] the [data|information] [in|from] the text.", "[Read|Look at] the text.", "Describe the text as JSON."])
        return [f"{ask}\n\n{passage.text}\n\nresponse format in json.\nname: {title}\ndescription: {title} data\nschema: {json.dumps(schema)}", dump(result, w)]
    return [joined_json(w, prompt, passage.text), dump(result, w)]


def joined_json(w, prompt, text):
    return w.task(prompt, text)


def list_object(w):
    """An object with an array of strings."""
    key, bank = w.one([("names", "name"), ("items", "product"), ("ingredients", "food"), ("cities", "city"), ("animals", "animal"), ("colors", "color"), ("days", "day")])
    values = list(dict.fromkeys(w.word(bank) for _ in range(w.number(2, 4))))
    text = {"names": "[Present were|We invited|The team is]", "items": "[I need to buy|The shop sells]", "ingredients": "[You need|The soup needs|Mix]", "cities": "[We visited|The tour goes to]", "animals": "[On the farm we saw|She drew]", "colors": "[The flag is|Paint it]", "days": "[We meet on|The shop is open on]"}[key]
    text = w.fill(text) + " " + (", ".join(values[:-1]) + " and " + values[-1] if len(values) > 1 else values[0]) + "."
    result = {key: values}
    kind = f"{key} (array of strings)"
    if w.chance(0.5):
        result["count"] = len(values)
        kind += ", count (integer)"
    prompt = w.ask(["[Return|Write|Give me] JSON with {k}.", "[Answer|Reply] in JSON with {k}.", "[Turn|Put] this into JSON: {k}."], k=kind)
    return [joined_json(w, prompt, text), dump(result, w)]


def invent(w):
    """Made-up data that follows a schema."""
    makers = {"name": lambda: w.word("name"), "age": lambda: w.number(6, 80), "city": lambda: w.word("city"), "job": lambda: w.word("job"), "happy": lambda: w.chance(0.5), "price": lambda: w.number(2, 90), "color": lambda: w.word("color"),
        "product": lambda: w.word("product"), "in_stock": lambda: w.chance(0.5), "animal": lambda: w.word("animal"), "hobby": lambda: w.word("activity"), "year": lambda: w.number(1950, 2024), "title": lambda: "The " + w.word("color").title() + " " + w.word("object").title(), "rating": lambda: w.number(1, 5), "level": lambda: w.number(1, 20), "weapon": lambda: w.one(["sword", "bow", "staff", "dagger"])}
    title, keys = w.one([("person", ["name", "age", "city", "job", "hobby", "happy"]), ("product", ["product", "price", "color", "in_stock", "rating"]), ("pet", ["name", "animal", "color", "age"]), ("book", ["title", "name", "year", "rating", "price"]), ("game character", ["name", "level", "weapon", "city", "color"])])
    chosen = w.rng.sample(keys, w.number(2, min(4, len(keys))))
    result = {k: makers[k]() for k in chosen}
    listed = ", ".join(f"{k} ({TYPE_NAMES[type(v)]})" for k, v in result.items()) if w.chance(0.5) else ", ".join(chosen)
    prompt = w.ask(["[Invent|Make up|Create|Generate] a {t} as JSON with {k}.", "[Write|Give me] a JSON object for a {t} with the keys {k}.", "[Generate|Return] JSON for a made-up {t}: {k}."], t=title, k=listed)
    return [prompt, dump(result, w)]
