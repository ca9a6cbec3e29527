"""What tools are made of: kinds of parameters, tools of everyday life with requests for them, and verbs and nouns for tools that nobody has seen."""

from pathlib import Path

from .words import COUNTRY


def words(text, mark="|"):
    return [part.strip() for part in text.replace("\n", " ").split(mark) if part.strip()]


SAYINGS = words("""I will be late | dinner is ready | I am at the {place} | the {transport} is late | see you at {time} | happy birthday | call me back | the {plan} is moved to {day} | {name} is here | please bring {food} | I bought the {product} |
    we need {food} | I am on my way | good luck | thank you for the {object} | I can't come on {day} | where are you? | the keys are in the {room} | it was a great {plan} | we are out of {food} | I'll be there in {small} minutes | don't forget the {object} | the code is {code} |
    meet me at the {place} | I found your {object} | sorry, I missed the {transport} | the {repair} is fixed | {name} says hello | yes, {day} is fine | congratulations | pick up the kids at {time} | the {animal} ran away | I'm {feeling} | it is {weather} here | the new {product} is great""")
NOTES = words("""the {repair} is broken | {name} likes {food} | the {product} costs {price} dollars | the password is {code} | ask {name} about the {plan} | the {object} is in the {room} | idea: {a color} {object} | {company} opens at {time} | my locker has the number {count} |
    {name} is allergic to {food} | the {transport} leaves at {time} | gift for {name}: {a product} | try the {dish} in {city} | {town} has a nice {place} | read about {activity} | the {animal} eats {food}""")
CHORES = words("""buy {food} | call {name} | water the plants | feed the {animal} | clean the {room} | repair the {repair} | pay the rent | book a table | write to {company} | take out the trash | pack for {city} | practise the {instrument} | study {subject} | wash the car |
    pick up {name} | return the {product} | charge the {product} | renew the passport | order {food} | cook {dish} | take the medicine | bring the {object} to {name} | see the dentist | print the tickets | iron the shirts | plan the {plan}""")
FILLERS = words("It is getting late. | My hands are full. | I am in a hurry. | I just came home. | I am in the car right now. | I nearly forgot. | We have guests tonight. | One more thing. | I am tired today. | My {relative} asked me. | Before I forget. | Long day today. | I have a small job for you.")
LANGUAGES = sorted({language for _, language, _ in COUNTRY.values()})

