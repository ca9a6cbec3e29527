"""Calls of tools: the system turn offers some, the user wants something, the assistant calls, asks back, or answers as it would without them."""

import json
import re

from . import answer, choice, classify, copying, extract, game, read, record, rewrite, schema, story, sums, unknown, world
from .tool_offer import KEY, Style, Tool, joined, told, value, written
from .tool_plan import PLANS, a_plan, asked_for, put_together_beside
from .toolbox import KINDS
from .writer import cap

OFFER = "\nsystem tools: "
CALL, CALL_END = "<executable_start> ```function\n", "```<executable_end>"
NO_TOOL = "I have no tool for that."
SYSTEMS = ["You control a smart home.", "You help with the calendar and the phone.", "Use the tools when they help.", "You are an assistant with tools.", "You run the machines of a factory.", "You are the voice of a car.", "You help in a shop.", "Call a tool when the user wants something done.", "You are a game master."]
UNSAID = set("to at by on who what where a b x y from left right first second how with mode".split())
ORDINARY = [answer.greeting] * 8 + [answer.fact_question, world.fact, world.fact, world.yes_no, classify.sentiment, classify.topic, extract.one_kind, extract.asked, copying.exact, copying.case, copying.ordered, rewrite.polite, rewrite.tense, choice.happened, choice.which, choice.sort_out, schema.from_text, record.as_json,
    record.one_by_one, read.summarise, read.main_point, read.keywords, story.little_story, sums.told, sums.plain, unknown.missing, game.npc_line, answer.listing]


def note(w, word):
    if len(w.contents) < 2 and word not in w.contents:
        w.contents.append(word)


def called(*calls):
    """The assistant's turn of calls of tools, each (tool, {parameter: argument})."""
    listed = [{"name": tool.name, "arguments": tool.ordered(arguments)} for tool, arguments in calls]
    return ("assistant", CALL + json.dumps(listed, ensure_ascii=False) + CALL_END)


def as_data(item):
    """A dialogue as a data set has it: the tools beside the messages, and calls as objects."""
    system, *rest = item["messages"]
    text, mark, offered = system["content"].partition(OFFER)
    if not mark:
        return item
    messages = [{"role": "system", "content": text}]
    for message in rest:
        calls = message["content"].removeprefix(CALL) if message["role"] == "assistant" else message["content"]
        if calls != message["content"]:
            listed = json.loads(calls.removesuffix(CALL_END))
            message = {"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": call} for call in listed]}
        messages.append(message)
    return item | {"tools": [json.loads(line) for line in offered.split("\n")], "messages": messages}


