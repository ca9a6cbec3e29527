"""Short passages with known facts: the material for summaries, extraction, JSON and questions about a text.

An event is a dictionary of facts; each kind knows sentences that tell the facts and sentences that sum them up.
"""

import re

from .writer import cap

SLOT = re.compile(r"\{(?:an? )?(\w+)\}")

EVENTS = {
    "meeting": dict(
        facts=["name", "company", "day", "time", "room", "name2"],
        tell=["[On {day} at {time}|At {time} on {day}] {name} [will meet|meets] the team from {company}[ in the {room}|].", "{name} from {company} [asked for|wants|plans] a meeting on {day} at {time}.",
              "There will be a meeting with {company} on {day} at {time}, says {name}."],
        more=["{name2} will [bring the slides|take notes|prepare the room].", "They want to talk about the [budget|new design|next steps|contract].", "Coffee and water will be [ready|on the table].", "Please [be on time|read the report first].", "The meeting should take about an hour."],
        sum=["{name} meets {company} on {day} at {time}.", "A meeting with {company} is planned for {day} at {time}."]),
    "party": dict(
        facts=["name", "plan", "day", "time", "street", "food"],
        tell=["{name} is [planning|organising] a {plan} on {day} at {time}.", "[You are invited to|Come to] the {plan} that {name} is planning for {day} at {time}."],
        more=["It will take place on {street}.", "Guests should bring {food} and good mood.", "There will be music and [games|dancing].", "Everyone [is welcome|may bring a friend].", "If it rains, it will be held inside."],
        sum=["{name} plans a {plan} on {day} at {time}.", "{name} is holding a {plan} on {day} at {time}."]),
    "trip": dict(
        facts=["name", "city", "month", "transport", "relative", "small"],
        tell=["{name} is going to {city} by {transport} in {month}.", "In {month} {name} will travel to {city} by {transport}.", "{name} [booked|bought] a ticket for the {transport} to {city} in {month}."],
        more=["The trip will last {small} days.", "Her {relative} is coming too.", "They want to [see the museum|walk along the river|try the local food].", "The hotel is [small but clean|close to the station].", "The suitcase is already [packed|full]."],
        sum=["{name} travels to {city} by {transport} in {month}.", "{name} will go to {city} in {month}."]),
    "order": dict(
        facts=["name", "product", "price", "company", "day", "color"],
        tell=["{name} ordered a {color} {product} from {company} for {price} dollars.", "{name} bought a {color} {product} at {company} for {price} dollars."],
        more=["It should arrive on {day}.", "The package will be [sent|delivered] on {day}.", "The shop [sent|wrote] a short email with the number of the order.", "Delivery is free.", "The {product} is a gift for a friend."],
        sum=["{name} ordered a {product} from {company} for {price} dollars.", "{name} bought a {color} {product} for {price} dollars."]),
    "accident": dict(
        facts=["street", "reason", "day", "transport", "name", "small"],
        tell=["On {day} a {transport} [stopped|broke down] on {street} because of {reason}.", "Because of {reason} a {transport} got stuck on {street} on {day}."],
        more=["{name}, the driver, [was not hurt|called for help].", "The road was closed for {small} hours.", "Many people [were late|had to walk].", "A crowd [watched|waited] in the cold.", "The police thanked everyone for their patience."],
        sum=["A {transport} stopped on {street} on {day} because of {reason}.", "{street} was closed after a {transport} stopped because of {reason}."]),
    "job": dict(
        facts=["name", "job", "company", "city", "month", "surname"],
        tell=["{name} {surname} [starts|will start] as {a job} at {company} in {month}.", "In {month} {company} [hired|hires] {name} {surname} as {a job}."],
        more=["The office is in {city}.", "{name} [moved|will move] to {city} for the new job.", "The first week will be spent on training.", "The team [is happy|was glad] about the new colleague.", "{name} learned the trade from an old friend."],
        sum=["{name} {surname} starts as {a job} at {company} in {month}.", "{name} {surname} has a new job as {a job} at {company}."]),
    "repair": dict(
        facts=["name", "repair", "room", "price", "day", "company"],
        tell=["The {repair} at {name}'s house is broken and {company} will repair it on {day}.", "{company} will [fix|repair] the {repair} at {name}'s house on {day}."],
        more=["The repair costs {price} dollars.", "The bill will be {price} dollars.", "{name} [found|noticed] the damage last week.", "Until then [everyone must be careful|it cannot be used].", "The neighbors [lent a ladder|offered to help]."],
        sum=["{company} will repair the {repair} at {name}'s house on {day}.", "{name}'s broken {repair} will be repaired on {day}."]),
    "pet": dict(
        facts=["name", "animal", "name2", "place", "color", "day"],
        tell=["{name} lost a {color} {animal} named {name2} near the {place} on {day}.", "A {color} {animal} named {name2} ran away from {name} near the {place} on {day}."],
        more=["The {animal} is friendly and [likes children|answers to its name].", "It was last seen near the {place}.", "{name} [put up posters|asked all the neighbors].", "Whoever finds it gets a reward.", "The family misses it very much."],
        sum=["{name} lost a {color} {animal} named {name2} near the {place}.", "{name}'s {animal} {name2} has been missing since {day}."]),
    "match": dict(
        facts=["town", "town2", "name", "small", "day", "weather"],
        tell=["{town} beat {town2} on {day}, and {name} scored the winning goal.", "On {day} {name} scored the winning goal for {town} against {town2}."],
        more=["About {small} hundred people came to watch.", "The weather was {weather}.", "The first half was [slow|quiet].", "The fans [sang|danced] until late in the night.", "The coach praised the whole team."],
        sum=["{town} beat {town2} with a goal by {name}.", "{name} scored the winning goal for {town} against {town2}."]),
    "weather": dict(
        facts=["city", "weather", "day", "weather2", "daypart", "town"],
        tell=["It will be {weather} in {city} on {day} {daypart}.", "The forecast for {city} says that {day} {daypart} will be {weather}."],
        more=["In {town} it may be {weather2}.", "Drivers should [be careful|leave early].", "The wind comes from the [north|south|west|east].", "Take [a coat|an umbrella|a hat] with you.", "The next day should be better."],
        sum=["{city} will be {weather} on {day} {daypart}.", "Expect {weather} weather in {city} on {day}."]),
    "class": dict(
        facts=["name", "activity", "day", "time", "price", "town"],
        tell=["{name} teaches {activity} in {town} every {day} at {time}.", "Every {day} at {time} {name} gives a {activity} class in {town}."],
        more=["A lesson costs {price} dollars.", "The class is open to [beginners|everyone|children].", "Please bring [water|a towel|comfortable clothes].", "There are still a few free places.", "The first lesson is free."],
        sum=["{name} teaches {activity} in {town} every {day} at {time}.", "There is a {activity} class in {town} every {day}."]),
    "find": dict(
        facts=["name", "object", "place", "town", "month", "color"],
        tell=["In {month} {name} found an old {color} {object} in the {place} of {town}.", "{name} [found|discovered] a {color} {object} near the {place} in {town} in {month}."],
        more=["Nobody knows [who lost it|how old it is].", "The {object} is now in the museum.", "{name} cleaned it with great care.", "People [come from far away|stand in line] to see it.", "The mayor [gave a speech|was delighted]."],
        sum=["{name} found a {color} {object} in {town}.", "A {color} {object} was found by {name} in {town} in {month}."]),
    "booking": dict(
        facts=["name", "surname", "count", "fulldate", "time", "phone"],
        tell=["[Hi|Hello], this is {name} {surname}. I would like to book a table for {count} people on {fulldate} at {time}.", "{name} {surname} reserved a table for {count} on {fulldate} at {time}.", "Table for {count}, {fulldate}, {time}, name {name} {surname}."],
        more=["[My|The] phone number is {phone}.", "You can reach me at {phone}.", "A table by the window would be nice.", "One of us does not eat meat.", "Please confirm by email.", "We may be ten minutes late."],
        ask={"name": ["Who booked the table?", "What is the first name of the guest?"], "count": ["How many people is the table for?", "How many guests come?", "How many people are coming?"], "fulldate": ["What date is the booking for?", "For which date is the table?", "When is the booking?"], "time": ["What time is the booking?", "When do they come?", "At what time is the table booked?"], "phone": ["What is the phone number?", "Which number can we call?"], "surname": ["What is the last name of the guest?", "What is the surname?"]},
        sum=["{name} {surname} booked a table for {count} on {fulldate} at {time}.", "{name} {surname} wants a table for {count} people on {fulldate}."]),
    "invoice": dict(
        facts=["company", "code", "money", "fulldate", "product", "name"],
        tell=["Invoice {code} from {company}: {money} for a {product}, due on {fulldate}.", "{company} sent {name} invoice {code} over {money}. It is due on {fulldate}.", "{name}, please pay {money} to {company} by {fulldate}. The invoice number is {code}."],
        more=["It is for the {product} that {name} ordered.", "Late payment costs extra.", "Payment by card is possible.", "Questions? Write to our office.", "Thank you for your order."],
        ask={"company": ["Which company sent the invoice?", "Who gets the money?"], "code": ["What is the invoice number?", "Which number does the invoice have?"], "money": ["How much has to be paid?", "What is the amount?", "How much is the invoice?"], "fulldate": ["When is it due?", "By when must it be paid?", "What is the due date?"], "product": ["What is the invoice for?", "What was ordered?"]},
        sum=["{company} wants {money} by {fulldate}.", "Invoice {code} from {company} over {money} is due on {fulldate}."]),
    "introduction": dict(
        facts=["name", "surname", "age", "city", "job", "activity"],
        tell=["My name is {name} {surname}, I am {age} years old and I live in {city}.", "{name} {surname} ({age}) is {a job} from {city}.", "Hi, I'm {name}, {age}, {job}, living in {city}.", "{name} is {age} years old, lives in {city} and works as {a job}."],
        more=["[I work|Works] as {a job}.", "{activity} is the favorite hobby.", "In free time there is always {activity}.", "Coffee first, then everything else.", "The cat is called Biscuit."],
        ask={"name": ["What is the name of the person?", "Who is this?", "What is the first name?"], "age": ["How old is the person?", "What is the age?", "How old?"], "city": ["Where does the person live?", "Which city?", "In which city does the person live?"], "job": ["What is the job of the person?", "What does the person do for a living?", "What is the profession?"], "surname": ["What is the surname?", "What is the last name?"], "activity": ["What is the hobby?", "Which hobby is mentioned?"]},
        sum=["{name} is {a job} from {city}.", "{name} is {age} years old and lives in {city}."]),
    "contact": dict(
        facts=["name", "surname", "email", "phone", "company", "job"],
        tell=["{name} {surname}, {job}, {company}, {phone}, {email}", "Contact: {name} {surname} from {company}, phone {phone}, email {email}.", "You can reach {name} {surname} of {company} at {phone} or {email}.", "Please write to {email} or call {phone} and ask for {name} {surname}."],
        more=["{name} works as {a job} at {company}.", "The office is closed on weekends.", "Answers take a day or two.", "Ask before noon if you can."],
        ask={"email": ["What is the email address?", "Which email is given?", "What's the email?"], "phone": ["What is the phone number?", "Which number should I call?", "What's the number?"], "name": ["Who is the contact?", "What is the first name?"], "company": ["Which company is it?", "Where does the person work?"]},
        sum=["{name} {surname} can be reached at {phone} or {email}.", "You can reach {name} at {phone}."]),
    "delivery": dict(
        facts=["code", "product", "street", "city", "day", "time"],
        tell=["Your parcel {code} with the {product} will arrive on {day} around {time}.", "Package {code} ({product}) comes on {day} at {time}.", "The courier brings the {product}, parcel number {code}, on {day} around {time}."],
        more=["It goes to {street} in {city}.", "Delivery address: {street}, {city}.", "Somebody should be at home.", "You can follow it online.", "If nobody is there, it goes to a neighbor.", "No signature is needed."],
        ask={"code": ["What is the parcel number?", "Which number does the package have?", "What's the tracking number?"], "product": ["What is in the parcel?", "What is being delivered?"], "day": ["On which day does the parcel come?", "When does it arrive?", "Which day?"], "time": ["At what time does it come?", "What time?"], "city": ["To which city does it go?", "Which city is it sent to?"], "street": ["Which street does it go to?", "On what street is the delivery?"]},
        sum=["The {product} arrives on {day} around {time}.", "Parcel {code} arrives on {day}."]),
    "flight": dict(
        facts=["city", "city2", "code", "fulldate", "time", "name"],
        tell=["Flight {code} from {city} to {city2} leaves on {fulldate} at {time}.", "{name} flies from {city} to {city2} on {fulldate}. Flight {code} leaves at {time}.", "Departure {city} {time}, arrival {city2}, {fulldate}, flight {code}."],
        more=["{name} has a seat by the window.", "Please be there two hours early.", "Only one bag is allowed.", "{name} will be picked up after landing.", "There may be a delay."],
        ask={"city": ["Where does the flight start?", "From which city does it leave?", "Which city does the flight leave from?"], "city2": ["Where does the flight go?", "What is the destination?", "Where to?"], "code": ["What is the flight number?", "Which flight is it?"], "fulldate": ["On which date is the flight?", "When is the flight?", "What is the date?"], "time": ["At what time does the flight leave?", "When does it take off?", "What time?"]},
        sum=["Flight {code} goes from {city} to {city2} on {fulldate}.", "There is a flight from {city} to {city2} on {fulldate} at {time}."]),
    "appointment": dict(
        facts=["name", "surname", "day", "time", "job", "street", "relative"],
        tell=["{name} has an appointment with Dr. {surname} on {day} at {time}.", "Don't forget: {name}, {day} {time}, Dr. {surname}.", "Reminder: on {day} at {time} {name} sees Dr. {surname}.", "My {relative} {name} must go to Dr. {surname} on {day} at {time}."],
        more=["The practice is on {street}.", "Bring the insurance card.", "Come ten minutes early.", "Please call if you cannot come.", "No breakfast before the blood test."],
        ask={"name": ["Who has an appointment?", "Whose appointment is it?"], "surname": ["What is the name of the doctor?", "Which doctor is it?"], "day": ["On which day is the appointment?", "Which day?", "What day is it?"], "time": ["At what time is the appointment?", "When does it begin?", "What time?"], "street": ["Where is the practice?", "On which street is the practice?"]},
        sum=["{name} sees Dr. {surname} on {day} at {time}.", "{name} has an appointment on {day} at {time}."]),
    "purchase": dict(
        facts=["name", "count", "food", "count2", "food2", "town", "money"],
        tell=["{name} bought {count} kilos of {food} and {count2} kilos of {food2} at the market in {town}.", "At the market of {town} {name} got {count} boxes of {food} and {count2} bags of {food2}.", "{name} needs {count} packs of {food} and {count2} packs of {food2} from {town}."],
        more=["It cost {money} in all.", "The total was {money}.", "The rest comes next week.", "Nothing was left over.", "The bag was very heavy."],
        ask={"name": ["Who went shopping?", "Who is the buyer?"], "town": ["Where was the market?", "Which town is it?"], "money": ["How much did it cost?", "What was the total?", "How much was it?"]},
        sum=["{name} got {food} and {food2} in {town}.", "{name} shopped for {food} and {food2}."]),
    "history": dict(
        facts=["name", "surname", "year", "town", "object", "year2", "city"],
        tell=["{name} {surname} was born in {town} in {year}.", "In {year} {name} {surname} came to {town}.", "{name} {surname} built the first {object} museum of {town} in {year}.", "The {object} factory of {town} was opened in {year} by {name} {surname}."],
        more=["In {year2} everything moved to {city}.", "It was closed in {year2}.", "A statue in {city} reminds people of it.", "Many people still talk about it.", "Only a few old photos are left."],
        ask={"year": ["In which year was that?", "What year?", "Which year comes first in the text?"], "name": ["Who is the text about?", "Which person is mentioned?"], "town": ["Which town is mentioned?", "In which town was it?"], "city": ["Which city is mentioned?"], "surname": ["What is the surname of the person?", "What is the last name?"]},
        sum=["{name} {surname} belongs to the history of {town}.", "The text is about {name} {surname} of {town} in {year}."]),
    "message": dict(
        facts=["name", "name2", "object", "room", "time", "relative"],
        tell=["Hi {name}, I left the {object} in the {room}. Can you bring it at {time}? {name2}", "{name}, your {relative} called at {time}. The {object} is in the {room}. {name2}", "Dear {name}, please put the {object} in the {room} before {time}. Thanks, {name2}", "hey {name} its {name2}, cant find the {object}, is it in the {room}? back at {time}"],
        more=["The door is open.", "Thanks a lot!", "See you later.", "Sorry for the trouble.", "Don't tell anybody."],
        ask={"name": ["Who is the message for?", "Who gets the message?", "To whom is it written?"], "name2": ["Who wrote the message?", "Who is it from?", "Who sent this?"], "object": ["What is it about?", "Which thing is mentioned?", "What thing is meant?"], "room": ["Which room is mentioned?", "Where could the thing be?"], "time": ["Which time is mentioned?", "What time is mentioned?"]},
        sum=["{name2} writes to {name} about the {object}.", "{name2} tells {name} about the {object} and the {room}."]),
    "rental": dict(
        facts=["count", "room", "street", "city", "money", "month", "name"],
        tell=["For rent: flat with {count} square meters on {street} in {city}, {money} a month.", "{name} rents out a flat of {count} square meters on {street} in {city} for {money} a month."],
        more=["It is free from {month}.", "You can move in in {month}.", "It has a new {room}.", "Pets are [welcome|not allowed].", "The neighbors are quiet.", "{name} shows it on weekends."],
        ask={"money": ["How much is the rent?", "What does the flat cost?", "What is the rent?"], "street": ["On which street is the flat?", "Where in the city is it?"], "city": ["In which city is the flat?", "Which city?"], "count": ["How big is the flat in square meters?", "How many square meters does it have?"], "month": ["From which month is it free?", "When can I move in?"]},
        sum=["A flat on {street} in {city} costs {money} a month.", "There is a flat for rent in {city} for {money} a month."]),
}


