"""The servers that `tools/bench-serve` compares, started over one base with the same adapters, and one client for all of them."""

import http.client
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

THREADS = os.environ.get("THREADS", "2")
CLIENTS, CONTEXT = 8, 3072  # requests at once, and tokens that each of them may have


class Server:
    """A process that answers OpenAI's interface at a port of this machine."""

    name = ""

    def __init__(self, *words, environment=None, patience=600):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        begin = time.perf_counter()
        words = [str(word) for word in words] + ["--port", str(self.port)]
        self.log = log = tempfile.TemporaryFile()
        self.process = subprocess.Popen(words, env=os.environ | (environment or {}), stdout=log, stderr=log)
        while not self.healthy():
            if self.process.poll() is not None or time.perf_counter() - begin > patience:
                self.stop()
                log.seek(0)
                sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {' '.join(words)} did not start:\n{log.read()[-2000:].decode(errors='replace')}")
            time.sleep(0.002)
        # Seconds until it was ready for requests.
        self.start = time.perf_counter() - begin

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def healthy(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/health")
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def fields(self, adapter):
        """Fields of a request that name the base, or the adapter with that number."""
        raise NotImplementedError

    def ask(self, prompt, tokens, adapter=None):
        """Takes messages of a chat or a text, and streams an answer of so many likeliest tokens at most."""
        chat = not isinstance(prompt, str)
        body = {"messages" if chat else "prompt": prompt, "max_tokens": tokens, "temperature": 0, "stream": True,
                "stream_options": {"include_usage": True}, **self.fields(adapter)}
        begin = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.request("POST", "/v1/chat/completions" if chat else "/v1/completions", json.dumps(body),
                           {"Content-Type": "application/json"})
        response = connection.getresponse()
        if response.status != 200:
            sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {self.name} says {response.status} {response.read()[:300]}")
        answer = Answer()
        for line in response:
            if line.startswith(b"data: {"):
                answer.take(json.loads(line[6:]), time.perf_counter() - begin)
        connection.close()
        answer.seconds = time.perf_counter() - begin
        return answer

    def memory(self):
        """Bytes of memory of the process and its children, those of files included."""
        parents = {}
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
        family = {self.process.pid}
        while more := {child for child, parent in parents.items() if parent in family} - family:
            family |= more
        return sum(int(pathlib.Path(f"/proc/{member}/statm").read_text().split()[1]) for member in family) * os.sysconf("SC_PAGE_SIZE")


class Answer:
    def __init__(self):
        self.text, self.first, self.seconds, self.read, self.written = "", None, 0, 0, 0

    def take(self, event, seconds):
        for choice in event["choices"]:
            text = choice["delta"].get("content") if "delta" in choice else choice["text"]
            if text and self.first is None:
                self.first = seconds
            self.text += text or ""
        if usage := event.get("usage"):
            self.read, self.written = usage["prompt_tokens"], usage["completion_tokens"]

    @property
    def step(self):
        """Seconds between two tokens."""
        return (self.seconds - self.first) / (self.written - 1)


class Fmadapter(Server):
    """This program, with a store of its own in `folder`."""

    name = "fmadapter"

    def __init__(self, store, packages=(), *words):
        self.model = store.base.stem
        self.adapters = [pathlib.Path(package).stem for package in packages]
        super().__init__(store.program, "serve", "--threads", THREADS, *words, environment=store.environment)

    def fields(self, adapter):
        return {"model": self.model if adapter is None else self.adapters[adapter]}

    def models(self):
        """How many models it names, and the seconds that takes."""
        begin = time.perf_counter()
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=600)
        connection.request("GET", "/v1/models")
        text = connection.getresponse().read()
        seconds = time.perf_counter() - begin
        connection.close()
        return len(json.loads(text)["data"]), seconds


class Store:
    """A store of this program with one base, in a folder that goes with it."""

    def __init__(self, program, base, place):
        self.program, self.base, self.folder = program, base, pathlib.Path(tempfile.mkdtemp(dir=place))
        self.environment = {"FMADAPTER_HOME": str(self.folder / "home")}

    def __enter__(self):
        self.run("base", "install", self.base)
        return self

    def __exit__(self, *_):
        subprocess.run(["chmod", "-R", "u+w", self.folder], check=True)
        shutil.rmtree(self.folder)

    def run(self, *words):
        subprocess.run([self.program, *map(str, words), "--quiet"], env=os.environ | self.environment, check=True, stdout=subprocess.DEVNULL)


class LlamaServer(Server):
    """llama.cpp's server, with as many slots as there are clients."""

    name = "llama-server"

    def __init__(self, program, base, adapters=()):
        words = [word for adapter in adapters for word in ("--lora", adapter)]
        super().__init__(
            program, "-m", base, "-t", THREADS, "-np", CLIENTS, "-c", CLIENTS * CONTEXT, *words)

    def fields(self, adapter):
        # Without the field all adapters are added; those that it does not name are not.
        return {"lora": [{"id": adapter or 0, "scale": 0 if adapter is None else 1}]}


class VLLM(Server):
    """vLLM on processors, over a folder of the base's weights in BF16, which is what it computes with there by itself."""

    # What its manual has loaded first, for speed: the second comes with it, the first from the system.
    libraries = ("/usr/lib/x86_64-linux-gnu/libtcmalloc_minimal.so.4", "lib/libiomp5.so")

    def __init__(self, python, folder, adapters, form):
        self.name = f"vLLM, {form}"
        place = pathlib.Path(python).parent.parent
        libraries = [str(place / library) for library in self.libraries if (place / library).exists()]
        super().__init__(
            # The package's own command looks for a version under another name, and fails.
            python, "-m", "vllm.entrypoints.openai.api_server", "--model", folder, "--served-model-name", "base",
            "--dtype", form, "--max-model-len", CONTEXT, "--max-num-seqs", CLIENTS,
            "--enable-lora", "--max-loras", len(adapters), "--max-lora-rank", 8,
            "--lora-modules", *(f"adapter{index}={path}" for index, path in enumerate(adapters)),
            environment={
                "VLLM_CPU_OMP_THREADS_BIND": f"0-{int(THREADS) - 1}", "VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1",
                "LD_PRELOAD": ":".join(libraries)})

    def fields(self, adapter):
        return {"model": "base" if adapter is None else f"adapter{adapter}"}
