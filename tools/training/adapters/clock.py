"""Points in time, as `commands` writes them and as a household says them."""

from dataclasses import dataclass

HOURS = "twelve one two three four five six seven eight nine ten eleven twelve".split()
NUMBERS = ("zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen").split()
TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def in_words(number):
    if number < 20:
        return NUMBERS[number]
    return TENS[number // 10] + (f"-{NUMBERS[number % 10]}" if number % 10 else "") if number < 100 else "a hundred" if number == 100 else str(number)


@dataclass(frozen=True)
class Moment:
    """Now (`kind` is ""), at an hour and minute, every day at them, or in some minutes."""

    kind: str = ""
    hour: int = 0
    minute: int = 0

    def __str__(self):
        return {"": "", "at": f"@{self.hour:02}{self.minute:02}", "daily": f"@{self.hour:02}{self.minute:02}*", "in": f"+{self.minute}"}[self.kind]


def moment(w, kinds=("at", "at", "daily", "in")):
    kind = w.one(kinds)
    if kind == "in":
        return Moment(kind, 0, w.one([5, 10, 15, 20, 25, 30, 30, 40, 45, 50, 60, 60, 90, 120, 180, w.number(2, 59), w.number(2, 59), 150, 75]))
    hour = w.one([w.number(5, 22), w.number(5, 22), w.number(0, 23)])
    return Moment(kind, hour, w.one([0, 0, 0, 15, 30, 30, 45, w.number(1, 11) * 5, w.number(1, 59) if w.chance(0.3) else 0]))


def said(w, when):
    """A moment in words, as it may stand at the end of a sentence or, with a comma behind it, at its beginning."""
    if when.kind == "in":
        return waiting(w, when.minute)
    if when.kind == "at":
        return once(w, when)
    return daily(w, when)


def waiting(w, minutes):
    forms = [f"in {n} {unit}" for n in (minutes, in_words(minutes)) for unit in ("minutes", "minutes", "min", "mins")] + [f"in {minutes}min", f"{minutes} minutes from now", f"after {in_words(minutes)} minutes", f"in {minutes} minutes' time", f"{in_words(minutes)} minutes from now"]
    known = {15: ["in a quarter of an hour", "in a quarter of an hour"], 30: ["in half an hour", "in half an hour", "in a half hour", "half an hour from now"], 45: ["in three quarters of an hour"], 60: ["in an hour", "in one hour", "in 1 hour", "an hour from now", "after an hour"], 75: ["in an hour and a quarter"],
             90: ["in an hour and a half", "in one and a half hours", "in 1.5 hours"], 120: ["in two hours", "in 2 hours", "in 2 hrs", "in 2h", "two hours from now"], 150: ["in two and a half hours"], 180: ["in three hours", "in 3 hours"]}.get(minutes)
    return w.one(known if known and w.chance(0.75) else forms)


def lasting(w, minutes):
    """A length of time, "twenty minutes"."""
    text = waiting(w, minutes)
    while not text.startswith("in ") or text.endswith("time"):
        text = waiting(w, minutes)
    return text[3:]


def part_of_day(w, hour):
    """("in the evening", "evening") for an hour, as people say it."""
    if hour < 4:
        return w.one([("at night", "night"), ("in the morning", "morning")])
    if hour < 12:
        return "in the morning", "morning"
    if hour < 17:
        return "in the afternoon", "afternoon"
    return ("in the evening", "evening") if hour < 22 or w.chance(0.3) else ("at night", "night")


def bare(w, hour, minute):
    """A time on the clock face, without its part of the day."""
    h, following = hour % 12 or 12, (hour + 1) % 12 or 12
    digits = [f"{h}:{minute:02}", f"{h}:{minute:02}", f"{h}.{minute:02}"] if minute else [f"{h}", f"{h}", f"{h}:00", f"{h} o'clock"]
    spoken = [HOURS[h], HOURS[h], f"{HOURS[h]} o'clock"] if minute == 0 else [f"{HOURS[h]} {in_words(minute) if minute > 9 else 'oh ' + in_words(minute)}"]
    if minute == 30:
        spoken = [f"half past {HOURS[h]}"] * 4 + [f"half past {h}", f"half {HOURS[h]}"] + spoken
    elif minute in (15, 45):
        to = minute == 45
        spoken = [f"{a}quarter {'to' if to else 'past'} {HOURS[following if to else h]}" for a in ("a ", "", "")] * 2 + [f"quarter {'to' if to else 'past'} {following if to else h}"] + spoken
    elif minute % 5 == 0 and minute:
        to = minute > 30
        number = in_words(60 - minute if to else minute)
        spoken = [f"{number} {'to' if to else 'past'} {HOURS[following if to else h]}"] * 3 + [f"{number} minutes {'to' if to else 'past'} {HOURS[following if to else h]}"] + spoken
    return w.one(spoken if w.chance(0.55) else digits)


def clock(w, hour, minute):
    """A time whose half of the day is clear."""
    h = hour % 12 or 12
    half = w.one(["am", "am", "a.m.", "AM"] if hour < 12 else ["pm", "pm", "p.m.", "PM"])
    short = f"{h}{half}" if minute == 0 and half != "a.m." and w.chance(0.4) else f"{h} {half}" if minute == 0 else f"{w.one([f'{h}:{minute:02}', f'{h}:{minute:02}', f'{h}.{minute:02}'])} {half}"
    forms = [short, short, f"{hour:02}:{minute:02}", f"{bare(w, hour, minute)} {half}"]
    if hour >= 13:
        forms += [f"{hour}{minute:02}", f"{hour}:{minute:02}", f"{hour}.{minute:02}", f"{hour} o'clock" if minute == 0 else f"{hour}:{minute:02}"]
    forms += [f"{bare(w, hour, minute)} {part_of_day(w, hour)[0]}"] * 4
    time = w.one(forms)
    return f"{time} sharp" if w.chance(0.03) else time


def spelled(w, when):
    hour, minute = when.hour, when.minute
    if minute == 0 and hour in (0, 12) and w.chance(0.85):
        return w.one(["noon", "noon", "midday", "12 noon"] if hour else ["midnight", "midnight", "12 midnight"])
    if hour in (0, 12):
        spoken = bare(w, hour, minute)
        return w.one([f"{hour:02}:{minute:02}", f"{spoken} at night"] if hour == 0 else [f"12:{minute:02}", f"{spoken} pm", f"{spoken} in the afternoon", spoken])
    return clock(w, hour, minute)


def once(w, when):
    """Without a part of the day an hour up to twelve is that of the morning, as it stands on a 24-hour clock."""
    hour, minute = when.hour, when.minute
    _, part = part_of_day(w, hour)
    forms = [f"at {spelled(w, when)}"] * 5 + [w.one(["at about ", "at exactly ", "from ", "at around ", "tomorrow at ", "today at ", "as soon as it is ", "when it is "]) + spelled(w, when)]
    if hour not in (0, 12):
        face = bare(w, hour, minute)
        today = {"morning": ["this morning at", "tomorrow morning at"], "afternoon": ["this afternoon at"], "evening": ["tonight at", "this evening at", "tonight at"], "night": ["tonight at"] if hour > 12 else []}[part]
        forms += [f"{t} {face}" for t in today] + ([f"at {face} tonight", f"at {face} this evening"] if part == "evening" else [])
        forms += [f"in the {part} at {face}"] if part != "night" else []
        if hour < 12 and hour > 3 and w.chance(0.3):
            return f"at {face}"
    return w.one(forms)


def daily(w, when):
    time = spelled(w, when)
    forms = [f"{every} at {time}" for every in ("every day", "every day", "each day", "daily", "every single day", "always")] + [f"at {time} {every}" for every in ("every day", "each day", "daily", "day after day")]
    if when.hour not in (0, 12):
        _, part = part_of_day(w, when.hour)
        face = bare(w, when.hour, when.minute)
        if (part, when.hour < 12) != ("night", True):
            forms += [f"every {part} at {face}"] * 3 + [f"each {part} at {face}", f"at {face} every {part}", f"at {face} each {part}"]
    return w.one(forms)
