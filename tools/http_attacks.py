#!/usr/bin/env python3
"""Sends requests of false or doubtful framing to an HTTP/1.1 server on loopback and says what came of each.

    tools/http_attacks.py PORT                     all attacks
    tools/http_attacks.py PORT --drip 15           the server must end a dripped head within 15 seconds
    tools/http_attacks.py unix:PATH --only host    those whose name holds a text, by a socket file

A line per attack: ok or BAD, its name, what was expected, what came. Exits with 1 if any is BAD, with 2 if no
server answers or no attack has the name.

Behind most attacks comes a plain GET as a canary: a server that refuses answers one error and closes, so the canary
stays unanswered. What comes is one of
    refused  one answer of 4xx or 5xx, or none, then the end of the connection
    acted    an answer of 2xx, or any answer to what stood behind a refusal
    hang     neither an answer nor the end within the time limit
The GET path must answer 200 to anyone, the POST path 200 to the body given; a server whose POST answers
`body=N` (as an echo does) has N shown.
"""
import argparse
import concurrent.futures
import re
import socket
import sys
import time
from typing import NamedTuple

CRLF = b"\r\n"


class Attack(NamedTuple):
    """Bytes to send, whether a canary follows, and what may come."""

    name: str
    data: bytes
    expected: tuple
    canary: bool = True


class Outcome(NamedTuple):
    """What came: refused, acted or hang, and the answers in short."""

    kind: str
    text: str


class Requests:
    """Builds requests for one server's paths and body."""

    def __init__(self, options):
        self.get_path = options.get.encode()
        self.post_path = options.post.encode()
        self.body = options.body.encode()
        self.host = b"Host: " + options.host.encode() + CRLF
        self.extra = b"".join(header.encode() + CRLF for header in options.header)

    def head(self, line, *headers, host=None):
        """A head of a request line and header lines, each given without its end."""
        lines = b"".join(header + CRLF for header in headers)
        return line + CRLF + (self.host if host is None else host) + self.extra + lines + CRLF

    def get(self, *headers, path=None, version=b"HTTP/1.1", method=b"GET", host=None):
        return self.head(method + b" " + (path or self.get_path) + b" " + version, *headers, host=host)

    def post(self, *headers, body=None, version=b"HTTP/1.1"):
        kind = b"Content-Type: application/json"
        line = b"POST " + self.post_path + b" " + version
        return self.head(line, kind, *headers) + (self.body if body is None else body)

    def canary(self):
        return self.get(b"X-Canary: 1", b"Connection: close")

    def length(self):
        return b"Content-Length: %d" % len(self.body)

    def chunks(self, size=None, end=b"\r\n0\r\n\r\n"):
        """The body as one chunk, its size line replaced if one is given."""
        return (b"%x" % len(self.body) if size is None else size) + CRLF + self.body + end


REFUSE = ("refused",)
EITHER = ("refused", "acted")
ACCEPT = ("acted",)
CHUNKED = b"Transfer-Encoding: chunked"


def controls(r):
    """Requests in good order, without which a server that refuses all would pass."""
    return [
        Attack("plain GET", r.get(b"Connection: close"), ACCEPT, canary=False),
        Attack("POST with a length", r.post(r.length()), ACCEPT),
        Attack("POST chunked", r.post(CHUNKED, body=r.chunks()), ACCEPT),
        Attack("two pipelined GETs", r.get(), ACCEPT),
        Attack("OWS around a value", r.get(b"Accept: \t text/plain \t"), ACCEPT),
        Attack("HTTP/1.0 GET", r.get(version=b"HTTP/1.0"), ACCEPT, canary=False),
    ]


def doubled_framing(r):
    """Length and coding that contradict each other; each reading gets its own attack."""
    inner = b"0\r\n\r\n"
    hidden = inner + r.get()
    whole = b"Content-Length: %d" % len(r.chunks())
    return [
        Attack("CL and TE, TE wins", r.post(whole, CHUNKED, body=r.chunks()), REFUSE),
        Attack("CL and TE, CL wins", r.post(r.length(), CHUNKED), REFUSE),
        Attack("TE and CL, TE first", r.post(CHUNKED, whole, body=r.chunks()), REFUSE),
        Attack("CL.TE smuggle", r.post(b"Content-Length: %d" % len(hidden), CHUNKED, body=hidden), REFUSE),
        Attack("CL 0 and TE", r.post(b"Content-Length: 0", CHUNKED, body=r.chunks()), REFUSE),
        Attack("GET with CL and TE", r.get(b"Content-Length: 5", CHUNKED) + inner, REFUSE),
    ]


