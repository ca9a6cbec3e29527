"""Rules that decide whether an answer is right; `adapters/base/prompts/README.md` describes each for its readers.

A rule is an object. Each of its keys names a check below and gives its argument; all of them must hold.
A phrase is matched as whole words whatever its case, "sail*" also as the start of a longer word, and a list of phrases where
one phrase may stand means any of them.
"""

import json
import re
import xml.etree.ElementTree as ElementTree

QUOTES = str.maketrans("‘’“”–—\u00a0", "''\"\"-- ")
OUTER = " \t\n.,;:!?\"'`*_()[]"
ABBREVIATION = re.compile(r"\b(?:(mr|mrs|ms|dr|st)\.|([ap])\.(m)\.)", re.IGNORECASE)
UNKNOWN = re.compile(
    r"\b(?:not (?:\w+ )?(?:know|sure|certain|able to (?:know|tell|say|see|answer))|(?:do|does|did|could|ca|would)n't (?:\w+ )?(?:know|tell|say|see|answer|guess|"
    r"predict|remember)|(?:cannot|can not|could not|unable to) (?:\w+ )?(?:know|tell|say|see|answer|guess|predict|remember|find)|no idea|"
    r"no (?:way|means) (?:of|to)|(?:nobody|no one|no-one) (?:can )?(?:know|tell|say)s?|(?:is|are|was|were|does|did|do|has|have) not (?:been )?"
    r"(?:say|said|given|mention|mentioned|state|stated|told|tell|written|known|in the text)|(?:is|are|was|were|does|did|do)n't (?:say|said|given|mention|"
    r"mentioned|state|stated|told|tell|written|known)|unknown|impossible to (?:know|tell|say)|have(?: not|n't) (?:been )?(?:told|heard|met)|"
    r"you (?:have not|haven't|did not|didn't) (?:told|tell)|no information|(?:not|n't) have (?:\w+ ){0,3}(?:information|access))\b",
    re.IGNORECASE,
)


class BadRule(Exception):
    pass


def plain(text):
    """The text with straight quotes and single blanks, in lower case."""
    return " ".join(str(text).translate(QUOTES).split()).casefold()


def normal(text):
    """What `exact` compares: `plain`, without marks around it and blanks before marks; marks alone stay as they are."""
    text = re.sub(r"\s+([.,;:!?])", r"\1", plain(text))
    return text.strip(OUTER) or text


def occurs(phrase, text):
    """Whether a phrase, or one of a list of phrases, stands in a text as whole words."""
    if isinstance(phrase, list):
        return any(occurs(p, text) for p in phrase)
    phrase, tail = plain(phrase), r"(?!\w|[.,:]\d)"
    if phrase.endswith("*"):
        phrase, tail = phrase[:-1], ""
    return re.search(r"(?<!\w)(?<!\d[.,:])" + re.escape(phrase) + tail, plain(text)) is not None


def sentences(text):
    """The sentences of a text; a last one may lack its mark."""
    text = ABBREVIATION.sub(lambda m: "".join(g for g in m.groups() if g), str(text).translate(QUOTES))
    parts = re.split(r"(?<=[.!?])\s+|(?<=[.!?])[\"')]+\s+(?![a-z])|\n+", text)
    return [p.strip() for p in parts if re.search(r"\w", p)]


def words(text):
    return [w for w in str(text).split() if re.search(r"\w", w)]


def within(count, bounds):
    low, high = bounds
    return low <= count <= high


def parsed(text):
    """The JSON value of an answer, which may stand in a fenced block; None where it is none."""
    text = re.sub(r"^```\w*\s*|\s*```$", "", text.strip())
    try:
        return json.loads(text)
    except ValueError:
        return None


def same(wanted, value):
    """Whether two JSON values are equal as values: 7, 7.0 and "7" are; so are texts that differ in case or outer marks.
    `{"oneOf": [...]}` as a wanted value allows several."""
    if isinstance(wanted, dict) and list(wanted) == ["oneOf"]:
        return any(same(w, value) for w in wanted["oneOf"])
    if isinstance(wanted, dict):
        if not isinstance(value, dict):
            return False
        value = {plain(k): v for k, v in value.items()}
        return {plain(k) for k in wanted} == set(value) and all(same(v, value[plain(k)]) for k, v in wanted.items())
    if isinstance(wanted, list):
        return isinstance(value, list) and len(wanted) == len(value) and all(map(same, wanted, value))
    if isinstance(wanted, bool) or wanted is None or isinstance(value, (bool, dict, list)) or value is None:
        return wanted is value
    try:
        return float(wanted) == float(value)
    except ValueError:
        return normal(wanted) == normal(value)


def without(phrase, text, before):
    """The text without a phrase that is denied or only compared with, as in "not cold", "cold is not" or "than the feather";
    `before` are the words that do so in front of it."""
    phrases = phrase if isinstance(phrase, list) else [phrase]
    either = "|".join(re.escape(plain(p).rstrip("*")) for p in phrases)
    return re.sub(rf"\b(?:{before})\s+(?:an? |the )?(?:{either})\b|\b(?:{either}) (?:isn't|(?:is|are|was|were) not)\b", " ", plain(text))


