"""Long answers never hold the page, and what the page draws takes nothing from those who write."""

import concurrent.futures
import json
import os
import pathlib
import re
import statistics
import unittest
import urllib.request

from harness import ROOT, Program, StudioTest, answering, chunk, log, stream

BASE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "fmadapter/bases/SmolLM2-135M-Instruct.Q4_1.gguf"

WATCH = "window.long = []; new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.long.push(entry.duration); }).observe({type: 'longtask'});"


class SpeedTests(StudioTest):
    adapters = ("tagging", "playwriting")

    def test_twenty_thousand_tokens_scroll_smoothly(self):
        page = self.compare("x")
        tokens = [f" token{number}" if number % 40 else "\n" for number in range(20_000)]
        answering(page, lambda request: stream([chunk(token, [log(token, [" a", " b", " c", " d"])]) for token in tokens] if request["model"] == "afm-9m" else [chunk("short")]))
        page.evaluate(WATCH)
        self.ask()
        self.assertEqual(self.texts()[0], "".join(tokens))
        while_it_comes = page.evaluate("window.long.splice(0)")
        page.locator(".answer").first.hover()
        for _ in range(60):
            page.mouse.wheel(0, 1500)
            page.wait_for_timeout(16)
        box = page.locator(".answer").first.bounding_box()
        for step in range(40):
            page.mouse.move(box["x"] + 20 + step * 8, box["y"] + 40 + step * 3)
        while_it_scrolls = page.evaluate("window.long.splice(0)")
        print(f"\nlong tasks of 20,000 tokens: {[round(time) for time in while_it_comes]} ms while they come, {[round(time) for time in while_it_scrolls]} ms while they are scrolled", flush=True)
        self.assertEqual(while_it_scrolls, [])
        self.assertLess(max(while_it_comes, default=0), 50)


@unittest.skipUnless(os.environ.get("STUDIO_TIMING") and BASE.exists(), "only with --timing and the published base, on a machine that does nothing else")
class DecodingTests(StudioTest):
    models = ["assistant", "tagging", "playwriting"]

    @classmethod
    def make_program(cls):
        return Program(cls.models, BASE, ROOT / "adapters/smollm2-135m")

    def spent(self):
        """Seconds that the server has spent between tokens, and how many of these times there were."""
        request = urllib.request.Request(f"{self.program.site}/metrics", headers={"Authorization": f"Bearer {self.program.token}"})
        text = urllib.request.urlopen(request).read().decode()
        return [sum(map(float, re.findall(rf"^vllm:inter_token_latency_seconds_{part}(?:{{.*}})? (.*)$", text, re.MULTILINE))) for part in ("sum", "count")]

    def pace(self, asks):
        """Seconds for a token while `asks` does."""
        before = self.spent()
        asks()
        seconds, count = (now - then for now, then in zip(self.spent(), before))
        return seconds / count

    def test_three_streams_do_not_slow_decoding(self):
        schema = {"type": "array", "items": {"type": "string", "minLength": 8, "maxLength": 8}, "minItems": 40, "maxItems": 40}

        def plain(model):
            request = urllib.request.Request(
                f"{self.program.site}/v1/chat/completions", headers={"Authorization": f"Bearer {self.program.token}", "Content-Type": "application/json"},
                data=json.dumps({**asked, "model": model}).encode())
            return urllib.request.urlopen(request).read()

        def alone():
            with concurrent.futures.ThreadPoolExecutor() as pool:
                list(pool.map(plain, self.models))

        page = self.compare("Tell me a long story", self.models, s="1", n="250", f=json.dumps(schema))
        bodies = []
        page.on("request", lambda request: bodies.append(request.post_data) if request.url.endswith("completions") else None)
        self.ask(page)
        asked = json.loads(bodies[0])
        alone()
        rounds = [(self.pace(alone), self.pace(lambda: self.ask(page))) for _ in range(7)]
        share = statistics.median(shown for _, shown in rounds) / statistics.median(first for first, _ in rounds) - 1
        told = ", ".join(f"{first * 1000:.2f} and {shown * 1000:.2f}" for first, shown in rounds)
        print(f"\nmilliseconds of a token to programs and to the page: {told}; {share * 100:+.1f} %", flush=True)
        self.assertLess(share, 0.02)
