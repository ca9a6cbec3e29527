"""A server over one base with adapters of this project, and what is asked of it by hand."""

import http.client
import json
import pathlib
import re
import time

import servers

ROOT = pathlib.Path(__file__).resolve().parents[2]
ADAPTERS = ROOT / "adapters/smollm2-135m"
MEMORY = 128  # megabytes for keys and values: enough for what is asked, and soon full


class Served(servers.Fmadapter):
    """The program under test, with all adapters of SmolLM2; its seed is that of all that is drawn by chance."""

    def __init__(self, store, seed, *words):
        packages = sorted(ADAPTERS.glob("*.fmadapter"))
        for package in packages:
            store.run("install", package)
        self.store, self.seed = store, seed
        super().__init__(store, packages, "--log", "json", *words)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def send(self, method, path, body=None, timeout=120, **fields):
        """Status and body of an answer; what is sent is bytes, or an object as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            connection.request(method, path, data, {"Content-Type": "application/json", **fields})
            response = connection.getresponse()
            return response.status, response.read()
        finally:
            connection.close()

    def json(self, method, path, body=None):
        status, answer = self.send(method, path, body)
        assert status == 200, f"{method} {path}: {status} {answer[:300]}"
        return json.loads(answer)

    def chat(self, text, model=None, **fields):
        """The likeliest answer to a message, which is the same for all clients."""
        body = {"model": model or self.model, "messages": [{"role": "user", "content": text}], "temperature": 0, "max_tokens": 24, **fields}
        return self.json("POST", "/v1/chat/completions", body)["choices"][0]["message"]["content"]

    def gauge(self, name):
        _, text = self.send("GET", "/metrics")
        return float(re.search(rf"^{re.escape(name)}{{[^}}]*}} (\S+)$", text.decode(), re.MULTILINE)[1])

    @property
    def busy(self):
        """Requests that are answered and that wait."""
        return tuple(int(self.gauge(f"vllm:num_requests_{state}")) for state in ("running", "waiting"))

    def rest(self, seconds=30):
        """Waits until nobody is answered and nobody waits; what was left then."""
        until = time.monotonic() + seconds
        while any(busy := self.busy) and time.monotonic() < until:
            time.sleep(0.1)
        return busy

    @property
    def cache(self):
        """Megabytes of keys and values, which are kept as long as there is room."""
        return self.gauge("vllm:kv_cache_usage_perc") * MEMORY

    def vitals(self):
        return Vitals(self.process.pid)


class Vitals:
    """What a process holds now: megabytes of its own, threads and descriptors."""

    def __init__(self, pid):
        folder = pathlib.Path(f"/proc/{pid}")
        fields = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
        self.memory = int(fields["RssAnon"].split()[0]) / 1024
        self.threads = int(fields["Threads"])
        self.descriptors = len(list((folder / "fd").iterdir()))

    def __str__(self):
        return f"{self.memory:.0f} MB, {self.threads} threads, {self.descriptors} descriptors"
