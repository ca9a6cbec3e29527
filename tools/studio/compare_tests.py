"""One prompt to several models, side by side."""

import json
import urllib.parse

from harness import StudioTest, answering, chunk, log, stream, until

PROMPT = "Dinner with my sister on Friday, bring the tickets"
# Of a base that soon has said all that it knows, answers are long that have to be.
LONG = json.dumps({"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 9}, "minItems": 400, "maxItems": 400})


class CompareTests(StudioTest):
    def test_answers_come_side_by_side_and_are_the_servers(self):
        models = ["afm-9m", "tagging", "playwriting", "tagging:0.5"]
        page = self.compare(PROMPT, models, n=200)
        page.click("button.primary")
        until(lambda: page.locator(".answer[aria-busy]").count() >= 2, 10, "two answers on their way")
        self.answered()
        expected = []
        for model in models:
            body = {"model": model, "messages": [{"role": "user", "content": PROMPT}], "seed": 0, "max_completion_tokens": 200}
            expected.append(self.program.ask("v1/chat/completions", body)["choices"][0]["message"]["content"])
        self.assertEqual(self.texts(), expected)
        self.assertEqual(len(set(expected)), 4)

    def test_columns_are_two_to_four_and_of_any_name(self):
        page = self.compare(PROMPT)
        for count in (3, 4):
            page.click("text=Add a column")
            self.assertEqual(page.locator(".column").count(), count)
        self.assertTrue(page.locator("text=Add a column").is_hidden())
        for count in (3, 2):
            page.click("[aria-label='Remove column c'], [aria-label='Remove column d']")
            self.assertEqual(page.locator(".column").count(), count)
        self.assertEqual(page.locator("[aria-label^='Remove column']").count(), 0)
        asked = answering(page, stream([chunk("x")]))
        page.fill("[aria-label='Model b, strength']", "0.25")
        page.select_option("[aria-label='Model a']", "other")
        page.fill("[aria-label='Model a, its name']", "afm-9m+tagging:2+playwriting")
        self.ask()
        self.assertEqual({request["model"] for request in asked}, {"afm-9m+tagging:2+playwriting", "tagging:0.25"})

    def test_all_settings_reach_the_models(self):
        page = self.compare(PROMPT)
        asked = answering(page, stream([chunk("x")]))
        page.click("summary")
        schema = {"type": "object", "properties": {"a": {"type": "string"}}}
        tools = [{"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": {"type": "object"}}}]
        for label, text in (("Instructions", "Be brief."), ("Schema", json.dumps(schema)), ("Tools", json.dumps(tools)), ("Seed", "7"), ("Temperature", "0.7")):
            page.get_by_label(label, exact=False).first.fill(text)
        page.get_by_label("Tokens").fill("33")
        self.ask()
        self.assertEqual([request.pop("model") for request in asked], ["afm-9m", "tagging"])
        self.assertEqual(asked[0], asked[1])
        self.assertEqual(asked[0], {
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": PROMPT}], "temperature": 0.7, "seed": 7, "max_completion_tokens": 33,
            "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}, "tools": tools, "logprobs": True, "top_logprobs": 5,
            "stream": True, "stream_options": {"include_usage": True}})
        page.get_by_label("Schema").fill("{")
        page.click("button.primary")
        self.assertIn("The schema is not JSON", page.locator("[role=alert]").inner_text())

    def test_stop(self):
        page = self.compare(PROMPT, ["afm-9m", "playwriting"], n=4000, f=LONG)
        for how in (lambda: page.click("button.primary"), lambda: page.keyboard.press("Escape")):
            page.click("button.primary")
            until(lambda: all(self.texts()), 20, "text")
            how()
            self.answered()
            self.assertTrue(any("stopped" in text for text in self.told(".figures")), self.told(".figures"))
            self.assertTrue(all(self.texts()))

    def test_words_that_differ_are_marked(self):
        page = self.compare("x", ["afm-9m", "tagging", "playwriting"])
        said = {"afm-9m": "The red fox runs home.", "tagging": "The red dog runs home.", "playwriting": "The red fox runs home."}
        answering(page, lambda request: stream([chunk(said[request["model"]])]))
        self.ask()
        until(lambda: self.told(".differs") == ["1 word of 6 not in a", "the same words as a"], 5, "marks")
        marked = page.evaluate("[...CSS.highlights.get('differs')].map((r) => r.startContainer.data.slice(r.startOffset, r.endOffset))")
        self.assertEqual(marked, ["dog"])

    def test_json_and_markup_are_well_formed_or_not(self):
        page = self.compare("x", ["afm-9m", "tagging", "playwriting", "tagging:0.5"])
        said = {"afm-9m": '{"a": [1, 2]}', "tagging": '{"a": [1, 2}', "playwriting": "<play><p>Hello<br></p></play>", "tagging:0.5": "<play><p>Hello</play>"}
        answering(page, lambda request: stream([chunk(said[request["model"]])]))
        self.ask()
        checks = [page.locator(".column").nth(index).locator(".checks li").first for index in range(4)]
        self.assertEqual([check.get_attribute("class") for check in checks], ["good", "bad", "good", "bad"])
        self.assertIn("JSON, not well formed", checks[1].inner_text())
        self.assertIn("</play> ends what is not open", checks[3].inner_text())

    def test_schemas_are_kept_to(self):
        schema = {"type": "object", "properties": {"tags": {"type": "array", "items": {"enum": ["food", "family"]}, "maxItems": 2}}, "required": ["tags"], "additionalProperties": False}
        page = self.compare(PROMPT, f=json.dumps(schema))
        self.ask()
        self.assertEqual([list(json.loads(text)) for text in self.texts()], [["tags"], ["tags"]])
        self.assertEqual(page.locator(".checks .good").count(), 2)

    def test_calls_of_tools_are_shown(self):
        page = self.compare("x")
        call = {"index": 0, "id": "c", "type": "function", "function": {"name": "look", "arguments": ""}}
        parts = [chunk(tool_calls=[call]), chunk(tool_calls=[{"index": 0, "function": {"arguments": '{"at": "x"}'}}])]
        answering(page, stream(parts).replace('"finish_reason": "stop"', '"finish_reason": "tool_calls"'))
        self.ask()
        self.assertEqual(self.texts()[0], 'look {"at": "x"}')
        self.assertIn("calls a tool", self.told(".figures")[0])

    def test_figures(self):
        self.compare(PROMPT, ["afm-9m", "afm-9m+playwriting"], n=300)
        self.ask()
        for text in self.told(".figures"):
            self.assertRegex(text, r"^[\d,]+ tokens? · .*first after \d+\.\d\d s · \d+ tokens read")

    def test_tokens_tell_what_else_could_have_come(self):
        page = self.compare(PROMPT, n=40)
        self.ask()
        box = page.evaluate("(() => { const range = document.createRange(); const text = document.querySelector('.answer p').firstChild;"
                            " range.setStart(text, 1); range.setEnd(text, 2); const box = range.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()")
        page.mouse.move(*box)
        page.wait_for_selector(".bubble tr")
        self.assertEqual(page.locator(".bubble tr").count(), 5)
        self.assertRegex(page.locator(".bubble").inner_text(), r"had \d")
        self.shot("hover", whole=False)
        page.mouse.move(5, 5)
        until(lambda: page.locator(".bubble").count() == 0, 5, "the end of the bubble")
        page.locator(".answer").first.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(".bubble")
        until(lambda: "%" in page.locator("#said").inner_text(), 5, "what a screen reader says")
        self.assertIn("else", page.locator("#said").inner_text())
        page.keyboard.press("Escape")
        self.assertEqual(page.locator(".bubble").count(), 0)

    def test_tokens_are_found_in_texts_of_many_bytes(self):
        page = self.compare("x")
        emoji = [{"token": "�", "logprob": -1, "bytes": list(part), "top_logprobs": []} for part in ("👋".encode()[:2], "👋".encode()[2:])]
        answering(page, stream([chunk("a", [log("a")]), chunk("👋é", [*emoji, log("é", ["e"])]), chunk(" b", [log(" b")])]))
        self.ask()
        page.locator(".answer").first.focus()
        seen = []
        for _ in range(5):
            page.keyboard.press("ArrowRight")
            seen.append(page.locator(".bubble b").inner_text())
        self.assertEqual(seen[0], "a")
        self.assertEqual(seen[3:], ["é", "␣b"])

    def test_a_reload_loses_nothing_and_the_address_has_all(self):
        page = self.compare(PROMPT, ["afm-9m", "tagging"], i="Be kind.", t="0", s="3", n="60")
        self.ask()
        (texts, figures, address) = (self.texts(), self.told(".figures"), page.url)
        self.assertNotIn(self.program.token, address)
        asked = answering(page, "")
        page.reload()
        page.wait_for_selector(".answer p")
        until(lambda: self.texts() == texts, 5, "the answers")
        self.assertEqual(self.told(".figures"), figures)
        self.assertEqual(asked, [])
        other = self.new_page(self.new_context())
        other.goto(self.program.address)
        other.wait_for_selector(".column")
        other.goto(address)
        other.wait_for_selector("textarea")
        until(lambda: other.get_by_label("Prompt").input_value() == PROMPT, 5, "the prompt")
        self.assertEqual(other.get_by_label("Instructions").input_value(), "Be kind.")
        self.ask(other)
        self.assertEqual(self.texts(other), texts)
        self.assertEqual(urllib.parse.urlsplit(other.url).fragment, urllib.parse.urlsplit(address).fragment)
        other.context.close()

    def test_a_reload_while_answers_come_keeps_what_has_come(self):
        page = self.compare(PROMPT, ["playwriting", "afm-9m"], n=6000, f=LONG)
        page.click("button.primary")
        until(lambda: len(self.texts()[0]) > 40, 20, "text")
        page.reload()
        page.wait_for_selector(".answer p")
        until(lambda: len(self.texts()[0]) > 20, 5, "the text")
        self.assertIn("left while it came", " ".join(self.told(".figures")))

    def test_what_fails_is_said(self):
        self.allowed = ["404", "400"]
        page = self.compare(PROMPT, ["afm-9m", "nothing-like-this"])
        self.ask()
        self.assertIn("does not exist", page.locator("[role=alert]").inner_text())
        self.assertTrue(self.texts()[0])
        self.shot("failed")
        page.get_by_label("Prompt").fill(" ")
        page.click("button.primary")
        self.assertIn("Type a prompt first.", " ".join(self.told("[role=alert]")))