class Passage:
    """One event told in two to five sentences."""

    def __init__(self, w, kind=None, sentences=None):
        self.kind = kind or w.one(list(EVENTS))
        event = EVENTS[self.kind]
        self.facts = {}
        for key in event["facts"]:
            bank = key.rstrip("2")
            value = w.word(bank)
            while value in self.facts.values():
                value = w.word(bank)
            self.facts[key] = value
        extra = w.rng.sample(event["more"], sentences or w.number(1, 4))
        body = [self.say(w, event["tell"])] + [cap(self.say(w, m)) for m in extra]
        if w.chance(0.15):
            body.insert(0, self.say(w, ["[Hello everyone|Dear all|Hi|Good news], ", "[Here is some news|A short note]: "]).rstrip() + " " + body.pop(0))
        self.text = " ".join(body)

    def say(self, w, template):
        return w.fill(template, **self.facts)

    def told(self, value):
        """Whether a value stands in the text as a word of its own."""
        return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", self.text) is not None

    def summary(self, w):
        """A sentence that sums up what the text tells, and nothing else."""
        known = self.known()
        fitting = [t for t in EVENTS[self.kind]["sum"] if all(k in known for k in SLOT.findall(t))]
        return self.say(w, max(fitting, key=lambda t: len(SLOT.findall(t)))) if fitting else self.text.split(". ")[0].rstrip(".") + "."

    def known(self):
        """The facts that the text really tells; `full` is first and last name where they stand together."""
        result = {key: value for key, value in self.facts.items() if self.told(value)}
        full = f"{self.facts.get('name', '')} {self.facts.get('surname', '')}"
        if "name" in result and "surname" in result and self.told(full):
            result["full"] = full
        return result
