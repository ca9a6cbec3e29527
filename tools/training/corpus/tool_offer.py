"""A tool as one conversation offers it: its definition, requests for it, and what it returns.

Its name and those of its parameters, how they are written, described and ordered, and which of the optional ones it has are drawn anew each time, so that
only the definition says how it is called. Values are copied as the user wrote them.
"""

import json
import re

from .toolbox import FILLERS, KINDS
from .words import NUMBER_WORDS
from .writer import cap, careless, dressed, part

KEY = re.compile(r"\{(?:an? |A )?(\w+)\}")
PIECE = re.compile(r"<(\w+): ?([^<>]*)>")
FIXED = re.compile(r"\s*@(\w+)=(\w+)")
ERRORS = ["the device is offline", "no connection", "not found", "access denied", "timeout", "no such {object}", "the server is busy", "{name} is unknown", "not available on {day}", "out of paper", "the battery is empty", "too many requests", "wrong code", "{city} is not known", "already done", "nothing found for {code}"]


def title(w):
    return w.one(["{} {}", "{} {}", "The {} {}"]).format(w.word("color").title(), w.word("object").title())


def plain_value(w, bank):
    if isinstance(bank, list):
        return w.fill(bank)
    if bank == "TITLE":
        return title(w)
    if bank == "FULL":
        return w.fill("{name} {surname}")
    if bank == "FILE":
        return w.fill(["{object}", "{madeup}", "{object}_{small}", "{plan}", "{year}-{madeup}"]).replace(" ", "_") + w.one([".pdf", ".txt", ".jpg", ".csv", ".doc", ".png"])
    return w.word(bank)


def value(w, key, rule):
    """A value of a parameter with the rule that its definition has."""
    kind, _, _, made = KINDS[key]
    if kind in ("switch", "enum"):
        meant = w.one(list(made))
        return w.one(made[meant].split("|")), written(rule, meant, made)
    if "enum" in rule:
        text = w.one(rule["enum"])
        return text, text
    if kind == "array":
        items = list(dict.fromkeys(w.word(made) for _ in range(w.number(2, 4))))
        return (", ".join(items[:-1]) + " and " + items[-1] if len(items) > 1 else items[0]), items
    if kind == "string":
        text = plain_value(w, made)
        return (f'"{text}"' if made in ("TITLE", "FILE") and w.chance(0.2) else text), text
    number = w.number(*made)
    if kind == "number" and w.chance(0.25):
        number = round(number + w.one([0.5, 0.25, 0.99, 0.1]), 2)
    return (NUMBER_WORDS[number] if isinstance(number, int) and number <= 20 and w.chance(0.15) else str(number)), number


def written(rule, meant, made):
    """How a definition writes the value that is meant."""
    if rule["type"] == "boolean":
        return meant == "on"
    return next(v for v in rule["enum"] if v.lower() in (meant, {"on": "enabled", "off": "disabled"}.get(meant)))


class Style:
    """How one conversation writes its definitions."""

    def __init__(self, w):
        self.case = w.one(["snake"] * 6 + ["camel"] * 5 + ["pascal", "kebab", "snake"])
        self.described, self.stop, self.late = w.one([0.25, 0.5, 0.9]), w.one([".", ".", ""]), w.chance(0.75)
        self.orders = w.chance(0.4)

    def name(self, text):
        parts = text.lower().split(" ")
        if self.case in ("snake", "kebab"):
            return ("_" if self.case == "snake" else "-").join(parts)
        joined = "".join(p[:1].upper() + p[1:] for p in parts)
        return joined if self.case == "pascal" else joined[:1].lower() + joined[1:]

    def about(self, text):
        """"Sets the volume", or in some conversations "Set the volume"."""
        first, _, rest = text.partition(" ")
        if not self.orders or first[-1:] != "s" or " and " in rest:
            return text
        if first.endswith("ies"):
            return f"{first[:-3]}y {rest}"
        return first[: -2 if first.endswith(("ches", "shes", "sses", "xes", "oes")) else -1] + " " + rest

    def parameter(self, text):
        return text.lower().replace(" ", "_") if self.case in ("snake", "kebab") else "".join(p[:1].upper() + p[1:] if i else p for i, p in enumerate(text.lower().split(" ")))