# key: (type, names, descriptions, what it is made of: a bank, templates, a range, or the words for each value of an enum)
KINDS = {
    "room": ("string", "room|room name|place|location", "the room|name of the room|which room", "room"),
    "person": ("string", "name|person|contact|who", "name of the person|the person|who it is", "name"),
    "recipient": ("string", "recipient|to|contact|receiver|name", "who gets it|name of the recipient|the person to write to", "name"),
    "player": ("string", "player|name|player name|user", "name of the player|the player", "name"),
    "message": ("string", "message|text|body|content", "what to say|the text|text of the message", SAYINGS),
    "note": ("string", "text|note|content", "the text|what to write down|text of the note", NOTES),
    "chore": ("string", "task|title|text|what", "what is to be done|the task|title of the task", CHORES),
    "event": ("string", "title|event|name|subject", "title of the event|what it is|the occasion", "plan"),
    "day": ("string", "day|weekday|date", "the day|day of the week|on which day", "day"),
    "date": ("string", "date|day|on", "the date|which date|date as text", "fulldate"),
    "time": ("string", "time|at|start time|start", "the time|at what time|time of day", "time"),
    "city": ("string", "city|place|location|city name|town", "name of the city|the city|which city", "city"),
    "from": ("string", "from|origin|start|departure|from city", "where it starts|the city of departure", "city"),
    "to": ("string", "to|destination|goal|to city", "where it goes|the destination", "city"),
    "street": ("string", "street|address|destination", "the street|the address|name of the street", "street"),
    "product": ("string", "product|item|article|name", "the product|name of the product|what to buy", "product"),
    "food": ("string", "food|item|ingredient|product", "the food|what it is|name of the food", "food"),
    "dish": ("string", "dish|meal|recipe|name", "the dish|name of the dish", "dish"),
    "drink": ("string", "drink|beverage|kind", "the drink|what to drink|kind of drink", "drink"),
    "song": ("string", "song|title|track|song title", "title of the song|the song|name of the track", "TITLE"),
    "book": ("string", "title|book|name", "title of the book|the book", "TITLE"),
    "film": ("string", "film|movie|title", "title of the film|the film", "TITLE"),
    "artist": ("string", "artist|band|singer|by", "the artist|who sings it|name of the band", "FULL"),
    "full": ("string", "name|full name|customer|guest", "full name|name of the guest|first and last name", "FULL"),
    "company": ("string", "company|firm|organization|customer", "name of the company|the company", "company"),
    "percent": ("integer", "percent|level|value|amount", "percent|level in percent|from 0 to 100", (0, 100)),
    "volume": ("integer", "volume|level|loudness", "the volume|volume from 0 to 100|how loud", (0, 100)),
    "degrees": ("number", "temperature|degrees|target|value", "temperature in degrees|degrees|the temperature", (5, 30)),
    "minutes": ("integer", "minutes|duration|length|duration minutes", "how many minutes|duration in minutes|minutes", (1, 90)),
    "hours": ("integer", "hours|duration|duration hours", "how many hours|duration in hours", (1, 24)),
    "count": ("integer", "count|quantity|number|amount", "how many|the number|quantity", (2, 40)),
    "people": ("integer", "people|guests|party size|persons|seats", "how many people|number of guests|number of persons", (2, 12)),
    "nights": ("integer", "nights|number of nights|duration", "how many nights|length of the stay in nights", (1, 14)),
    "rating": ("integer", "rating|stars|score", "stars from 1 to 5|the rating", (1, 5)),
    "floor": ("integer", "floor|level|storey", "the floor|number of the floor", (0, 30)),
    "line": ("integer", "line|machine|station|machine id|unit", "number of the machine|which machine|the number", (1, 60)),
    "points": ("integer", "points|score|value", "how many points|the points", (1, 500)),
    "amount": ("number", "amount|sum|value|price", "the amount|how much money|amount of money", (1, 900)),
    "limit": ("number", "max price|limit|budget|price limit", "highest price|the most it may cost", (5, 400)),
    "a": ("number", "a|x|first|left", "the first number|first number", (0, 999)),
    "b": ("number", "b|y|second|right", "the second number|second number", (0, 999)),
    "code": ("string", "code|id|number|reference", "the code|the number|code as text", "code"),
    "email": ("string", "email|address|email address|to", "the email address|where to send it", "email"),
    "phone": ("string", "phone|number|phone number", "the phone number|number to call", "phone"),
    "color": ("string", "color|colour|shade", "the color|which color", "color"),
    "animal": ("string", "animal|pet|kind", "the animal|kind of animal", "animal"),
    "object": ("string", "object|item|thing", "the thing|name of the item", "object"),
    "place": ("string", "place|location|target|where", "the place|where to go|name of the place", "place"),
    "town": ("string", "town|place|village|where", "the town|name of the town", "town"),
    "word": ("string", "word|text|term", "the word|which word", "madeup"),
    "language": ("string", "language|to language|target|lang", "the language|language to use", LANGUAGES),
    "activity": ("string", "activity|sport|kind|course", "the activity|which sport|what it was", "activity"),
    "file": ("string", "file|file name|path|name", "name of the file|the file", "FILE"),
    "folder": ("string", "folder|directory|target|album", "the folder|name of the folder", words("Pictures | Work | Private | Holiday | Invoices | Music | School | Recipes | Archive | Old | Letters | Family | Drafts | Projects")),
    "items": ("array", "items|products|things|list", "the things|names of the items|what to put on it", "food"),
    "guests": ("array", "guests|people|names|participants", "names of the guests|who takes part|the people", "name"),
    "switch": ("switch", "state|value|status|power", "on or off|the new state", {"on": "on", "off": "off"}),
    "priority": ("enum", "priority|importance|urgency", "how important it is|the priority", {"low": "low", "normal": "normal|medium", "high": "high|top"}),
    "size": ("enum", "size|portion", "the size|which size", {"small": "small|little", "medium": "medium", "large": "large|big"}),
    "speed": ("enum", "speed|pace|power", "how fast|the speed", {"slow": "slow|low", "normal": "normal", "fast": "fast|high"}),
    "direction": ("enum", "direction|side|way", "the direction|which way", {"left": "left", "right": "right", "forward": "forward|ahead", "back": "back|backwards"}),
    "unit": ("enum", "unit|units|scale", "the unit|unit of temperature", {"celsius": "celsius|Celsius", "fahrenheit": "fahrenheit|Fahrenheit"}),
    "genre": ("enum", "genre|style|kind", "kind of music|the genre", {"jazz": "jazz", "rock": "rock", "classical": "classical", "pop": "pop", "folk": "folk"}),
    "class": ("enum", "class|travel class|seat class", "the class|class of the seat", {"economy": "economy|second class", "business": "business|first class"}),
    "format": ("enum", "format|type|output", "format of the file|the format", {"pdf": "PDF|pdf", "csv": "CSV|csv", "text": "text|plain text"}),
    "mode": ("enum", "mode|program|setting", "the mode|how to run", {"eco": "eco", "quiet": "quiet|silent", "turbo": "turbo|fastest"}),
    "repeat": ("enum", "repeat|every|frequency", "how often|when to repeat", {"daily": "every day|daily", "weekly": "every week|weekly", "monthly": "every month|monthly"}),
    "difficulty": ("enum", "difficulty|level|mode", "how hard it is|the difficulty", {"easy": "easy", "normal": "normal|medium", "hard": "hard|difficult"}),
}

