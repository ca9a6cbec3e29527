"""Classification: sentiment, topic, intent, urgency; the labels stand in the prompt or are the usual ones."""

from .everyday import CATEGORIES
from .read import joined

GOOD = ["The {x} [is|was] [great|excellent|wonderful|fantastic|lovely].", "I [love|really like|enjoy] [this|the] {x}.", "[Best|Nicest] {x} I have ever [had|seen|used].", "The {x} [works perfectly|exceeded my hopes|made me smile].",
    "I would [buy|recommend|choose] [this|the] {x} again.", "The staff was [friendly|kind|helpful].", "Everything [was perfect|went well]."]
BAD = ["The {x} [is|was] [terrible|awful|disappointing|bad|poor].", "I [hate|regret|do not like] [this|the] {x}.", "[Worst|Ugliest] {x} I have ever [had|seen|used].", "The {x} [broke after a day|does not work|was a waste of money].",
    "I would never [buy|recommend|choose] [this|the] {x} again.", "The staff was [rude|unfriendly|slow].", "Nothing [worked|was as promised]."]
PLAIN = ["The {x} [arrived|came] on {day}.", "The {x} is {color}.", "I [bought|saw] the {x} in {city}.", "The {x} costs {price} dollars.", "It is {a size} {x}."]
INTENTS = {
    "set_alarm": ["[Wake me up|Set an alarm] [at|for] {time}.", "I need to get up at {time} [tomorrow|on {day}]."],
    "weather": ["Will it [rain|snow] in {city} [tomorrow|on {day}]?", "What is the weather like in {city}?", "Do I need an umbrella on {day}?"],
    "play_music": ["Play some {instrument} music.", "Put on [a happy song|my favorite album].", "I want to hear [some music|a song by {name}]."],
    "send_message": ["[Text|Write to] {name} that I am late.", "Send a message to my {relative}.", "Tell {name} that the {plan} is on {day}."],
    "buy": ["Order a {color} {product}.", "I want to buy a new {product}.", "Add {food} to my shopping list."],
    "navigate": ["[Show me the way|Take me|How do I get] to {street}.", "What is the fastest way to {city}?", "Navigate to the {place}."],
    "call": ["Call [my {relative}|{name}].", "I want to talk to {name} on the phone.", "Dial the number of {company}."],
    "book_table": ["Book a table for {small} [people|guests] on {day}.", "Reserve a table at {time}.", "I need a table for dinner on {day}."],
    "translate": ["How do you say {food} in [French|Spanish|German]?", "Translate this letter into [French|Spanish|German].", "What does the word mean in English?"],
}
URGENT = ["The {repair} is [leaking|on fire|broken] and we need help [now|at once]!", "Please call me back immediately, {name} is [hurt|in the hospital].", "The server is down and no customer can pay. Act now!", "We need the report [within the hour|right now], the client is waiting."]
RELAXED = ["When you have time, please look at the {product}.", "There is no hurry, but I would like to [talk|meet] some day.", "Next month we could plan the {plan}.", "Just a short hello from {city}, nothing important."]
SPAM = ["You have won {price} dollars! Click here now!", "Free {product} for the first hundred people, hurry!", "Earn {price} dollars a day from home, no work needed!", "Your account is locked, send your password to win a prize."]
HAM = ["Hi {name}, are we still meeting on {day}?", "Please find the report of {company} attached.", "The {plan} starts at {time}, see you there.", "Thanks for dinner, the {dish} was great."]


def with_label_list(w, labels):
    shuffled = list(labels)
    w.rng.shuffle(shuffled)
    return ", ".join(shuffled)


def sentiment(w):
    thing = w.word(w.one(["product", "dish"])) if w.chance(0.7) else w.one(["hotel", "film", "book", "concert", "restaurant", "museum", "trip"])
    w.contents.append(thing)
    label = w.one(["positive", "negative", "neutral"])
    bank = {"positive": GOOD, "negative": BAD, "neutral": PLAIN}[label]
    sentences = [w.fill(t, x=thing) for t in w.rng.sample(bank, w.number(1, 2))]
    if label != "neutral" and w.chance(0.3):
        sentences.insert(0, w.fill(PLAIN, x=thing))
    prompt = w.ask(["[Classify|Determine|Tell me] the sentiment of [this|the] [review|text|comment].", "Is [this|the] [review|text|comment] positive, negative or neutral?", "[Sentiment analysis|What is the sentiment] of [this|the] [review|text]?",
        "[Label|Classify] [this|the] [review|text|comment] as {l}.", "How does the [writer|author|customer] feel? Choose from: {l}."], l=with_label_list(w, ["positive", "negative", "neutral"]))
    return [joined(w, prompt, " ".join(sentences)), label]


def topic(w):
    labels = w.rng.sample(list(CATEGORIES), w.number(3, 5))
    label = w.one(labels)
    w.contents += sorted(labels)[:2]
    text = " ".join(w.fill(t) for t in w.rng.sample(CATEGORIES[label], w.number(1, 2)))
    prompt = w.ask(["[Classify|Label|Sort] [this|the] [text|message|note] as {l}.", "[What|Which] topic has [this|the] [text|message]? Choose from: {l}.", "[Choose|Pick] the [best|right] category: {l}.", "Topics: {l}. Which one fits [this|the] [text|note]?",
        "Is [this|the] text about {l}?"], l=with_label_list(w, labels))
    return [joined(w, prompt, text), label]


def intent(w):
    label = w.one(list(INTENTS))
    labels = w.rng.sample([x for x in INTENTS if x != label], w.number(2, 4)) + [label]
    w.contents += [label, labels[0]]
    prompt = w.ask(["[What|Which] is the intent of [this|the] [request|command|message]? [Options|Choose from]: {l}.", "[Classify|Label] the intent: {l}.", "[Choose|Pick] the intent that fits [the request|this command]: {l}."], l=with_label_list(w, labels))
    return [joined(w, prompt, w.fill(INTENTS[label])), label]


def two_way(w):
    (first, bank1), (second, bank2) = w.one([(("urgent", URGENT), ("not urgent", RELAXED)), (("spam", SPAM), ("not spam", HAM))])
    label, bank = w.one([(first, bank1), (second, bank2)])
    prompt = w.ask(["Is [this|the] [message|email] {a} or {b}?", "[Classify|Label] [this|the] [message|email|text] as {a} or {b}."], a=first, b=second)
    return [joined(w, prompt, w.fill(bank)), label]
