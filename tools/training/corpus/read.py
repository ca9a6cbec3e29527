"""Tasks about a given text: summaries, extraction, questions, keywords."""

from .answer import cap
from .everyday import CATEGORIES
from .facts import TOPICS
from .passage import EVENTS, Passage

LABELS = {"name": "Name", "name2": "Second name", "company": "Company", "day": "Day", "time": "Time", "city": "City", "month": "Month", "price": "Price",
    "product": "Product", "street": "Street", "town": "Town", "object": "Object", "animal": "Animal", "color": "Color", "job": "Job", "surname": "Surname",
    "transport": "Transport", "room": "Room", "place": "Place", "activity": "Activity", "plan": "Event", "reason": "Reason", "weather": "Weather", "repair": "Repair",
    "fulldate": "Date", "phone": "Phone", "email": "Email", "code": "Number", "money": "Amount", "age": "Age", "count": "Count", "year": "Year", "city2": "Destination", "food": "Food", "relative": "Relative"}
QUESTIONS = {
    "day": ["On which day does it happen?", "[Which|What] day is mentioned?", "When is it?"], "time": ["At what time?", "What time is mentioned?", "When does it start?"],
    "company": ["Which company is mentioned?", "What is the name of the company?"], "city": ["Which city is mentioned?", "What city is it about?"],
    "month": ["In which month does it happen?", "Which month is mentioned?"], "price": ["How much does it cost?", "What is the price?"],
    "product": ["Which product is it about?", "What was bought?"], "street": ["Which street is mentioned?", "On which street is it?"],
    "animal": ["Which animal is it about?", "What animal is mentioned?"], "color": ["What color is mentioned?", "Which color is it?"],
    "job": ["Which job is mentioned?", "What is the job?"], "object": ["What was found?", "Which object is mentioned?"],
    "transport": ["Which means of transport is mentioned?"], "activity": ["Which activity is taught?", "What is being taught?"], "plan": ["What is being planned?"],
    "name": ["Who is it about?", "Which person is mentioned first?", "Who is mentioned?"], "repair": ["What is broken?"], "reason": ["What was the reason?", "Why did it happen?"],
    "town": ["Which town is mentioned?"], "weather": ["What will the weather be like?", "How is the weather?"],
}


def joined(w, instruction, text):
    return w.task(instruction, text)


SUMMARISE = ["[Summarise|Summarize|Sum up] [this|the following|the] [text|message|note|passage|news|email][ in one sentence| briefly| shortly| in a sentence|].", "[Give|Write] [me |]a [short|one-sentence|brief|quick] summary of [this|the] [text|message|note].", "What is [this text|this message|the text|it|this] about?[ One sentence.|]", "[Shorten|Condense|Reduce|Boil down|Cut down] [this|the text|it] to one sentence.",
    "[Tell me|Sum up|Say] in one sentence what [this|the text] says.", "TL;DR[ of this| please|]", "tldr", "Summary[ please|?|:|]", "[Summarise|Summarize|Sum it up|Sum up].", "[What|Tell me what] [does this say|happened] in [short|one sentence|a few words]?", "In one sentence[ please|, what happened?|, what is this about?|]", "Main point?", "What is the [main point|main idea|most important point|gist|key message] [here|of this|of the text]?", "[Write|Give me|Tell me] the main point[ in one sentence|].", "Give me the gist.", "[Make|Write] one sentence [of|out of|from] this.", "[Say|Tell] me [briefly|quickly|in short] what [happened|this is about|it says].", "[I have no time|I am in a hurry], what does [this|it] say in one sentence?", "One line summary[ please|].", "Too long, [summarise|summarize] it for me.", "[Keep|Write down] only the most important [thing|point].", "What do I need to know from this? One sentence.", "Summarise for a busy person.", "The short version[ please|]?"]


def summarise(w):
    if w.chance(0.25):
        topic = w.one(list(TOPICS))
        keywords, facts = TOPICS[topic]
        w.contents.append(topic)
        chosen = w.rng.sample(facts, w.number(3, 5))
        parts = [f"{k}" for k in keywords]
        return [joined(w, w.ask(SUMMARISE), " ".join(chosen)), f"The text is about {topic}: {chosen[0][0].lower() + chosen[0][1:] if not chosen[0].startswith(('Africa', 'Europe')) else chosen[0]}"]
    passage = Passage(w)
    return [joined(w, w.ask(SUMMARISE), passage.text), passage.summary(w)]


