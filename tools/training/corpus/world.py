"""Short facts of a small world: questions with one right answer, and the same facts asked with yes or no."""

from .words import COUNTRY, IRREGULAR, PAIRS, PLURALS
from .writer import cap

PARENTS = dict(p.split("/") for p in "dog/puppy cat/kitten cow/calf sheep/lamb horse/foal goat/kid duck/duckling bear/cub frog/tadpole hen/chick lion/cub swan/cygnet kangaroo/joey deer/fawn pig/piglet goose/gosling owl/owlet wolf/cub rabbit/kit".split())
SOUNDS = dict(p.split("/") for p in "dog/bark cat/meow cow/moo sheep/baa horse/neigh duck/quack lion/roar frog/croak pig/oink hen/cluck owl/hoot bee/buzz wolf/howl snake/hiss mouse/squeak donkey/bray crow/caw rooster/crow".split())
SAYS = {"dog": "woof", "cat": "meow", "cow": "moo", "sheep": "baa", "duck": "quack", "pig": "oink", "frog": "ribbit", "owl": "hoo"}
COLORS = {"the sky": "blue", "grass": "green", "snow": "white", "blood": "red", "coal": "black", "a banana": "yellow", "a lemon": "yellow", "a carrot": "orange", "a ripe tomato": "red", "milk": "white", "the sun": "yellow", "chocolate": "brown", "an elephant": "grey", "a strawberry": "red", "a flamingo": "pink", "a polar bear": "white", "a crow": "black", "a leaf in summer": "green", "a frog": "green", "salt": "white", "a pumpkin": "orange", "the night sky": "black", "a fire engine": "red", "cucumbers": "green"}
LEGS = {"dog": 4, "cat": 4, "horse": 4, "cow": 4, "bird": 2, "chicken": 2, "spider": 8, "ant": 6, "bee": 6, "snake": 0, "human": 2, "frog": 4, "elephant": 4, "fly": 6, "fish": 0, "octopus": 8, "beetle": 6, "penguin": 2}
COUNTS = {"days are in a week": 7, "months are in a year": 12, "hours are in a day": 24, "minutes are in an hour": 60, "seconds are in a minute": 60, "seasons are there": 4, "wheels does a car have": 4, "wheels does a bicycle have": 2, "wheels does a tricycle have": 3, "fingers are on one hand": 5, "eyes does a person have": 2, "days are in a normal year": 365, "weeks are in a year": 52, "legs does a table usually have": 4, "sides does a triangle have": 3, "sides does a square have": 4, "letters are in the English alphabet": 26, "ears does a person have": 2, "toes does a person have": 10, "cents are in a dollar": 100, "eggs are in a dozen": 12, "planets are in our solar system": 8, "strings does a violin have": 4, "players are in a football team": 11, "corners does a rectangle have": 4, "days are in June": 30, "days are in January": 31, "years are in a century": 100, "years are in a decade": 10, "meters are in a kilometer": 1000, "grams are in a kilogram": 1000, "wings does a bird have": 2, "arms does an octopus have": 8, "squares are on a chess board": 64}
MADE_OF = {"bread": "flour", "glass": "sand", "paper": "wood", "cheese": "milk", "butter": "milk", "wine": "grapes", "honey": "nectar", "a window": "glass", "a book": "paper", "a sweater": "wool", "a nail": "iron", "a candle": "wax", "ice": "water", "snow": "ice", "chocolate": "cocoa beans", "jam": "fruit", "a tyre": "rubber", "a wooden table": "wood", "jeans": "cotton", "a brick": "clay", "yogurt": "milk", "raisins": "grapes", "cider": "apples", "a coin": "metal", "flour": "grain", "ketchup": "tomatoes", "an omelette": "eggs"}
HOMES = {"bees": "a hive", "birds": "a nest", "fish": "water", "camels": "the desert", "penguins": "the Antarctic", "whales": "the ocean", "rabbits": "a burrow", "spiders": "a web", "cows": "a farm", "lions": "the savanna", "polar bears": "the Arctic", "monkeys": "the jungle", "frogs": "a pond", "sharks": "the ocean", "horses": "a stable", "foxes": "a den", "kings": "a castle", "bats": "a cave", "dogs": "a kennel", "ants": "an anthill"}
USES = {"a knife": "cutting", "a pen": "writing", "a broom": "sweeping", "a key": "opening doors", "an umbrella": "keeping dry in the rain", "a bed": "sleeping", "a spoon": "eating soup", "a hammer": "hitting nails", "a telephone": "talking to people far away", "a clock": "telling the time", "scissors": "cutting paper", "a fridge": "keeping food cold", "an oven": "baking", "a lamp": "giving light", "soap": "washing", "a brush": "painting", "a needle": "sewing", "a boat": "traveling on water", "a map": "finding the way", "a towel": "drying", "a thermometer": "measuring temperature", "a scale": "weighing things", "glasses": "seeing better", "a ladder": "climbing up", "a camera": "taking photos", "a saw": "cutting wood"}
WORKS = {"teacher": "a school", "doctor": "a hospital", "nurse": "a hospital", "baker": "a bakery", "farmer": "a farm", "waiter": "a restaurant", "librarian": "a library", "pilot": "an airplane", "sailor": "a ship", "judge": "a court", "miner": "a mine", "actor": "a theatre", "cashier": "a shop", "firefighter": "a fire station", "mechanic": "a garage", "cook": "a kitchen", "scientist": "a laboratory", "postman": "a post office", "butcher": "a butcher's shop", "dentist": "a dental practice", "pharmacist": "a pharmacy"}
DOES = {"bakes bread": "baker", "teaches children": "teacher", "flies planes": "pilot", "repairs cars": "mechanic", "puts out fires": "firefighter", "cuts hair": "hairdresser", "treats sick people": "doctor", "treats sick animals": "vet", "repairs teeth": "dentist", "grows vegetables and keeps animals": "farmer", "builds houses": "builder", "delivers letters": "postman", "writes books": "writer", "paints pictures": "painter", "repairs pipes": "plumber", "makes clothes": "tailor", "sells meat": "butcher", "works with wood": "carpenter", "takes photos": "photographer", "lends books": "librarian", "catches fish": "fisherman", "plays music": "musician", "serves food in a restaurant": "waiter", "designs buildings": "architect", "catches thieves": "police officer"}
CLASSES = {"animal": "dog cat horse cow lion eagle shark ant frog snake whale mouse owl tiger".split(), "fruit": "apple banana pear grape cherry lemon plum peach orange melon".split(), "vegetable": "carrot potato onion cabbage spinach leek cucumber pea".split(), "color": "red blue green yellow black white brown pink purple".split(), "bird": "eagle owl sparrow crow swan penguin parrot pigeon duck".split(), "tool": "hammer saw drill screwdriver wrench shovel".split(), "instrument": "piano guitar violin flute trumpet drum harp".split(), "country": list(COUNTRY), "drink": "tea coffee water juice milk lemonade".split(), "season": "spring summer autumn winter".split(), "vehicle": "car bus train bicycle truck tram taxi".split(), "piece of furniture": "table chair sofa bed desk wardrobe shelf".split(), "insect": "ant bee fly beetle butterfly mosquito".split(), "flower": "rose tulip daisy lily sunflower orchid".split(), "sport": "football tennis swimming judo basketball rowing".split(), "metal": "gold silver iron copper tin lead".split(), "planet": "Mars Venus Jupiter Saturn Mercury Neptune".split(), "tree": "oak pine birch maple willow".split(), "body part": "arm leg nose knee elbow finger shoulder".split()}
PLAIN = {
    "What is frozen water called?": "Ice", "What do bees make?": "Honey", "What do cows give us to drink?": "Milk", "Which season is the coldest?": "Winter", "Which season is the hottest?": "Summer", "Which season comes after winter?": "Spring", "Which season comes after summer?": "Autumn", "What is the largest planet?": "Jupiter", "Which planet do we live on?": "Earth", "What is the largest ocean?": "The Pacific", "What is the largest animal on earth?": "The blue whale", "What is the largest animal on land?": "The elephant", "What is the tallest animal?": "The giraffe", "What is the fastest animal on land?": "The cheetah", "What is the first month of the year?": "January", "What is the last month of the year?": "December", "What is the shortest month?": "February", "What star gives us light in the day?": "The sun", "What do we see in the sky at night beside the stars?": "The moon", "What do plants need to grow?": "Water, light and soil", "What do you use to cut paper?": "Scissors", "What gas do we breathe?": "Air, and the oxygen in it", "In which direction does the sun rise?": "East", "In which direction does the sun set?": "West", "What is the longest river in Africa?": "The Nile", "What is the highest mountain in the world?": "Mount Everest", "Who wrote Romeo and Juliet?": "William Shakespeare", "What do caterpillars turn into?": "Butterflies", "What falls from clouds?": "Rain", "What is the main language in Brazil?": "Portuguese", "At what temperature in Celsius does water boil?": "100 degrees", "At what temperature in Celsius does water freeze?": "0 degrees", "What is the opposite direction of north?": "South", "Which animal is called man's best friend?": "The dog", "Which animal is the king of the jungle?": "The lion", "What pumps blood through the body?": "The heart", "What do you call a person who cannot see?": "Blind", "Which meal do we eat in the morning?": "Breakfast", "Which meal do we eat in the evening?": "Dinner", "What color do you get from blue and yellow?": "Green", "What color do you get from red and white?": "Pink", "What color do you get from red and yellow?": "Orange", "What color do you get from red and blue?": "Purple", "Which day comes after Friday?": "Saturday", "Which two days are the weekend?": "Saturday and Sunday", "What shines in the sky during the day?": "The sun", "What do fish breathe with?": "Gills", "What do birds have that people do not?": "Wings", "What do we smell with?": "The nose", "What do we hear with?": "The ears", "What do we see with?": "The eyes", "What do we taste with?": "The tongue", "What is the hardest natural stone?": "Diamond", "What do you call the home of a king?": "A castle", "What is H2O?": "Water", "Which ocean is between Europe and America?": "The Atlantic", "On which continent is the Sahara?": "Africa", "What is the largest continent?": "Asia", "Which country has the most kangaroos?": "Australia", "Which country is shaped like a boot?": "Italy", "Which animal has a trunk?": "The elephant", "Which animal has black and white stripes?": "The zebra", "Which animal carries its house on its back?": "The snail", "Which insect makes honey?": "The bee", "What do you wear on your feet?": "Shoes", "What do you wear on your hands when it is cold?": "Gloves", "What do you wear on your head?": "A hat",
}
LEAD = ["{q}", "{q}", "{q}", "{q}", "Question: {q}", "[Tell me|Quick question|I have a question|Do you know this|My son asks|Quiz]: {q}", "{q} [One word.|Short answer please.|Answer briefly.|In one word?]", "[Answer|Answer the question|Answer in one word]: {q}", "Do you know? {q}", "[hey|hi], {q}"]


