"""Small sums, sequences, comparisons and counting."""

from .words import BANKS, NUMBER_WORDS

WORDS = NUMBER_WORDS
PLUS = ["What is {a} plus {b}?", "{a} + {b}", "{a}+{b}=", "{a} + {b} =", "{a} + {b} = ?", "How much is {a} [+|plus|and] {b}?", "[Add|Please add|Sum] {a} and {b}.", "What do {a} and {b} make?", "[Calculate|Compute|Work out|Solve] {a} + {b}.", "[Tell me|Give me] the sum of {a} and {b}.", "What's {a} + {b}?", "Sum of {a} and {b}?", "If I add {b} to {a}, what do I get?", "{a} plus {b} [is|equals|makes]?", "What does {a} plus {b} [make|equal|give]?", "what is {a}+{b}", "I have {a} and get {b} more. How many do I have?"]
MINUS = ["What is {a} minus {b}?", "{a} - {b}", "{a}-{b}=", "{a} - {b} =", "{a} - {b} = ?", "How much is {a} [-|minus|less] {b}?", "[Subtract|Take|Take away] {b} from {a}.", "What is {b} less than {a}?", "[Calculate|Compute|Work out|Solve] {a} - {b}.", "[Tell me|Give me] the difference between {a} and {b}.", "What's {a} - {b}?", "{a} minus {b} [is|equals|makes]?", "What is left of {a} when you take away {b}?", "{a} take away {b}?", "what is {a}-{b}"]
TIMES = ["What is {a} times {b}?", "{a} x {b}", "{a}*{b}=", "{a} * {b} =", "{a} x {b} = ?", "How much is {a} [x|times|multiplied by] {b}?", "[Multiply|Please multiply] {a} and {b}.", "[Multiply|Please multiply] {a} by {b}.", "[Calculate|Compute|Work out|Solve] {a} * {b}.", "What's {a} times {b}?", "{a} times {b} [is|equals|makes]?", "what is {a}x{b}"]
DIVIDE = ["What is {a} divided by {b}?", "{a} / {b}", "{a} : {b} =", "{a} / {b} = ?", "How much is {a} [/|divided by] {b}?", "[Divide|Please divide] {a} by {b}.", "[Calculate|Compute|Work out] {a} / {b}.", "What's {a} divided by {b}?"]
GAIN = ["{name} has {a} {t}. [Then {name} [gets|buys|finds] {b} more.|{name} [gets|buys|finds] {b} more.|A friend brings {b} more.] How many {t} [does {name} have|are there] now?", "There are {a} {t} [on the table|in the box|in the room]. [Somebody|{name}] adds {b} more. How many {t} are there [now|in all|altogether]?", "{name} has {a} {t} and {name2} has {b} {t}. How many {t} do they have together?",
    "{a} {t} are in one box and {b} in another. How many {t} in [all|total]?", "I [ate|bought|saw] {a} {t} [today|in the morning] and {b} [yesterday|in the evening]. How many in all?", "A shop sold {a} {t} on {day} and {b} on {day}. How many altogether?"]
LOSS = ["{name} has {a} {t} and [loses|gives away|sells|eats] {b}. How many [are left|{t} are left|does {name} have left]?", "There are {a} {t} [on the table|in the box]. {name} takes {b}[ away|]. How many [are left|remain]?", "I had {a} {t}, but {b} [are gone|were stolen|broke]. How many do I have now?", "{a} {t} were in the basket. {b} fell out. How many are still in it?", "Of {a} {t}, {b} are broken. How many are [fine|not broken]?"]
EACH = ["There are {a} boxes with {b} {t} each. How many {t} [are there|in all]?", "{name} buys {a} bags of {b} {t}. How many {t} is that?", "{a} children have {b} {t} each. How many {t} together?", "One costs {b} dollars. What do {a} cost?"]
THINGS = ["apples", "coins", "books", "eggs", "balls", "stamps", "cookies", "pens", "cards", "shells", "plums", "cups", "birds", "marbles", "stickers", "nuts"]


def pair(w, high):
    return w.number(0, high), w.number(0, high)


def shown(w, *numbers):
    """Digits, or words for small numbers now and then."""
    if w.chance(0.15) and max(numbers) <= 20:
        return [WORDS[n] for n in numbers]
    return [str(n) for n in numbers]


