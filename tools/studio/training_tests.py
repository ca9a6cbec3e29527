"""Data sets as the model sees them, and trainings as they go."""

import json
import re

from harness import ROOT, StudioTest, until

DATA = "\n".join((ROOT / "adapters/examples/tagging.jsonl").read_text().splitlines()[:120]) + "\n"


class TrainingTests(StudioTest):
    adapters = ()

    def drop(self, text, name):
        page = self.open("training")
        page.set_input_files("input[type=file]", files=[{"name": name, "mimeType": "text/plain", "buffer": text.encode()}])
        page.wait_for_selector("[aria-label=Findings] .good, [aria-label=Findings] .bad, [aria-label=Findings] .note:not(.status)", timeout=20_000)
        return page

    def train(self, page, name, objective="", **options):
        page.get_by_label("Name of the adapter").fill(name)
        page.click("summary")
        page.get_by_label("Objective", exact=True).select_option(objective)
        for label, value in options.items():
            page.get_by_label(label.replace("_", " "), exact=True).fill(str(value))
        page.click("button.primary")
        page.wait_for_selector(".job")

    def state(self, page):
        return page.locator(".job .status").first.inner_text()

    def test_findings_stand_line_by_line(self):
        bad = DATA.splitlines()[0] + "\n" + DATA.splitlines()[0] + "\n{broken\n[]\n"
        page = self.drop(bad, "bad.jsonl")
        found = page.locator(".found li").all_inner_texts()
        self.assertTrue(found[0].startswith("error bad.jsonl, line 3:") and any("line 2:" in text and "warning" in text for text in found), found)
        self.assertIn("Refused, 3 findings.", page.locator("[aria-label=Findings]").inner_text())

    def test_statistics_and_examples_are_drawn(self):
        page = self.drop(DATA, "good.jsonl")
        page.wait_for_selector(".learnt")
        self.assertIn("120 examples", page.locator("[aria-label=Statistics]").inner_text())
        self.assertGreaterEqual(page.locator(".interval").count(), 3)
        line = json.loads(DATA.splitlines()[0])
        self.assertTrue(page.locator(".learnt").inner_text().startswith(line["completion"]))
        page.click("text=Next")
        second = json.loads(DATA.splitlines()[1])["completion"]
        until(lambda: page.locator(".learnt").inner_text().startswith(second), 10, "the next example")
        self.shot("data")

    def test_a_training_is_watched_stopped_resumed_and_compared(self):
        page = self.drop(DATA, "watch.jsonl")
        self.train(page, "watched", **{"Steps,_in_place_of_epochs": 120, "Learning_rate": 0.002})
        self.assertRegex(page.locator(".job .command").inner_text(), r"fmadapter train watch.jsonl -o watched .*--steps 120 --learning-rate 0.002 --json")
        step = lambda: int((re.search(r"step ([\d,]+) of", page.locator("p.figures").inner_text()) or [0, "0"])[1].replace(",", ""))
        until(lambda: step() > 5, 60, "steps")
        page.reload()
        page.wait_for_selector(".job")
        until(lambda: step() > 12 and page.locator("circle.held").count() >= 1, 60, "steps after a reload")
        page.get_by_role("button", name="Stop", exact=True).click()
        until(lambda: self.state(page) == "Stopped", 20, "the stop")
        page.wait_for_selector("text='Go on'")
        stopped = step()
        self.assertLess(stopped, 120)
        page.click("text='Go on'")
        page.wait_for_selector("text=Compare with the base", timeout=120_000)
        self.assertGreater(step(), stopped)
        self.assertGreaterEqual(page.locator("circle.held").count(), 3)
        self.assertGreaterEqual(page.locator(".samples tbody tr").count(), 3)
        self.assertIn("Held-out loss", page.locator("main").inner_text())
        self.shot("training")
        page.click("text=Compare with the base")
        page.wait_for_selector(".column")
        self.assertEqual(page.locator("[aria-label='Model b']").input_value(), "watched")
        page.get_by_label("Prompt").fill(json.loads(DATA.splitlines()[0])["prompt"])
        self.ask()
        self.assertIn("tags", self.texts()[1])

    def test_pairs_train_preferences(self):
        lines = [json.dumps({"prompt": f"Item {number}: what kind?", "chosen": "A good one.", "rejected": "None."}) for number in range(24)]
        for objective in ("", "dpo", "orpo"):
            with self.subTest(objective=objective):
                page = self.drop("\n".join(lines) + "\n", "pairs.jsonl")
                self.train(page, f"preferring{objective}", objective, **{"Steps,_in_place_of_epochs": 12})
                page.wait_for_selector("text=Compare with the base", timeout=120_000)
                self.assertIn(f"--objective {objective}" if objective else "fmadapter train", page.locator(".job .command").inner_text())
                self.assertIn("margin", page.locator("p.figures").inner_text())

    def test_the_end_of_the_program_keeps_what_was_learnt(self):
        page = self.drop(DATA, "kept.jsonl")
        self.train(page, "kept", **{"Steps,_in_place_of_epochs": 4000, "Learning_rate": 0.001})
        until(lambda: "step" in page.locator("p.figures").inner_text(), 60, "steps")
        self.allowed = ["Failed to load resource", "ERR_"]
        self.assertEqual(self.program.stop(), 0)
        self.assertTrue((self.program.folder / "kept.fmadapter.checkpoint").exists())
        self.program.start(int(self.program.site.rsplit(":")[-1]))
        page = self.open("training?run=kept")
        page.wait_for_selector("text='Go on'")
        self.assertIn("It ended before its last step: interrupted.", page.locator("main").inner_text())

    def test_what_cannot_be_trained_is_said(self):
        page = self.drop("{broken\n", "broken.jsonl")
        self.train(page, "broken")
        until(lambda: "Failed, with exit code 4" in self.state(page), 20, "the refusal")
        self.assertIn("the data set has errors", page.locator(".job [role=alert]").first.inner_text())
        self.assertIn("line 1:", page.locator(".job .found").inner_text())
