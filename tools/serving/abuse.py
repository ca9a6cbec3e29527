"""Clients that vanish, crawl, send halves and garbage and are stopped, while adapters come and go; what is finished has to be right."""

import collections
import http.client
import io
import json
import random
import signal
import socket
import subprocess
import sys
import threading
import time

from . import fuzz, mutations, samples
from .served import ADAPTERS

CLIENTS = 16
QUESTIONS = [
    "Name three things that one finds in a kitchen.", "I was charged twice for one order.", "Tag this note. We cooked soup by the river.",
    "Turn on the lamp in the hall.", "Write a short play about Anna and Tom and a silver key.", "What is the weather in Paris?",
    " ".join(f"On day {day} the keeper wrote down the wind and the name of ship {day * 37}." for day in range(20)) + " What is this?",
]
LENGTHS = [8, 40]
FORM = {"response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": samples.SCHEMA}}}
# Adapters that are installed, updated and removed; all others stay as they are.
MOVING = ["commands", "tagging"]
SAMPLE, WARM, SETTLE = 10, 600, 120  # seconds between two samples, until memory has to be flat, and for the last connections
GROWTH, SLACK = 1.03, 8  # what memory may grow to, and megabytes beside that


class Moving:
    """Which version of an adapter is installed; what is asked while that changes may be answered by either."""

    def __init__(self):
        self.version, self.changes, self.settled = 0, 0, True

    def stamp(self):
        return self.changes, self.settled