def codings(r):
    """Transfer codings that are not exactly one `chunked`."""
    values = [b"gzip", b"chunked, identity", b"identity", b"xchunked", b"chunkedx", b"gzip, chunked",
              b"chunked, chunked", b'"chunked"', b"chunked;q=1", b"chun\x0bked", b"\x0bchunked", b"", b",chunked"]
    attacks = [Attack("TE " + repr(value)[1:], r.post(b"Transfer-Encoding: " + value, body=r.chunks()), REFUSE)
               for value in values]
    twice = r.post(CHUNKED, CHUNKED, body=r.chunks())
    split = r.post(CHUNKED, b"Transfer-Encoding: identity", body=r.chunks())
    both = r.post(b"Transfer-Encoding: identity", r.length())
    return attacks + [
        Attack("TE chunked twice", twice, REFUSE),
        Attack("TE chunked then identity", split, REFUSE),
        Attack("TE identity and CL", both, REFUSE),
        Attack("TE CHUNKED", r.post(b"Transfer-Encoding: CHUNKED", body=r.chunks()), EITHER),
        Attack("TE_underscore and CL", r.post(b"Transfer_Encoding: chunked", r.length()), EITHER),
        Attack("HTTP/1.0 chunked", r.post(CHUNKED, body=r.chunks(), version=b"HTTP/1.0"), REFUSE),
    ]


def lengths(r):
    """Content-Lengths that are doubled or no plain decimal number."""
    size = len(r.body)
    forms = [(b"+%d", "+N"), (b"-%d", "-N"), (b"%d,%d", "N,N"), (b"0x%x", "0xN"), (b"%d ;", "N ;"), (b"%d.0", "N.0"),
             (b"%de0", "Ne0"), (b"%d %d", "N N"), (b"\x0b%d", "VT N"), (b"%d\x00", "N NUL"), (b"_%d", "_N")]
    attacks = [Attack("CL " + name, r.post(b"Content-Length: " + form % ((size,) * form.count(b"%"))), REFUSE)
               for form, name in forms]
    wraps = [(2**64 + size, "2^64+N"), (2**32 + size, "2^32+N"), (2**63, "2^63"), (10**40, "10^40")]
    attacks += [Attack("CL " + name, r.post(b"Content-Length: %d" % value), REFUSE) for value, name in wraps]
    return attacks + [
        Attack("CL twice, different", r.post(r.length(), b"Content-Length: %d" % (size + 7)), REFUSE),
        Attack("CL twice, larger first", r.post(b"Content-Length: %d" % (size + 7), r.length()), REFUSE),
        Attack("CL twice, equal", r.post(r.length(), r.length()), REFUSE),
        Attack("CL empty", r.post(b"Content-Length: ", body=b""), REFUSE),
        Attack("CL with zeros in front", r.post(b"Content-Length: 000%d" % size), EITHER),
    ]


