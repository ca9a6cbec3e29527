r"""Little problems with numbers as people word them, `problems.txt`, alone and in rows.

An entry is a paragraph of lines, each with a mark in front:
  kind      one of KINDS, which brings numbers and an answer of its own; `bare` for sums without a story, `two` for problems of two steps
  list      `list pet: cats/dogs/parrots`, words of this entry alone; all other slots are banks, with a digit behind the second of a kind
  numbers   `a 5-20, b 1-a, c 10-60 by 5, d of 2/4/10, e = a + b`, each drawn or reckoned from those before it; `{a}` is written in digits or as a word, `{a!}` in digits, `{a~}` as a word;
            `\n` is a new line; of a row `l`, `{l}` has commas, `{l_and}` and `{l_or}` such a word before the last, `{l_plus}` signs between
  where     a condition that the numbers keep
  answer    what is reckoned with them; a text has its slots filled
  ask       the problem with its question
  story     the problem without one, for all lines of
  question  `question: How many are left? / What remains? | a - b`
"""

import re
from pathlib import Path

from .situation import SLOT
from .sums import once
from .words import BANKS, NUMBER_WORDS
from .writer import cap, careless, dressed
from .written import paragraphs

TENS = dict(zip(range(20, 101, 10), "twenty thirty forty fifty sixty seventy eighty ninety hundred".split()))
KINDS = {  # numbers, answer
    "bare": ("", ""),
    "two": ("a 2-12, b 2-12, c 2-12", ""),
    "gain": ("a 2-20, b 2-12", "a + b"),
    "loss": ("a 5-20, b 2-a-1", "a - b"),
    "each": ("a 2-9, b 2-10", "a * b"),
    "share": ("b 2-9, c 2-10, a = b * c", "c"),
    "half": ("c 2-20, a = 2 * c", "c"),
    "double": ("a 2-20", "2 * a"),
}
FORMED = re.compile(r"\{(\w+)([!~])\}")
FIRST = re.compile(r"(?:^|(?<=[.!?] )|(?<=\n))\{(\w+)\}")
TIGHT = re.compile(r"[$£€:.#/*=+-]\{\w+\}|\{\w+\}[:%°/*=+]|\{\w+\}-\{")  # numbers that can only be digits
AN = re.compile(r"\b([aA]) (?=(?:8\d?|11|18)\b)")
JOINED = {"": ", ", "_plus": " + ", "_space": " ", "_lines": "\n"}


def spelled(n):
    """A number from 0 to 100 as a word."""
    return NUMBER_WORDS[n] if n <= 20 else TENS[n] if n in TENS else f"{TENS[n - n % 10]}-{NUMBER_WORDS[n % 10]}"


def clock(hour, minute=0):
    return f"{(hour + minute // 60 - 1) % 12 + 1}:{minute % 60:02}"


def top(*numbers):
    """The place of the largest."""
    return numbers.index(max(numbers))


def ways(text):
    return [part.strip() for part in text.split(" / ")]


class Problem:
    def __init__(self, lines):
        self.lists, self.tasks, stories, questions = {}, [], [], []
        self.kind, self.numbers, self.where, answer = "", "", "True", ""
        for line in lines:
            mark, rest = (part.strip().replace("\\n", "\n") for part in line.split(":", 1))
            if mark == "kind":
                self.kind, (self.numbers, answer) = rest, KINDS[rest]
            elif mark.startswith("list "):
                self.lists[mark[5:].strip()] = [word.strip() for word in rest.split("/")]
            elif mark in ("numbers", "where"):
                setattr(self, mark, rest)
            elif mark == "answer":
                answer = rest
            elif mark == "ask":
                self.tasks.append((rest, "", answer))
            elif mark == "story":
                stories.append(rest)
            elif mark == "question":
                asks, reply = rest.rsplit("|", 1)
                questions += [(ask, reply.strip()) for ask in ways(asks)]
            else:
                raise ValueError(f"no such mark: {mark}")
        self.tasks = [(story, ask, reply or answer) for story, ask, reply in self.tasks] + [(story, ask, reply) for story in stories for ask, reply in questions]
        self.stories, self.questions = stories, questions
        self.code = [(name, how, compiled(name, how, text)) for name, how, text in map(drawn, filter(None, re.split(r",\s*(?=\w+ (?:=|of |[\w*+()]+-))", self.numbers)))]
        self.holds = compile(self.where, "where", "eval")

    @property
    def bare(self):
        return self.kind == "bare"


