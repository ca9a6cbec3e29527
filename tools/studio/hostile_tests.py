"""Who writes a model, a package or a data set writes texts, and nothing else; and who has no token does nothing."""

import json
import shutil
import urllib.error
import urllib.request

from harness import BUNDLED, StudioTest, answering, chunk, command, log, stream, until

NASTY = (
    "<img src=x onerror=alert(1)><script>alert(2)</script><iframe srcdoc='<script>alert(3)</script>'></iframe>"
    "\"'><svg onload=alert(4)> &lt;b&gt; javascript:alert(5) {{7*7}} ${alert(6)} \u202egnol\u202c \u2066x\u2069 \u0000\u001b[31m")


class HostileTests(StudioTest):
    adapters = ("tagging",)

    def harmless(self, page):
        page.wait_for_timeout(200)
        self.assertEqual(page.locator("main img, main iframe, main script, body > script, main svg[onload]").count(), 0)
        self.assertEqual(page.locator("header, main, nav").count(), 3)

    def test_a_model(self):
        page = self.compare(NASTY)
        part = log(NASTY, [NASTY[::-1], "</td><img src=y>"])
        answering(page, stream([chunk(NASTY, [part]), chunk(f"\n{NASTY}", [part])]))
        self.ask()
        self.assertIn("<img src=x onerror=alert(1)><script>alert(2)</script>", self.texts()[0])
        page.locator(".answer").first.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(".bubble")
        self.assertEqual(page.locator(".bubble img").count(), 0)
        self.harmless(page)

    def test_names_of_models(self):
        self.allowed = ["404", "400"]
        page = self.compare("x", [NASTY.replace("\u0000", ""), "<b>afm</b>"])
        self.ask()
        self.harmless(page)

    def test_a_package(self):
        home, folder = self.program.home, self.program.place / "hostile"
        shutil.copytree(BUNDLED / "tagging.fmadapter", folder / "nasty.fmadapter")
        path = folder / "nasty.fmadapter/metadata.json"
        metadata = json.loads(path.read_text())
        metadata["adapterIdentifier"] = metadata["adapterIdentifier"].replace("tagging", "nasty")
        for key in ("author", "description", "license"):
            metadata[key] = NASTY
        metadata["creatorDefined"][NASTY] = {NASTY: [NASTY, "x" * 6_000_000]}
        path.write_text(json.dumps(metadata))
        command("install", folder / "nasty.fmadapter", home=home)
        page = self.open("adapters")
        until(lambda: page.locator(".card").count() == 2 and page.locator(".card .findings").count() == 2 and "checking" not in page.locator(".cards").inner_text(), 60, "the cards")
        self.assertIn("<img src=x onerror=alert(1)>", page.locator(".cards").inner_text())
        self.harmless(page)
        page.goto(f"{self.program.site}/#/adapters?a=nasty")
        page.wait_for_selector("text=adapter_weights.bin", timeout=60_000)
        self.harmless(page)
        command("remove", "nasty", home=home)

    def test_a_data_set(self):
        lines = [json.dumps({"prompt": NASTY, "completion": NASTY}), json.dumps({"prompt": "x", NASTY: 1}), NASTY.replace("\n", ""),
                 json.dumps({"prompt": "y" * 10_000_000, "completion": "z"})]
        page = self.open("training")
        page.set_input_files("input[type=file]", files=[{"name": "<img src=x>.jsonl", "mimeType": "text/plain", "buffer": "\n".join(lines).encode()}])
        page.wait_for_selector(".learnt", timeout=60_000)
        self.assertIn("<script>alert(2)</script>", page.locator(".example").inner_text())
        self.harmless(page)
        page = self.open("sets")
        page.set_input_files("input[type=file]", files=[{"name": "asks.jsonl", "mimeType": "text/plain", "buffer": json.dumps(NASTY).encode()}])
        page.wait_for_selector(".grid")
        answering(page, stream([chunk(NASTY)]))
        page.click("button.primary")
        until(lambda: page.locator(".votes").count() == 2, 30, "answers")
        self.harmless(page)

    def test_ten_megabytes(self):
        page = self.compare("x")
        text = ("<b>" + "m" * 997) * 10_000
        answering(page, lambda request: stream([chunk(text[at:at + 100_000]) for at in range(0, len(text), 100_000)] if request["model"] == "afm-9m" else [chunk("short")]))
        self.ask()
        self.assertEqual(page.evaluate("document.querySelector('.answer').textContent.length"), len(text))
        self.harmless(page)

    def test_no_other_page_drives_it(self):
        def status(path, fields, body=b"{}"):
            try:
                return urllib.request.urlopen(urllib.request.Request(f"{self.program.site}/{path}", body, fields)).status
            except urllib.error.HTTPError as error:
                return error.code

        key = {"Authorization": f"Bearer {self.program.token}", "Content-Type": "application/json"}
        run = json.dumps({"words": ["list"]}).encode()
        self.assertEqual(status("studio/run", key, run), 200)
        self.assertEqual(status("studio/run", {"Content-Type": "application/json"}, run), 401)
        self.assertEqual(status("studio/run", {**key, "Origin": "https://evil.example"}, run), 403)
        self.assertEqual(status("studio/run", {**key, "Origin": "null"}, run), 403)
        self.assertEqual(status("studio/run", {**key, "Host": "evil.example"}, run), 403)
        self.assertEqual(status("studio/run?token=" + self.program.token, {"Content-Type": "application/json"}, run), 401)
        for words in (["serve"], ["run", "x"], ["data", "check", "/etc/passwd"], ["train", "a", "-o", "../b"]):
            self.assertEqual(status("studio/run", key, json.dumps({"words": words}).encode()), 400, words)

    def test_the_token_stays_in_its_tab(self):
        self.allowed = ["401"]
        page = self.page
        page.goto(self.program.address)
        page.wait_for_selector(".column")
        self.assertNotIn(self.program.token, page.url)
        self.assertEqual(page.evaluate("Object.keys(localStorage).length + document.cookie.length"), 0)
        other = self.context.new_page()
        other.goto(self.program.site)
        other.wait_for_selector("text=A key is needed")
        other.get_by_label("Key").fill("wrong")
        other.keyboard.press("Enter")
        until(lambda: other.get_by_label("Key").input_value() == "", 10, "the question again")
        other.get_by_label("Key").fill(self.program.token)
        other.keyboard.press("Enter")
        other.wait_for_selector(".column")

    def test_the_policy_runs_nothing_else(self):
        self.allowed = ["Content Security Policy", "Content-Security-Policy"]
        page = self.open()
        page.evaluate("document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'}))")
        page.evaluate("document.body.append(Object.assign(document.createElement('img'), {src: 'https://evil.example/x.png'}))")
        page.evaluate("document.body.setAttribute('style', 'color: red')")
        page.wait_for_timeout(200)
        self.assertIsNone(page.evaluate("window.ran ?? null"))
        self.assertNotEqual(page.evaluate("getComputedStyle(document.body).color"), "rgb(255, 0, 0)")
        self.strangers.clear()
