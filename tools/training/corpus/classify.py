"""Classification: sentiment, topic, intent, urgency; the labels stand in the prompt or are the usual ones."""

from .everyday import CATEGORIES
from .read import joined

GOOD = ["The {x} [is|was] [great|excellent|wonderful|fantastic|lovely].", "I [love|really like|enjoy] [this|the] {x}.", "[Best|Nicest] {x} I have ever [had|seen|used].", "The {x} [works perfectly|exceeded my hopes|made me smile].",
    "I would [buy|recommend|choose] [this|the] {x} again.", "The staff was [friendly|kind|helpful].", "Everything [was perfect|went well].",
    "[So|Very] happy with [this|the|my] {x}!", "This {x} is [worth every penny|a dream|brilliant|superb].", "[Wow|Great], what a {x}!", "Five stars for the {x}.", "I am [delighted|thrilled|very pleased] with the {x}.", "[Thank you|Thanks] for this [great|lovely|perfect] {x}!", "Could not be [better|happier].", "The {x} made my day.", "I [can only|can] recommend the {x} to everyone.", "My {relative} loves the {x}.", "[Good|Excellent] quality and a fair price.", "i love it, the {x} is just great", "[Amazing|Awesome|Perfect] {x}, I will come back.", "The {x} was better than [expected|I thought|promised].", "We had a wonderful time with the {x}.", "What a [pleasant|nice|lovely] surprise!", "The {x} never let me down.", "It arrived early and works like a charm."]
BAD = ["The {x} [is|was] [terrible|awful|disappointing|bad|poor].", "I [hate|regret|do not like] [this|the] {x}.", "[Worst|Ugliest] {x} I have ever [had|seen|used].", "The {x} [broke after a day|does not work|was a waste of money].",
    "I would never [buy|recommend|choose] [this|the] {x} again.", "The staff was [rude|unfriendly|slow].", "Nothing [worked|was as promised].",
    "[So|Very] unhappy with [this|the|my] {x}.", "This {x} is [not worth the money|a nightmare|useless|rubbish|a joke].", "What a [waste of time|disappointment]!", "One star for the {x}, and that is too much.", "I am [angry|disappointed|very upset] about the {x}.", "I want my money back.", "Could not be worse.", "The {x} ruined my day.", "Stay away from this {x}.", "My {relative} hates the {x}.", "[Bad|Poor] quality and far too expensive.", "i hate it, the {x} is just bad", "[Horrible|Dreadful|Shocking] {x}, never again.", "The {x} was worse than [expected|I thought].", "We had a miserable time with the {x}.", "The {x} fell apart after [a week|two days].", "It arrived late and broken.", "Nobody answered my complaint about the {x}.", "The {x} is dirty and smells.", "Do not buy this {x}."]
PLAIN = ["The {x} [arrived|came] on {day}.", "The {x} is {color}.", "I [bought|saw] the {x} in {city}.", "The {x} costs {price} dollars.", "It is {a size} {x}.", "The {x} was delivered at {time}.", "There is a {x} in the {room}.", "[I have|We own|They sell] a {x}.", "The {x} opens at {time}.", "The {x} was made in {year}.", "{name} has the same {x}.", "This {x} comes from {city}.", "The {x} is on {street}.", "The {x} has two parts.", "I picked up the {x} on {day}."]
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
URGENT = ["The {repair} is [leaking|on fire|broken] and we need help [now|at once|immediately]!", "Please call me back immediately, {name} is [hurt|in the hospital].", "The server is down and no customer can pay. Act now!", "We need the report [within the hour|right now], the client is waiting.",
    "[Help|Emergency]! There is smoke in the {room}!", "{name} fell down the stairs and cannot move, come quickly!", "The {meetingroom} is flooding, send somebody right away!", "I need the [papers|keys|documents] in ten minutes or we lose the deal.", "The deadline is today at noon and nothing is ready!", "My flight leaves in an hour and I have no passport!", "URGENT: the {repair} does not close and water comes in.", "Someone broke into the {room}, call the police!", "The baby has a high fever, we need a doctor now.", "All payments fail since this morning, fix it [asap|at once|immediately].", "Please answer at once, the bus with the children has broken down.", "Gas smell in the {room}, what should we do right now?", "The customer will cancel today if we do not call back within the hour.", "I am locked out and the stove is on!"]