def asked(w, templates, **known):
    """A question that may be introduced; the wording as a whole decides the split."""
    if isinstance(templates, str):
        templates = [templates]
    return w.ask([lead.replace("{q}", t) for t in templates for lead in w.some(LEAD, 3)], **known)


def short(w, value):
    return cap(str(value)) if w.chance(0.9) else cap(str(value)) + "."


def facts(w):
    """(question templates, slots, answer) of one fact."""
    form = w.number(0, 17)
    if form <= 1:
        x, (capital, language, continent) = w.one(list(COUNTRY.items()))
        return w.one([
            (["What is the capital of {x}?", "[Tell me|Name] the capital of {x}.", "Which city is the capital of {x}?", "Capital of {x}?", "{x}'s capital?", "What's the capital city of {x}?", "The capital of {x} is"], {"x": x}, capital),
            (["Of which country is {x} the capital?", "{x} is the capital of which country?", "Which country has the capital {x}?", "{x} is the capital of"], {"x": capital}, x),
            (["Which language [do people speak|is spoken] in {x}?", "What [language do they speak|is the main language] in {x}?", "Language of {x}?"], {"x": x}, language),
            (["On which continent is {x}?", "Which continent is {x} [on|in]?", "Where in the world is {x}? Name the continent.", "{x} is on which continent?"], {"x": x}, continent)])
    if form <= 4:
        a, b = w.one(PAIRS)
        a, b = (a, b) if w.chance(0.6) or any(p[1] == b and p[0] != a for p in PAIRS) or any(p[0] == b for p in PAIRS) else (b, a)
        return ["What is the opposite of {x}?", "[Give|Tell] me the opposite of [the word |]{x}.", "Name the opposite of {x}.", "Opposite of {x}?", "The opposite of {x} is", "Which word means the opposite of {x}?", "{x} - what is the opposite?", "not {x} but ...?", "What's the contrary of {x}?", "antonym of {x}?", "Find a word that means the opposite of {x}."], {"x": a}, b
    if form == 5:
        x = w.one(list(PLURALS))
        return ["What is the plural of {x}?", "[Give|Tell] me the plural of {x}.", "One {x}, two ...?", "Plural of {x}?", "How do you say more than one {x}?", "The plural of {x} is", "Write the plural form of {x}."], {"x": x}, PLURALS[x]
    if form <= 7:
        a, b = w.one(IRREGULAR)
        return ["What is the past [tense |form |]of {x}?", "[Give|Tell|Write] me the past tense of {x}.", "Past tense of [to |]{x}?", "Put the verb {x} into the past.", "Today I {x}, yesterday I ...?" if a != "be" else "What is the past of to be?", "The simple past of {x}?"], {"x": a}, b
    if form == 8:
        x = w.one(list(PARENTS))
        return ["What do you call a [young|baby] {x}?", "What is a [baby|young] {x} called?", "The [baby|young] of a {x} is called?", "Name for a baby {x}?", "A young {x} is a"], {"x": x}, PARENTS[x]
    if form == 9:
        if w.chance(0.4):
            x = w.one(list(SAYS))
            return ["What does {a x} say?", "[How|What sound] does {a x} [go|make]?"], {"x": x}, SAYS[x]
        x = w.one([k for k in SOUNDS if k != "crow"])
        return ["What sound does {a x} make? It [will|can] ...", "What is the verb for the sound of {a x}?"], {"x": x}, SOUNDS[x]
    if form == 10:
        x = w.one(list(COLORS))
        be = "are" if x == "cucumbers" else "is"
        return ["What color {b} {x}?", "What colour {b} {x}?", "Which color {h} {x} have?", "Color of {x}?", "{x} {b} which color?", "what color has {x}"], {"x": x, "b": be, "h": "do" if be == "are" else "does"}, COLORS[x]
    if form == 11:
        if w.chance(0.6):
            x = w.one(list(COUNTS))
            return ["How many {x}?", "[Tell me|Do you know|Say] how many {x}."], {"x": x}, COUNTS[x]
        x = w.one(list(LEGS))
        return ["How many legs does {a x} have?", "Number of legs of {a x}?", "How many legs has {a x}?", "{a x} has how many legs?"], {"x": x}, LEGS[x]
    if form == 12:
        x = w.one(list(MADE_OF))
        return ["What is {x} made of?", "What is {x} made from?", "From what do you make {x}?", "What do you need to make {x}?", "{x} is made from what?"] if x not in ("jeans", "raisins") else ["What are {x} made of?", "What are {x} made from?"], {"x": x}, MADE_OF[x]
    if form == 13:
        x = w.one(list(HOMES))
        return ["Where do {x} live?", "Where can you find {x}?", "In what place do {x} live?", "What is the home of {x}?", "{x} live in"], {"x": x}, HOMES[x]
    if form == 14:
        x = w.one(list(USES))
        plural = x in ("scissors", "glasses")
        return ["What [do you use {x} for|can you do with {x}]?", "What {b} {x} [used |]for?", "Why do people have {x}?", "What {b} {x} good for?"], {"x": x, "b": "are" if plural else "is"}, USES[x]
    if form == 15:
        x = w.one(list(WORKS))
        return ["Where does {a x} work?", "What is the workplace of {a x}?", "In which place does {a x} work?", "{a x} works in"], {"x": x}, WORKS[x]
    if form == 16:
        x = w.one(list(DOES))
        return ["Who {x}?", "What do you call [a person|someone] who {x}?", "Which job is it: somebody who {x}?", "Name the job of a person who {x}.", "Someone who {x} is a"], {"x": x}, DOES[x]
    if w.chance(0.5):
        q = w.one(list(PLAIN))
        return [q, q.rstrip("?")], {}, PLAIN[q]
    name = w.one(list(CLASSES))
    x = w.one(CLASSES[name])
    if any(x in others for other, others in CLASSES.items() if other != name):
        return facts(w)
    return ["What is {x}: {o}?", "Is {x} {o}?", "What kind of thing is {x}? [Choose from|Options]: {o}"], {"x": x, "o": " or ".join(sorted([f"a {name}" if name[0] not in "aeiou" else f"an {name}"] + [w.one([f"a {n}" for n in CLASSES if n[0] not in "aeiou" and n != name and x not in CLASSES[n] and not {n, name} <= {"animal", "bird", "insect"}])]))}, (f"an {name}" if name[0] in "aeiou" else f"a {name}")


