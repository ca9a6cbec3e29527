"""Rules that decide whether an answer is right; `adapters/base/prompts/README.md` describes each for its readers.

A rule is an object. Each of its keys names a check below and gives its argument; all of them must hold.
A phrase is matched as whole words whatever its case, "sail*" also as the start of a longer word, and a list of phrases where
one phrase may stand means any of them.
"""

import json
import re
import unicodedata
import xml.etree.ElementTree as ElementTree

QUOTES = str.maketrans("‘’“”–—\u00a0", "''\"\"-- ")
# What is folded further where texts are compared: other quotes, hyphens and widths, what is not seen, and the vowel signs of Arabic and Hebrew.
OTHERS = {ord(c): plain for others, plain in (("‚‛‹›", "'"), ("„‟«»「」『』｢｣〝〞", '"'), ("‐‑−", "-"), ("\u3000", " ")) for c in others}
OTHERS |= {c: chr(c - 0xFEE0) for c in range(0xFF01, 0xFF5F)}
OTHERS |= dict.fromkeys([
    0x640, *range(0x64B, 0x653), 0x670, *range(0x591, 0x5BE), 0x5BF, 0x5C1, 0x5C2, 0x5C4, 0x5C5, 0x5C7, 0xAD, 0x61C, 0x180E, *range(0x200B, 0x2010),
    *range(0x202A, 0x202F), *range(0x2060, 0x206A), *range(0xFE00, 0xFE10), 0xFEFF,
])  # fmt: skip
FOLDED = QUOTES | OTHERS
MARKS = ".,;:!?。、｡､،؛؟۔।॥"
OUTER = MARKS + " \t\n\"'`*_()[]¿¡…·・《》〈〉【】〔〕"
ENDS = ".!?。｡؟۔।॥።။។"
# Letters, the marks on them, digits and the underscore, in a class.
WORD = r"\w" + "".join(chr(c) for c in range(0x300, 0x20000) if unicodedata.category(chr(c))[0] == "M") + "\U000e0100-\U000e01ef"
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


def composed(text):
    return unicodedata.normalize("NFC", str(text))


def straight(text):
    """The text with straight quotes, hyphens for dashes, ASCII for digits and marks of other scripts and widths, and without what may be left out."""
    folded = composed(text).translate(FOLDED)
    return folded if folded.isascii() else "".join(c if c.isascii() else str(unicodedata.decimal(c, c)) for c in folded)


def plain(text):
    """The text with straight quotes and single blanks, in lower case."""
    return " ".join(straight(text).split()).casefold().replace("i\u0307", "i")


def normal(text):
    """What `exact` compares: `plain`, without marks around it and blanks before marks; marks alone stay as they are."""
    text = re.sub(rf"\s+([{MARKS}])", r"\1", plain(text))
    return text.strip(OUTER) or text


def is_sign(c):
    """Whether a character is of a script whose signs count as words: Chinese and Japanese."""
    value = ord(c)
    return 0x2E80 <= value < 0xA4D0 or 0xF900 <= value < 0xFB00 or 0xFF66 <= value < 0xFFA0 or 0x1B000 <= value < 0x1B300 or 0x20000 <= value < 0x40000


def is_unspaced(c):
    """Whether a character is of a script without spaces between words."""
    value = ord(c)
    return is_sign(c) or 0x0E00 <= value < 0x10A0 or 0x1780 <= value < 0x1800 or 0xA9E0 <= value < 0xAA00 or 0xAA60 <= value < 0xAA80


def is_word(c):
    return re.match(f"[{WORD}]", c) is not None


def stands(text, start, end, is_start):
    """Whether what stands in a plain text between two places is whole words there, or the start of one."""

    def meet(left, right):
        """Whether words may meet between two characters with nothing between them."""
        return unicodedata.category(right)[0] != "M" and (is_unspaced(left) or is_unspaced(right))

    if start > 0 and is_word(text[start - 1]):
        begins = start < len(text) and meet(text[start - 1], text[start])
    else:
        begins = re.search(r"\d[.,:]$", text[:start]) is None
    if end < len(text) and is_word(text[end]):
        ends = end > 0 and meet(text[end - 1], text[end])
    else:
        ends = re.match(r"[.,:]\d", text[end:]) is None
    return begins and (is_start or ends)


def occurs(phrase, text):
    """Whether a phrase, or one of a list of phrases, stands in a text as whole words, or anywhere in scripts without spaces."""
    if isinstance(phrase, list):
        return any(occurs(p, text) for p in phrase)
    phrase, text = plain(phrase), plain(text)
    is_start = phrase.endswith("*")
    phrase = phrase[:-1] if is_start else phrase
    return any(text.startswith(phrase, at) and stands(text, at, at + len(phrase), is_start) for at in range(len(text) - len(phrase) + 1))


def sentences(text):
    """The sentences of a text; a last one may lack its mark."""
    text = re.sub(r"([。！？｡])(?![。！？｡」』”’\"')）】》〉\s]|$)", "\\1\n", str(text))
    text = ABBREVIATION.sub(lambda m: "".join(g for g in m.groups() if g), straight(text))
    parts = re.split(rf"(?<=[{ENDS}])\s+|(?<=[{ENDS}])[\"')]+\s+(?![a-z])|\n+", text)
    return [p.strip() for p in parts if re.search(f"[{WORD}]", p)]


def words(text):
    """Parts between blanks that have a letter or digit; in Chinese and Japanese each sign is one."""
    spaced = "".join(f" {c} " if is_sign(c) else c for c in str(text))
    return [w for w in spaced.split() if re.search(f"[{WORD}]", w)]


def within(count, bounds):
    low, high = bounds
    return low <= count <= high


def unique(members):
    """An object, whose keys have to differ: of two alike one program reads the first and another one the last."""
    found = dict(members)
    if len(found) < len(members):
        raise ValueError("a key stands twice")
    return found


def parsed(text):
    """The JSON value of an answer, which may stand in a fenced block; None where it is none."""
    text = re.sub(r"^```\w*\s*|\s*```$", "", text.strip())
    try:
        return json.loads(text, object_pairs_hook=unique)
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
        return float(straight(wanted)) == float(straight(value))
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
    spoken = {plain(m) for m in re.findall(rf"^[^{WORD}]*([{WORD}' ]+?)[^{WORD}]*:[^{WORD}]*[{WORD}]", straight(text), re.MULTILINE)}
    return all(plain(n) in spoken for n in names)


def unrepeated(_, text):
    """No sentence of three or more words occurs twice, and no word stands three times in a row."""
    long = [normal(s) for s in sentences(text) if len(words(s)) > 2]
    return len(long) == len(set(long)) and re.search(rf"(?<![{WORD}])([{WORD}]+)(?: \1){{2}}(?![{WORD}])", plain(text)) is None


CHECKS = {
    "exact": lambda a, t: normal(a) == normal(t),
    "oneOf": lambda a, t: normal(t) in map(normal, a),
    "verbatim": lambda a, t: a.strip() == t.strip(),
    "contains": lambda a, t: all(occurs(p, t) for p in a),
    "excludes": lambda a, t: not any(occurs(p, t) for p in a),
    "some": lambda a, t: sum(occurs(p, t) for p in a["of"]) >= a["min"],
    "names": lambda a, t: all(occurs(p, t) for p in a),
    "json": lambda a, t: same(a, parsed(t)),
    "pattern": lambda a, t: re.search(composed(a), " ".join(composed(t).translate(QUOTES).split()), re.IGNORECASE) is not None,
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