def one_sum(w):
    """(instruction templates, a, b, result)."""
    form = w.number(0, 9)
    if form <= 3:
        a, b = pair(w, w.one([9, 10, 10, 12, 20, 50, 99]))
        return PLUS, a, b, a + b
    if form <= 6:
        a, b = sorted(pair(w, w.one([9, 10, 10, 12, 20, 50, 99])), reverse=True)
        return MINUS, a, b, a - b
    if form <= 8:
        a, b = pair(w, w.one([5, 10, 10, 12]))
        return TIMES, a, b, a * b
    b, result = w.number(1, 10), w.number(1, 10)
    return DIVIDE, b * result, b, result


def plain(w):
    templates, a, b, result = one_sum(w)
    x, y = shown(w, a, b)
    return [w.ask(templates, a=x, b=y), str(result)]


def several(w):
    """A row of sums in one conversation."""
    turns = []
    for _ in range(w.number(3, 8)):
        prompt, answer = plain(w)
        turns += [("user", prompt), ("assistant", answer)]
    return turns


def table(w):
    """Many sums at once, line by line."""
    lines, solved = [], []
    for _ in range(w.number(2, 8)):
        templates, a, b, result = one_sum(w)
        sign = {id(PLUS): "+", id(MINUS): "-", id(TIMES): "x", id(DIVIDE): "/"}[id(templates)]
        lines.append(f"{a} {sign} {b} =")
        solved.append(f"{a} {sign} {b} = {result}")
    return [w.task(w.ask(["[Solve|Calculate|Work out|Complete|Finish] [these|the following|the sums].", "[Fill in|Write] the [results|answers].", "Do [these|the] sums."]), "\n".join(lines)), "\n".join(solved)]


def two_names(w):
    first, second = w.word("name"), w.word("name")
    return (first, second) if first != second else two_names(w)


def told(w):
    form = w.number(0, 4)
    thing = w.one(THINGS)
    if form <= 1:
        a, b = w.number(1, w.one([6, 10, 15])), w.number(1, w.one([6, 12]))
        templates, result = GAIN, a + b
    elif form <= 3:
        a, b = sorted((w.number(1, w.one([10, 20])), w.number(1, w.one([6, 12]))), reverse=True)
        templates, result = LOSS, a - b
    else:
        a, b = w.number(2, 6), w.number(2, 10)
        templates, result = EACH, a * b
    x, y = shown(w, a, b)
    text = w.ask(templates, a=x, b=y, t=thing, **dict(zip(("name", "name2"), two_names(w))))
    text = text[:1].upper() + text[1:] if w.chance(0.9) else text
    if w.chance(0.35):
        sign = "+" if templates is GAIN else "-" if templates is LOSS else "x"
        return [w.task(w.ask(["[Write|Show] the sum[ and the result|].", "[Write|Put] this as a sum.", "Which sum is it?", "As a sum, please.", "[Show|Write] how you [calculate|reckon]."]), text), f"{a} {sign} {b} = {result}"]
    return [text, str(result)]


def sequence(w):
    """What comes next, or before, or between."""
    form = w.number(0, 5)
    if form <= 1:
        step, first = w.one([1, 1, 2, 2, 3, 4, 5, 5, 10, 10, 100]), w.number(0, 30)
        row = [first + step * i for i in range(6)]
        if w.chance(0.3):
            row = row[::-1]
        row = [str(n) for n in row]
    elif form == 2:
        start = w.number(1, 5)
        row = [str(start * 2**i) for i in range(6)]
    elif form == 3:
        letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
        i, step = w.number(0, 12), w.one([1, 1, 2])
        row = [letters[i + step * k] for k in range(6)]
        row = [x.lower() for x in row] if w.chance(0.4) else row
    elif form == 4:
        bank = w.one([BANKS["day"], BANKS["month"]])
        i = w.number(0, len(bank) - 1)
        row = [bank[(i + k) % len(bank)] for k in range(6)]
    else:
        x, y = w.one([("A", "B"), ("red", "blue"), ("1", "2"), ("x", "o"), ("up", "down"), ("left", "right")])
        row = [x, y] * 3
    known = w.number(3, 5)
    return [w.task(w.ask(["What comes next?", "[Continue|Complete] [the|this] [row|sequence|series].", "What is the next [one|number|in the row]?", "Which comes next?", "[Give|Tell] me the next one.", "Next?", "[What|Which] follows?", "And then?", "Find the next in the sequence.", "How does it go on? One step only."] if form > 2 else ["What comes next?", "[Continue|Complete] [the|this] [row|sequence|series] with one number.", "What is the next number?", "Which number comes next?", "[Give|Tell] me the next number.", "Next number?", "What number follows?", "Find the next number[ in the sequence|]."]), ", ".join(row[:known]) + w.one(["", ", ...", ", ?", ", __"])), row[known]]