def fact(w):
    templates, slots, answer = facts(w)
    w.contents += [str(slots.get("x", "")), str(answer)]
    return [asked(w, templates, **slots), short(w, answer)]


def quiz(w):
    """Several short questions in one conversation."""
    turns = []
    for _ in range(w.number(2, 5)):
        templates, slots, answer = facts(w)
        turns += [("user", asked(w, templates, **slots)), ("assistant", cap(str(answer)))]
    return turns


YES = ["Is it true that {s}?", "{S}. [Is that right|Is this correct|Is that true|Do you agree|Yes or no]?", "{q}", "{q}", "{q}", "{q} [Yes or no?|Answer yes or no.|Just yes or no.]", "[Yes or no|Say yes or no|Answer with yes or no]: {q}"]
TRUE = ["True or false: {s}.", "{S}. True or false?", "{S} - true or false?", "Is this true or false? {S}."]
RIGHT = ["{S}. Right or wrong?", "Right or wrong: {s}.", "Is this right or wrong? {S}."]


def claim(w):
    """(statement, question, whether it is true)."""
    form, true = w.number(0, 8), w.chance(0.5)
    other = lambda table, key: w.one([v for v in dict.fromkeys(table.values()) if v != table[key]])
    if form == 0:
        x, (capital, _, continent) = w.one(list(COUNTRY.items()))
        if w.chance(0.6):
            c = capital if true else w.one([v[0] for v in COUNTRY.values() if v[0] != capital])
            return f"{c} is the capital of {x}", f"Is {c} the capital of {x}?", true
        c = continent if true else w.one([v for v in ("Europe", "Asia", "Africa", "South America") if v != continent and x not in ("Turkey", "Russia", "Egypt")] or ["Australia"])
        return f"{x} is in {c}", f"Is {x} in {c}?", true
    if form == 1:
        name = w.one(list(CLASSES))
        x = w.one(CLASSES[name])
        if not true:
            far = [n for n in CLASSES if x not in CLASSES[n] and not {n, name} <= {"animal", "bird", "insect"} and not {n, name} <= {"fruit", "vegetable", "tree", "flower", "color"}]
            name = w.one(far)
        bare = x if x[0].isupper() or name in ("drink", "sport", "metal", "season", "color") or x in sum((CLASSES[c] for c in ("drink", "sport", "metal", "season", "color")), []) else ("an " if x[0] in "aeiou" else "a ") + x
        kind = ("an " if name[0] in "aeiou" else "a ") + name
        return f"{bare} is {kind}", f"Is {bare} {kind}?", true
    if form == 2:
        x = w.one([k for k in COLORS if k not in ("cucumbers", "a frog", "a leaf in summer")])
        c = COLORS[x] if true else w.one([c for c in ("red", "blue", "green", "white", "black", "yellow", "pink") if c != COLORS[x] and not (x == "the sky" and c in ("white", "black", "red", "pink")) and not (x == "the sun" and c in ("red", "white")) and x not in ("grass", "a crow", "a banana", "a lemon", "chocolate")] or ["purple"])
        return f"{x} is {c}", f"Is {x} {c}?", true
    if form == 3:
        x = w.one(list(LEGS))
        n = LEGS[x] if true else w.one([n for n in (2, 3, 4, 5, 6, 8) if n != LEGS[x]])
        a = "an" if x[0] in "aeiou" else "a"
        return f"{a} {x} has {n} legs", f"Does {a} {x} have {n} legs?", true
    if form == 4:
        a, b = w.number(0, 30), w.number(0, 30)
        if w.chance(0.5):
            return f"{a} is more than {b}", w.one([f"Is {a} more than {b}?", f"Is {a} bigger than {b}?", f"Is {a} greater than {b}?"]), a > b
        return f"{a} is less than {b}", w.one([f"Is {a} less than {b}?", f"Is {a} smaller than {b}?"]), a < b
    if form == 5:
        a, b = w.number(0, 12), w.number(0, 12)
        c = a + b if true else a + b + w.one([-2, -1, 1, 2, 3])
        return f"{a} plus {b} is {c}", w.one([f"Is {a} plus {b} {c}?", f"Is {a} + {b} = {c}?", f"Does {a} + {b} make {c}?"]), c == a + b
    if form == 6:
        x = w.one(list(DOES))
        job = DOES[x] if true else w.one(["baker", "pilot", "teacher", "dentist", "plumber", "fisherman"])
        job = job if true or job != DOES[x] else "astronaut"
        return f"a {job} {x}" if job[0] not in "aeiou" else f"an {job} {x}", None, true
    if form == 7:
        able = w.one([("fly", "eagles sparrows bees owls butterflies", "pigs elephants snakes horses fish"), ("swim", "fish ducks dolphins whales frogs", "stones"), ("bark", "dogs", "cats cows fish"), ("talk", "people", "stones tables shoes trees"), ("grow", "trees flowers children puppies", "stones spoons"), ("read", "teachers writers", "dogs cows trees fish")])
        x = w.one(able[1 if true else 2].split())
        return f"{x} can {able[0]}", f"Can {x} {able[0]}?", true
    thing, prop, wrong = w.one([("ice", "cold", "hot"), ("fire", "hot", "cold"), ("a stone", "hard", "soft"), ("a feather", "light", "heavy"), ("sugar", "sweet", "sour"), ("a lemon", "sour", "sweet"), ("water", "wet", "dry"), ("an elephant", "big", "tiny"), ("an ant", "small", "huge"), ("the night", "dark", "bright"), ("a turtle", "slow", "fast"), ("a needle", "sharp", "blunt"), ("gold", "expensive", "cheap"), ("the desert", "dry", "wet")])
    p = prop if true else wrong
    return f"{thing} is {p}", f"Is {thing} {p}?", true


def yes_no(w):
    statement, question, true = claim(w)
    forms, words = w.one([(YES, ("Yes", "No"))] * 4 + [(TRUE, ("True", "False")), (RIGHT, ("Right", "Wrong"))])
    fitting = [f for f in forms if question or "{q}" not in f]
    return [w.ask(fitting, s=statement, S=cap(statement), q=question), words[0] if true else words[1]]