def drawn(text):
    """(name, way, rest) of one number."""
    name, rest = text.strip().split(" ", 1)
    return (name, "=", rest[1:].strip()) if rest[0] == "=" else (name, "of", rest[3:]) if rest.startswith("of ") else (name, "-", rest)


def compiled(name, how, text):
    if how == "=":
        return compile(text, name, "eval")
    if how == "of":
        return [int(x) for x in text.split("/")]
    text, _, step = text.partition(" by ")
    low, high = text.split("-", 1)
    return compile(low, name, "eval"), compile(high, name, "eval"), int(step or 1)


PATH = Path(__file__).parent / "problems.txt"
ALL = [Problem(lines) for lines in paragraphs(PATH.read_text())]
TOLD = [p for p in ALL if not p.bare]
BARE = [p for p in ALL if p.bare for _ in range((len(p.tasks) + 3) // 4)]  # those with many wordings more often
WITH_STORY = [p for p in TOLD if p.questions]


class Posed:
    """A problem with values."""

    def __init__(self, w, problem):
        self.w, self.problem, self.slots = w, problem, {}
        self.env = {"clock": clock, "top": top, "day": lambda i: BANKS["day"][i % 7], "month": lambda i: BANKS["month"][i % 12], "spelled": spelled,
            "row": lambda n, low, high: tuple(w.rng.sample(range(low, high + 1), n)), "any": lambda n, low, high: tuple(w.number(low, high) for _ in range(n)), "pick": self.pick, "draws": self.draws}
        for _ in range(200):
            self.taken = {}
            for name, how, code in problem.code:
                self.taken[name] = self.draw(how, code)
            if self.reckon(problem.holds):
                break
        else:
            raise ValueError("no numbers keep the condition")
        self.most = 100 if w.chance(0.3) else 20  # up to which numbers are words
        self.digits, self.words = w.chance(0.75), {name for name in self.taken if w.chance(0.5)} if w.chance(0.3) else set(self.taken)

    def draw(self, how, code):
        if how == "=":
            return self.reckon(code)
        if how == "of":
            return self.w.one(code)
        low, high, step = code
        return low + step * self.w.number(0, (high - low) // step) if (low := self.reckon(low)) <= (high := self.reckon(high)) else low

    def reckon(self, code):
        return eval(code, {**self.env, **self.taken})

    def pick(self, bank, count):
        return tuple(self.w.rng.sample(self.problem.lists[bank], count)) if bank in self.problem.lists else tuple(self.w.word(bank) for _ in range(count))

    def draws(self, bank, count):
        """Words of a list, some of them more than once."""
        words = self.w.rng.sample(self.problem.lists[bank], self.w.number(2, 3))
        return tuple(self.w.one(words) for _ in range(count))

    def slot(self, slot):
        """A value that no other slot has, kept."""
        taken = {str(v).lower() for v in self.slots.values()}
        bank = slot.rstrip("0123456789")
        lists = self.problem.lists
        for _ in range(50):
            if slot in self.slots:
                break
            value = self.w.one(lists[slot]) if slot in lists else self.w.one(lists[bank]) if bank in lists else self.w.fill("{name} {surname}") if bank == "full" else self.w.word(bank)
            if value.lower() not in taken:
                self.slots[slot] = value
        return self.slots[slot]

    def shown(self, template):
        """The numbers as the template can take them."""
        small = {name: n for name, n in self.taken.items() if isinstance(n, int) and re.search(r"\{(a )?%s\}" % name, template)}
        digits = self.digits or TIGHT.search(template) or max(small.values(), default=0) > self.most or min(small.values(), default=0) < 0
        known = {}
        for name, n in self.taken.items():
            if isinstance(n, tuple):
                parts = list(map(str, n))
                known |= {name + mark: joint.join(parts) for mark, joint in JOINED.items()} | {f"{name}_{mark}": ", ".join(parts[:-1]) + f" {mark} " + parts[-1] for mark in ("and", "or")}
            else:
                known[name] = spelled(n) if name in small and not digits and name in self.words else str(n)
        return known

    def fill(self, template):
        known = self.shown(template)
        template = FORMED.sub(lambda m: str(self.taken[m.group(1)]) if m.group(2) == "!" else spelled(self.taken[m.group(1)]), template)
        for slot in SLOT.findall(template):
            if slot not in known:
                known[slot] = self.slot(slot)
        if re.search(r"[A-Z]", re.sub(r"\{.*?\}", "", template)) or FIRST.match(template):
            known |= {"cap_" + slot: cap(known[slot]) for slot in FIRST.findall(template)}
            template = FIRST.sub(r"{cap_\1}", template)
        return AN.sub(r"\1n ", self.w.slots(template, known)).strip()

    def reply(self, answer):
        value = self.reckon(answer)
        return str(value) if isinstance(value, int) else value if answer.startswith("spelled(") else cap(self.fill(value))


def typed(w, wording):
    """A wording with the slips of typing, none of which makes a number."""
    for _ in range(5 if w.chance(0.6) else 0):
        text = careless(w, wording)
        if re.findall(r"\d|&", text) == re.findall(r"\d|&", wording):
            return text
    return wording


ONLY = ["Just the number.", "Only the number[ please|].", "Answer with a number.", "Number only.", "[Give|Write] only the [number|result].", "[One|A] number, [please|nothing else]."]
BEFORE = ["[Solve|Solve this|Work this out|Question|Problem|Exercise|Task|Sum|Maths|Math problem|Word problem|Homework|A riddle|A sum for you|Try this|Next one|And this one|Now this]: {p}", "[Can you|Could you|Please] solve this[ for me|]? {p}", "Q: {p}\nA:", "{p}\n[Answer|Result|Solution]:", "[Here is|I have] a [little |]problem [for you|from school]. {p}", "[Help me|I need help] with this[ one|]: {p}", "My [teacher|son|daughter|little sister] [asks|wants to know]: {p}", "{p} [Thanks!|Thank you.|Please help.|I can't work it out.|What is the answer?]"]


def posed(w, problem, wordings=None, dress=True):
    """(prompt, answer, the values) of one problem; some wordings are kept for the held-out split."""
    it = Posed(w, problem)
    story, ask, answer = wordings or w.one(problem.tasks)
    if problem.bare:
        wording = w.wording(story)
        return it.fill(typed(w, wording if wordings else dressed(w, wording))), it.reply(answer), it
    wording = w.wording(story) if not ask else put_together(w, w.wording(story), w.wording(ask))
    prompt, reply = it.fill(typed(w, wording)), it.reply(answer)
    if dress and reply.isdigit() and w.chance(0.06):
        only = w.say(ONLY)
        prompt = f"{prompt.rstrip()} {only}" if prompt[-1:] in ".?!" else f"{prompt}\n{only}"
    elif dress and w.chance(0.08):
        prompt = w.say(BEFORE if prompt[-1:] in ".?!" else BEFORE[:1], p=prompt)
    return prompt, reply, it


def put_together(w, story, ask):
    return w.one([f"{story} {ask}"] * 6 + [f"{story}\n{ask}", f"{story}\n\n{ask}", f"{ask} {story}", f"{ask}\n{story}"])


def alone(w):
    return list(posed(w, w.one(TOLD))[:2])


def alone_bare(w):
    return list(posed(w, w.one(BARE))[:2])


def rows(w, low, high, choose):
    turns = []
    for _ in range(w.number(low, high)):
        prompt, answer, _ = posed(w, *choose())
        turns += [("user", prompt), ("assistant", answer)]
    return once(turns)


def mixed(w):
    """Problems of every kind in a row."""
    return rows(w, 4, 10, lambda: (w.one(TOLD),))


def mixed_bare(w):
    return rows(w, 4, 10, lambda: (w.one(BARE),))


def both(w):
    """Sums and problems in a row."""
    return rows(w, 4, 10, lambda: (w.one(TOLD if w.chance(0.6) else BARE),))


def alike(w):
    """One problem with other numbers again and again, in all its wordings."""
    problem = w.one(TOLD)
    turns = rows(w, 4, 8, lambda: (problem,))
    return turns if len({text for role, text in turns if role == "assistant"}) > 1 else alike(w)


def alike_bare(w):
    """One wording of one sum with other numbers, so that little but the sums is to be learnt."""
    problem = w.one(BARE)
    story, ask, answer = w.one(problem.tasks)
    wordings = w.wording(story), ask, answer
    return rows(w, 4, 10, lambda: (problem, wordings))


def about(w):
    """All questions about one story, or that and other problems."""
    problem = w.one(WITH_STORY)
    it, asks = Posed(w, problem), list({answer: (ask, answer) for ask, answer in w.rng.sample(problem.questions, len(problem.questions))}.values())
    turns = []
    for ask, answer in asks[: w.number(2, 5)]:
        ask = w.wording(ask)
        text = it.fill(typed(w, ask if turns else f"{w.wording(w.one(problem.stories))} {ask}"))
        turns += [("user", text), ("assistant", it.reply(answer))]
    return once(turns + (mixed(w)[: 2 * w.number(1, 4)] if w.chance(0.4) or len(turns) < 4 else []))


def numbered(w):
    """Several problems at once, each answered behind its number."""
    mark, count = w.one(["{}. ", "{}) ", "({}) "]), w.number(2, 4)
    bare = w.chance(0.6)
    pairs = [posed(w, w.one(BARE if bare else TOLD), dress=False)[:2] for _ in range(count)]
    if any("\n" in prompt for prompt, _ in pairs):
        return numbered(w)
    asks, replies = ("\n".join(mark.format(i) + pair[k] for i, pair in enumerate(pairs, 1)) for k in (0, 1))
    return [w.task(w.ask(["[Solve|Answer|Do] these.", "[Solve|Answer] [these|the|all] [problems|questions|exercises], one [line|answer] each.", "Give me the answers[ with their numbers|].", "[Answer|Work out] all of [these|them]."]), asks), replies]


SIGNS = {"a + b": "+", "a - b": "-", "a * b": "x"}
AS_SUMS = [p for p in TOLD if any(answer in SIGNS for _, _, answer in p.tasks)]


def as_sum(w):
    """The sum that a problem asks for."""
    problem = w.one(AS_SUMS)
    story, ask, answer = w.one([task for task in problem.tasks if task[2] in SIGNS])
    prompt, reply, it = posed(w, problem, (story, ask, answer), False)
    order = ["[Write|Show] the sum[ and the result|].", "[Write|Put] this as a sum.", "Which sum is it?", "As a sum, please.", "[Show|Write] the calculation.", "Write it with signs.", "What do I have to type into the calculator, and what comes out?"]
    return [w.task(w.ask(order), prompt), f"{it.taken['a']} {SIGNS[answer]} {it.taken['b']} = {reply}"]


def in_a_word(w):
    """The result as a word."""
    prompt, reply, _ = posed(w, w.one(TOLD + BARE), dress=False)
    if not reply.isdigit() or int(reply) > 20 or "umber" in prompt or "igit" in prompt:
        return in_a_word(w)
    order = w.ask(["[Write|Give] the [answer|result|number] as a word.", "[Answer|Reply] in words, not [digits|in digits].", "No digits, please: write the number as a word.", "Spell [out |]the answer.", "In words."])
    return [f"{prompt} {order}" if prompt[-1:] in ".?!" else f"{prompt}\n{order}", NUMBER_WORDS[int(reply)]]


FORMS = [alone] * 4 + [mixed] * 6 + [alone_bare] * 2 + [mixed_bare] * 3 + [both] * 4 + [alike] * 2 + [alike_bare] * 3 + [about] * 3 + [as_sum, in_a_word, numbered]


def check():
    """Poses every wording of every problem; returns what is wrong."""
    import random

    from .writer import BANKS, COMPUTED, ENTITIES, Writer

    wrong, seen = [], {}
    for number, problem in enumerate(ALL, 1):
        known = set(BANKS) | set(COMPUTED) | set(ENTITIES) | {"full"} | set(problem.lists)
        names = {name for name, _, _ in problem.code}
        where = f"problem {number} ({(problem.tasks or [['empty']])[0][0][:50]})"
        written = {name + mark for name in names for mark in ("", "_and", "_or", *JOINED)}
        if not problem.tasks:
            wrong.append(f"{where}: nothing is asked")
        w = Writer(random.Random(number), False)
        try:
            drawn = [Posed(w, problem) for _ in range(150)]
        except Exception as error:
            wrong.append(f"{where}: {error!r}")
            continue
        for story, ask, answer in problem.tasks:
            text = f"{story} {ask}".strip()
            if text in seen:
                wrong.append(f"{where}: also in {seen[text]}: {text}")
            seen[text] = f"problem {number}"
            slots = [*SLOT.findall(text), *(m[0] for m in FORMED.findall(text))]
            wrong += [f"{where}: no bank or number {s}" for s in slots if s not in written and s not in known and s.rstrip("0123456789") not in known]
            wrong += [f"{where}: {s} is not in the text" for s in SLOT.findall(answer) if s not in slots and s not in names]
            if text.count("[") != text.count("]") or text.count("{") != text.count("}"):
                wrong.append(f"{where}: brackets in {text}")
            told = sorted({name for name in names for s in slots if s == name or s.startswith(name + "_")})
            replies, where_is = {}, f"{where}, {text[:60]}"
            try:
                for it in drawn:
                    key = tuple(it.taken[name] for name in told)
                    value = it.reckon(answer)
                    if replies.setdefault(key, value) != value:
                        raise ValueError(f"{dict(zip(told, key))} may be {value} or {replies[key]}")
                    if isinstance(value, float) or isinstance(value, int) and not (-20 if "°" in text or "degree" in text or "zero" in text else 0) <= value <= 150:
                        raise ValueError(f"the answer is {value}")
                for seed in range(6):
                    prompt, reply, it = posed(Writer(random.Random(seed), False), problem, None if problem.bare else (story, ask, answer))
                    if re.search(r"[{}|]", prompt + reply):
                        raise ValueError(f"open: {prompt} -> {reply}")
                    if re.search(r"(?<![:.,$/])\b(1|one) (more )?(?!minus|plus|times)[a-z]+[^s\W]s (?!from)", prompt):
                        raise ValueError(f"one of many: {prompt}")
            except Exception as error:
                wrong.append(f"{where_is}: {error}")
    return wrong


if __name__ == "__main__":
    found = check()
    wordings = sum(len(p.tasks) for p in ALL)
    print("\n".join(found) or f"{len(TOLD)} problems and {len(ALL) - len(TOLD)} bare sums in {wordings} wordings are well formed")
    raise SystemExit(bool(found))