class Abuse:
    def __init__(self, served, seconds, file):
        self.served, self.seconds = served, seconds
        self.file = open(file, "w", buffering=1) if file else None
        self.counts, self.wrong, self.lock = collections.Counter(), [], threading.Lock()
        self.moving = {name: Moving() for name in MOVING}
        self.still = [served.model, *(name for name in served.adapters if name not in MOVING), "triage:0.5+assistant:0.5"]
        self.alone, self.known = {}, samples.bodies(served.model, "triage")
        self.end, self.samples, self.pauses = threading.Event(), [], []

    def note(self, what, wrong=None):
        with self.lock:
            self.counts[what] += 1
            if wrong:
                self.wrong.append(wrong)
                print(f"WRONG: {wrong}"[:1000], file=sys.stderr, flush=True)

    # What is asked, and what it is answered alone.

    def body(self, draw):
        names = self.still * 2 + MOVING
        fields = FORM if draw.random() < 0.15 else {}
        return {"model": draw.choice(names), "messages": [{"role": "user", "content": draw.choice(QUESTIONS)}], "temperature": 0,
                "max_tokens": draw.choice(LENGTHS), "stream": draw.random() < 0.6, **fields}

    def key(self, body):
        version = self.moving[body["model"]].version if body["model"] in self.moving else 0
        return json.dumps([{**body, "stream": False}, version])

    def learn(self):
        """Asks everything that will be asked, one after the other, of each version of each adapter."""
        for name in MOVING:
            for version in (1, 0):
                self.install(name, version)
                self.learn_models([name])
        self.learn_models(self.still)

    def learn_models(self, names):
        for name in names:
            for question in QUESTIONS:
                for tokens in LENGTHS:
                    for fields in ({}, FORM):
                        body = {"model": name, "messages": [{"role": "user", "content": question}], "temperature": 0, "max_tokens": tokens, "stream": False, **fields}
                        answer = self.served.json("POST", "/v1/chat/completions", body)["choices"][0]
                        self.alone[self.key(body)] = answer["message"]["content"]

    def allowed(self, body, before, after):
        """Texts that are right: of the version that was there, or of both where it changed meanwhile; with them whether there may be no such model."""
        if body["model"] not in self.moving:
            return [self.alone[json.dumps([{**body, "stream": False}, 0])]], False
        move = self.moving[body["model"]]
        if before == after and before[1]:
            return ([], True) if move.version is None else ([self.alone[self.key(body)]], False)
        return [self.alone[json.dumps([{**body, "stream": False}, version])] for version in (0, 1)], True

    def judge(self, body, before, status, text, begin, who):
        after = self.stamp(body)
        texts, may_miss = self.allowed(body, before, after)
        if status == 200 and text in texts:
            return self.note(f"{who}: right")
        if status == 404 and may_miss:
            return self.note(f"{who}: not there then")
        if text is None and any(pause >= begin for pause in self.pauses):
            return self.note(f"{who}: cut by a pause of this machine")
        self.note(f"{who}: wrong", f"{who}: {status} {text!r} in place of {texts!r} for {json.dumps(body)[:300]}")

    def stamp(self, body):
        return self.moving[body["model"]].stamp() if body["model"] in self.moving else None

    # Manners of clients.

    def finish(self, draw):
        """Asks and waits, as everybody should."""
        body, begin = self.body(draw), time.monotonic()
        before = self.stamp(body)
        status, text = ask(self.served.port, body)
        self.judge(body, before, status, text, begin, "finished")

    def vanish(self, draw):
        with self.link() as link:
            link.sendall(request(self.body(draw), self.served.port))
            time.sleep(draw.choice([0, 0.05, 0.5, 2]))
            if draw.random() < 0.5:
                link.recv(draw.choice([1, 100, 5000]))
            if draw.random() < 0.5:
                link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.note("vanished")

    def crawl(self, draw):
        """Writes or reads a few bytes at a time; what comes whole has to be right."""
        body, begin = self.body(draw), time.monotonic()
        before, data, received = self.stamp(body), request(body, self.served.port, close=True), b""
        with self.link() as link:
            step = max(1, len(data) // draw.choice([4, 20, 60]))
            for at in range(0, len(data), step):
                link.sendall(data[at:at + step])
                time.sleep(0.05)
            link.settimeout(200)
            while part := link.recv(draw.choice([1, 7, 64])):
                received += part
                if self.end.is_set():
                    return
                if len(received) % 5 == 0:
                    time.sleep(0.02)
        status, text = read(received, body["stream"])
        self.judge(body, before, status, text, begin, "crawled")

    def halve(self, draw):
        data = request(self.body(draw), self.served.port)
        with self.link() as link:
            link.sendall(data[:draw.randrange(1, len(data))])
            time.sleep(draw.choice([0, 0.2, 5, 20]))
        self.note("sent a half")

    def garble(self, draw):
        parts = mutations.stream(draw, self.known, self.served.port) if draw.random() < 0.7 else [draw.randbytes(draw.randrange(1, 3000))]
        wrong = fuzz.talk(self.served, parts, draw.choice(["wait", "leave", "reset"]))
        self.note("sent garbage", wrong and f"garbage: {wrong}")

    def stop(self, draw):
        """A process that is stopped while it is answered, and goes on or is killed."""
        body, begin = self.body(draw), time.monotonic()
        before = self.stamp(body)
        words = [sys.executable, "-c", CLIENT, str(self.served.port), json.dumps(body)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        time.sleep(draw.uniform(0.1, 1.5))
        process.send_signal(signal.SIGSTOP)
        pause = draw.choice([0.5, 3, 10, 40])
        time.sleep(pause)
        if draw.random() < 0.4:
            process.kill()
            process.communicate()
            return self.note("stopped and killed")
        process.send_signal(signal.SIGCONT)
        output, _ = process.communicate(timeout=300)
        if not output and pause > 10:
            # Nobody may take so long to send a head, or to take what it is sent.
            return self.note("stopped for longer than is waited for")
        status, text = json.loads(output) if output else (0, None)
        self.judge(body, before, status, text, begin, "stopped and went on")

    def link(self):
        return socket.create_connection(("127.0.0.1", self.served.port), timeout=60)

    def client(self, number):
        draw = random.Random(f"{self.served.seed} client {number}")
        manners = [self.finish] * 5 + [self.vanish] * 2 + [self.crawl, self.halve, self.garble, self.stop]
        while not self.end.is_set():
            manner, begin = draw.choice(manners), time.monotonic()
            try:
                manner(draw)
            except OSError as error:
                # A server closes what it has refused, and whom it waited for too long.
                if manner == self.finish and not any(pause >= begin for pause in self.pauses):
                    self.note("finished: wrong", f"finish: {error!r}")
                else:
                    self.note(f"{manner.__name__}: closed")
            except Exception as error:
                self.note("failed", f"{manner.__name__}: {error!r}")

    # What happens beside them.

    def install(self, name, version):
        package = ADAPTERS / f"{name}.fmadapter"
        if version:
            package = self.served.store.folder / f"{name}-{version}" / f"{name}.fmadapter"
            if not package.exists():
                package.parent.mkdir()
                self.served.store.run("merge", ADAPTERS / f"{name}.fmadapter", "--weights", 0.7, "-o", package)
        self.change(name, version, "install", package)

    def change(self, name, version, *words):
        move = self.moving[name]
        move.settled = False
        move.changes += 1
        self.served.store.run(*words)
        move.version, move.settled = version, True
        self.note("adapters changed")

    def move(self):
        draw = random.Random(f"{self.served.seed} moves")
        while not self.end.wait(draw.uniform(2, 15)):
            name = draw.choice(MOVING)
            version = self.moving[name].version
            try:
                if version is not None and draw.random() < 0.3:
                    self.change(name, None, "remove", name)
                else:
                    self.install(name, draw.choice([0, 1]) if version is None else 1 - version)
            except subprocess.CalledProcessError as error:
                self.note("failed", f"{error}")

    def watch(self):
        """Notes what the server holds, and when all of this machine was paused."""
        begin = last = time.monotonic()
        sampled = -SAMPLE
        while not self.end.wait(0.5):
            now = time.monotonic()
            if now - last > 4:
                self.pauses.append(now)
            last = now
            if now - begin - sampled >= SAMPLE:
                sampled = now - begin
                if self.served.process.poll() is not None:
                    self.note("failed", f"the server has ended with {self.served.process.returncode}")
                    return self.end.set()
                vitals = self.served.vitals()
                self.samples.append((sampled, vitals))
                if self.file:
                    self.file.write(f"{sampled:.0f} {vitals.memory:.1f} {vitals.threads} {vitals.descriptors} {json.dumps(self.counts)}\n")

    def run(self):
        self.learn()
        before = self.served.vitals()
        threads = [threading.Thread(target=self.client, args=(number,)) for number in range(CLIENTS)]
        threads += [threading.Thread(target=self.move), threading.Thread(target=self.watch)]
        for thread in threads:
            thread.start()
        self.end.wait(self.seconds)
        self.end.set()
        for thread in threads:
            thread.join()
        return before, fuzz.settled(self.served, before)


def request(body, port, close=False):
    data = json.dumps(body).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost:{port}\r\nContent-Length: {len(data)}\r\n" + "Connection: close\r\n" * close
    return head.encode() + b"\r\n" + data


class Received:
    """Bytes that have come, as the library of HTTP reads them."""

    def __init__(self, data):
        self.file = io.BytesIO(data)

    def makefile(self, *_):
        return self.file


def read(data, streams):
    """Status and text of an answer that has come; no text where a part of it is missing."""
    try:
        response = http.client.HTTPResponse(Received(data))
        response.begin()
        return response.status, text_of(response, streams)
    except (http.client.HTTPException, ValueError):
        return 0, None


def text_of(response, streams):
    data = response.read().decode()
    if response.status != 200:
        return data
    if not streams:
        return json.loads(data)["choices"][0]["message"]["content"]
    if not data.endswith("data: [DONE]\n\n"):
        return None
    events = [json.loads(line[6:]) for line in data.split("\n") if line.startswith("data: {")]
    return "".join(event["choices"][0]["delta"].get("content") or "" for event in events)


def ask(port, body):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    try:
        connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
        response = connection.getresponse()
        return response.status, text_of(response, body["stream"])
    except (http.client.HTTPException, ValueError):
        return 0, None
    finally:
        connection.close()


# Asks as `ask` does, in a process of its own.
CLIENT = """
import http.client, json, sys
body = json.loads(sys.argv[2])
connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=300)
connection.request("POST", "/v1/chat/completions", sys.argv[2], {"Content-Type": "application/json"})
response = connection.getresponse()
data = response.read().decode()
if response.status != 200:
    text = data
elif body["stream"]:
    events = [json.loads(line[6:]) for line in data.split("\\n") if line.startswith("data: {")]
    text = "".join(event["choices"][0]["delta"].get("content") or "" for event in events) if data.endswith("data: [DONE]\\n\\n") else None
else:
    text = json.loads(data)["choices"][0]["message"]["content"]
print(json.dumps([response.status, text]))
"""


def run(served, tally, seconds, file):
    abuse = Abuse(served, seconds, file)
    before, after = abuse.run()
    title = f"{seconds / 60:.0f} minutes of abuse"
    counts = abuse.counts
    right = sum(count for what, count in counts.items() if what.endswith(": right"))
    tally.add(f"{title}, answers as they are alone", right, abuse.wrong, ", ".join(f"{what} {counts[what]:,}" for what in sorted(counts)))
    busy = served.rest(SETTLE)
    tally.add(f"{title}, nothing stuck", not any(busy), [f"{busy} requests run and wait"] * any(busy))
    kept = after.threads > before.threads + 4 or after.descriptors > before.descriptors + 4
    tally.add(f"{title}, threads and descriptors", not kept, [f"{before}, then {after}"] * kept, f"{before}, then {after}")
    flat(abuse.samples, tally, title, min(WARM, seconds / 3))


def flat(samples, tally, title, warm):
    """Memory may grow in the first minutes, and no more after that."""
    later = [vitals.memory for second, vitals in samples if second >= warm]
    third = max(1, len(later) // 3)
    first, last = (sorted(part)[len(part) // 2] for part in (later[:third], later[-third:]))
    grows = last > first * GROWTH + SLACK
    peak = max(vitals.memory for _, vitals in samples)
    figures = f"{first:.0f} MB from minute {warm / 60:.0f}, {last:.0f} MB at the end, {peak:.0f} MB at most"
    tally.add(f"{title}, memory", not grows, [figures] * grows, figures)
