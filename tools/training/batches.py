"""Batches for training: dialogues of similar length side by side, or rows of 1,024 tokens packed from long and short ones.

Every batch depends on the seed and its number alone, so that a run can stop and go on.
"""

import random

import torch

import corpus
from chat import IGNORED

PROMPT_SHARE = 0.2  # share of the tokens that the assistant does not speak but is still asked to predict


def encoded(chat, rng, item):
    """(ids, labels) of a dialogue; labels are shifted by one and ignored where nothing is asked."""
    ids, spoken = chat.labels(item["messages"])
    labels = [i if s or rng.random() < PROMPT_SHARE else IGNORED for i, s in zip(ids, spoken)]
    return ids, labels[1:] + [IGNORED]


def padded(rows):
    width = max(len(ids) for ids, _ in rows)
    tokens = torch.zeros(len(rows), width, dtype=torch.long)
    labels = torch.full((len(rows), width), IGNORED)
    for row, (ids, wanted) in enumerate(rows):
        tokens[row, : len(ids)] = torch.tensor(ids)
        labels[row, : len(wanted)] = torch.tensor(wanted)
    return tokens, labels


def short_batch(chat, seed, number, size, drill_share, micro=2048):
    """About `size` tokens in micro-batches of about `micro`, each of dialogues of similar length."""
    rng = random.Random(f"{seed}/batch {number}")
    rows, total = [], 0
    while total < size:
        row = encoded(chat, rng, corpus.dialogue(rng, False, corpus.DRILL if rng.random() < drill_share else corpus.SHORT))
        rows.append(row)
        total += len(row[0])
    rows.sort(key=lambda row: len(row[0]))
    group = []
    for row in rows:
        if group and (len(group) * len(row[0]) > micro or len(row[0]) > 1.25 * len(group[0][0])):
            yield padded(group)
            group = []
        group.append(row)
    yield padded(group)


def long_batch(chat, seed, number, size, length=1024, long_share=0.3):
    """Rows of `length` tokens: whole dialogues one after the other, long ones first; at most the last one is cut."""
    rng = random.Random(f"{seed}/long batch {number}")
    for _ in range(size // (2 * length)):
        rows = []
        for _ in range(2):
            ids, labels = [], []
            while len(ids) < length:
                tasks = corpus.LONG if not ids and rng.random() < long_share * 2 else corpus.SHORT
                more = encoded(chat, rng, corpus.dialogue(rng, False, tasks))
                ids, labels = ids + more[0], labels + more[1]
            rows.append((ids[:length], labels[:length]))
        yield padded(rows)
