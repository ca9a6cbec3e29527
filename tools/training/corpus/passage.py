"""Short passages with known facts: the material for summaries, extraction, JSON and questions about a text.

An event is a dictionary of facts; each kind knows sentences that tell the facts and sentences that sum them up.
"""

import re

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
        body = [self.say(w, event["tell"])] + [self.say(w, m) for m in extra]
        if w.chance(0.25):
            body.insert(0, self.say(w, ["[Hello everyone|Dear all|Hi|Good news], ", "[Here is some news|A short note]: "]).rstrip() + " " + body.pop(0))
        self.text = " ".join(body)

    def say(self, w, template):
        return w.fill(template, **self.facts)

    def summary(self, w):
        return self.say(w, EVENTS[self.kind]["sum"])

    def known(self):
        """The facts that the text really tells."""
        return {key: value for key, value in self.facts.items() if re.search(rf"\b{re.escape(value)}\b", self.text)}