NEWS = """The [city council|mayor] of {town} [decided|voted] on {day} to [close|repair|sell|rebuild] the [old bridge|town hall|swimming pool|market hall]. | A storm [damaged|destroyed] {small} houses in {town} on {day}. | {name} {surname} won the {activity} [contest|championship] in {city}. | The library of {town} will stay open until {time} from {month} on. | Police in {city} found a stolen {product} in a {place}.
{company} will open a new [shop|office|factory] in {city} in {month}. | {name} forgot the {object} on the {transport} and had to go back to {town}. | The school of {town} needs a new {subject} teacher. | Our {plan} has been moved from {day} to the next week. | The {repair} in the {room} is broken and will be repaired on {day}. | {name} sold {count} [cakes|tickets|books] at the market in {town}. | The price of {food} went up by {percent} percent.
Firefighters saved a {animal} from a {place} in {town}. | {name} and {name} will marry in {month}. | The {transport} to {city} was late because of {reason}. | A {animal} escaped from the zoo in {city} on {day}. | {company} lost {percent} percent of its customers in {year}. | {name} baked {dish} for the whole {plan}. | The new {product} from {company} is cheaper than the old one. | The museum in {city} shows {small} paintings by {name} {surname}. | {name} found a {color} {object} while digging in the garden. | Children in {town} planted {count} trees on {day}. | The {activity} club of {town} is looking for a new [coach|room|president]. | {name} will be away until {day}, so {name} takes over the work.""".replace("\n", " | ").split(" | ")
DETAILS = ["Many people were [surprised|happy about it|angry about it].", "It took a long time.", "Nobody was hurt.", "More about it will follow soon.", "Some neighbors had waited for this for years.", "A few questions are still open.", "It was the talk of the day.", "The weather was {weather} that day.", "\"I did not expect that,\" said {name}.", "{name} took some photos.", "There was {drink} for everyone.", "Nobody knows yet what will happen next.", "It is not the first time.", "The costs are not known.", "People can ask their questions on {day}.", "Not everybody agrees.", "The newspaper wrote a long article.", "It began early in the {daypart}.", "An old {job} shook his head.", "For the rest of the week it was quiet."]


def main_point(w):
    """The sentence that the others only add to."""
    main = w.fill(w.one(NEWS))
    details = [w.fill(d) for d in w.some(DETAILS, 1, 5)]
    lead = w.chance(0.12)
    return [joined(w, w.ask(SUMMARISE), " ".join(details[:1] + [main] + details[1:] if lead else [main] + details)), main]


def summarise_many(w):
    passages = [Passage(w, sentences=w.number(1, 2)) for _ in range(w.number(2, 3))]
    prompt = w.ask(["[Summarise|Summarize] [these|the following] [notes|messages] as [bullet points|a bullet list].", "[Write|Make] one bullet point for each [note|message].", "[List|Give] the key points of [these|the] [notes|messages]."])
    return [prompt + "\n\n" + "\n".join(p.text for p in passages), "\n".join("- " + p.summary(w) for p in passages)]


FIELDS = ["[Extract|Find|Get|Pull out|Collect] [the following|these fields|these]: {f}.", "[Extract|Find|Give me|Get|Write down|Tell me|List] the {f} [from|in] [this|the] [text|message|note].", "[Read the text|Look at the text] and [give|write down|list] the {f}.", "Which {f} does the text mention? [Answer line by line|One per line].", "{F}?", "I need the {f}.", "Fill in from the text: {f}.", "{f} please, line by line.", "Make a [list|form] with {f}.", "[Complete|Fill] the form: {f}.", "Fields: {f}.", "From this [message|text] I need {f}.", "[Write|Give] {f}, each on a line."]


def labelled(passage, known, key):
    """The label of a fact; a first name beside a last name is called so."""
    if key == "name" and "full" in known:
        return "First name"
    return LABELS[key]