def lines(r):
    """Line ends, folds, and names and values with bytes that have no place in them."""
    bare = r.get(b"X-A: b").replace(CRLF, b"\n")
    hidden = b"X-A: b\nTransfer-Encoding: chunked"
    return [
        Attack("space before the colon", r.post(b"Content-Length : %d" % len(r.body)), REFUSE),
        Attack("tab before the colon", r.get(b"X-A\t: b"), REFUSE),
        Attack("TE with space before colon", r.post(b"Transfer-Encoding : chunked", r.length()), REFUSE),
        Attack("obs-fold", r.get(b"X-A: b\r\n c"), REFUSE),
        Attack("obs-fold of TE", r.post(b"Transfer-Encoding:\r\n chunked", body=r.chunks()), REFUSE),
        Attack("first header begins with a space", r.get(host=b" X-A: b\r\n" + r.host), REFUSE),
        Attack("bare LF all over", bare, REFUSE),
        Attack("bare LF hides a header", r.post(r.length(), hidden), REFUSE),
        Attack("bare LF ends the head", r.get().replace(b"\r\n\r\n", b"\r\n\n"), REFUSE),
        Attack("bare CR in a value", r.get(b"X-A: b\rX-B: c"), REFUSE),
        Attack("bare CR ends a line", r.get(b"X-A: b\rContent-Length: 40"), REFUSE),
        Attack("CR CR LF", r.get(b"X-A: b\r"), REFUSE),
        Attack("NUL in a value", r.get(b"X-A: b\0c"), REFUSE),
        Attack("NUL in a name", r.get(b"X\0A: b"), REFUSE),
        Attack("NUL in the path", r.get(path=r.get_path + b"\0x"), REFUSE),
        Attack("control byte in a value", r.get(b"X-A: b\x01c"), REFUSE),
        Attack("name of no token", r.get(b"X(A): b"), REFUSE),
        Attack("empty name", r.get(b": b"), REFUSE),
        Attack("no colon", r.get(b"Nonsense"), REFUSE),
        Attack("empty lines before a request", b"\r\n" + r.get(), EITHER),
    ]


