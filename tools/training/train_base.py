"""Trains the base model: `python train_base.py --folder FOLDER` (FOLDER holds tokenizer.model; everything is written there).

Several processes of one thread each share the weights and the micro-batches of a step, so that a busy machine slows one
of them down without the others waiting at every product. Gradients are added up; each process updates the weights it owns.

Schedule: the learning rate rises for WARM_UP steps and holds. A run goes on until it is stopped; `--decay TOKENS` starts
from the newest checkpoint and ends it: the rate falls to zero in a straight line over that many tokens, the forward passes
use the 4-bit weights from DECAY_QUANTIZED of it on, and the weights are averaged over the steps from DECAY_AVERAGED on. The
folder then holds `final/` beside the checkpoint, from which the constant rate can go on. Drills fall and long rows come
with the number of tokens seen, see `mixture`.
"""

import argparse
import csv
import os
import time
from collections import defaultdict
from pathlib import Path

import torch
import torch.multiprocessing as processes

import batches
import corpus
import model as afm
import quantization
from chat import Chat
from muon import Optimizer, shares
from start import start

WARM_UP, DECAY_QUANTIZED, DECAY_AVERAGED = 60, 0.5, 0.7
SHAPE = dict(vocab_size=4096, hidden_dim=256, num_layers=10, num_kv_reuse_layers=3, num_heads=4, num_kv_heads=2, ffn_dim=768, context_length=2048)


def mixture(tokens):
    """(tokens of a batch, share of drills, share of the tokens in long rows) after so many tokens seen."""
    millions = tokens / 1e6
    drills = 0.7 if millions < 0.5 else 0.4 if millions < 1.5 else 0.2 if millions < 4 else 0.08
    return (4096 if millions < 1 else 8192 if millions < 25 else 16384), drills, (0 if millions < 3 else 0.1 if millions < 80 else 0.25)


def active(tokens):
    """The layers that take part after so many tokens seen: a model of four layers learns the first things sooner.

    A layer that joins begins as the identity, because its output projections start at zero."""
    return [0, 1, 6, 9] if tokens < 2.5e6 else [0, 1, 3, 5, 6, 7, 9] if tokens < 5e6 else None


def held_out(chat, per_task):
    """Held-out dialogues by task: [(ids, labels of the assistant's tokens only)]."""
    chosen = defaultdict(list)
    for name, forms in (corpus.SHORT | corpus.DRILL | corpus.LONG).items():
        stream, wanted = corpus.dialogues(99, held_out=True, tasks={name: forms}), per_task // 6 if name == "long" else per_task
        for item in (next(stream) for _ in range(wanted)):
            ids, spoken = chat.labels(item["messages"])
            labels = [i if s else batches.IGNORED for i, s in zip(ids, spoken)]
            chosen[name].append((ids[: batches.LONGEST], (labels[1:] + [batches.IGNORED])[: batches.LONGEST]))
    return chosen


def counted(labels):
    return int((labels != batches.IGNORED).sum())


@torch.no_grad()
def losses(model, chosen):
    """Mean loss per assistant token, by task."""
    result = {}
    for task in sorted(chosen):
        rows = sorted(chosen[task], key=lambda row: len(row[0]))
        total = count = 0
        for begin in range(0, len(rows), 8):
            tokens, labels = batches.padded(rows[begin : begin + 8])
            with torch.autocast("cpu", torch.bfloat16):
                total += float(model.loss(tokens, labels)) * counted(labels)
            count += counted(labels)
        result[task] = total / count
    return result


def append(path, row):
    """Adds a line to a table; its head follows when the corpus has other tasks than at the last start."""
    rows = list(csv.DictReader(open(path))) if path.exists() else []
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, dict.fromkeys(key for known in rows + [row] for key in known))
        writer.writeheader()
        writer.writerows(rows + [row])


class Shared:
    """What the processes have in common: weights, moments, one row of gradients each, and the counters."""

    def __init__(self, arguments):
        torch.manual_seed(arguments.seed)
        self.arguments, self.folder = arguments, arguments.folder
        self.model = afm.AFMText(afm.Config(**SHAPE))
        start(self.model, arguments.seed)
        self.optimizer = Optimizer(self.model)
        self.average = None
        self.step = self.tokens = 0
        self.resume(self.folder / ("decay.pt" if arguments.decay and (self.folder / "decay.pt").exists() else "resume.pt"))
        if arguments.decay:
            self.decay_from = getattr(self, "decay_from", self.tokens)
            self.average = self.average or {n: torch.zeros_like(p) for n, p in self.model.named_parameters()}
        for tensor in [*self.model.parameters(), *[m for ms in self.optimizer.moments.values() for m in ms], *(self.average or {}).values()]:
            tensor.share_memory_()
        size = sum(p.numel() for p in self.model.parameters())
        self.gradients = [torch.zeros(size).share_memory_() for _ in range(arguments.workers)]
        self.loss = torch.zeros(arguments.workers).share_memory_()
        context = processes.get_context("fork")
        self.barrier, self.next = context.Barrier(arguments.workers), context.Value("i", 0)

    def resume(self, path):
        if path.exists():
            saved = torch.load(path, weights_only=True)
            self.model.load_state_dict(saved["model"])
            self.optimizer.moments = saved["moments"]
            self.step, self.tokens = saved["step"], saved["tokens"]
            if "decay_from" in saved:
                self.decay_from, self.average, self.averaged = saved["decay_from"], saved["average"], saved["averaged"]


