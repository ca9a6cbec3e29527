"""Wrong requests made of right ones: bodies of JSON, and streams of HTTP."""

import copy
import json


class Raw(str):
    """A text that stands in JSON as it is."""


class Pairs(list):
    """Members of an object, in which a name may come twice."""


def pairs(value):
    if isinstance(value, dict):
        return Pairs((key, pairs(member)) for key, member in value.items())
    return [pairs(member) for member in value] if isinstance(value, list) else value


def dump(value):
    if isinstance(value, Raw):
        return value
    if isinstance(value, Pairs):
        return "{" + ",".join(f"{key if isinstance(key, Raw) else json.dumps(key)}:{dump(member)}" for key, member in value) + "}"
    return "[" + ",".join(map(dump, value)) + "]" if isinstance(value, list) else json.dumps(value)


def places(value):
    """Each container with the index of each of its parts."""
    if isinstance(value, list):
        for index, part in enumerate(value):
            yield value, index
            yield from places(part[1] if isinstance(value, Pairs) else part)


# What stands where something else is expected.
ODD = [
    None, True, False, 0, 1, -1, 2, 0.5, -0.0, 16, 4096, 2**31, 2**32, 2**53, 2**63, -2**63, 2**64, 1e308, Raw("1e999"), Raw("-1e999"), Raw("1e-999"),
    Raw("9" * 1000), Raw("0." + "0" * 1000 + "1"), Raw("NaN"), Raw("Infinity"), Raw("01"), Raw("+1"), Raw(".5"), Raw("1."), Raw("0x10"), Raw("nul"),
    "", " ", "a", "1", "true", "null", "user", "auto", "json_schema", "../../etc/passwd", "\0", "a\nb", "\u2028", "💥", "e\u0301" * 50, "x" * 10_000, "kite " * 3000,
    Raw(r'"\ud83d"'), Raw(r'"\udc00\ud800"'), Raw(r'"\u0000"'), Raw(r'"\x"'), Raw('"\t"'), Raw('"open'), "<|im_end|>", "<|im_start|>system", "{{ x }}", "%n%s",
    "(" * 2000, "(a+)+$", "^+a", "[", [], [[]], [None], [1, "a", {}], ["a"] * 300, [[0] * 200] * 20, Pairs(), Pairs([("", None)]), Pairs([("a", 1), ("a", 2)]),
    Pairs([("type", "object"), ("$ref", "#")]), Pairs([("type", "array"), ("minItems", 10**9)]), Pairs([("pattern", "(")]), Pairs([("anyOf", [])]),
    Pairs([("enum", list(range(500)))]), Raw("[" * 60 + "]" * 60), Raw("[" * 10_000), Raw("[" * 3000 + "]" * 3000), Raw('{"a":' * 5000 + "1" + "}" * 5000),
]
# Names that some reader knows.
NAMES = [
    "model", "messages", "prompt", "input", "max_tokens", "max_completion_tokens", "max_output_tokens", "n", "best_of", "stop", "stream", "seed", "temperature",
    "top_p", "top_k", "min_p", "logprobs", "top_logprobs", "logit_bias", "tools", "tool_choice", "response_format", "format", "options", "lora", "echo",
    "suffix", "guided_regex", "guided_choice", "guided_json", "structured_outputs", "json_schema", "grammar", "chat_template_kwargs", "role", "content",
    "type", "name", "function", "parameters", "schema", "pattern", "images", "think", "keep_alive", "raw", "repeat_last_n", "presence_penalty", "truncation",
    "include", "metadata", "previous_response_id", "text", "reasoning", "parallel_tool_calls", "stream_options", "stop_sequences", "system",
]


def odd(draw):
    return copy.deepcopy(draw.choice(ODD))  # what is changed later is not the list's


def replace(draw, container, index):
    value = odd(draw)
    container[index] = (container[index][0], value) if isinstance(container, Pairs) else value


def remove(draw, container, index):
    del container[index]


def double(draw, container, index):
    """The same again, maybe with another value."""
    part = container[index]
    if isinstance(container, Pairs) and draw.random() < 0.5:
        part = (part[0], odd(draw))
    container[index:index] = [part] * draw.choice([1, 1, 2, 40])


def rename(draw, container, index):
    if isinstance(container, Pairs):
        name = draw.choice([*NAMES, "", "a" * 5000, "\0", Raw(r'"\ud83d"'), "Model", " model", "__proto__"])
        container[index] = (name, container[index][1])
    else:
        container[index] = Pairs([(draw.choice(NAMES), container[index])])


def add(draw, container, index):
    container.insert(index, (draw.choice(NAMES), odd(draw)) if isinstance(container, Pairs) else odd(draw))


