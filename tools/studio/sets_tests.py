"""Prompts of a file over all columns, with votes."""

import json
import pathlib
import tempfile
import urllib.parse

from harness import StudioTest, answering, chunk, stream, until

PROMPTS = "Buy milk\nCall the dentist\nWater the plants\n"


class SetsTests(StudioTest):
    def open_set(self, text=PROMPTS, name="asks.txt", page=None):
        page = self.open("sets", page)
        page.set_input_files("input[type=file]", files=[{"name": name, "mimeType": "text/plain", "buffer": text.encode()}])
        page.wait_for_selector(".grid")
        return page

    def answer(self, page, count):
        page.click("button.primary")
        until(lambda: page.locator(".votes").count() == count and page.locator("button.primary").inner_text() == "Answer", 60, "all answers")

    def pressed(self, page=None):
        return (page or self.page).locator(".votes [aria-pressed=true]").count()

    def name(self, page):
        return urllib.parse.parse_qs(page.url.split("?")[1])["set"][0]

    def test_a_grid_is_filled_as_answers_come_and_votes_are_keys(self):
        page = self.open_set()
        self.answer(page, 6)
        self.assertEqual(page.locator(".grid tbody tr").count(), 3)
        page.locator("td[data-row='0'][data-place='0']").focus()
        for key in "123123":
            page.keyboard.press(key)
        self.assertEqual(self.pressed(), 6)
        until(lambda: page.locator(".interval").count() == 2, 5, "the sheet")
        columns = [[1, 0, 0.5], [0.5, 1, 0]]
        found = self.program.ask("studio/estimates", {"values": [*columns, [second - first for first, second in zip(*columns)]]})["estimates"]
        told = [f"{entry['value']:.3f} [{entry['low']:.2f}, {entry['high']:.2f}]" for entry in found]
        cells = page.locator("[aria-label=Results] td.figure").all_inner_texts()
        self.assertEqual([cells[3], cells[9], cells[10]], told)
        self.shot("sets")
        page.reload()
        page.wait_for_selector(".votes")
        self.assertEqual(self.pressed(), 6)
        page.keyboard.press("Tab")
        page.locator("td[data-row='2'][data-place='0']").focus()
        page.keyboard.press("ArrowUp")
        self.assertEqual(page.evaluate("[document.activeElement.dataset.row, document.activeElement.dataset.place]"), ["1", "0"])

    def test_blind_names_are_hidden_until_the_end(self):
        page = self.open_set("\n".join(f"Prompt {number}" for number in range(24)))
        answering(page, lambda request: stream([chunk(f"from {request['model']}")]))
        self.answer(page, 48)
        page.click("text=Blind")
        head = page.locator(".grid thead").inner_text()
        self.assertNotIn("afm-9m", head)
        self.assertNotIn("playwriting", head)
        places = [page.locator(f"td[data-row='{row}'][data-place='0'] .text").inner_text() for row in range(24)]
        self.assertEqual(len(set(places)), 2, "rows are shuffled each by itself")
        page.locator("td[data-row='0'][data-place='0']").focus()
        page.keyboard.press("1")
        self.assertIn("Names and results are shown at the end.", page.locator("[aria-label=Results]").inner_text())
        page.reload()
        page.wait_for_selector(".votes")
        self.assertEqual([page.locator(f"td[data-row='{row}'][data-place='0'] .text").inner_text() for row in range(24)], places)
        page.click("text=End and show names")
        self.assertIn("afm-9m", page.locator(".grid thead").inner_text())
        model = places[0].removeprefix("from ")
        row = page.locator("td[data-row='0']").filter(has=page.locator("[aria-pressed=true]"))
        self.assertEqual(row.locator(".text").inner_text(), f"from {model}")

    def test_exports_are_lines_and_one_page(self):
        hostile = "<img src=x onerror=alert(1)>"
        page = self.open_set(json.dumps({"prompt": hostile, "completion": "as expected"}) + "\n")
        answering(page, stream([chunk("<script>alert(2)</script>")]))
        self.answer(page, 2)
        page.locator("td").first.focus()
        page.keyboard.press("1")
        with page.expect_download() as download:
            page.click("text=Export JSON lines")
        lines = [json.loads(line) for line in pathlib.Path(download.value.path()).read_text().splitlines()]
        self.assertEqual([(line["model"], line["vote"]) for line in lines], [("afm-9m", "good"), (lines[1]["model"], None)])
        self.assertEqual(lines[0]["messages"], [{"role": "user", "content": hostile}])
        with page.expect_download() as download:
            page.click("text=Export a page")
        target = pathlib.Path(tempfile.mkdtemp()) / "page.html"
        download.value.save_as(target)
        other = self.browser.new_context(offline=True).new_page()
        other.on("dialog", lambda dialog: self.troubles.append("a dialog"))
        other.goto(f"file://{target}")
        self.assertIn(hostile, other.locator("body").inner_text())
        self.assertEqual(other.locator("img, script").count(), 0)
        other.context.close()

    def test_votes_make_pairs_to_train_on(self):
        page = self.open_set()
        answering(page, lambda request: stream([chunk(f"from {request['model']}")]))
        self.answer(page, 6)
        page.locator("td").first.focus()
        for key in "131122":
            page.keyboard.press(key)
        page.click("text=Pairs to train on")
        page.wait_for_selector(".example .learnt")
        self.assertIn("1 preference", page.locator("[aria-label=Statistics]").inner_text())
        self.assertIn("rejected", page.locator(".example").inner_text())

    def test_files_are_lines_of_json_or_of_text(self):
        page = self.open_set('"one"\n{"messages": [{"role": "user", "content": "two"}, {"role": "assistant", "content": "2"}]}\n', "data.jsonl")
        self.assertEqual(page.locator(".asked").all_inner_texts(), ["one", "two"])
        self.assertIn("expected: 2", page.locator(".grid").inner_text())
        page = self.open("sets")
        page.set_input_files("input[type=file]", files=[{"name": "bad.jsonl", "mimeType": "text/plain", "buffer": b'{"prompt": "a"}\n{"promt": "b"}\n'}])
        page.wait_for_selector("[role=alert]")
        self.assertIn("Line 2 has neither a prompt nor messages.", page.locator("[role=alert]").inner_text())