def extract_fields(w):
    passage = Passage(w)
    known = passage.known()
    tellable = [k for k in known if k in LABELS or k == "full"]
    keys = w.rng.sample(tellable, min(len(tellable), w.number(1, 4)))
    if w.chance(0.1):
        keys.append(w.one([k for k in ("email", "street", "animal", "job") if k not in passage.facts]))
    if len(keys) == 1:
        keys = tellable[:2]
    labels = ["Name" if k == "full" else labelled(passage, known, k) for k in keys]
    low = [x.lower() for x in labels]
    wanted = ", ".join(low) if w.chance(0.5) else ", ".join(low[:-1]) + " and " + low[-1]
    prompt = w.ask(FIELDS, f=wanted, F=cap(wanted))
    return [joined(w, prompt, passage.text), "\n".join(f"{label}: {known.get(key, 'not given')}" for key, label in zip(keys, labels))]


LEADS = ["{q}", "{q}", "[Read the text and answer|Answer the question|Question|Tell me|A question about the text]: {q}", "{q} [Short answer.|Answer briefly.|Only the answer.|The text tells you.]", "[Here is a text.|Read this.] {q}"]


def question(w):
    passage = Passage(w, w.one([k for k, e in EVENTS.items() if "ask" not in e]))
    known = [k for k in passage.known() if k in QUESTIONS]
    key = w.one(known)
    value = passage.facts[key] + (" dollars" if key == "price" else "")
    if key == "name" and "full" in passage.known():
        value = passage.known()["full"]
    prompt = w.ask([lead.replace("{q}", w.one(QUESTIONS[key])) for lead in LEADS])
    return [joined(w, prompt, passage.text), cap(value)]


def keywords(w):
    """Tags as a plain comma list."""
    ask = ["[Give|Suggest|Write|Find|Add] [three|some|a few|me] [tags|keywords|labels] for [this|the] [text|note].", "[Tag|Please tag|Label] [this|the] [text|note|message|post].", "What are [good|the|fitting] [tags|keywords] for [this text|this note|it]?", "[List|Extract|Give me|Find] the keywords.", "[Tags|Keywords|Labels]?", "[Tags|Keywords] for this[ please|]", "Which [tags|keywords|labels] [fit|describe|suit] [this|the text]?", "How would you tag this?", "[Choose|Pick|Think of] [tags|keywords] for this.", "[Write|Output] [tags|keywords] separated by commas.", "I need [tags|keywords] for this [note|post].", "Under which [tags|keywords] would you file this?", "[Describe|Label] this with [keywords|tags].", "Key words of this text?", "Topics of this note, separated by commas.", "Hashtags for this, without the #."]
    if w.chance(0.5):
        topic = w.one(list(TOPICS))
        w.contents.append(topic)
        words, facts = TOPICS[topic]
        return [joined(w, w.ask(ask), " ".join(w.rng.sample(facts, w.number(2, 4)))), ", ".join([topic.removeprefix("the ")] + words[:2])]
    chosen = w.rng.sample(list(CATEGORIES), w.number(1, 2))
    w.contents += chosen
    return [joined(w, w.ask(ask), " ".join(w.fill(CATEGORIES[c]) for c in chosen)), ", ".join(chosen)]


def title(w):
    passage = Passage(w, w.one(["find", "match", "party", "trip", "pet"]))
    f = passage.facts
    headline = {"find": "{name} Finds {Object} in {town}", "match": "{name} Wins the Match for {town}", "party": "{name} Plans a {Plan}", "trip": "{name} Travels to {city}", "pet": "{name} Looks for {name2} the {Animal}"}[passage.kind]
    shown = {k.title(): v.title() for k, v in f.items()} | f
    prompt = w.ask(["[Write|Suggest|Give me|Find|Think of|Invent] a [title|headline] for [this|the] [text|story|message|news].", "What would be a good [title|headline] for this text?", "[Title|Headline]?", "[Title|Headline] please", "Give this a [title|headline].", "How would you call this story?", "I need a [title|headline] for this."])
    return [joined(w, prompt, passage.text), w.fill(headline, **shown)]