class Conversation:
    """The tools that are offered, and turns about them."""

    def __init__(self, w, count=None, wanted=()):
        self.w, style = w, Style(w)
        count = count or w.one([1, 1, 2, 2, 2, 3, 3, 3, 4, 5])
        plans = {plan.key: plan for plan in wanted or [a_plan(w)]}
        first = next(iter(plans.values()))
        for _ in range(40):
            if len(plans) < count:
                other = self.beside(first) if w.chance(0.5) else a_plan(w)
                plans.setdefault(other.key, other)
        for plan in plans.values():
            note(w, plan.key)
        self.tools = []
        for plan in plans.values():
            tool = Tool(w, plan, style)
            if tool.name not in [t.name for t in self.tools]:
                self.tools.append(tool)
        w.rng.shuffle(self.tools)
        self.style, self.keys = style, [t.plan.key for t in self.tools]
        self.turns = [("system", (w.one(SYSTEMS) if w.chance(0.2) else "") + OFFER + "\n".join(json.dumps(t.definition, ensure_ascii=False) for t in self.tools))]

    def beside(self, plan):
        if plan.domain != "made":
            return self.w.one([p for p in PLANS if p.domain == plan.domain])
        return put_together_beside(self.w, plan) if "/" in plan.key and plan.done else asked_for(self.w)

    def say(self, *turns):
        self.turns += turns

    def finish(self, tool, arguments, said, end=False):
        """The result of a call, the answer, and perhaps what the user asks then."""
        w = self.w
        text, answer, fields = tool.result(arguments, said)
        self.say(("tool", text), ("assistant", answer))
        if fields and tool.plan.more and w.chance(0.5):
            question, reply = w.one(tool.plan.more)
            self.say(("user", w.ask(question)), ("assistant", cap(w.slots(reply, said | fields))))
        if not end and w.chance(0.3):
            self.again(tool, arguments)

    def again(self, tool, arguments):
        """One thing of the call before is changed."""
        w = self.w
        fitting = [t for t in tool.plan.again if set(KEY.findall(t)) <= set(tool.rules)]
        if not fitting:
            return
        for _ in range(20):
            text, changed, said = tool.wish(fitting)
            new = arguments | changed
            if new != arguments:
                self.say(("user", text), called((tool, new)))
                known = {k: told(v) for k, v in arguments.items()}
                if all(k in known | said for k in KEY.findall(tool.plan.done + tool.plan.answer) if k in KINDS and k not in dict(tool.plan.fields)):
                    if "switch" in arguments and "switch" not in said:
                        said["switch"] = "on" if written(tool.rules["switch"], "on", None) == arguments["switch"] else "off"
                    self.finish(tool, new, known | said, end=True)
                return

    # steps of a conversation; each ends with an answer or a call

    def call(self):
        tool = self.w.one(self.tools)
        text, arguments, said = tool.wish(tool.asks)
        self.say(("user", text), called((tool, arguments)))
        return tool, arguments, said

    def by_name(self):
        """The user names the tool and its parameters, as those do who made it."""
        w, tool = self.w, self.w.one(self.tools)
        keys = [k for k in tool.rules if k in tool.required or w.chance(0.5)]
        values = {k: value(w, k, tool.rules[k]) for k in keys}
        shown = {tool.names[k]: json.dumps(v) if not isinstance(v, (str, list)) else joined(v) if isinstance(v, list) else v for k, (_, v) in values.items()}
        form, verb = w.number(0, 2), w.one(["Call", "Use", "Run", "Try", "Please call", "call", "Now run"])
        if not shown:
            text = w.one([f"{verb} {tool.name}.", f"{verb} {tool.name}", f"{verb} the tool {tool.name}."])
        elif form == 0:
            text = f"{verb} {tool.name} with " + " and ".join(f"{k} {v}" for k, v in shown.items())
        elif form == 1:
            text = f"{verb} {tool.name}: " + ", ".join(f"{k}={v}" for k, v in shown.items())
        else:
            text = f"{verb} {tool.name}, " + ", ".join(f"{k}: {v}" for k, v in shown.items())
        arguments = {k: v for k, (_, v) in values.items()}
        self.say(("user", text), called((tool, arguments)))
        return tool, arguments, {k: s if isinstance(v, bool) else told(v) for k, (s, v) in values.items()}

    def both(self, answered):
        """Two wishes at once, of two tools or of one."""
        w = self.w
        tools = w.rng.sample(self.tools, 2) if len(self.tools) > 1 and w.chance(0.8) else [self.tools[0]] * 2
        (one, a, said), (two, b, said2) = [t.wish(t.asks) for t in tools]
        if tools[0] is tools[1] and a == b:
            return self.finish(*self.call())
        if one[-1:] in ".!" and not one.endswith(tuple(v for v in a.values() if isinstance(v, str))) and w.chance(0.6):
            kept = two.startswith(("I ", "I'")) or two.split(" ")[0].strip(",:") in " ".join(map(str, b.values()))
            text = one[:-1] + w.one([" and ", " and then ", ", and ", ", then ", " and also "]) + (two if kept else two[:1].lower() + two[1:])
        else:
            text = one + ("" if one[-1:] in ".!?" else ".") + w.one([" ", " Also: ", " And ", " Then: ", "\n", " "]) + two
        self.say(("user", text), called((tools[0], a), (tools[1], b)))
        if answered:
            results = [t.result(x, s) for t, x, s in zip(tools, (a, b), (said, said2))]
            self.say(*[("tool", r[0]) for r in results], ("assistant", " ".join(r[1] for r in results)))

    def ask_back(self, answered):
        """Something that the tool needs was not said."""
        w = self.w
        able = [t for t in self.tools if t.plan.vague and not any(t.names[k] in UNSAID for k in t.required)]
        if not able:
            return self.finish(*self.call())
        tool = w.one(able)
        text, arguments, said = tool.wish([v for v in tool.plan.vague if set(KEY.findall(v)) <= set(tool.rules)] or [tool.plan.vague[0]])
        arguments = {k: v for k, v in arguments.items() if k in tool.rules}
        self.say(("user", text))
        for key in [k for k in tool.rules if k in tool.required and k not in arguments]:
            label, rule = " ".join(re.sub(r"([A-Z])", r" \1", tool.names[key].replace("_", " ")).lower().split()), tool.rules[key]
            options = ": " + ", ".join(rule["enum"][:-1]) + " or " + rule["enum"][-1] if "enum" in rule and len(rule["enum"]) > 1 else ""
            if rule["type"] == "boolean":
                options = ": yes or no"
            spoken, argument = value(w, key, rule)
            if rule["type"] == "boolean":
                said[key], spoken = spoken, "yes" if argument else "no"
            else:
                said[key] = told(argument)
            arguments[key] = argument
            self.say(("assistant", f"Please tell me the {label}{options}."), ("user", w.one(["{x}", "{x}", "{x}.", "{X}", "{x} please", "Take {x}.", "Let's say {x}."]).replace("{x}", spoken).replace("{X}", spoken)))
        self.say(called((tool, arguments)))
        if answered:
            self.finish(tool, arguments, said, end=True)

    def ordinary(self):
        """What has nothing to do with the tools."""
        form = self.w.one(ORDINARY)
        while form in (sums.plain, sums.told) and {"add", "multiply"} & set(self.keys) or form is game.npc_line and self.w.chance(0.8):
            form = self.w.one(ORDINARY)
        made = form(self.w)
        self.say(*([("user", made[0]), ("assistant", made[1])] if isinstance(made[0], str) else [turn for turn in made if turn[0] != "system"]))

    def about_tools(self):
        """A question about the definitions themselves: a short way to learn to read them."""
        w, tool = self.w, self.w.one(self.tools)
        function, form = tool.definition["function"], w.number(0, 7)
        properties = function["parameters"]["properties"]
        key = w.one(list(properties)) if properties else None
        if form == 0:
            asks, reply = ["Which tools [do you have|are there|can you use]?", "[List|Name] your tools.", "What are your tools called?"], ", ".join(t.name for t in self.tools)
        elif form == 1:
            asks, reply = ["What does {n} do?", "What is {n} for?", "[Explain|Describe] {n}."], function["description"]
        elif form == 2 or key is None:
            asks, reply = ["[What|Which] parameters does {n} have?", "[Name|List] the parameters of {n}.", "What can I tell {n}?"], ", ".join(properties) or "none"
        elif form == 3:
            asks, reply = ["What does {n} need?", "Which parameters of {n} are required?", "What must I say for {n}?"], ", ".join(function["parameters"]["required"]) or "nothing"
        elif form == 4 and "enum" in properties[key]:
            asks, reply = ["Which values can {k} of {n} have?", "What can {k} be in {n}?", "The values of {k} in {n}?"], ", ".join(properties[key]["enum"])
        elif form == 4:
            asks, reply = ["[What|Which] type is {k} of {n}?", "Type of {k} in {n}?", "What kind of value is {k} in {n}?"], properties[key]["type"]
        else:
            asks, reply = ["Which tool [is|would be] [for this|right for this]: {t}", "Which tool would you call for this? {t}", "[Only the name|Just the name] of the tool: {t}", "Name the tool, don't call it: {t}"], tool.name
        self.say(("user", w.ask(asks, n=tool.name, k=key, t=tool.wish(tool.asks)[0] if form > 4 else "")), ("assistant", reply))

    def thanks(self):
        self.say(*zip(("user", "assistant"), answer.thanks(self.w)))

    def refuse(self):
        """A wish that none of the tools fulfils, though one may come near."""
        w = self.w
        near = [t.plan for t in self.tools if t.plan.domain == "made" and t.plan.done]
        plan = put_together_beside(w, w.one(near)) if near and w.chance(0.6) else a_plan(w)
        domains = {t.plan.domain for t in self.tools}
        while plan.key in self.keys or plan.fields or plan.domain != "made" and plan.domain in domains:
            plan = a_plan(w)
        tool = Tool(w, plan, self.style)
        self.say(("user", tool.wish(tool.asks)[0]), ("assistant", NO_TOOL))

    def step(self):
        form = self.w.number(0, 19)
        if form <= 10:
            self.finish(*self.call())
        elif form == 11:
            self.finish(*self.by_name())
        elif form <= 13:
            (self.both if form == 12 else self.ask_back)(answered=True)
        else:
            self.w.one([self.ordinary, self.ordinary, self.ordinary, self.thanks, self.refuse, self.refuse, self.about_tools])()

    def steps(self, low, high):
        for _ in range(self.w.number(low, high)):
            self.step()


