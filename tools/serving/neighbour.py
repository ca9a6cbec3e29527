"""Somebody who asks the same all the while, and has to be answered the same."""

import http.client
import json
import threading

QUESTION = "Name three things that one finds in a kitchen."


class Neighbour:
    """Asks a base and an adapter by turns, whole and in streams, and counts answers that are others than the first ones."""

    def __init__(self, served):
        self.served, self.right, self.wrong = served, 0, []
        self.models = [served.model, "triage"]
        self.expected = [self.ask(model, False) for model in self.models]
        self.end = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.end.set()
        self.thread.join()

    def ask(self, model, streams):
        body = {"model": model, "messages": [{"role": "user", "content": QUESTION}], "temperature": 0, "max_tokens": 24, "stream": streams}
        if model == self.served.model:
            body["lora"] = []  # whatever others set for all
        if not streams:
            return self.served.json("POST", "/v1/chat/completions", body)["choices"][0]["message"]["content"]
        connection = http.client.HTTPConnection("127.0.0.1", self.served.port, timeout=300)
        connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
        events = [json.loads(line[6:]) for line in connection.getresponse() if line.startswith(b"data: {")]
        connection.close()
        return "".join(event["choices"][0]["delta"].get("content") or "" for event in events)

    def run(self):
        turn = 0
        while not self.end.is_set():
            which, turn = turn % 2, turn + 1
            try:
                text = self.ask(self.models[which], turn % 4 > 1)
            except Exception as error:  # an answer that does not come is a wrong one
                text = f"{type(error).__name__}: {error}"
            if text == self.expected[which]:
                self.right += 1
            else:
                self.wrong.append(f"{self.models[which]} says {text!r} in place of {self.expected[which]!r}")