def choice(argument, text):
    """The right alternative occurs and none of the wrong ones does; what is denied or only compared with does not occur."""
    right = occurs(argument["right"], without(argument["right"], text, "not|isn't|never"))
    return right and not any(occurs(w, without(w, text, "not|isn't|never|than|instead of|rather than")) for w in argument["wrong"])


def tools_beside(path):
    """The tools that the prompts of a file may call, by name."""
    file = path.parent / "tools.json"
    return {tool["function"]["name"]: tool for tool in json.loads(file.read_text())} if file.exists() else {}


def called(text):
    """The calls of tools that an answer makes, in Apple's form; None where they cannot be read."""
    found = re.search(r"```function\s*(.*?)\s*```", text, re.DOTALL)
    return parsed(found.group(1)) if found else []


def speakers(names, text):
    """Each name begins a line of speech, `Name: ...`."""
    spoken = {plain(m) for m in re.findall(r"^\W*([\w' ]+?)\W*:\W*\w", text.translate(QUOTES), re.MULTILINE)}
    return all(plain(n) in spoken for n in names)


def unrepeated(_, text):
    """No sentence of three or more words occurs twice, and no word stands three times in a row."""
    long = [normal(s) for s in sentences(text) if len(words(s)) > 2]
    return len(long) == len(set(long)) and re.search(r"\b(\w+)(?: \1){2}\b", plain(text)) is None


CHECKS = {
    "exact": lambda a, t: normal(a) == normal(t),
    "oneOf": lambda a, t: normal(t) in map(normal, a),
    "verbatim": lambda a, t: a.strip() == t.strip(),
    "contains": lambda a, t: all(occurs(p, t) for p in a),
    "excludes": lambda a, t: not any(occurs(p, t) for p in a),
    "some": lambda a, t: sum(occurs(p, t) for p in a["of"]) >= a["min"],
    "names": lambda a, t: all(occurs(p, t) for p in a),
    "json": lambda a, t: same(a, parsed(t)),
    "pattern": lambda a, t: re.search(a, " ".join(t.translate(QUOTES).split()), re.IGNORECASE) is not None,
    "sentences": lambda a, t: within(len(sentences(t)), a),
    "words": lambda a, t: within(len(words(t)), a),
    "lines": lambda a, t: within(len([line for line in t.splitlines() if line.strip()]), a),
    "ends": lambda a, t: bool(sentences(t)) and occurs(a, sentences(t)[-1]),
    "choice": choice,
    "calls": lambda a, t: same(a, called(t)),
    "speakers": speakers,
    "unrepeated": unrepeated,
    "unknown": lambda _, t: UNKNOWN.search(plain(t)) is not None,
    "all": lambda a, t: all(holds(rule, t) for rule in a),
    "any": lambda a, t: any(holds(rule, t) for rule in a),
}


def holds(rule, text):
    """Whether an answer keeps a rule."""
    if not isinstance(rule, dict) or not rule:
        raise BadRule(f"{rule!r} is no rule; give an object with a check")
    for key in rule:
        if key not in CHECKS:
            raise BadRule(f"{key!r} is no check; these are: {', '.join(CHECKS)}")
    return bool(text.strip()) and all(CHECKS[key](argument, text) for key, argument in rule.items())


def play(item, text):
    """The figures of a play: well formed, two different names that both speak, the place and the thing that were asked for."""
    asked = {key: occurs([item[key] + ending for ending in ("", "s", "es")], text) for key in ("place", "thing")}
    found = {"wellFormed": False, "namesSpeak": False} | asked
    try:
        root = ElementTree.fromstring(text.strip())
    except ElementTree.ParseError:
        return found | {"right": False}
    cast = [plain(role.get("name", "")) for role in root.iterfind("cast/role")]
    lines, scenes = [plain(line.get("speaker", "")) for line in root.iter("line")], root.findall("scene")
    whole = all(s.get("place") and s.find("direction") is not None and len(s.findall("line")) >= 3 for s in scenes)
    found["wellFormed"] = (
        root.tag == "play" and len(root.findall("title")) == 1 and len(cast) >= 2 and len(set(cast)) == len(cast)
        and bool(scenes) and whole and set(lines) <= set(cast)
    )  # fmt: skip
    found["namesSpeak"] = all(plain(name) in lines for name in item["names"])
    return found | {"right": all(found.values())}


def tags(item, text):
    """The figures of tagging: valid, the very tags, at least one right one (none at all where none is right)."""
    value = parsed(text)
    given = value.get("tags") if isinstance(value, dict) and list(value) == ["tags"] else None
    valid = isinstance(given, list) and all(isinstance(t, str) for t in given)
    given, wanted = set(given) if valid else set(), set(item["tags"])
    right = valid and given == wanted
    return {"valid": valid, "oneRight": right or bool(given & wanted), "right": right}


def verdicts(item, text):
    """What an answer to a prompt achieves, by figure; "right" is always one of them."""
    if "names" in item:
        return play(item, text)
    if "tags" in item:
        return tags(item, text)
    echo = "own" in item and len(words(text)) >= item["own"] and normal(text) in plain(item["prompt"])
    return {"right": not echo and holds(item["rule"], text)}