# A tool is a line "key / neighbourhood / names / descriptions" and lines for its requests (?), for what to say when it is done (!), or for what a question
# to it brings: fields, answer, further questions (=), for requests that leave something open (-), and for those that change one thing of the one before (&).
# {key} is a parameter, <key: …> is left out now and then, @key=value is an argument that the words only mean.
CATALOGUE = (Path(__file__).parent / "catalogue.txt").read_text()
KINDS |= {
    "app": ("string", "app|name|app name|program", "name of the app|the app|which app", words("Maps | Mail | Calendar | Camera | Photos | Notes | Music | Clock | Weather | Messages | Books | Games | Chess | Banking | Settings | Contacts | Radio | Podcasts")),
    "currency": ("string", "currency|to|target", "the currency|currency to convert to", words("euros | pounds | yen | francs | crowns | rupees | pesos | zloty | dinars | rand | baht | won")),
    "number": ("integer", "number|id|index|nr", "the number|which one|number as digits", (1, 400)),
    "kilos": ("number", "weight|kilos|value|kg", "weight in kilos|the weight", (30, 120)),
}

# Verbs of tools that are put together: what it does, words for it in requests, and when it is done.
MACHINE_VERBS = words("""start/starts/start, launch, fire up/started ; stop/stops/stop, halt/stopped ; pause/pauses/pause, hold/paused ; restart/restarts/restart, reboot/restarted ; reset/resets/reset/reset ; test/tests/test, try out/tested ; calibrate/calibrates/calibrate, adjust/calibrated ;
    clean/cleans/clean, wash/cleaned ; inspect/inspects/inspect, examine/inspected ; lock/locks/lock/locked ; unlock/unlocks/unlock/unlocked ; open/opens/open/opened ; close/closes/close, shut/closed ; raise/raises/raise, lift/raised ; lower/lowers/lower, bring down/lowered ;
    charge/charges/charge, power up/charged ; cool/cools/cool, cool down/cooled ; heat/heats/heat, heat up, warm up/heated ; turn/turns/turn, rotate/turned ; empty/empties/empty, drain/emptied ; fill/fills/fill, fill up/filled ; repair/repairs/repair, fix/repaired ; update/updates/update, upgrade/updated""", ";")