def around(w):
    """Before, after and between: numbers, days, months, letters."""
    form = w.number(0, 3)
    if form == 0:
        n = w.number(1, 99)
        after = w.chance(0.5)
        return [w.ask(["[What|Which] number comes [right |]after {n}?", "What comes after {n}?", "One more than {n}?", "{n}, what's next?", "What is the number after {n}?"] if after else ["[What|Which] number comes [right |]before {n}?", "What comes before {n}?", "One less than {n}?", "What is the number before {n}?"], n=n), str(n + 1 if after else n - 1)]
    bank, called = w.one([(BANKS["day"], "day"), (BANKS["month"], "month"), (list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), "letter")])
    i = w.number(0, len(bank) - 1) if called != "letter" else w.number(1, 24)
    if form == 1:
        return [w.ask(["[What|Which] {c} comes [right |]after {x}?", "What {c} is it after {x}?", "What {c} follows {x}?", "The {c} after {x}?", "Name the {c} after {x}.", "After {x} comes"] + (["If today is {x}, what day is tomorrow?", "Today is {x}. What is tomorrow?"] if called == "day" else []), x=bank[i], c=called), bank[(i + 1) % len(bank)]]
    if form == 2:
        return [w.ask(["[What|Which] {c} comes [right |]before {x}?", "What {c} is before {x}?", "The {c} before {x}?", "Name the {c} before {x}."] + (["If today is {x}, what day was yesterday?", "Today is {x}. What was yesterday?"] if called == "day" else []), x=bank[i], c=called), bank[(i - 1) % len(bank)]]
    return [w.ask(["[What|Which] {c} is between {x} and {y}?", "What {c} comes between {x} and {y}?"], x=bank[i - 1], y=bank[(i + 1) % len(bank)], c=called), bank[i]]


def compare(w):
    """The larger, the smaller, sorting and counting."""
    form = w.number(0, 4)
    high = w.one([10, 20, 100, 1000])
    if form <= 1:
        a, b = w.number(0, high), w.number(0, high)
        if a == b:
            b += 1
        larger = w.chance(0.5)
        return [w.ask(["Which is [bigger|larger|greater|more|higher], {a} or {b}?", "What is more, {a} or {b}?", "Which number is [bigger|larger]: {a} or {b}?", "{a} or {b}, which is [bigger|more]?", "[Bigger|Larger|Higher]: {a} or {b}?"] if larger else ["Which is [smaller|less|lower], {a} or {b}?", "What is less, {a} or {b}?", "Which number is [smaller|lower]: {a} or {b}?", "{a} or {b}, which is [smaller|less]?", "[Smaller|Lower]: {a} or {b}?"], a=a, b=b), str(max(a, b) if larger else min(a, b))]
    numbers = w.rng.sample(range(high + 1), w.number(3, 5))
    text = ", ".join(map(str, numbers))
    if form == 2:
        largest = w.chance(0.5)
        return [w.task(w.ask(["[What|Which] is the [biggest|largest|highest] [number|one]?", "[Find|Give me|Tell me] the [biggest|largest|highest] number.", "The maximum?"] if largest else ["[What|Which] is the [smallest|lowest] [number|one]?", "[Find|Give me|Tell me] the [smallest|lowest] number.", "The minimum?"]), text), str(max(numbers) if largest else min(numbers))]
    if form == 3:
        up = w.chance(0.6)
        return [w.task(w.ask(["[Sort|Order|Put] these numbers [from small to large|from smallest to largest|in ascending order].", "Sort the numbers, smallest first."] if up else ["[Sort|Order|Put] these numbers [from large to small|from largest to smallest|in descending order].", "Sort the numbers, largest first."]), text), ", ".join(map(str, sorted(numbers, reverse=not up)))]
    start, count, step = w.number(0, 20), w.number(3, 8), w.one([1, 1, 1, 2, 5, 10])
    end = start + count * step
    if step == 1 and w.chance(0.5):
        return [w.ask("[Count|Please count] [backwards|down] from {b} to {a}.", a=start, b=end), ", ".join(str(n) for n in range(end, start - 1, -1))]
    return [w.ask(["[Count|Please count] from {a} to {b}{s}.", "Write the numbers from {a} to {b}{s}."], a=start, b=end, s="" if step == 1 else f" in steps of {step}"), ", ".join(str(n) for n in range(start, end + 1, step))]