class Tool:
    """A tool with its definition, its requests and what they stand for."""

    def __init__(self, w, plan, style):
        self.plan, self.w = plan, w
        asks = [(ask, set(KEY.findall(PIECE.sub("", ask))) & KINDS.keys() | {k for k, _ in FIXED.findall(ask)}) for ask in plan.asks]
        every = list(dict.fromkeys(k for ask in plan.asks for k in KEY.findall(ask) + [k for k, _ in FIXED.findall(ask)] if k in KINDS))
        self.required = [k for k in every if all(k in keys for _, keys in asks)]
        kept = [k for k in every if k in self.required or w.chance(0.6)]
        while not any(keys <= set(kept) for _, keys in asks):
            kept = [k for k in every if k in kept or w.chance(0.5)]
        if w.chance(0.4):
            w.rng.shuffle(kept)
        self.asks = [ask for ask, keys in asks if keys <= set(kept)]
        self.name = self.named(style)
        self.names, self.rules = {}, {}
        for key in kept:
            _, names, about, _ = KINDS[key]
            free = [n for n in map(style.parameter, names.split("|")) if n not in self.names.values()] or [style.parameter(key)]
            self.names[key] = w.one(free[:1] * 2 + free)
            self.rules[key] = self.rule(key, style, w.one(about.split("|")))
        self.definition = {"type": "function", "function": {"name": self.name, "description": style.about(w.one(plan.about)) + style.stop, "parameters": {
            "type": "object", "properties": {self.names[k]: self.rules[k] for k in kept}, "required": [self.names[k] for k in kept if k in self.required]}}}

    def named(self, style):
        for _ in range(40):
            name = style.name(self.w.one(self.plan.names))
            held = part(name, 10) == 0
            if self.w.held_out or not held:
                break
        else:
            name, held = name + self.w.one(["2", "_v2", "_now"]), False
        self.w.marks += held
        return name

    def rule(self, key, style, about):
        w, (kind, _, _, made) = self.w, KINDS[key]
        about = cap(about) if w.chance(0.8) else about
        if kind == "switch":
            rule = {"type": "boolean"} if w.chance(0.45) else {"type": "string", "enum": w.one([["on", "off"], ["on", "off"], ["off", "on"], ["enabled", "disabled"], ["ON", "OFF"]])}
            if rule["type"] == "boolean" and w.chance(0.6):
                self.names[key] = w.one([n for n in map(style.parameter, ["on", "is on", "enabled", "active", "switched on"]) if n not in self.names.values()])
                about = "Whether it is on"
        elif kind == "enum":
            values = list(made)
            if w.chance(0.5):
                w.rng.shuffle(values)
            rule = {"type": "string", "enum": [v.upper() for v in values] if w.chance(0.1) else values}
        elif kind == "array":
            rule = {"type": "array", "items": {"type": "string"}}
        elif kind == "string":
            rule = {"type": "string"}
            if isinstance(made, str) and made not in ("TITLE", "FULL", "FILE", "madeup", "code", "phone", "email", "fulldate", "time") and w.chance(0.12):
                rule["enum"] = list(dict.fromkeys(w.word(made) for _ in range(w.number(2, 4))))
        else:
            rule = {"type": kind} | ({"minimum": made[0], "maximum": made[1]} if w.chance(0.12) and kind == "integer" else {})
        if not w.chance(style.described):
            return rule
        return rule | {"description": about} if style.late else {"type": rule["type"], "description": about} | rule

    def ordered(self, arguments):
        return {self.names[k]: arguments[k] for k in self.rules if k in arguments}

    def wish(self, templates):
        """(request, {parameter: argument}, {parameter: as it may be told})."""
        w = self.w
        wording = w.wording([self.whole(t) for t in templates])
        fixed = dict(FIXED.findall(wording))
        wording = FIXED.sub("", wording)
        said, arguments = {}, {}
        for key in KEY.findall(wording):
            if key in self.rules and key not in said:
                said[key], arguments[key] = value(w, key, self.rules[key])
                for _ in range(9):
                    if arguments[key] not in [v for k, v in arguments.items() if k != key]:
                        break
                    said[key], arguments[key] = value(w, key, self.rules[key])
        text = w.slots(careless(w, dressed(w, wording)), said)
        if w.chance(0.1):
            text = text.lower()
            arguments = {k: lowered(v) if KINDS[k][0] in ("string", "array") and "enum" not in self.rules[k] else v for k, v in arguments.items()}
        for key, meant in fixed.items():
            kind = KINDS[key][0]
            arguments[key] = int(meant) if kind in ("integer", "number") else written(self.rules[key], meant, KINDS[key][3])
            said[key] = meant
        if w.chance(0.05):
            text = f"{w.fill(FILLERS)} {text}"
        return text, arguments, said | {k: v for k, v in arguments.items() if isinstance(v, str) and KINDS[k][0] == "string"}

    def whole(self, template):
        """A request with some of what may be left out, if this tool has a parameter for it."""
        return PIECE.sub(lambda m: m.group(2) if m.group(1) in self.rules and self.w.chance(0.4) else "", template)

    def result(self, arguments, said):
        """(what the tool returns, the answer, its fields if they can be asked for)."""
        w, plan = self.w, self.plan
        if w.chance(0.08):
            error = w.fill(ERRORS)
            return w.one([f"Error: {error}", f"error: {error}", json.dumps({"error": error}, ensure_ascii=False), f"failed: {error}", json.dumps({"success": False, "error": error}, ensure_ascii=False)]), f"That did not work: {error}.", None
        if not plan.fields:
            done = cap(w.slots(plan.done, said))
            return (done if w.chance(0.2) else w.one(["ok", "OK", "done", "success", '{"status": "ok"}', '{"success": true}', '{"ok": true}', '{"result": "done"}', "true"])), done, None
        fields = {name: self.field(made, arguments) for name, made in plan.fields}
        shown = {k: told(v) for k, v in fields.items()}
        answer = "I found nothing." if [] in fields.values() else cap(w.slots(plan.answer, said | shown))
        form = w.number(0, 9)
        if form <= 5:
            return json.dumps(fields, ensure_ascii=False), answer, shown
        if form <= 7:
            return w.one([", ", "\n"]).join(f"{k}: {', '.join(v) if isinstance(v, list) else v}" for k, v in fields.items()), answer, shown
        return (answer, answer, None) if form == 8 else (json.dumps({"result": fields}, ensure_ascii=False), answer, shown)

    def field(self, made, arguments):
        w = self.w
        if made.startswith("["):
            return list(dict.fromkeys(plain_value(w, "TITLE" if made == "[title]" else made[1:-1]) for _ in range(w.one([0, 1, 2, 2, 3]))))
        if made.startswith("~"):
            return w.fill(w.one(made[1:].split("|")))
        if made in ("sum", "product"):
            result = arguments["a"] + arguments["b"] if made == "sum" else arguments["a"] * arguments["b"]
            return round(result, 4)
        if made == "temperature":
            return w.number(-10, 38)
        if made == "decimal":
            return f"{w.number(0, 9)}.{w.number(0, 20)}"
        if made == "madeups":
            return " ".join(w.word("madeup") for _ in range(w.number(1, 4)))
        if made in ("condition", "weather"):
            return w.word("weather")
        text = plain_value(w, made)
        return int(text) if made in ("count", "small", "price", "age", "year") else w.number(0, 100) if made == "percent" else text


def lowered(argument):
    return [x.lower() for x in argument] if isinstance(argument, list) else argument.lower()


def told(argument):
    """An argument or a result as it stands in a sentence."""
    return joined(argument) if isinstance(argument, list) else str(argument)


def joined(items):
    return items[0] if len(items) == 1 else ", ".join(items[:-1]) + " and " + items[-1] if items else "nothing"
