"""Generates from a checkpoint folder: `python generate.py FOLDER "prompt" ...`."""

import sys

import torch

import model as afm
from chat import Chat


@torch.no_grad()
def generate(model, chat, messages, limit=200, temperature=0.0, seed=0):
    generator = torch.Generator().manual_seed(seed)
    cache, result = afm.Cache(), []
    logits = model(torch.tensor([chat.ids(messages, prompt=True)]), cache)[0, -1]
    while len(result) < limit:
        token = int(logits.argmax()) if temperature == 0 else int(torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator))
        if token == chat.turn_end:
            break
        result.append(token)
        logits = model(torch.tensor([[token]]), cache)[0, -1]
    return chat.decode(result)


if __name__ == "__main__":
    torch.set_num_threads(1)
    folder = sys.argv[1]
    model, chat = afm.load(folder), Chat(f"{folder}/tokenizer.model")
    for prompt in sys.argv[2:]:
        print("user:", prompt, "\nassistant:", generate(model, chat, [{"role": "user", "content": prompt}]), "\n")