def doubled(w):
    n, form = w.number(1, 50), w.number(0, 3)
    if form == 0:
        return [w.ask(["What is [twice|double] {n}?", "Double {n}.", "What is the double of {n}?", "Two times {n}?"], n=n), str(2 * n)]
    if form == 1:
        return [w.ask(["What is half of {n}?", "Halve {n}.", "Half of {n}?"], n=2 * n), str(n)]
    if form == 2:
        n = w.number(0, 20)
        return [w.ask(["[Write|Give me] {n} in digits.", "{n} as a [number|digit]?", "Which number is {n}?", "How do you write {n} in digits?"], n=WORDS[n]), str(n)]
    n = w.number(0, 20)
    return [w.ask(["[Write|Spell] {n} [as a word|in words|in letters].", "{n} in words?", "How do you write {n} in words?"], n=n), WORDS[n]]


def once(turns):
    """Turns without the questions that were asked before, whose answers would only have to be looked up."""
    pairs = dict(zip((text for role, text in turns if role == "user"), (text for role, text in turns if role == "assistant")))
    return [turn for question, reply in pairs.items() for turn in (("user", question), ("assistant", reply))]


# Bare wordings for many sums in a row.
BARE = {"+": ["{a} + {b}", "{a}+{b}", "{a} + {b} =", "{a} plus {b}", "{a} + {b} = ?", "What is {a} plus {b}?", "{a} and {b}?"], "-": ["{a} - {b}", "{a}-{b}", "{a} - {b} =", "{a} minus {b}", "{a} - {b} = ?", "What is {a} minus {b}?", "{b} from {a}?"],
    "x": ["{a} x {b}", "{a}*{b}", "{a} * {b} =", "{a} times {b}", "{a} x {b} = ?", "What is {a} times {b}?"], "/": ["{a} / {b}", "{a}/{b}", "{a} / {b} =", "{a} divided by {b}", "{a} : {b} =", "What is {a} divided by {b}?"]}


def small_sum(w, sign, fixed, high):
    """(a, b, result) with one number given, or none."""
    a, b = w.number(0, high), w.number(0, high) if fixed is None else fixed
    if w.chance(0.5):
        a, b = b, a
    if sign == "+":
        return a, b, a + b
    if sign == "-":
        return (max(a, b), min(a, b), abs(a - b)) if fixed is None or w.chance(0.5) else (a + b, b, a)
    return (a, b, a * b) if sign == "x" else (a * max(b, 1), max(b, 1), a)


def quick(w):
    """Many small sums in a row, of one or two kinds and worded alike, so that little but the sums is to be learnt."""
    signs = w.one(["+", "+", "-", "-", "-", "-", "x", "x", "/", "+-", "+-", "+-", "x/"])
    high = w.one([5, 9, 9, 10, 10, 12, 20]) if set(signs) & set("+-") == set(signs) else w.one([5, 6, 10, 10])
    if w.chance(0.1) and signs in ("+", "-"):
        high = 99
    fixed = w.number(0, min(high, 12)) if w.chance(0.4) else None
    wordings = {sign: w.wording(BARE[sign]) for sign in signs}
    in_words, turns = w.chance(0.1) and high <= 10, []
    for _ in range(w.number(6, 16)):
        sign = w.one(signs)
        a, b, result = small_sum(w, sign, fixed, high)
        known = {"a": WORDS[a], "b": WORDS[b]} if in_words and max(a, b) <= 20 else {"a": a, "b": b}
        turns += [("user", w.slots(wordings[sign], known)), ("assistant", str(result))]
    return once(turns)


