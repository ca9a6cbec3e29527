"""Trains the base model: `python train_base.py --folder FOLDER` (FOLDER holds tokenizer.model; everything is written there).

Schedule, by progress from 0 to 1 (of --steps, or of --seconds where the clock decides):
  below 0.42  every second dialogue or so is a copying or looking-up drill
  below 0.66  dialogues of similar length side by side
  above       rows of 1,024 tokens
  above 0.80  forward passes use the 4-bit weights
The learning rate rises for 40 steps, holds, and falls in a straight line to 2 % from 0.4 on.
"""

import argparse
import csv
import itertools
import random
import time
from collections import defaultdict
from pathlib import Path

import torch

import batches
import corpus
import model as afm
import quantization
from chat import Chat
from generate import generate
from muon import Optimizer
from start import start

DRILL_UNTIL, LONG_FROM, QUANTIZED_FROM, FALL_FROM = 0.42, 0.66, 0.80, 0.4


def held_out(chat, per_task):
    """Held-out dialogues by task: [(ids, labels of the assistant's tokens only)]."""
    chosen, rng = defaultdict(list), random.Random("held-out")
    tasks = corpus.SHORT | {"long": (5, corpus.LONG["long"][1])}
    for item in corpus.dialogues(99, held_out=True, tasks=tasks):
        wanted = per_task if item["task"] != "long" else per_task // 4
        if len(chosen[item["task"]]) < wanted:
            ids, spoken = chat.labels(item["messages"])
            labels = [i if s else batches.IGNORED for i, s in zip(ids, spoken)]
            chosen[item["task"]].append((ids[:1024], (labels[1:] + [batches.IGNORED])[:1024]))
        if sum(map(len, chosen.values())) == per_task * (len(tasks) - 1) + per_task // 4:
            return chosen


@torch.no_grad()
def losses(model, chosen):
    """Mean loss per assistant token, by task."""
    result = {}
    for task in sorted(chosen):
        rows = sorted(chosen[task], key=lambda row: len(row[0]))
        total = count = 0
        for start in range(0, len(rows), 16):
            tokens, labels = batches.padded(rows[start : start + 16])
            n = int((labels != batches.IGNORED).sum())
            total, count = total + float(model.loss(tokens, labels)) * n, count + n
        result[task] = total / count
    return result


def rate_factor(step, progress):
    return min(1, (step + 1) / 40) * (1 if progress < FALL_FROM else max(0.02, (1 - progress) / (1 - FALL_FROM)))


class Run:
    def __init__(self, arguments):
        self.arguments, self.folder = arguments, arguments.folder
        self.chat = Chat(self.folder / "tokenizer.model")
        torch.manual_seed(arguments.seed)
        self.model = afm.AFMText(afm.Config())
        start(self.model, arguments.seed)
        self.optimizer = Optimizer(self.model)
        self.step = self.tokens = self.seconds = 0
        self.quantized = False
        self.held_out = held_out(self.chat, arguments.held_out)
        self.resume()

    def resume(self):
        path = self.folder / "resume.pt"
        if path.exists():
            saved = torch.load(path, weights_only=True)
            self.model.load_state_dict(saved["model"])
            self.optimizer.load(saved["optimizer"])
            self.step, self.tokens, self.seconds = saved["step"], saved["tokens"], saved["seconds"]

    def save(self):
        state = {"model": self.model.state_dict(), "optimizer": self.optimizer.state(), "step": self.step, "tokens": self.tokens, "seconds": self.seconds}
        torch.save(state, self.folder / "resume.tmp")
        (self.folder / "resume.tmp").rename(self.folder / "resume.pt")
        afm.save(self.model, self.folder)

    def progress(self):
        if self.arguments.steps:
            return self.step / self.arguments.steps
        return self.seconds / self.arguments.seconds

    def batch(self, progress):
        if progress < LONG_FROM:
            size = 2048 if progress < 0.25 else 4096 if progress < 0.5 else 8192
            return batches.short_batch(self.chat, self.arguments.seed, self.step, size, 0.4 if progress < DRILL_UNTIL else 0)
        return batches.long_batch(self.chat, self.arguments.seed, self.step, 6144)

    def train_step(self, progress):
        if progress >= QUANTIZED_FROM and not self.quantized:
            quantization.switch_on(self.model)
            self.quantized = True
        parts = list(self.batch(progress))
        wanted = sum(int((labels != batches.IGNORED).sum()) for _, labels in parts)
        total = 0.0
        for tokens, labels in parts:
            share = int((labels != batches.IGNORED).sum()) / wanted
            loss = self.model.loss(tokens, labels) * share
            loss.backward()
            total += loss.item()
            self.tokens += tokens.numel()
        self.optimizer.step(rate_factor(self.step, progress))
        self.model.zero_grad()
        self.step += 1
        return total

    def report(self, recent):
        by_task = losses(self.model, self.held_out)
        mean = sum(by_task.values()) / len(by_task)
        row = {"step": self.step, "tokens": self.tokens, "seconds": round(self.seconds), "train": round(recent, 4), "held_out": round(mean, 4)} | {k: round(v, 4) for k, v in by_task.items()}
        path = self.folder / "loss.csv"
        new = not path.exists()
        with open(path, "a", newline="") as file:
            writer = csv.DictWriter(file, row.keys())
            if new:
                writer.writeheader()
            writer.writerow(row)
        print("held-out", row, flush=True)
        for item in itertools.islice(corpus.dialogues(self.step, held_out=True), 5):
            print(f"[{item['task']}] {item['messages'][-2]['content']}\n  => {generate(self.model, self.chat, item['messages'][:-1], 120)}\n  == {item['messages'][-1]['content']}", flush=True)

    def run(self):
        recent, last_save = None, time.time()
        while (progress := self.progress()) < 1:
            start = time.time()
            loss = self.train_step(progress)
            self.seconds += time.time() - start
            recent = loss if recent is None else 0.95 * recent + 0.05 * loss
            if self.step % 10 == 0:
                print(f"step {self.step} progress {progress:.3f} tokens {self.tokens} loss {recent:.3f} {self.tokens / self.seconds:.0f} tokens/s", flush=True)
            if self.step % self.arguments.every == 0 or self.step == 25:
                self.report(recent)
            if time.time() - last_save > 150:
                self.save()
                last_save = time.time()
        self.report(recent)
        self.save()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=4500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=int, default=150, help="steps between held-out losses")
    parser.add_argument("--held-out", type=int, default=24, help="held-out dialogues per task")
    torch.set_num_threads(1)
    Run(parser.parse_args()).run()