class Worker:
    def __init__(self, shared, rank):
        self.shared, self.rank = shared, rank
        self.model, self.optimizer, self.arguments = shared.model, shared.optimizer, shared.arguments
        self.step, self.tokens = shared.step, shared.tokens
        self.averaged = getattr(shared, "averaged", 0)
        self.chat = Chat(shared.folder / "tokenizer.model")
        self.owned = shares(self.model, self.arguments.workers)[rank]
        self.quantized = False
        self.views = [self.split(flat) for flat in shared.gradients]

    def split(self, flat):
        result, at = {}, 0
        for name, p in self.model.named_parameters():
            result[name] = flat[at : at + p.numel()].view(p.shape)
            at += p.numel()
        return result

    def progress(self):
        """How much of the decay is done; 0 before it."""
        return (self.tokens - self.shared.decay_from) / self.arguments.decay if self.arguments.decay else 0

    def factor(self):
        return min(1, (self.step + 1) / WARM_UP) * max(0, 1 - self.progress())

    def train_step(self):
        if self.progress() >= DECAY_QUANTIZED and not self.quantized:
            quantization.switch_on(self.model)
            self.quantized = True
        self.model.active = active(self.tokens)
        size, drills, long = mixture(self.tokens)
        parts = batches.batch(self.chat, self.arguments.seed, self.step, size, drills, long)
        wanted = sum(counted(labels) for _, labels in parts)
        self.shared.loss[self.rank] = 0
        self.shared.barrier.wait()
        while (index := self.take()) < len(parts):
            tokens, labels = parts[index]
            with torch.autocast("cpu", torch.bfloat16):
                loss = self.model.loss(tokens, labels) * (counted(labels) / wanted)
            loss.backward()
            self.shared.loss[self.rank] += loss.item()
        for name, p in self.model.named_parameters():
            if p.grad is None:
                self.views[self.rank][name].zero_()
            else:
                self.views[self.rank][name].copy_(p.grad)
                p.grad = None
        self.shared.barrier.wait()
        if self.rank == 0:
            self.shared.next.value = 0
        self.step += 1
        taking_part = {id(p) for layer in self.model.all_layers() for p in layer.parameters()}
        waiting = {n for n, p in self.model.named_parameters() if n.startswith("layers") and id(p) not in taking_part}
        self.optimizer.step({name: sum(view[name] for view in self.views) for name in self.owned - waiting}, self.step, self.factor())
        if self.progress() >= DECAY_AVERAGED:
            self.averaged += 1
            for name in self.owned:
                self.shared.average[name].lerp_(self.model.get_parameter(name).data, 1 / self.averaged)
        self.tokens += sum(tokens.numel() for tokens, _ in parts)
        self.shared.barrier.wait()
        return float(self.shared.loss.sum())

    def take(self):
        with self.shared.next.get_lock():
            self.shared.next.value += 1
            return self.shared.next.value - 1

    def save(self):
        state = {"model": self.model.state_dict(), "moments": self.optimizer.moments, "step": self.step, "tokens": self.tokens}
        name = "resume"
        if self.arguments.decay:
            name, state = "decay", state | {"decay_from": self.shared.decay_from, "average": self.shared.average, "averaged": self.averaged}
        torch.save(state, self.shared.folder / f"{name}.tmp")
        os.replace(self.shared.folder / f"{name}.tmp", self.shared.folder / f"{name}.pt")
        afm.save(self.model, self.shared.folder / ("decay" if self.arguments.decay else "newest"))

    def finish(self):
        """Writes the averaged weights; the folder then holds what `fmadapter base convert` reads."""
        folder = self.shared.folder / "final"
        with torch.no_grad():
            for name, p in self.model.named_parameters():
                p.copy_(self.shared.average[name])
        afm.save(self.model, folder, {"languages": ["en"]})
        (folder / "tokenizer.model").write_bytes((self.shared.folder / "tokenizer.model").read_bytes())

    def report(self, recent):
        """Losses on held-out dialogues of every task, as a line of loss.csv."""
        by_task = losses(self.model, self.held_out)
        row = {"step": self.step, "tokens": self.tokens, "train": round(recent, 4), "held_out": round(sum(by_task.values()) / len(by_task), 4)} | {k: round(v, 4) for k, v in by_task.items()}
        append(self.shared.folder / "loss.csv", row)
        print("held-out", row, flush=True)

    def run(self):
        torch.set_num_threads(1)
        if self.rank == 0:
            self.held_out = held_out(self.chat, self.arguments.held_out)
        recent, last_save, since, first = None, time.time(), time.time(), self.tokens
        while self.progress() < 1:
            loss = self.train_step()
            if self.rank:
                continue
            recent = loss if recent is None else 0.95 * recent + 0.05 * loss
            if self.step % 10 == 0:
                print(f"step {self.step} tokens {self.tokens} loss {recent:.3f} {(self.tokens - first) / (time.time() - since):.0f} tokens/s", flush=True)
                since, first = time.time(), self.tokens
            if time.time() - last_save > 300:
                self.save()
                last_save = time.time()
            if self.step % self.arguments.every == 0:
                self.report(recent)
        if self.rank == 0:
            self.report(recent or 0)
            self.save()
            self.finish()


def work(rank, shared):
    Worker(shared, rank).run()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--decay", type=int, default=0, metavar="TOKENS", help="end the run over so many tokens")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--every", type=int, default=150, help="steps between held-out losses")
    parser.add_argument("--held-out", type=int, default=24, help="held-out dialogues per task")
    torch.set_num_threads(1)
    shared = Shared(parser.parse_args())
    others = [processes.get_context("fork").Process(target=work, args=(rank, shared), daemon=True) for rank in range(1, shared.arguments.workers)]
    for other in others:
        other.start()
    work(0, shared)
    for other in others:
        other.join()