def one_call(w):
    """A request and the call; now and then something was said before."""
    talk = Conversation(w)
    if w.chance(0.2):
        talk.ordinary()
    talk.call()
    return talk.turns


def answered(w):
    """Calls, results and answers."""
    talk = Conversation(w)
    talk.finish(*talk.call())
    talk.steps(0, 2)
    return talk.turns


def named(w):
    talk = Conversation(w)
    talk.by_name()
    return talk.turns


def both_at_once(w):
    talk = Conversation(w, w.number(1, 4))
    talk.both(answered=w.chance(0.6))
    return talk.turns


def asked_back(w):
    for _ in range(50):
        plan = a_plan(w)
        if plan.vague:
            break
    talk = Conversation(w, w.number(1, 4), [plan])
    talk.ask_back(answered=w.chance(0.3))
    return talk.turns


# What has to be looked up before something can be done: the tools, the field that goes from one to the other, requests.
CHAINS = [
    ("find contact", "dial", "phone", ["Dial {person}'s number.", "[Look up|Find] {person} and dial the number.", "Find the number of {person} and [dial|call] it.", "Get {person}'s number and ring it."]),
    ("find contact", "email", "email", ["Find {person}'s [email |]address and write: {message}", 'Mail "{message}" to {person}, look up the address.', 'Look up {person} and send an email there: {message}', "Write to {person} by email that {message}."]),
]


