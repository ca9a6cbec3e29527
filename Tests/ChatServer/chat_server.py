#!/usr/bin/env python3
"""A server of models whose answers a test has written down.

    chat_server.py LOG

It listens on a port of 127.0.0.1, which it prints. What it answers is part of the address: the first component of the path is
a JSON in base64 for addresses, `{"answers": [{"status", "headers", "pieces", "cut", "hang"}]}`; the first request to an address
gets the first answer, and so on, and the last one stays. `pieces` are sent one by one; `cut` then closes the connection without
the end of the body, and `hang` sends nothing more until the other side goes. Each request is a line of JSON in LOG. It ends with its
standard input.
"""

import base64
import collections
import http.server
import json
import os
import sys
import threading

counts = collections.Counter()
lock = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def note(self, **entry):
        with lock, open(sys.argv[1], "a") as log:
            log.write(json.dumps(entry) + "\n")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        scenario = self.path.split("/")[1]
        with lock:
            number = counts[scenario]
            counts[scenario] += 1
        self.note(
            scenario=scenario, path="/" + "/".join(self.path.split("/")[2:]),
            headers={key.lower(): value for key, value in self.headers.items()},
            body=body.decode())
        padding = "=" * (-len(scenario) % 4)
        answers = json.loads(base64.urlsafe_b64decode(scenario + padding))["answers"]
        self.answer(answers[min(number, len(answers) - 1)])

    def answer(self, answer):
        self.send_response(answer.get("status", 200))
        for key, value in answer.get("headers", {}).items():
            self.send_header(key, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        # A chunk of no bytes would be the end of the body.
        for piece in filter(None, answer.get("pieces", [])):
            data = piece.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            self.wfile.flush()
        if answer.get("hang"):
            # Nothing more comes from a client but its end.
            self.connection.recv(1)
            self.note(scenario=self.path.split("/")[1], path="gone", headers={}, body="")
        if answer.get("cut") or answer.get("hang"):
            self.close_connection = True
            return
        self.wfile.write(b"0\r\n\r\n")
        self.wfile.flush()


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.server_address[1], flush=True)
    sys.stdin.read()
    os._exit(0)


main()
