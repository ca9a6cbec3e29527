"""Answers prompts with a checkpoint, greedily: `python answer.py FOLDER prompts.jsonl ... -o answers.jsonl`.

Reads {"id", "prompt"} a line, with "instructions" where a system turn comes before it and "tools" where it may call some, by their
names in tools.json beside the file, and writes {"id", "answer"} a line. FOLDER holds config.json and
base.safetensors; tokenizer.model is looked for there and in the folder above. With `--held-out N` in place of the files it
answers N held-out dialogues of each task of the corpus and prints the share of answers that are right to the letter.
"""

import argparse
import json
from collections import defaultdict
from pathlib import Path

import torch

import corpus
import model as afm
from chat import DEFAULT_SYSTEM, Chat
from rules import tools_beside


@torch.inference_mode()
def answers(model, chat, conversations, limit=200, batch=32):
    """The answer to each list of messages; prompts of one length go through the model together."""
    groups, result = defaultdict(list), [None] * len(conversations)
    for index, messages in enumerate(conversations):
        ids = chat.ids(messages, prompt=True)
        groups[len(ids)].append((index, ids))
    for group in groups.values():
        for begin in range(0, len(group), batch):
            part = group[begin : begin + batch]
            for (index, _), text in zip(part, together(model, chat, [ids for _, ids in part], limit)):
                result[index] = text
    return result


def together(model, chat, rows, limit):
    cache, spoken = afm.Cache(), [[] for _ in rows]
    running = [True] * len(rows)
    logits = model(torch.tensor(rows), cache)[:, -1]
    for _ in range(limit):
        chosen = logits.argmax(-1)
        for row, token in enumerate(chosen.tolist()):
            running[row] = running[row] and token != chat.turn_end
            if running[row]:
                spoken[row].append(token)
        if not any(running):
            break
        logits = model(chosen[:, None], cache)[:, -1]
    return [chat.decode(tokens) for tokens in spoken]


def open_checkpoint(folder):
    folder = Path(folder)
    tokenizer = next(p for p in (folder / "tokenizer.model", folder.parent / "tokenizer.model") if p.exists())
    return afm.load(folder), Chat(tokenizer)


def asked(item, tools):
    system = item.get("instructions", DEFAULT_SYSTEM if "tools" in item else None)
    if "tools" in item:
        system += "\nsystem tools: " + "\n".join(json.dumps(tools[name], ensure_ascii=False) for name in item["tools"])
    before = [{"role": "system", "content": system}] if system else []
    return before + [{"role": "user", "content": item["prompt"]}]


def measure(model, chat, count, shown):
    """Prints the share of right answers for each task, with some of the wrong ones."""
    tasks = {k: v for k, v in (corpus.SHORT | corpus.DRILL).items() if k not in FREE}
    total = 0
    for name, forms in tasks.items():
        stream = corpus.dialogues(1234, held_out=True, tasks={name: forms})
        chosen = [next(stream)["messages"] for _ in range(count)]
        got = answers(model, chat, [m[:-1] for m in chosen])
        right = [g == m[-1]["content"] for g, m in zip(got, chosen)]
        total += sum(right) / count
        print(f"{name:10} {sum(right) / count:6.1%}", flush=True)
        for g, m in [(g, m) for g, m, ok in zip(got, chosen, right) if not ok][:shown]:
            print(f"    {m[-2]['content']!r}\n      got    {g!r}\n      wanted {m[-1]['content']!r}")
    print(f"{'mean':10} {total / len(tasks):6.1%}")


FREE = {"invent", "story", "dialogue", "game", "list", "knowledge", "chat", "note", "summarise"}  # many answers are right there

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("prompts", type=Path, nargs="*")
    parser.add_argument("-o", "--output", type=Path)
    parser.add_argument("--held-out", type=int, default=0)
    parser.add_argument("--show", type=int, default=0, help="wrong answers to show for each task")
    parser.add_argument("--limit", type=int, default=200, help="tokens of an answer")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    model, chat = open_checkpoint(arguments.folder)
    if arguments.held_out:
        measure(model, chat, arguments.held_out, arguments.show)
    else:
        read = [(path, json.loads(line)) for path in arguments.prompts for line in path.read_text().splitlines() if line.strip()]
        items = [item for _, item in read]
        got = answers(model, chat, [asked(item, tools_beside(path)) for path, item in read], arguments.limit)
        lines = [json.dumps({"id": i["id"], "answer": a}, ensure_ascii=False) for i, a in zip(items, got)]
        arguments.output.write_text("\n".join(lines) + "\n")
