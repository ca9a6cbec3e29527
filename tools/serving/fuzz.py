"""Thousands of wrong requests and wrong streams of HTTP, beside a neighbour who has to notice nothing."""

import concurrent.futures
import http.client
import json
import random
import socket
import time

from http_attacks import answers, receive

from . import mutations, samples
from .neighbour import Neighbour

AT_ONCE = 8
# Seconds for an answer, which may be as long as the context where a wrong request has lost its limit: who asked goes away then.
PATIENCE = 3
STATUSES = {200, 400, 403, 404, 405, 408, 411, 413, 414, 415, 417, 429, 431, 501, 503, 505}
LONGEST = 4096  # bytes of an error


def refusal(path, status, body):
    """What is wrong with an error, in the form of its interface; nothing where it is right."""
    if status not in STATUSES:
        return f"status {status}"
    if len(body) > LONGEST:
        return f"an error of {len(body)} bytes"
    try:
        error = json.loads(body.decode())["error"]
        message = error if path.startswith("/api/") else error["message"]
        assert isinstance(message, str) and message
    except Exception as defect:  # whatever form it has, it is another one
        return f"an error of another form ({defect!r})"
    return "a path in an error" if "/home" in message or "/root/" in message or ".fmadapter/" in message else None


def whole(path, body, kind):
    """What is wrong with an answer of status 200."""
    try:
        text = body.decode()
        if "event-stream" in kind:
            events = [json.loads(line[6:]) for line in text.split("\n") if line.startswith("data: {")]
            assert events and text.endswith("\n\n"), "no events"
        elif "ndjson" in kind:
            assert [json.loads(line) for line in text.splitlines()], "no lines"
        elif "json" in kind:
            json.loads(text)
    except Exception as defect:
        return f"an answer that is no {kind}: {defect!r}"


def ask(served, path, body, patience=PATIENCE):
    """What came: a status, and what is wrong with it; 0 for an answer that was not waited for."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    begin = time.monotonic()
    try:
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        connection.sock.settimeout(patience)
        response = connection.getresponse()
        data = bytearray()
        while part := response.read1(65536):
            data += part
            if time.monotonic() - begin > patience:
                return 0, None
        if response.status == 200:
            return 200, whole(path, bytes(data), response.headers.get("Content-Type", ""))
        return response.status, refusal(path, response.status, bytes(data))
    except TimeoutError:
        return 0, None
    except (OSError, http.client.HTTPException) as error:
        return -1, f"no answer: {error!r}"
    finally:
        connection.close()


def talk(served, parts, manner):
    """Sends parts of a stream; what is wrong with what came."""
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as link:
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            for part in parts:
                link.sendall(part)
                time.sleep(0.002)
        except OSError:
            pass  # a server that refuses early closes
        if manner == "reset":
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            return None
        if manner == "leave":
            return None
        received, ended = receive(link, 0.5)
        if not ended:
            try:
                link.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            more, ended = receive(link, 20)
            received += more
    found, left = answers(received)
    if not ended:
        return f"the connection stays: {received[:200]!r}"
    if left:
        return f"what is no answer: {left[:200]!r}"
    odd = [status for status, _ in found if status not in STATUSES | {100}]
    return f"status {odd[0]}" if odd else None


def requests(served, tally, count):
    known = samples.bodies(served.model, "tagging")
    for path, value in known:
        status, wrong = ask(served, path, json.dumps(value).encode(), patience=120)
        usual = 404 if path == "/v1/unload_lora_adapter" else 200
        tally.add("requests in good order", status == usual and not wrong, [f"{path}: {status} {wrong} for {json.dumps(value)[:400]}"] * (status != usual or bool(wrong)))

    def one(index):
        draw = random.Random(f"{served.seed} request {index}")
        path, value = draw.choice(known)
        body = mutations.body(draw, value)
        status, wrong = ask(served, path, body)
        return status, wrong and f"request {index}, {path}: {wrong}; {body[:600]!r}"
    together(served, tally, "mutated requests", one, count)


def streams(served, tally, count):
    known = samples.bodies(served.model, "tagging")

    def one(index):
        draw = random.Random(f"{served.seed} stream {index}")
        parts = mutations.stream(draw, known, served.port)
        manner = draw.choice(["wait"] * 8 + ["leave", "reset"])
        wrong = talk(served, parts, manner)
        return manner, wrong and f"stream {index}, {manner}: {wrong}; {b''.join(parts)[:600]!r}"
    together(served, tally, "mutated streams", one, count)


def together(served, tally, title, one, count):
    """Does so many of them, some at once, beside a neighbour; counts what came, and what the server has kept."""
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool, Neighbour(served) as neighbour:
        list(pool.map(one, range(-40, 0)))
        served.rest()
        before, cache, kinds = served.vitals(), served.cache, {}
        for kind, wrong in pool.map(one, range(count)):
            kinds[kind] = kinds.get(kind, 0) + 1
            tally.add(title, not wrong, [wrong] if wrong else [])
            if served.process.poll() is not None:
                tally.add(title, 0, [f"the server has ended with {served.process.returncode}"])
                return
    after = settled(served, before)
    busy = served.rest()
    tally.add(title, 0, [f"{busy} requests run and wait at the end"] * any(busy), ", ".join(f"{key}: {kinds[key]:,}" for key in sorted(kinds, key=str)))
    grown = after.memory - before.memory - max(0, served.cache - cache)
    kept = after.threads > before.threads + 4 or after.descriptors > before.descriptors + 4 or grown > before.memory / 4 + 64
    tally.add(f"{title}, what is kept", not kept, [f"{before} before, {after} after"] * kept, f"{before} before, {after} after")
    tally.add(f"{title}, neighbour's answers", neighbour.right, neighbour.wrong[:3])


def settled(served, before):
    """What the server holds once the last connections are over."""
    until = time.monotonic() + 90
    while time.monotonic() < until:
        now = served.vitals()
        if now.threads <= before.threads and now.descriptors <= before.descriptors:
            break
        time.sleep(0.5)
    return now
