"""Trains the 4,096-piece SentencePiece BPE tokenizer: `python train_tokenizer.py -o FOLDER`.

Beside the corpus it sees a little XML markup and JSON, so that adapters find sensible pieces for brackets and quotes.
"""

import argparse
import io
import itertools
import random
from pathlib import Path

import sentencepiece

import corpus
from chat import render
from corpus.words import BANKS

# The space is a piece of its own, so that a word is cut alike behind a space, a quotation mark and at the start of an answer:
# a model that copies a word then copies its pieces, and need not spell it anew.
SYMBOLS = ["▁", "<n>", "<turn_start>", "<turn_end>", "<executable_start>", "<executable_end>"]
MARKUP = """<play>
  <title>The {a} {b}</title>
  <cast>{a}, {b}</cast>
  <scene place="{a}">
    <direction>{a} enters with a {b}.</direction>
    <stage>The {a} and the {b}.</stage>
    <line speaker="{a}">{b}!</line>
    <line speaker="{b}">{a}?</line>
    <line speaker="{a}">{b}.</line>
  </scene>
  <act n="1"/>
  <p class="{a}"><b>{b}</b></p>
</play>
{{"topics": ["{a}", "{b}"], "tool": {{"name": "{a}", "arguments": {{"{b}": true, "n": null, "ok": false}}}}}}
[{{"a": 1.5}}, {{"b": -2}}] `{a}` **{b}** # {a} ## {b} (x = y + 1; z * 2) a/b {a}_{b} {a}@{b}.com $5 50% & 'x' "y"."""


def lines(count, seed):
    def rendered(item):
        return render(item["messages"]).replace("\n", "<n>")

    yield from map(rendered, itertools.islice(corpus.dialogues(seed), count))
    yield from map(rendered, itertools.islice(corpus.dialogues(seed, tasks=corpus.LONG), count // 400))
    yield from map(rendered, itertools.islice(corpus.dialogues(seed, tasks=corpus.DRILL), count // 40))
    rng = random.Random(seed)
    words = [w for bank in BANKS.values() for w in bank]
    for _ in range(count // 120):
        yield MARKUP.format(a=rng.choice(words), b=rng.choice(words)).replace("\n", "<n>")


def train(folder, count, seed):
    folder.mkdir(parents=True, exist_ok=True)
    model = io.BytesIO()  # with a path the trainer would write that path into the model
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=lines(count, seed), model_writer=model, model_type="bpe", vocab_size=4096,
        byte_fallback=True, character_coverage=1.0, split_digits=True, normalization_rule_name="identity",
        remove_extra_whitespaces=False, add_dummy_prefix=True, allow_whitespace_only_pieces=True, max_sentence_length=20000,
        user_defined_symbols=SYMBOLS, pad_id=0, eos_id=1, bos_id=2, unk_id=3, pad_piece="<pad>", num_threads=1,
        minloglevel=2, required_chars="".join(map(chr, range(33, 127))),
    )
    (folder / "tokenizer.model").write_bytes(model.getvalue())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--count", type=int, default=60000)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    train(arguments.output, arguments.count, arguments.seed)
