"""Game dialogue: a character described in the system turn answers the player in plain prose, over several turns."""

WARES = {"innkeeper": ["room", "stew", "bread", "cider", "hot bath"], "merchant": ["rope", "lantern", "map", "cloak", "hat"], "blacksmith": ["sword", "shield", "hammer", "helmet", "dagger"],
    "healer": ["potion", "bandage", "herb tea", "salve", "root"], "ferryman": ["ride", "fishing net", "lamp", "rope"], "wizard": ["scroll", "wand", "crystal", "spell book"], "farmer": ["apple", "sack of grain", "horse", "cheese"],
    "baker": ["loaf", "pie", "honey cake", "roll"], "fisherman": ["trout", "fishing rod", "small boat", "net"], "librarian": ["old book", "map", "letter", "scroll"], "guard": ["torch", "old helmet", "horn"]}
RUMORS = ["a dragon sleeps under the {place}", "the {place} is full of ghosts", "{name} hid a {color} {object} in the {place}", "the bridge to {town} is broken", "wolves walk on the road to {town}", "the king lost his {object}", "a {color} light shines in the {place} at night",
    "{name} the {trait} is looking for a brave hero", "the mill of {town} turns without wind", "somebody steals {food} from the market"]
QUESTS = ["bring me the {color} {object} from the {place}", "find my {relative} {name} in {town}", "chase the {animal} from the {place}", "carry this {object} to {name} in {town}", "find out who steals the {food}", "light the lamp in the {place}"]
HELLO = {"innkeeper": "[Welcome|Come in], traveler! [Sit down by the fire.|The stew is hot.]", "guard": "[Halt|Stop]! [Who goes there?|What is your business in {t}?]", "merchant": "[Welcome|Good day], friend! [Have a look at my goods.|Everything here has a fair price.]", "blacksmith": "[Good day|Hm]. [Mind the sparks.|The fire is hot, so be quick.]",
    "healer": "[Peace|Good day], traveler. [Are you hurt?|You look tired.]", "ferryman": "[Ahoy|Good day]! [The river is calm today.|Mind your step.]", "wizard": "[Ah|Aha], a visitor! [Do not touch anything.|The stars told me about you.]", "farmer": "[Morning|Good day]! [The harvest is good this year.|Watch the goats.]",
    "baker": "[Good day|Welcome]! [The bread is still warm.|Do you smell the fresh pies?]", "fisherman": "[Ahoy|Good day]! [The fish bite well today.|Speak softly, or the fish will hear you.]", "librarian": "[Quiet, please|Welcome]. [The books are sleeping.|What would you like to read?]"}
SAY_HELLO = ["[Hello|Hi|Greetings|Good day|Good {daypart}][.|!| there.]", "[Hello|Greetings], {role}.", "[Hello|Good day], {n}.", "[I come in peace.|I am new here.|I have just arrived.]", "[hey|yo|hello there|good day to you]", "[Anybody here?|Is anyone there?]", "[I greet you|Well met], {role}!", "*[walks in|enters]* Hello?", "[Excuse me|Sorry to bother you], {role}."]
ASK_NAME = ["[Who are you?|What is your name?|Tell me your name.|May I know your name?]", "[And who|Who] might you be?", "What [do they|do people|should I] call you?", "[whats|what's] your name", "Your name?", "I did not catch your name.", "Who am I [talking|speaking] to?", "Introduce yourself."]
ASK_WARES = ["What do you [sell|have for sale|offer]?", "[Show me your goods.|Do you have anything to sell?]", "I would like to buy something.", "What [can I buy|is for sale|goods do you have|have you got] here?", "[Got|Have you] anything [for sale|useful|to buy]?", "Let me see your [wares|goods].", "I want to [trade|shop].", "What are you selling?", "what u got", "Your goods, please."]
ASK_PRICE = ["How much is the {x}?", "What does the {x} cost?", "[What is the price of|How much do you want for] the {x}?", "I want to buy the {x}.", "[Price|Cost] of the {x}?", "[And the|How about the] {x}?", "How many coins for the {x}?", "What do you want for the {x}?", "Is the {x} expensive?", "I will take the {x}. How much?", "how much for {x}"]
ASK_RUMOR = ["[Any news|Have you heard any news|Have you heard any rumors|Any rumors]?", "What is new in {t}?", "What do people [say|talk about] here?", "Tell me [a rumor|some news].", "[Heard|Hear] anything [interesting|new|strange]?", "What are the people talking about?", "Any gossip?", "[What's|What is] the news[ here|]?", "Have you got a story for me?", "Tell me what you know.", "Anything strange going on?"]
ASK_QUEST = ["[Do you need help|Can I help you|Do you have work for me]?", "I am looking for [work|adventure|a quest].", "[Is there|Do you have] a quest for me?", "[Got|Have you got] any work?", "Is there [anything|something] I can do[ for you|]?", "I need a job.", "How can I earn some coins?", "Do you need a hero?", "What is your problem?", "Any [tasks|quests|jobs] for me?", "I want to help."]
ASK_PLACE = ["Where am I?", "What is this place[ called|]?", "Which town is this?", "What town [is|are] [this|we in]?", "Can you tell me where I am?", "[I am|I'm] lost. Where is this?", "[whats|what is] this town called"]
BYE = ["[Goodbye|Farewell|I must go now|Thank you and goodbye].", "[See you|Until next time].", "[Bye|So long|Take care|I have to leave]!", "That is all. [Goodbye|Bye].", "I am leaving now."]


