"""Weights to go on from, with another tokenizer: `python carry_over.py BASE.gguf FOLDER TOKENS`.

FOLDER holds the new tokenizer.model; FOLDER/resume.pt is written, from which `train_base.py` goes on as after TOKENS tokens.
The layers are those of the base. A piece that stands alone in both tokenizers keeps its row of the embedding; one that may
now stand behind a space and elsewhere gets the mean of both rows, any other the mean of the rows of what the old tokenizer
cuts it into. What hangs on single words has to be learnt again.
"""

import argparse
from pathlib import Path

import numpy as np
import sentencepiece
import torch
from gguf import GGUFReader
from gguf.quants import dequantize

import model as afm
from muon import Optimizer
from train_base import SHAPE

SPACE = "▁"


class Base:
    """The floats of a GGUF file, and its pieces with what they score in merges."""

    def __init__(self, path):
        reader = GGUFReader(path)
        self.weights = {t.name: torch.from_numpy(np.array(dequantize(t.data, t.tensor_type), dtype=np.float32)) for t in reader.tensors}
        pieces = reader.fields["tokenizer.ggml.tokens"].contents()
        self.rows = {piece: row for row, piece in enumerate(pieces)}
        self.scores = dict(zip(pieces, reader.fields["tokenizer.ggml.scores"].contents()))
        self.embedding = self.weights["token_embd.weight"]

    def cut(self, text):
        """The rows of the pieces of `text`: the pair of the best score is joined until there is none."""
        parts = list(text)
        while joined := [(self.scores[a + b], -i) for i, (a, b) in enumerate(zip(parts, parts[1:])) if a + b in self.rows]:
            place = -max(joined)[1]
            parts[place : place + 2] = [parts[place] + parts[place + 1]]
        return [self.rows[part] for part in parts if part in self.rows]


def adjacent(weight, head):
    """Rows of heads from halves, as GGUF has them, to the adjacent pairs of `model.py`."""
    rest = weight.shape[1:]
    return weight.reshape(-1, 2, head // 2, *rest).transpose(1, 2).reshape(weight.shape)


def layers(base, config):
    """The parameters of all layers by their names in `model.py`."""
    regular = config.num_layers - config.num_kv_reuse_layers
    for index in range(config.num_layers):
        def found(name):
            return base.weights[f"blk.{index}.{name}.weight"]

        def turned(name):
            return adjacent(found(name), config.head_dim)

        if index < regular:
            place = f"layers.segment_0.layer_{index}."
            yield place + "attention.qkv_transform.fused_linear", torch.cat([turned("attn_q"), turned("attn_k"), found("attn_v")])
            yield place + "attention.qk_norm.query_norm", turned("attn_q_norm")
            yield place + "attention.qk_norm.key_norm", turned("attn_k_norm")
        else:
            place = f"layers.segment_1.layer_{index - regular}."
            yield place + "attention.q_transform", turned("attn_q")
            yield place + "attention.q_norm.query_norm", turned("attn_q_norm")
        yield place + "attention.norm", found("attn_norm")
        yield place + "attention.output_transform", found("attn_output")
        yield place + "feed_forward.norm", found("ffn_norm")
        yield place + "feed_forward.hidden_transform.linear_0", found("ffn_gate")
        yield place + "feed_forward.hidden_transform.linear_1", found("ffn_up")
        yield place + "feed_forward.output_transform", found("ffn_down")
    yield "output_norm", base.weights["output_norm.weight"]


def embedding(base, tokenizer):
    """The row of each piece of `tokenizer`."""
    rows = []
    for piece in map(tokenizer.id_to_piece, range(tokenizer.get_piece_size())):
        known = [base.rows[text] for text in {piece, SPACE + piece} if text in base.rows and text != 2 * SPACE]
        rows.append(base.embedding[known or base.cut(piece) or slice(None)].mean(0))
    return torch.stack(rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base")
    parser.add_argument("folder", type=Path)
    parser.add_argument("tokens", type=float, help="how many tokens the base has seen")
    arguments = parser.parse_args()
    base = Base(arguments.base)
    model = afm.AFMText(afm.Config(**SHAPE))
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(arguments.folder / "tokenizer.model"))
    state = {f"{name}.weight": weight for name, weight in layers(base, model.config)}
    model.load_state_dict(state | {"embedding.weight": embedding(base, tokenizer)})
    saved = {"model": model.state_dict(), "moments": Optimizer(model).moments, "step": 0, "tokens": int(arguments.tokens)}
    torch.save(saved, arguments.folder / "resume.pt")
