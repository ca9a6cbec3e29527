"""Whether a dialogue calls its tools as their definitions want it."""

import json

from .tool import CALL, CALL_END, OFFER

TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list}


def fault(messages):
    """What is wrong with the calls of a dialogue, or nothing: what is called, its arguments, and whether a text stands in what was said before."""
    if OFFER not in messages[0]["content"]:
        return None
    offered = [json.loads(line)["function"] for line in messages[0]["content"].split(OFFER)[1].split("\n")]
    rules = {f["name"]: f["parameters"] for f in offered}
    if len(rules) < len(offered):
        return "two tools have one name"
    heard = ""
    for message in messages[1:]:
        text = message["content"]
        if message["role"] == "assistant" and CALL.strip() in text:
            body = text.removeprefix(CALL).removesuffix(CALL_END)
            if json.dumps(json.loads(body), ensure_ascii=False) != body:
                return f"another way to write {body}"
            for call in json.loads(body):
                if call["name"] not in rules:
                    return f"no tool {call['name']}"
                wrong = fault_of(rules[call["name"]], call["arguments"], heard)
                if wrong:
                    return f"{wrong} in {body}"
        else:
            heard += text + "\n"
    return None


def fault_of(rules, arguments, heard):
    known = [name for name in rules["properties"] if name in arguments]
    if list(arguments) != known or not set(rules["required"]) <= set(known):
        return "parameters"
    for name, argument in arguments.items():
        rule = rules["properties"][name]
        if not isinstance(argument, TYPES[rule["type"]]) or isinstance(argument, bool) and rule["type"] != "boolean":
            return f"type of {name}"
        if "enum" in rule and argument not in rule["enum"]:
            return f"value of {name}"
        texts = argument if isinstance(argument, list) else [argument] if isinstance(argument, str) and "enum" not in rule else []
        if any(text not in heard for text in texts):
            return f"text of {name}"
    return None