RELAXED = ["When you have time, please look at the {product}.", "There is no hurry, but I would like to [talk|meet] some day.", "Next month we could plan the {plan}.", "Just a short hello from {city}, nothing important.",
    "Whenever it suits you, send me the photos of the {plan}.", "No rush with the {product}, next week is fine.", "Maybe we can paint the {room} in {month}.", "I wanted to say thanks for the {dish}.", "Take your time with the report, I am away until {day}.", "If you ever come to {city}, let us have some {drink}.", "Here is the newsletter of {company} for {month}.", "The {plan} was nice, we should do it again some day.", "Some time this year I would like to learn {activity}.", "For your information: the {meetingroom} got new chairs.", "You can return the {object} whenever you like.", "It would be nice to have a new {product} next year.", "Do you know a good book about {subject}? It can wait.", "Happy birthday, {name}! See you some time soon."]
SPAM = ["You have won {price} dollars! Click here now!", "Free {product} for the first hundred people, hurry!", "Earn {price} dollars a day from home, no work needed!", "Your account is locked, send your password to win a prize."]
HAM = ["Hi {name}, are we still meeting on {day}?", "Please find the report of {company} attached.", "The {plan} starts at {time}, see you there.", "Thanks for dinner, the {dish} was great."]


MOOD = ["[Classify|Determine|Tell me|Find|Name|Detect] the [sentiment|mood|tone] of [this|the] [review|text|comment|message|feedback].", "Is [this|the] [review|text|comment|message] {a}, {b} or {c}?", "[Sentiment analysis|What is the sentiment|Sentiment|What's the mood] of [this|the] [review|text|comment]?", "[Label|Classify|Rate|Judge] [this|the] [review|text|comment] as {a}, {b} or {c}.", "How does the [writer|author|customer|person] feel? Choose from: {a}, {b}, {c}.", "{A}, {b} or {c}?", "Sentiment?", "Sentiment ({a}/{b}/{c})?", "What is the [feeling|opinion|attitude] in this [comment|review]: {a}, {b} or {c}?", "Does this sound {a}, {b} or {c}?", "Would you call this {a}, {b} or {c}?", "Is the customer's opinion {a}, {b} or {c}?", "[Pick|Choose] one: {a}, {b}, {c}.", "[Decide|Say] if [this|the text] is {a}, {b} or {c}.", "One word: {a}, {b} or {c}?", "[Read|Look at] the [review|comment] and [say|write] {a}, {b} or {c}.", "The sentiment of this [review|text] is", "Which label fits, {a}, {b} or {c}?"]
MOOD_TWO = ["Is [this|the] [review|text|comment|message] {a} or {b}?", "{A} or {b}?", "[Label|Classify|Judge] [this|the] [review|text|comment] as {a} or {b}.", "Does [this|it] sound {a} or {b}?", "Would you say this is {a} or {b}?", "[Decide|Say|Tell me] if [this|the text] is {a} or {b}.", "[Pick|Choose]: {a} or {b}.", "Is the [writer|customer|person] {a} or {b}?", "What is it, {a} or {b}?", "{a} or {b}? One word."]
LIKES = ["Did the [customer|writer|person] like it? [Yes or no.|]", "Is the customer [happy|satisfied|pleased]?", "Is this a good review?", "Would [this person|the writer] recommend it?", "Was the [writer|customer] satisfied? Yes or no?"]
TOPIC = ["[Classify|Label|Sort] [this|the] [text|message|note] as {l}.", "[What|Which] is the topic of [this|the] [text|message|note]? Choose from: {l}.", "[Choose|Pick] the [best|right] category: {l}.", "Topics: {l}. Which one fits [this|the] [text|note]?", "Is [this|the] [text|note] about {l}?", "[Which|What] category [is this|does this belong to]: {l}?", "Category? ({l})", "[Put|Sort] this into one of these: {l}.", "What is this about? Options: {l}.", "One of these topics fits: {l}. Which?", "Pick one topic for this [note|text]: {l}.", "Which of these is it: {l}?", "[Choose|Select] one: {l}."]
INTENT = ["[What|Which] is the intent of [this|the] [request|command|message]? [Options|Choose from]: {l}.", "[Classify|Label] the intent: {l}.", "[Choose|Pick] the intent that fits [the request|this command]: {l}.", "What does the user want? [Choose from|Options]: {l}.", "Intent? {l}", "Which of these does the [speaker|user] want: {l}?", "Which command is it: {l}?", "Find the right [action|intent] among {l}."]
URGENCY = ["Is [this|the] [message|email|request|note] {a} or {b}?", "[Classify|Label|Mark|Judge] [this|the] [message|email|text|request] as {a} or {b}.", "{A} or {b}?", "[Decide|Say|Tell me] [if|whether] this is {a} or {b}.", "Would you call this {a} or {b}?", "[Choose|Pick]: {a} or {b}.", "What is it: {a} or {b}?", "Sort this mail: {a} or {b}?", "{a} / {b}?", "Does this go to {a} or {b}?"]
HURRY = ["Is [this|it|the message] urgent?", "Is this [message|mail|request] urgent? [Yes or no.|Answer yes or no.]", "Does this need to be done [now|at once|right away]?", "Do I have to [act|answer|react] [now|at once|immediately]?", "urgent?", "Must somebody act right away?"]


