"""A web server that goes wrong in the way that its addresses ask for.

    fault_server.py    serves until standard input ends

Each line of standard input, its words apart by tabs, is `serve LOG ROOT HOST`, which it answers with the port of a new
server, or what is wrong; `registry LOG FAULTS HOST`, the same of a registry, see `registry.py`; or `end LOG`, which ends
the server of that log. LOG is removed at the end; ROOT may be empty.

An address is /FAULTS/NAME. FAULTS is a list such as `size=1000;cut=fin;at=300;times=1`, or `plain`; NAME is a file
below ROOT, or any name, whose bytes come from `seed` and `size`. All that a folder's files link to by relative
addresses has the folder's faults. A fault happens on the first `times` requests of an address, always without it.

  size=N seed=N             the bytes, see `Made`                  cut=fin|rst at=N    ends the connection after N bytes
  stall at=N                silence after N bytes                  trickle at=N        2 bytes a second after N bytes
  rate=N                    bytes a second at most                 slow-start=SECONDS  before the head
  flip=N                    inverts a bit of byte N                lengthless          no length: ends with the connection
  chunked                   chunks in place of a length            login               a web page in place of the file
  endless, bomb             chunks for ever, 16 MiB of gzip
  ignore-range              200 with everything                    content-range=wrong|missing|total
  etag=weak|none|TEXT       in place of a strong one               change=N            other bytes after N requests
  same-etag                 in spite of `change`                   status=N            and retry-after=N, retry-date=N or ratelimit
  unsatisfiable             416 to every range                     wants=TOKEN realm=R 401 without that bearer token, or USER:PASSWORD
  loop, hops=N, to=ADDRESS  redirects; `to` is percent-encoded     signed              redirects to an address good for once
  digest=NAME               the field NAME with the SHA-256 of the file: repr-digest, content-digest, digest, x-linked-etag,
                            x-amz-checksum-sha256, x-checksum-sha256, docker-content-digest; sha512 is a repr-digest
  lie                       the digest is one of other bytes         only=NAME            faults of that file alone
  hub                       a Hugging Face Hub, see `hub.py`
"""
import base64, gzip, hashlib, itertools, json, os, socket, struct, sys, threading, time
from email.utils import formatdate
from urllib.parse import unquote

from hub import Hub
from registry import Registry

PERIOD = 65521  # a prime, so that no two aligned pieces of an object are alike


class Made:
    """Byte i is base[i % PERIOD] + i / PERIOD, modulo 256; base is the low bytes of SplitMix64's words."""

    def __init__(self, seed, size):
        self.size, state, base = size, seed, bytearray()
        while len(base) < PERIOD:
            state = (state + 0x9E3779B97F4A7C15) & (2**64 - 1)
            z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & (2**64 - 1)
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & (2**64 - 1)
            base += (z ^ (z >> 31)).to_bytes(8, "little")
        self.base = bytes(base[:PERIOD])
        self.tag = f"{seed}-{size}"

    def read(self, start, end):
        piece = bytearray()
        while start < end:
            turn, place = divmod(start, PERIOD)
            part = self.base[place:min(PERIOD, place + end - start)]
            piece += part.translate(bytes((b + turn) & 255 for b in range(256)))
            start += len(part)
        return bytes(piece)


class Stored:
    def __init__(self, path, changed):
        facts = os.stat(path)
        self.path, self.size, self.changed = path, facts.st_size, changed
        self.tag = f"{facts.st_mtime_ns:x}-{facts.st_size:x}-{int(changed)}"

    def read(self, start, end):
        with open(self.path, "rb") as file:
            file.seek(start)
            piece = file.read(end - start)
        return bytes(b ^ 255 for b in piece) if self.changed else piece


class Ended(Exception):
    """The connection is over."""