def character(w):
    role = w.one(list(WARES))
    known = dict(role=role, n=w.word("name"), t=w.word("town"))
    known["x"], known["y"] = w.rng.sample(WARES[role], 2)
    known["p"], known["q"] = str(w.number(2, 60)), str(w.number(2, 60))
    known["rumor"], known["quest"] = w.fill(RUMORS), w.fill(QUESTS)
    known["trait"] = w.word("trait")
    w.contents += [role, known["x"]]
    return known


SYSTEM = ["You are {n}, [the|a] {trait} {role} [in|of] {t}.", "[Play|You play] {n}, the {role} of {t}.", "You are {n}, {a role} in [the town of |]{t}. [Stay in character.|Speak briefly.|Answer as {n} would.]", "Your name is {n}. You are {a trait} {role} [in|from] {t}.", "[Role-play|Roleplay|Act] as {n}, {a trait} {role} in {t}.", "[Pretend to be|Be] {n}, the {role} of {t}. Stay in your role."]
GOODS = ["You sell {a x} for {p} coins and {a y} for {q} coins.", "Goods: {x} ({p} coins), {y} ({q} coins)."]
RUMOR = ["You have heard that {rumor}.", "Rumor: {rumor}."]
QUEST = ["You ask heroes to {quest}.", "Quest: {quest}."]
MOVES = {
    "hello": (SAY_HELLO, None), "name": (ASK_NAME, ["[I am|My name is|They call me] {n}, the {role} of {t}.", "{n} is my name. I am the {role} here."]),
    "wares": (ASK_WARES, ["I [have|sell] {a x} for {p} coins and {a y} for {q} coins.", "You can have {a x} for {p} coins or {a y} for {q}."]),
    "price": (ASK_PRICE, ["The {x} [costs|is] {p} coins[.|, my friend.|, not one less.]", "{p} coins for the {x}. [Do we have a deal?|A fair price.]", "For you, the {x} is {p} coins."]),
    "rumor": (ASK_RUMOR, ["[They say|People say|I heard] that {rumor}.", "[Have you not heard?|Come closer.] [They say|People say] that {rumor}."]),
    "quest": (ASK_QUEST, ["[Yes|Indeed]! Please {quest}. [I will pay you well.|You will not regret it.|Be careful.]", "If you are brave, {quest}. [I will reward you.|Many have tried.]"]),
    "place": (ASK_PLACE, ["[You are in|This is] {t}, [traveler|my friend].", "This is {t}. [Have you lost your way?|Few strangers come here.]"]),
    "bye": (BYE, ["[Farewell|Safe travels|Goodbye], [traveler|friend]. [Come back soon.|Mind the road at night.|May the stars guide you.]"]),
}


def talk(w, known, count):
    order = ["hello"] * w.chance(0.6) + w.rng.sample(["name", "wares", "price", "rumor", "quest", "place"], min(6, count)) + ["bye"] * w.chance(0.3)
    turns = []
    for move in order[: max(1, count)]:
        ask, answer = MOVES[move]
        turns.append(("user", w.ask(ask, **known)))
        turns.append(("assistant", w.fill(answer or HELLO[known["role"]], **known)))
    return turns


def game(w, count=None):
    known = character(w)
    details = [w.fill(GOODS, **known), w.fill(RUMOR, **known), w.fill(QUEST, **known)]
    w.rng.shuffle(details)
    system = " ".join([w.fill(SYSTEM, **known)] + details)
    turns = talk(w, known, count or w.number(1, 5))
    if count is None and w.chance(0.35):
        return [("user", w.task(system, turns[0][1]) if w.chance(0.5) else f"{system}\n\nPlayer: {turns[0][1]}")] + turns[1:]
    return [("system", system)] + turns


def npc_line(w):
    """One line of game dialogue to order, without a system turn."""
    known = character(w)
    form = w.number(0, 2)
    if form == 0:
        prompt = w.ask(["[Write|Give me|Invent] [a line|one line|a greeting] for {a role} in a [game|fantasy game].", "What would {a role} [say to|tell] a [traveler|stranger] in a game?", "[Write|Give me] a greeting from {n}, the {role} of {t}."], **known)
        return [prompt, w.fill(HELLO[known["role"]], **known)]
    if form == 1:
        prompt = w.ask(["[Write|Invent] a rumor that {a role} tells in a [game|fantasy game].", "[Write|Give me] a line in which {a role} tells a rumor about {t}."], **known)
        return [prompt, w.fill("[Have you not heard?|Come closer, traveler.] [They say|People say] that {rumor}.", **known)]
    prompt = w.ask(["[Write|Invent] a quest that {a role} gives to the player.", "[Write|Give me] a short quest [from|by] {n}, the {role} of {t}."], **known)
    return [prompt, w.fill(MOVES["quest"][1], **known)]
