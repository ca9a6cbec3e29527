"""A studio over the embedded base in a store of its own, and a page of it in Chromium that notes whatever goes wrong in it."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

from playwright.sync_api import sync_playwright

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUNDLED = ROOT / "adapters/afm-9m"
PROGRAM = os.environ["FMADAPTER"]
SHOTS = os.environ.get("STUDIO_SHOTS")


def until(condition, seconds=30.0, what="it"):
    """Waits until `condition` is true; without scripts in the page, whose policy has none."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"{what} has not come in {seconds} s")
        time.sleep(0.03)


def command(*words, home, folder=None):
    result = subprocess.run([PROGRAM, *map(str, words)], env={**os.environ, "FMADAPTER_HOME": str(home)}, cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


class Program:
    """The program `studio`, in folders that go with it."""

    def __init__(self, adapters=("tagging", "playwriting"), base=BUNDLED / "afm-9m.gguf", folder=BUNDLED):
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="studio-"))
        self.home, self.folder = self.place / "store", self.place / "files"
        command("base", "install", base, home=self.home)
        for adapter in adapters:
            command("install", folder / f"{adapter}.fmadapter", home=self.home)
        self.start()

    def start(self, port=0):
        self.process = subprocess.Popen(
            [PROGRAM, "studio", "--port", str(port), "--folder", str(self.folder)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "FMADAPTER_HOME": str(self.home)})
        self.address = self.process.stdout.readline().strip()
        self.site, self.token = self.address.split("/#token=")

    def ask(self, path, body=None, method=None):
        request = urllib.request.Request(
            f"{self.site}/{path}", None if body is None else json.dumps(body).encode(), {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
            method=method)
        return json.loads(urllib.request.urlopen(request).read())

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def end(self):
        self.stop()
        shutil.rmtree(self.place)


class StudioTest(unittest.TestCase):
    """Tests over one program and one browser; each has a page of its own, in which nothing may go wrong unless it says so."""

    adapters = ("tagging", "playwriting")

    @classmethod
    def make_program(cls):
        return Program(cls.adapters)

    @classmethod
    def setUpClass(cls):
        cls.program = cls.make_program()
        cls.playwright = sync_playwright().start()
        cls.browser = cls.playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.playwright.stop()
        cls.program.end()

    def setUp(self):
        self.allowed = []
        self.troubles, self.strangers = [], []
        self.context = self.new_context()
        self.page = self.new_page(self.context)

    def tearDown(self):
        self.context.close()
        troubles = [text for text in self.troubles if not any(re.search(known, text) for known in self.allowed)]
        self.assertEqual(troubles, [])
        self.assertEqual(self.strangers, [], "the page has asked somebody else")

    def new_context(self, width=1280, height=900, **more):
        return self.browser.new_context(viewport={"width": width, "height": height}, **more)

    def new_page(self, context):
        page = context.new_page()
        page.on("console", lambda message: self.troubles.append(message.text) if message.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.troubles.append(f"{error}"))
        page.on("dialog", lambda dialog: (self.troubles.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: self.note(request.url))
        return page

    def note(self, url):
        if not url.startswith((self.program.site, "blob:", "data:", "about:")):
            self.strangers.append(url)

    def open(self, address="compare", page=None):
        """Opens a part of the page anew, in a tab that has the token."""
        page = page or self.page
        page.goto("about:blank")
        page.add_init_script(f"if (location.protocol === 'http:') sessionStorage.setItem('studio.token', '{self.program.token}')")
        page.goto(f"{self.program.site}/#/{address}")
        part = address.split("?")[0]
        page.wait_for_selector(f"nav a[aria-current][href='#/{part}']")
        if part == "compare":
            page.wait_for_selector(".column")
        return page

    def compare(self, prompt, models=("afm-9m", "tagging"), page=None, **settings):
        query = [("m", model) for model in models] + [("p", prompt)] + list(settings.items())
        return self.open("compare?" + urllib.parse.urlencode(query), page)

    def ask(self, page=None):
        """Asks, and waits until all have answered."""
        page = page or self.page
        page.click("button.primary")
        self.answered(page)

    def answered(self, page=None):
        page = page or self.page
        until(lambda: page.locator("button.primary").inner_text() == "Ask" and page.locator(".status:text-is('asked')").count() == 0, 90, "the end of all answers")
        page.wait_for_timeout(150)

    def texts(self, page=None):
        return (page or self.page).evaluate("[...document.querySelectorAll('.answer')].map((answer) => [...answer.children].map((line) => line.textContent).join('\\n'))")

    def told(self, part, page=None):
        return (page or self.page).locator(part).all_inner_texts()

    def shot(self, name, page=None, whole=True):
        if SHOTS:
            pathlib.Path(SHOTS).mkdir(parents=True, exist_ok=True)
            (page or self.page).screenshot(path=f"{SHOTS}/{name}.png", full_page=whole)


def chunk(content="", logs=None, end=None, **delta):
    """A chunk of a chat as the server streams it."""
    choice = {"index": 0, "delta": {**({"content": content} if content else {}), **delta}, "logprobs": {"content": logs} if logs else None, "finish_reason": end}
    return {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "x", "choices": [choice]}


def log(token, others=()):
    entry = {"token": token, "logprob": -0.5, "bytes": list(token.encode())}
    return {**entry, "top_logprobs": [entry] + [{"token": other, "logprob": -1.5, "bytes": list(other.encode())} for other in others]}


def stream(chunks):
    usage = {"id": "x", "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": len(chunks), "total_tokens": 1 + len(chunks)}}
    return "".join(f"data: {json.dumps(part)}\n\n" for part in [*chunks, chunk(end="stop"), usage]) + "data: [DONE]\n\n"


def answering(page, body):
    """Lets all chats of a page get one answer, whatever was asked; the requests are returned."""
    asked = []

    def answer(route):
        asked.append(json.loads(route.request.post_data))
        route.fulfill(status=200, content_type="text/event-stream", body=body(asked[-1]) if callable(body) else body)

    page.route("**/v1/chat/completions", answer)
    return asked
