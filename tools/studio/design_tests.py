"""How the page looks and is used: axe's rules, sizes, keyboard, directions, light and dark."""

import pathlib

import axe_core_python
from harness import ROOT, StudioTest, answering, chunk, stream, until

AXE = (pathlib.Path(axe_core_python.__file__).parent / "axe.min.js").read_text()
WORDS = " ".join(f"word{number}" if number % 7 else "and" for number in range(10_000))
ARABIC = "مرحبا بالعالم، هذا نص طويل باللغة العربية مع كلمات English في الوسط.\nSecond line, left to right.\nسطر آخر بالعربية."


class DesignTests(StudioTest):
    adapters = ("tagging", "playwriting")

    def check(self, page, name):
        page.wait_for_timeout(250)
        page.evaluate(AXE)
        found = page.evaluate("axe.run(document, {resultTypes: ['violations', 'incomplete']})")
        told = [f"{name}: {rule['id']} {[node['html'][:120] + ' ' + node.get('failureSummary', '')[:200] for node in rule['nodes'][:2]]}" for rule in found["violations"]]
        self.assertEqual(told, [])
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), page.viewport_size["width"], f"{name} is wider than the window")
        self.shot(name, page)

    def views(self, page):
        """Each part of the page, empty and full, with a name."""
        self.open(page=page)
        yield "compare-empty"
        answering(page, lambda request: stream([chunk(WORDS[:900] if request["model"] == "afm-9m" else '{"tags": ["food"]}')]))
        page.get_by_label("Prompt").fill("Dinner with my sister on Friday")
        page.click("text=Add a column")
        self.ask(page)
        yield "compare"
        page.unroute("**/v1/chat/completions")
        page.goto(f"{self.program.site}/#/adapters")
        page.wait_for_selector(".card .good")
        page.wait_for_selector("text=Address of a catalog")
        yield "adapters"
        page.click(".card h2 a")
        page.wait_for_selector("text=adapter_weights.bin")
        yield "adapter"
        page.goto(f"{self.program.site}/#/sets")
        page.wait_for_selector("text=A file of prompts")
        yield "sets-empty"
        page.set_input_files("input[type=file]", files=[{"name": "asks.txt", "mimeType": "text/plain", "buffer": b"Buy milk\nCall me"}])
        page.wait_for_selector(".grid")
        answering(page, stream([chunk("An answer.")]))
        page.click("button.primary")
        until(lambda: page.locator(".votes").count() == 4, 30, "answers")
        page.locator("td").first.focus()
        page.keyboard.press("1")
        page.wait_for_selector(".interval")
        yield "set"
        page.goto(f"{self.program.site}/#/training")
        page.wait_for_selector("text=A data set, one example")
        yield "training-empty"
        data = (ROOT / "adapters/examples/tagging.jsonl").read_bytes().split(b"\n")[:40] + [b"{broken"]
        page.set_input_files("input[type=file]", files=[{"name": "some.jsonl", "mimeType": "text/plain", "buffer": b"\n".join(data)}])
        page.wait_for_selector(".learnt")
        page.click("summary")
        yield "data"

    def see(self, width, scheme):
        context = self.new_context(width, color_scheme=scheme)
        page = self.new_page(context)
        for name in self.views(page):
            self.check(page, f"{name}-{width}-{scheme}")
        context.close()

    def test_on_a_phone_in_the_dark(self):
        self.see(360, "dark")

    def test_on_a_tablet_in_the_light(self):
        self.see(800, "light")

    def test_on_a_desk_in_the_dark(self):
        self.see(1440, "dark")

    def test_on_a_desk_in_the_light(self):
        self.see(1440, "light")

    def test_at_twice_the_size(self):
        """What 200 % of zoom leaves of 1,280 pixels, and letters of twice the size."""
        context = self.new_context(640, 450, device_scale_factor=2)
        page = self.new_page(context)
        for name in self.views(page):
            self.check(page, f"{name}-zoomed")
        context.close()
        self.compare("x")
        self.page.evaluate("document.documentElement.style.fontSize = '200%'")
        self.check(self.page, "large-letters")

    def test_texts_of_both_directions(self):
        page = self.compare(ARABIC)
        answering(page, stream([chunk(ARABIC)]))
        self.ask()
        directions = page.evaluate("[...document.querySelectorAll('.answer')[0].children].map((line) => getComputedStyle(line).direction)")
        self.assertEqual(directions, ["rtl", "ltr", "rtl"])
        self.assertEqual(page.evaluate("getComputedStyle(document.querySelector('textarea')).direction"), "rtl")
        self.check(page, "arabic")
        page.evaluate("document.documentElement.dir = 'rtl'")
        self.check(page, "right-to-left")

    def test_a_text_of_ten_thousand_words(self):
        page = self.compare(WORDS, ["afm-9m", "tagging"])
        answering(page, lambda request: stream([chunk(part + " ") for part in (WORDS if request["model"] == "afm-9m" else WORDS.replace("word8", "other")).split(" ")]))
        self.ask()
        self.assertEqual(self.texts()[0].strip(), WORDS)
        until(lambda: self.told(".differs"), 20, "marks")
        self.check(page, "long")
        page.reload()
        page.wait_for_selector(".answer p")
        self.assertEqual(page.get_by_label("Prompt").input_value(), WORDS)

    def test_by_keyboard_alone(self):
        page = self.open()
        answering(page, stream([chunk("Yes.")]))
        page.keyboard.press("Tab")
        self.assertEqual(page.evaluate("document.activeElement.className"), "skip")
        page.keyboard.press("Enter")
        self.assertEqual(page.evaluate("document.activeElement.id"), "main")
        page.keyboard.press("Tab")
        page.keyboard.type("Is this so?")
        page.keyboard.press("Control+Enter")
        self.answered()
        self.assertEqual(self.texts(), ["Yes.", "Yes."])
        reached = set()
        for _ in range(40):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).slice(0, 20)"))
        for name in ("Ask", "Model a", "Model b", "Answer a", "Answer b", "Add a column", "Prompt sets", "Instructions, schema"):
            self.assertTrue(any(text.startswith(name[:20]) for text in reached), f"{name} is not reached: {reached}")

    def test_for_screen_readers(self):
        page = self.compare("x")
        answering(page, stream([chunk("Yes.")]))
        for role in ("banner", "navigation", "main"):
            self.assertEqual(page.get_by_role(role).count(), 1, role)
        self.assertEqual(page.get_by_role("heading", level=1).count(), 1)
        self.assertEqual(page.get_by_role("region", name="Column a").count(), 1)
        self.ask()
        until(lambda: "a: " in page.locator("#said").inner_text(), 5, "what is said of the answers")
        self.assertEqual(page.locator("#said").get_attribute("aria-live"), "polite")
        self.assertEqual(page.title(), "Compare · Studio")
