"""Batches for training: dialogues of similar length side by side, and rows of 2,048 tokens packed from long and short ones.

Every batch depends on the seed, its number and its mixture alone, so that a run can stop and go on.
"""

import random

import torch

import corpus
from chat import IGNORED

PROMPT_SHARE = 0.15  # share of the tokens that the assistant does not speak but is still asked to predict
LONGEST = 2048


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


def packed(chat, rng, tasks, length):
    """A row of `length` tokens: whole dialogues one after the other, a long one first; at most the last one is cut."""
    ids, labels = encoded(chat, rng, corpus.dialogue(rng, False, corpus.LONG))
    while len(ids) < length:
        more = encoded(chat, rng, corpus.dialogue(rng, False, tasks))
        ids, labels = ids + more[0], labels + more[1]
    return ids[:length], labels[:length]


def batch(chat, seed, number, size, drill_share=0.0, long_share=0.0, tasks=corpus.SHORT, micro=2048):
    """About `size` tokens in micro-batches of about `micro` tokens, the most expensive first."""
    rng = random.Random(f"{seed}/batch {number}")
    groups = []
    for _ in range(int(size * long_share / LONGEST + rng.random())):
        groups.append([packed(chat, rng, tasks, LONGEST)])
    rows, total = [], sum(len(g[0][0]) for g in groups)
    while total < size:
        ids, labels = encoded(chat, rng, corpus.dialogue(rng, False, corpus.DRILL if rng.random() < drill_share else tasks))
        rows.append((ids[:LONGEST], labels[:LONGEST]))
        total += len(ids)
    rows.sort(key=lambda row: len(row[0]))
    group = []
    for row in rows:
        if group and (len(group) * len(row[0]) > micro or len(row[0]) > 1.3 * len(group[0][0])):
            groups.append(group)
            group = []
        group.append(row)
    groups.append(group)
    groups.sort(key=lambda g: -len(g) * len(g[-1][0]))
    return [padded(g) for g in groups if g]