def recited(w):
    """Rows that everything else is built on: numbers, tables, days, months, letters."""
    form, n = w.number(0, 10), w.number(1, 12)
    if form == 0:
        return [w.ask(["[Say|Write|Recite|Show] the {n} times table.", "The {n} times table[ please|]", "Multiplication table of {n}."], n=n), "\n".join(f"{i} x {n} = {i * n}" for i in range(1, 11))]
    if form == 1:
        return [w.ask(["[Say|Write|Show] the plus table of {n}.", "Plus {n}, from 0 to 10.", "Add {n} to every number from 0 to 10."], n=n), "\n".join(f"{i} + {n} = {i + n}" for i in range(11))]
    if form == 2:
        return [w.ask(["[Say|Write|Show] the minus table of {n}.", "Minus table of {n}."], n=n), "\n".join(f"{n + i} - {n} = {i}" for i in range(11))]
    if form == 3:
        n = w.number(2, 12)
        return [w.ask(["Which two numbers make {n}? [All ways|All of them|Every way].", "[Show|Write] all sums that make {n}.", "[Break|Split] {n} into two numbers in every way."], n=n), "\n".join(f"{i} + {n - i} = {n}" for i in range(n + 1))]
    if form <= 5:
        a, b, times = w.number(1, 10), w.number(1, 10), w.chance(0.3)
        sign, back, c = ("x", "/", a * b) if times else ("+", "-", a + b)
        lines = [f"{a} {sign} {b} = {c}", f"{b} {sign} {a} = {c}", f"{c} {back} {a} = {b}", f"{c} {back} {b} = {a}"]
        return [w.ask(["[Write|Show|Say] the four sums of {a}, {b} and {c}.", "Which sums do {a}, {b} and {c} make?", "{a}, {b}, {c}: all four sums[ please|]", "The family of {a}, {b} and {c}."], a=a, b=b, c=c), "\n".join(lines)]
    row, called = w.one([(BANKS["day"], "days of the week"), (BANKS["month"], "months"), (list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), "letters"), (WORDS, "numbers in words")])
    back = w.chance(0.3)
    i, j = sorted(w.rng.sample(range(len(row)), 2)) if w.chance(0.5) else (0, len(row) - 1)
    part = row[i : j + 1][:: -1 if back else 1]
    asks = ["[Say|Write|Name|List|Recite] the {c} from {x} to {y}.", "The {c} from {x} to {y}[ please|]", "{c}, {x} to {y}"]
    if j - i == len(row) - 1 and not back and called != "numbers in words":
        asks = ["[Say|Write|Name|List|Recite] the {c}[ in order|].", "[Say|Name] all {c} in order.", "What are the {c}, in order?", "All the {c}[ please|]."]
    return [w.ask(asks, c=called, x=part[0], y=part[-1]), ", ".join(part)]


def neighbours(w):
    """What comes before and after, many times in one row."""
    row, called = w.one([(BANKS["day"], "day"), (BANKS["month"], "month"), (list("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), "letter"), ([str(n) for n in range(100)], "number"), ([str(n) for n in range(30)], "number")])
    after = w.wording(["[What|Which] {c} [comes|is] after {x}?", "The {c} after {x}?", "After {x}?", "{x}, and then?", "What follows {x}?", "Next after {x}?"])
    before = w.wording(["[What|Which] {c} [comes|is] before {x}?", "The {c} before {x}?", "Before {x}?", "What is before {x}?"])
    both, round_, turns = w.chance(0.6), called in ("day", "month"), []
    for _ in range(w.number(4, 12)):
        forward = w.chance(0.5) if both else True
        i = w.number(0 if round_ or forward else 1, len(row) - (1 if round_ or not forward else 2))
        turns += [("user", w.slots(after if forward else before, {"c": called, "x": row[i]})), ("assistant", row[(i + (1 if forward else -1)) % len(row)])]
    return once(turns)


def in_words(w):
    """Numbers as words and words as numbers."""
    words, digits, turns = w.wording(["{n} in words", "{n} as a word?", "Spell {n}.", "{n} in letters?"]), w.wording(["{n} in digits", "{n} as a number?", "Which number is {n}?", "{n}, in digits?"]), []
    for _ in range(w.number(4, 10)):
        n, forward = w.number(0, 20), w.chance(0.5)
        turns += [("user", w.slots(words if forward else digits, {"n": n if forward else WORDS[n]})), ("assistant", WORDS[n] if forward else str(n))]
    return once(turns)


def larger(w):
    """Which of two or three is larger or smaller, many times."""
    high, turns = w.one([10, 10, 20, 100]), []
    asks = {True: w.wording(["Which is bigger: {l}?", "The largest: {l}", "{l} - which is more?", "Bigger? {l}", "Maximum of {l}?"]), False: w.wording(["Which is smaller: {l}?", "The smallest: {l}", "{l} - which is less?", "Smaller? {l}", "Minimum of {l}?"])}
    for _ in range(w.number(4, 10)):
        numbers, up = w.rng.sample(range(high + 1), w.one([2, 2, 3])), w.chance(0.5)
        turns += [("user", w.slots(asks[up], {"l": ", ".join(map(str, numbers)) if len(numbers) > 2 else f"{numbers[0]} or {numbers[1]}"})), ("assistant", str(max(numbers) if up else min(numbers)))]
    return once(turns)


def many_told(w):
    """Little stories with numbers, one after the other."""
    return [turn for _ in range(w.number(3, 7)) for turn in zip(("user", "assistant"), told(w))]


FORMS = [plain] * 3 + [several] * 3 + [quick] * 8 + [recited] * 3 + [neighbours] * 3 + [in_words] + [table] * 2 + [told] * 2 + [many_told] * 2 + [sequence] * 2 + [around, compare, compare, larger, larger, doubled]