RECORD_VERBS = words("""create/creates/create, make, set up/created ; delete/deletes/delete, remove, erase/deleted ; archive/archives/archive, put away/archived ; export/exports/export/exported ; print/prints/print, print out/printed ; share/shares/share/shared ; approve/approves/approve, accept/approved ;
    reject/rejects/reject, refuse, turn down/rejected ; publish/publishes/publish, post/published ; save/saves/save, store, keep/saved ; copy/copies/copy, duplicate/copied ; sign/signs/sign/signed ; cancel/cancels/cancel, call off/cancelled ; close/closes/close/closed ; reopen/reopens/reopen, open again/reopened ;
    assign/assigns/assign, hand over/assigned ; send/sends/send, mail, submit/sent ; check/checks/check, review, go over/checked ; hide/hides/hide/hidden ; mark/marks/mark, flag/marked ; lock/locks/lock, protect/locked ; compress/compresses/compress, shrink, zip/compressed ; schedule/schedules/schedule, plan/scheduled""", ";")
MACHINES = words("""coffee machine | dishwasher | washing machine | server | pump | fan | conveyor belt | drill | robot arm | elevator | generator | camera | drone | mixer | oven | heater | boiler | turbine | crane | scanner | router | simulation | sprinkler | lawn mower | filter | fountain |
    telescope | projector | alarm system | garage door | gate | awning | door lock | engine | kiln | sauna | label printer | sewing machine | windmill | ramp | loom | press | furnace | reactor | tank | valve | antenna | mill | freezer | aquarium | hot tub | barrier | bridge | tractor | milking machine |
    incubator | centrifuge | microscope | laser | satellite | train set | stage light | fog machine | jukebox | carousel | ski lift | wave machine | bell tower | sluice | compressor | forklift | packing line | bottle washer | bread slicer | paint booth""")
RECORDS = words("""invoice | ticket | report | booking | contract | recipe | photo album | form | survey | application | claim | page | article | chapter | map | sketch | timesheet | shift | badge | certificate | letter | receipt | quote | shipment | sample | lesson | exam | course | quest |
    poster | backup | log file | blog post | newsletter | budget | checklist | template | survey result | podcast | video | voice memo | bug report | release | branch | dashboard | slide deck | spreadsheet | membership | coupon | gift card | subscription | poll | comment | profile | prescription |
    lab result | patient file | crew list | flight plan | cargo list | menu | seating plan | scene | script | song sheet | crossword | riddle | tournament | league | auction | bid | wish list | guest list | diary entry | family tree | stamp collection | seed order | harvest plan""")
ATTRIBUTES = words("""status/status=~open|closed|waiting|done|late|running ; price/price=price ; size/size=~small|medium|large|very large ; weight/weight=count ; owner/owner=name ; speed/speed=count ; score/score=count ; color/color=color ; author/author=name ; capacity/capacity=count ; location/location=town ; due date/due_date=fulldate ;
    age/age=age ; version/version=decimal ; manager/manager=name ; country/country=~France|Spain|Japan|Peru|Kenya|Norway|Canada|India ; temperature/temperature=temperature ; phone number/phone=phone ; level/level=small ; name/name=TITLE ; length/length=count ; height/height=count ; value/value=money ; rank/rank=small""", ";")
# What else may be said about a machine or a record: parameter and words.
MACHINE_EXTRAS = {"minutes": "for {minutes} minutes", "percent": "at {percent} percent", "mode": "in {mode} mode", "time": "at {time}", "room": "in the {room}", "speed": "at {speed} speed", "degrees": "at {degrees} degrees", "day": "on {day}", "count": "{count} times", "person": "for {person}", "code": "with the code {code}"}
RECORD_EXTRAS = {"book": "called {book}", "code": "with the number {code}", "day": "on {day}", "person": "for {person}", "priority": "with {priority} priority", "format": "as {format}", "message": 'with the comment "{message}"', "email": "to {email}", "count": "in {count} copies", "folder": "in the folder {folder}", "color": "in {color}", "company": "for {company}", "language": "in {language}"}