def one_after_other(w):
    """Two calls of which the second needs what the first returned."""
    first, second, field, requests = w.one(CHAINS)
    talk = Conversation(w, w.number(2, 4), [next(p for p in PLANS if p.key == key) for key in (first, second)])
    one, two = [next(t for t in talk.tools if t.plan.key == key) for key in (first, second)]
    message = value(w, "message", {"type": "string"})[1]
    person = value(w, "person", one.rules["person"])[1]
    found = {name: one.field(made, {}) for name, made in one.plan.fields}
    arguments = {key: found[field] if key == field else message for key in two.required}
    talk.say(("user", w.ask(requests, person=person, message=message)), called((one, {"person": person})), ("tool", json.dumps(found, ensure_ascii=False)), called((two, arguments)))
    if w.chance(0.5):
        talk.finish(two, arguments, arguments, end=True)
    return talk.turns


def definitions(w):
    """Questions about the tools, and a wish in between."""
    talk = Conversation(w, w.number(2, 5))
    for _ in range(w.number(3, 6)):
        if w.chance(0.8):
            talk.about_tools()
        else:
            talk.finish(*talk.call(), end=True)
    return talk.turns


def not_needed(w):
    """Tools are there, and none is needed."""
    talk = Conversation(w)
    talk.ordinary()
    if w.chance(0.3):
        w.one([talk.ordinary, talk.call, talk.call])()
    return talk.turns


def not_there(w):
    talk = Conversation(w)
    talk.refuse()
    if w.chance(0.3):
        talk.call()
    return talk.turns


def wishes(w):
    """Several wishes in a row, with thanks and other things between them."""
    conversation = Conversation(w, w.number(2, 5))
    conversation.steps(3, 5)
    return conversation.turns


def many_wishes(w):
    conversation = Conversation(w, w.number(4, 6))
    conversation.steps(10, 14)
    return conversation.turns


FORMS = [one_call] * 4 + [answered] * 4 + [named] + [both_at_once] * 2 + [one_after_other] + [asked_back] * 2 + [not_needed] * 2 + [not_there] * 2 + [definitions] * 3 + [wishes] * 4