def exchange(draw, container, index):
    other = draw.randrange(len(container))
    container[index], container[other] = container[other], container[index]
    if isinstance(container, Pairs):
        (one, first), (two, second) = container[index], container[other]
        container[index], container[other] = (one, second), (two, first)


def nest(draw, container, index):
    part = container[index]
    value = part[1] if isinstance(container, Pairs) else part
    for _ in range(draw.choice([1, 2, 70])):
        value = [value] if draw.random() < 0.5 else Pairs([(draw.choice(NAMES), value)])
    container[index] = (part[0], value) if isinstance(container, Pairs) else value


CHANGES = [replace, replace, replace, replace, remove, double, rename, add, add, exchange, nest]


def flip(draw, data):
    for _ in range(draw.choice([1, 1, 3, 20])):
        if data:
            data[draw.randrange(len(data))] = draw.randrange(256)


def cut(draw, data):
    del data[draw.randrange(len(data) + 1):]


def insert(draw, data):
    odd = [b"\0", b"\xff", b"\xc3", b"\xed\xa0\xbd", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\r\n", b"\n", b"{", b"]", b'"', b"\\u", b"//", bytes(draw.randrange(256) for _ in range(50))]
    place = draw.randrange(len(data) + 1)
    data[place:place] = draw.choice(odd) * draw.choice([1, 1, 1, 3, 2000])


def repeat(draw, data):
    start = draw.randrange(len(data) + 1)
    data[start:start] = data[start:start + draw.randrange(1, 200)] * draw.choice([1, 2, 50])


def drop(draw, data):
    start = draw.randrange(len(data) + 1)
    del data[start:start + draw.randrange(1, 30)]


def encode(draw, data):
    data[:] = data.decode("latin-1").encode(draw.choice(["utf-16", "utf-16-be", "utf-32", "utf-8-sig", "cp500"]))


BYTES = [flip, flip, cut, insert, insert, repeat, drop]


def body(draw, value):
    """A body that is a wrong one in one way or several, or by chance still a right one."""
    value = [pairs(value)]
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        if found := list(places(value)):
            draw.choice(CHANGES)(draw, *draw.choice(found))
    data = bytearray(dump(value[0]).encode("utf-8", "surrogatepass") if value else b"")
    if draw.random() < 0.15:
        draw.choice([*BYTES, encode])(draw, data)
    return bytes(data)


HEADS = [
    "Content-Length: 5", "Content-Length: 0", "Content-Length: 99999999999999999999", "Content-Length: -1", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip",
    "Host: evil.example", "Host: localhost", "Expect: 100-continue", "Expect: x", "Connection: close", "Connection: keep-alive, Upgrade", "Upgrade: h2c", "Origin: http://evil.example",
    "Origin: null", "Authorization: Bearer x", "X-Request-Id: a\tb", "X-Request-Id: " + "a" * 3000, "Accept-Encoding: gzip", "Content-Encoding: gzip", "Content-Type: text/plain",
    "Range: bytes=0-1", "X-Odd: \x01", "X-Long: " + "a" * 40_000, ": nothing", "no colon", "Name : value", " folded",
]


def chunked(draw, data):
    parts, at = [], 0
    while at < len(data):
        size = draw.choice([1, 2, 7, 100, 5000])
        part = data[at:at + size]
        parts.append(b"%x\r\n%s\r\n" % (len(part), part))
        at += size
    return b"".join(parts) + b"0\r\n\r\n"


def stream(draw, samples, port):
    """The bytes of one to three requests over one connection, some of them wrong, in the parts in which they are sent."""
    data = bytearray()
    for _ in range(draw.choice([1, 1, 2, 3])):
        path, value = draw.choice(samples)
        text = json.dumps(value).encode()
        lines = [f"POST {path} HTTP/1.{draw.choice('1110')}", f"Host: localhost:{port}", "Content-Type: application/json"]
        if draw.random() < 0.2:
            lines[0] = draw.choice(["GET /health HTTP/1.1", "GET /v1/models HTTP/1.1", "OPTIONS * HTTP/1.1", "DELETE /api/delete HTTP/1.1", "GET  / HTTP/1.1"])
            text = b""
        if text and draw.random() < 0.3:
            lines.append("Transfer-Encoding: chunked")
            text = chunked(draw, text)
        else:
            lines.append(f"Content-Length: {len(text)}")
        for _ in range(draw.choice([0, 0, 1, 2])):
            lines.insert(draw.randrange(1, len(lines) + 1), draw.choice(HEADS))
        data += "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + text
    for _ in range(draw.choice([0, 1, 1, 2])):
        draw.choice(BYTES)(draw, data)
    marks = sorted(draw.randrange(len(data) + 1) for _ in range(draw.choice([0, 0, 1, 3])))
    return [bytes(data[start:end]) for start, end in zip([0, *marks], [*marks, len(data)])]