class Answer:
    """One request and its response."""

    def __init__(self, server, link, method, target, headers, body):
        self.server, self.link, self.headers, self.received = server, link, headers, body
        self.method, self.target, self.sent, self.status = method, target, 0, 0
        first, _, name = target.split("?")[0].lstrip("/").partition("/")
        self.first, self.name = first, name
        self.faults = {k: unquote(v) for k, _, v in (f.partition("=") for f in first.split(";"))}
        self.count = server.count(target)
        last = name.rpartition("/")[2]
        self.faulty = self.count <= self.number("times", sys.maxsize) and self.faults.get("only", last) == last

    def number(self, name, otherwise=0):
        return int(self.faults.get(name, otherwise))

    def has(self, name):
        return self.faulty and name in self.faults

    def head(self, status, fields):
        self.status = status
        lines = [f"HTTP/1.1 {status} {'OK' if status < 300 else 'Other'}", f"Date: {formatdate(usegmt=True)}"]
        lines += [f"{name}: {value}" for name, value in fields.items() if value is not None]
        self.link.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))

    def short(self, status, text="", kind="text/plain", **fields):
        """A whole small response."""
        fields = {k.replace("_", "-"): v for k, v in fields.items()}
        self.head(status, {"Content-Type": kind, "Content-Length": len(text), **fields})
        if self.method != "HEAD":
            self.link.sendall(text.encode())
            self.sent = len(text)

    def thing(self):
        changed = "change" in self.faults and self.count > self.number("change")
        path = os.path.join(self.server.root or "/nonexistent", unquote(self.name))
        if "size" not in self.faults:
            return Stored(path, changed) if os.path.isfile(path) else None
        return self.server.made(self.number("seed") + int(changed), self.number("size"))

    def give_bytes(self, piece, ends=False):
        self.link.sendall(piece)
        self.sent += len(piece)
        if ends:
            raise Ended

    def give(self):
        if self.server.registry:
            return self.server.registry.give(self)
        token = self.faults.get("wants")
        if self.has("slow-start"):
            time.sleep(float(self.faults["slow-start"]))
        kind = "Basic" if ":" in (token or "") else "Bearer"
        word = base64.b64encode(token.encode()).decode() if kind == "Basic" else token
        if token and self.headers.get("authorization") != f"{kind} {word}":
            realm = self.faults.get("realm", "here")
            return self.short(401, "who are you?", WWW_Authenticate=f'{kind} realm="{realm}"')
        if self.redirect() or self.refuse():
            return
        if "hub" in self.faults:
            return Hub(self).give()
        thing = self.thing()
        if thing is None:
            return self.short(404, "not here")
        if self.has("endless"):
            return self.endless()
        if self.has("bomb"):
            return self.bomb()
        self.object(thing)

    def redirect(self):
        rest = [f for f in self.first.split(";") if not f.startswith(("hops=", "signed"))]
        place = None
        if self.has("loop"):
            place = self.target
        elif self.has("to"):
            place = self.faults["to"]
        elif self.has("hops") and self.number("hops") > 0:
            place = f"/{';'.join(rest)};hops={self.number('hops') - 1}/{self.name}"
        elif self.has("signed"):
            place = f"/{';'.join(rest)};ticket={self.server.ticket()}/{self.name}"
        if place is not None:
            linked = self.digest(self.thing()) if self.faults.get("digest") == "x-linked-etag" else {}
            self.short(302, "the file is elsewhere", Location=place, **{k.replace("-", "_"): v for k, v in linked.items()})
        return place is not None

    def refuse(self):
        if "ticket" in self.faults and self.count > 1:
            self.short(403, "<Error><Code>ExpiredToken</Code></Error>", "application/xml")
        elif self.has("status"):
            after = self.faults.get("retry-after")
            if "retry-date" in self.faults:
                after = formatdate(time.time() + self.number("retry-date"), usegmt=True)
            limit = '"api";r=0;t=1' if "ratelimit" in self.faults else None
            self.short(self.number("status"), "not now", Retry_After=after, RateLimit=limit)
        elif self.has("login"):
            self.short(200, "<!DOCTYPE html><title>Log in", "text/html; charset=utf-8")
        else:
            return False
        return True

    def endless(self):
        self.head(200, {"Transfer-Encoding": "chunked"})
        while True:
            self.link.sendall(b"10000\r\n" + bytes(65536) + b"\r\n")
            self.sent += 65536

    def bomb(self):
        body = gzip.compress(bytes(16 << 20), 1)
        self.head(200, {"Content-Encoding": "gzip", "Content-Length": len(body)})
        self.link.sendall(body)

    def range(self, size, tag):
        """The bytes asked for; None for all of them."""
        text = self.headers.get("range", "")
        guard = self.headers.get("if-range")
        if not text.startswith("bytes=") or self.has("ignore-range") or guard not in (None, tag):
            return None
        first, _, last = text[6:].partition("-")
        return int(first), min(size, int(last) + 1 if last else size)

    def digest(self, thing):
        """The field of the digest that `thing` as a whole has, whatever of it is sent."""
        name = self.faults.get("digest")
        if not name:
            return {}
        whole = thing.read(0, thing.size) + (b"!" if self.has("lie") else b"")
        short, long = hashlib.sha256(whole).digest(), hashlib.sha512(whole).digest()
        text = {name: base64.b64encode(short).decode() for name in ("x-amz-checksum-sha256",)}
        text |= {name: f"unknown=1, sha-256=:{base64.b64encode(short).decode()}:" for name in ("repr-digest", "content-digest")}
        text |= {"digest": f"MD5=x,SHA-256={base64.b64encode(short).decode()}", "x-linked-etag": f'"{short.hex()}"'}
        text |= {"x-checksum-sha256": short.hex(), "docker-content-digest": f"sha256:{short.hex()}"}
        if name == "sha512":
            return {"repr-digest": f"sha-512=:{base64.b64encode(long).decode()}:"}
        return {name: text[name]}

    def object(self, thing):
        tag = self.faults.get("etag", thing.tag if "same-etag" not in self.faults else "same")
        tag = {"none": None, "weak": f'W/"{thing.tag}"'}.get(tag, f'"{tag}"')
        asked = self.range(thing.size, tag)
        kind = "application/json" if self.name.endswith(".json") else "application/octet-stream"
        fields = {"Content-Type": kind, "ETag": tag, "Accept-Ranges": "bytes"}
        if asked and (asked[0] >= thing.size or self.has("unsatisfiable")):
            return self.short(416, "no such bytes", Content_Range=f"bytes */{thing.size}")
        start, end = asked or (0, thing.size)
        fields |= self.digest(thing)
        if asked:
            lie = self.faults.get("content-range") if self.faulty else None
            shift, more = (1 if lie == "wrong" else 0), (1 if lie == "total" else 0)
            if lie != "missing":
                fields["Content-Range"] = f"bytes {start + shift}-{end - 1 + shift}/{thing.size + shift + more}"
        loose = self.has("lengthless")
        if self.has("chunked"):
            fields["Transfer-Encoding"] = "chunked"
        elif loose:
            fields["Connection"] = "close"
        else:
            fields["Content-Length"] = end - start
        self.head(206 if asked else 200, fields)
        if self.method != "HEAD":
            self.body(thing, start, end)
        if loose:
            raise Ended

    def body(self, thing, start, end):
        stops = any(map(self.has, ("cut", "stall", "trickle")))
        stop = start + self.number("at") if stops else end
        chunked, began = self.has("chunked"), time.monotonic()
        block = 65536 if "rate" not in self.faults else max(1, min(65536, self.number("rate") // 20))
        while start < min(end, stop):
            piece = thing.read(start, min(start + block, end, stop))
            if self.has("flip") and start <= self.number("flip") < start + len(piece):
                place = self.number("flip") - start
                piece = piece[:place] + bytes([piece[place] ^ 1]) + piece[place + 1:]
            self.link.sendall(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
            start, self.sent = start + len(piece), self.sent + len(piece)
            if "rate" in self.faults:
                time.sleep(max(0, self.sent / self.number("rate") - (time.monotonic() - began)))
        if stops and start < end:
            self.stop(thing, start, end)
        if chunked:
            self.link.sendall(b"0\r\n\r\n")

    def stop(self, thing, start, end):
        if self.has("stall"):
            self.link.recv(1)
        while self.has("trickle") and start < end:
            self.link.sendall(thing.read(start, start + 1))
            start, self.sent = start + 1, self.sent + 1
            time.sleep(0.5)
        if self.faults.get("cut") == "rst":
            self.link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Ended


class Server:
    def __init__(self, log, root, host, registry=None):
        self.registry = registry
        self.log, self.root, self.lock = open(log, "a", buffering=1), root, threading.Lock()
        self.path = log
        self.counts, self.objects = {}, {}
        self.tickets, self.numbers = itertools.count(1), itertools.count(1)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self.socket = socket.create_server((host, 0), family=family, backlog=128)

    def count(self, target):
        with self.lock:
            self.counts[target] = self.counts.get(target, 0) + 1
            return self.counts[target]

    def ticket(self):
        with self.lock:
            return next(self.tickets)

    def made(self, seed, size):
        with self.lock:
            if (seed, size) not in self.objects:
                self.objects[seed, size] = Made(seed, size)
            return self.objects[seed, size]

    def write(self, **entry):
        with self.lock:
            self.log.write(json.dumps(entry) + "\n")

    def serve(self, link, connection):
        stream = link.makefile("rb")
        try:
            while line := stream.readline():
                method, target, _ = line.decode("latin-1").split(" ", 2)
                headers = {}
                while (field := stream.readline().decode("latin-1").strip()):
                    name, _, value = field.partition(":")
                    headers[name.lower()] = value.strip()
                body = stream.read(int(headers.get("content-length", 0)))
                answer, number = Answer(self, link, method, target, headers, body), next(self.numbers)
                self.write(event="request", number=number, connection=connection, method=method,
                           target=target, headers=headers)
                try:
                    answer.give()
                finally:
                    self.write(event="response", number=number, status=answer.status, sent=answer.sent)
        except (Ended, OSError, ValueError):
            pass
        finally:
            stream.close()
            link.close()

    def run(self):
        for connection in itertools.count(1):
            try:
                link, _ = self.socket.accept()
            except OSError:
                return
            link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self.serve, args=(link, connection), daemon=True).start()

    def end(self):
        self.socket.shutdown(socket.SHUT_RDWR)  # which also ends the wait for the next connection
        self.socket.close()
        os.unlink(self.path)


def main():
    servers = {}
    for line in sys.stdin:
        word, *arguments = line.rstrip("\n").split("\t")
        if word == "end":
            servers.pop(arguments[0]).end()
            continue
        try:
            log, what, host = arguments
            server = Server(log, "", host, Registry(what)) if word == "registry" else Server(log, what, host)
        except OSError as error:
            print(error, flush=True)
            continue
        servers[log] = server  # not by port: servers on two addresses of this machine may have the same
        threading.Thread(target=server.run, daemon=True).start()
        print(server.socket.getsockname()[1], flush=True)
    for server in servers.values():
        server.end()


if __name__ == "__main__":
    main()