def with_label_list(w, labels):
    shuffled = list(labels)
    w.rng.shuffle(shuffled)
    return ", ".join(shuffled) if w.chance(0.6) else ", ".join(shuffled[:-1]) + " or " + shuffled[-1]


def review(w, label, thing):
    bank = {"positive": GOOD, "negative": BAD, "neutral": PLAIN}[label]
    sentences = [w.fill(t, x=thing) for t in w.rng.sample(bank, w.number(1, 2))]
    if label != "neutral" and w.chance(0.3):
        sentences.insert(w.number(0, 1), w.fill(PLAIN, x=thing))
    text = " ".join(sentences)
    return text if w.chance(0.8) else text.lower()


def sentiment(w):
    thing = w.word(w.one(["product", "product", "plan"])) if w.chance(0.6) else w.one(["hotel", "film", "book", "concert", "restaurant", "museum", "trip", "pizza", "soup", "service", "app", "game", "room", "food", "shop", "course", "song", "show"])
    w.contents.append(thing)
    form = w.number(0, 9)
    label = w.one(["positive", "negative", "neutral"] if form <= 5 else ["positive", "negative"])
    text = review(w, label, thing)
    if form <= 5:
        a, b, c = w.rng.sample(["positive", "negative", "neutral"], 3)
        return [joined(w, w.ask(MOOD, a=a, b=b, c=c, A=a.capitalize()), text), label]
    if form <= 8:
        words = w.one([("positive", "negative")] * 3 + [("happy", "unhappy"), ("good", "bad"), ("satisfied", "dissatisfied"), ("happy", "angry")])
        a, b = w.rng.sample(words, 2)
        return [joined(w, w.ask(MOOD_TWO, a=a, b=b, A=a.capitalize()), text), words[0] if label == "positive" else words[1]]
    return [joined(w, w.ask(LIKES), text), "Yes" if label == "positive" else "No"]


def topic(w):
    labels = w.rng.sample(list(CATEGORIES), w.number(2, 5))
    label = w.one(labels)
    w.contents += sorted(labels)[:2]
    text = " ".join(w.fill(t) for t in w.rng.sample(CATEGORIES[label], w.number(1, 2)))
    return [joined(w, w.ask(TOPIC, l=with_label_list(w, labels)), text), label]


def intent(w):
    label = w.one(list(INTENTS))
    labels = w.rng.sample([x for x in INTENTS if x != label], w.number(2, 4)) + [label]
    w.contents += [label, labels[0]]
    return [joined(w, w.ask(INTENT, l=with_label_list(w, labels)), w.fill(INTENTS[label])), label]


def two_way(w):
    if w.chance(0.25):
        true = w.chance(0.5)
        ask, answer = w.ask(HURRY), "Yes" if true else "No"
        return [joined(w, ask, w.fill(URGENT if true else RELAXED)), answer]
    first, second, bank1, bank2 = w.one([("urgent", "not urgent", URGENT, RELAXED)] * 3 + [("urgent", "normal", URGENT, RELAXED), ("high", "low", URGENT, RELAXED), ("can wait", "urgent", RELAXED, URGENT), ("spam", "not spam", SPAM, HAM), ("spam", "ham", SPAM, HAM)])
    label, bank = w.one([(first, bank1), (second, bank2)])
    a, b = (first, second) if w.chance(0.7) or second.startswith("not") else (second, first)
    ask = w.ask(["Priority {a} or {b}?", "Is the urgency {a} or {b}?", "How urgent is this: {a} or {b}?", "What is the priority, {a} or {b}?"] if first == "high" else URGENCY, a=a, b=b, A=a.capitalize())
    return [joined(w, ask, w.fill(bank)), label]