def request_lines(r):
    """Methods, targets and versions."""
    path = r.get_path
    return [
        Attack("no Host", r.get(host=b""), REFUSE),
        Attack("two Hosts", r.get(r.host.strip()), REFUSE),
        Attack("two Hosts, different", r.get(b"Host: evil.example"), REFUSE),
        Attack("Host with a path", r.get(host=b"Host: localhost/x\r\n"), REFUSE),
        Attack("Host list", r.get(host=b"Host: localhost, evil.example\r\n"), REFUSE),
        Attack("foreign Host", r.get(host=b"Host: evil.example\r\n"), REFUSE),
        Attack("absolute-form", r.get(path=b"http://evil.example" + path), REFUSE),
        Attack("target without /", r.get(path=path.lstrip(b"/")), REFUSE),
        Attack("..", r.get(path=b"/x/.." + path), REFUSE),
        Attack("%2e%2e", r.get(path=b"/x/%2e%2e" + path), REFUSE),
        Attack("%00", r.get(path=path + b"%00x"), REFUSE),
        Attack("fragment", r.get(path=path + b"#x"), REFUSE),
        Attack("two spaces", r.get(path=b" " + path), REFUSE),
        Attack("tab for a space", r.get().replace(b" ", b"\t", 1), REFUSE),
        Attack("space in the target", r.get(path=path + b" x"), REFUSE),
        Attack("no version", b"GET " + path + CRLF + CRLF, REFUSE),
        Attack("HTTP/1.10", r.get(version=b"HTTP/1.10"), REFUSE),
        Attack("HTTP/2.0", r.get(version=b"HTTP/2.0"), REFUSE),
        Attack("http/1.1", r.get(version=b"http/1.1"), REFUSE),
        Attack("get in small letters", r.get(method=b"get"), REFUSE),
        Attack("unknown method", r.get(method=b"FOO"), REFUSE),
        Attack("TRACE", r.get(method=b"TRACE"), REFUSE),
        Attack("CONNECT", r.get(method=b"CONNECT", path=b"evil.example:443"), REFUSE),
        Attack("h2c preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", REFUSE),
        Attack("upgrade h2c", r.get(b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c",
                                    b"HTTP2-Settings: AAMAAABkAAQAAP__"), EITHER),
        Attack("TLS hello", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\0" * 32, REFUSE, canary=False),
    ]


def chunks(r):
    """Chunks of false sizes and ends; the canary behind them must not be read."""
    size = b"%x" % len(r.body)
    wrong = [(b"-1", "-1"), (b"+" + size, "+N"), (b"0x" + size, "0xN"), (b"", "empty"), (b"g", "g"),
             (b" " + size, "space N"), (size + b" ", "N space"), (size + b"\n", "N LF"), (size + b"_", "N_"),
             (b"1" + b"0" * 16, "2^64"), (b"1" + size.zfill(16), "2^64+N"), (b"1" + size.zfill(8), "2^32+N"),
             (b"0" * 4096 + size, "4096 zeros")]
    attacks = [Attack("chunk size " + name, r.post(CHUNKED, body=r.chunks(line)), REFUSE) for line, name in wrong]
    announced, long = b"Content-Length: 50", b"x" * 2**20
    return attacks + [
        Attack("chunk extension", r.post(CHUNKED, body=r.chunks(size + b";ext")), EITHER),
        Attack("chunk extension of 1 MB", r.post(CHUNKED, body=r.chunks(size + b";" + long)), REFUSE),
        Attack("chunk extension with LF", r.post(CHUNKED, body=r.chunks(size + b";x\ny")), REFUSE),
        Attack("chunk size ended by LF", r.post(CHUNKED, body=r.chunks().replace(CRLF, b"\n", 1)), REFUSE),
        Attack("chunk without CRLF", r.post(CHUNKED, body=r.chunks(end=b"0\r\n\r\n")), REFUSE),
        Attack("chunk ended by LF", r.post(CHUNKED, body=r.chunks(end=b"\n0\r\n\r\n")), REFUSE),
        Attack("chunk ended by two other bytes", r.post(CHUNKED, body=r.chunks(end=b"xx0\r\n\r\n")), REFUSE),
        Attack("chunk longer than its size", r.post(CHUNKED, body=b"1\r\n" + r.chunks()), REFUSE),
        Attack("trailer with framing", r.post(CHUNKED, body=r.chunks(end=b"\r\n0\r\n" + announced + CRLF * 2)), EITHER),
        Attack("trailer of no form", r.post(CHUNKED, body=r.chunks(end=b"\r\n0\r\nbad trailer\r\n\r\n")), REFUSE),
        Attack("trailer of 1 MB", r.post(CHUNKED, body=r.chunks(end=b"\r\n0\r\nX-A: " + long + CRLF * 2)), REFUSE),
    ]


def sizes(r):
    """Heads of more bytes or lines than anyone needs, and bodies announced that nobody may send."""
    long, vast = b"x" * 2**20, b"Content-Length: %d" % 2**40
    return [
        Attack("header of 1 MB", r.get(b"X-A: " + long), REFUSE),
        Attack("10,000 headers", r.get(*[b"X-%d: y" % i for i in range(10000)]), REFUSE),
        Attack("1,000 short headers", r.get(*[b"a:"] * 1000), REFUSE),
        Attack("target of 1 MB", r.get(path=r.get_path + b"?" + long), REFUSE),
        Attack("method of 1 MB", r.get(method=b"X" * 2**20), REFUSE),
        Attack("GET behind a refused one", r.get(host=b""), REFUSE),
        Attack("1 TB announced", r.post(vast, body=b""), REFUSE, canary=False),
        Attack("1 TB announced, asked first", r.post(vast, b"Expect: 100-continue", body=b""), REFUSE, canary=False),
        Attack("unknown expectation", r.post(r.length(), b"Expect: magic"), EITHER),
    ]


def connect(target):
    if target.startswith("unix:"):
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(5)
        link.connect(target[len("unix:"):])
        return link
    return socket.create_connection(("127.0.0.1", int(target)), timeout=5)


def send(link, data):
    """Sends what the server takes: one that refuses early may close before the end."""
    try:
        link.sendall(data)
    except OSError:
        pass


def receive(link, seconds):
    """All that comes until the end of the connection or of the time, and whether the end came."""
    received, until = b"", time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        link.settimeout(left)
        try:
            part = link.recv(65536)
        except TimeoutError:
            break
        except OSError:
            return received, True
        if not part:
            return received, True
        received += part
    return received, False


def chunked_end(text):
    """Where a chunked answer ends, or the end of what came."""
    at = 0
    while line := re.match(rb"([0-9a-fA-F]+)[^\r\n]*\r\n", text[at:]):
        size = int(line[1], 16)
        at += line.end() + size + 2
        if not size:
            break
    return min(at, len(text))


def answers(received):
    """The answers as pairs of status and body, by their own framing; what is left over at last."""
    found = []
    while match := re.match(rb"HTTP/1\.[01] (\d{3})[^\n]*\n(.*?)\r?\n\r?\n", received, re.DOTALL):
        status, head, rest = int(match[1]), match[2], received[match.end():]
        length = re.search(rb"(?im)^content-length:\s*(\d+)", head)
        if status < 200 or status in (204, 304):
            size = 0
        elif re.search(rb"(?im)^transfer-encoding:\s*chunked", head):
            size = chunked_end(rest)
        else:
            size = int(length[1]) if length else len(rest)
        found.append((status, rest[:size]))
        received = rest[size:]
    return found, received


def judge(received, ended):
    """Names what came; an interim 100 is told, but is no answer."""
    found, left = answers(received)
    told = " ".join(str(status) for status, _ in found) or ("" if left else "nothing")
    told += "".join(f" body={n.decode()}" for _, body in found for n in re.findall(rb"^echo .*?body=(\d+)", body))
    told += (f" and {left[:24]!r}" if left else "") + (", closed" if ended else ", open")
    final = [status for status, _ in found if status >= 200]
    if any(status < 400 for status in final) or len(final) > 1 or 101 in [status for status, _ in found]:
        return Outcome("acted", told)
    return Outcome("refused" if ended else "hang", told)


def attempt(target, attack, r, seconds):
    with connect(target) as link:
        send(link, attack.data + (r.canary() if attack.canary else b""))
        return judge(*receive(link, seconds))


def drip(target, start, byte, limit):
    """Sends a start, then one byte a second that never ends it, until the server answers or ends the connection."""
    until = time.monotonic() + limit
    with connect(target) as link:
        send(link, start)
        while time.monotonic() < until:
            send(link, byte)
            received, ended = receive(link, 1)
            if received and not ended:
                more, ended = receive(link, 2)
                received += more
            if received or ended:
                return judge(received, ended)
    return Outcome("hang", f"still open after {limit} s")


def drips(target, r, limit):
    """A head, a body and a chunk size that drip, all at once."""
    starts = {"dripped head": (r.get()[:-2] + b"X-Drip: ", b"x"),
              "dripped body": (r.post(b"Content-Length: 1000", body=b""), b" "),
              "dripped chunk size": (r.post(CHUNKED, body=b""), b"0")}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        runs = {name: pool.submit(drip, target, *start, limit) for name, start in starts.items()}
        return {name: run.result() for name, run in runs.items()}


def options():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("target", metavar="PORT", help="a port of 127.0.0.1, or unix:PATH")
    parser.add_argument("--get", default="/health", metavar="PATH", help="a path whose GET answers 200")
    parser.add_argument("--post", default="/tokenize", metavar="PATH", help="a path whose POST of the body answers 200")
    parser.add_argument("--body", default='{"content":"a"}', help="that body")
    parser.add_argument("--host", default="localhost", help="the Host that the server takes")
    parser.add_argument("--header", action="append", default=[], help="a header line of every request, as a key")
    parser.add_argument("--only", default="", metavar="TEXT", help="only attacks whose name holds this")
    parser.add_argument("--wait", type=float, default=2, metavar="S", help="how long an answer may take")
    parser.add_argument("--drip", type=int, default=0, metavar="S", help="also drip, for at most so long")
    return parser.parse_args()


def report(name, expected, outcome):
    good = outcome.kind in expected
    wanted = " or ".join(expected)
    mark = "ok " if good else "BAD"
    print(f"{mark}  {name:34} expected {wanted:17} came {outcome.kind:8} {outcome.text}", flush=True)
    return good


def main():
    o = options()
    r = Requests(o)
    families = (controls, doubled_framing, codings, lengths, lines, request_lines, chunks, sizes)
    attacks = [a for family in families for a in family(r) if o.only in a.name]
    try:
        connect(o.target).close()
    except OSError as error:
        print(f"no server answers at {o.target}: {error}", file=sys.stderr)
        return 2
    if not attacks and not o.drip:
        print(f"no attack is named {o.only}", file=sys.stderr)
        return 2
    good = []
    for attack in attacks:
        try:
            outcome = attempt(o.target, attack, r, o.wait)
        except OSError as error:
            outcome = Outcome("hang", f"no connection: {error}")
        good.append(report(attack.name, attack.expected, outcome))
    if o.drip:
        good += [report(name, REFUSE, outcome) for name, outcome in drips(o.target, r, o.drip).items()]
    print(f"{good.count(True)} of {len(good)} as expected")
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
