"""AFM text v7 in plain PyTorch, with the parameter names of tamm's checkpoints.

Pre-norm layers, fused Q/K/V, rotary positions on adjacent pairs, per-head RMS norm on queries and keys after the
rotation, SwiGLU, a tied head; the last `num_kv_reuse_layers` layers read the keys and values of the last regular layer.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import nn


@dataclass
class Config:
    vocab_size: int = 4096
    hidden_dim: int = 256
    num_layers: int = 4
    num_kv_reuse_layers: int = 1
    num_heads: int = 4
    num_kv_heads: int = 2
    ffn_dim: int = 768
    rope_theta: float = 500000.0
    norm_eps: float = 1e-5
    context_length: int = 1024

    @property
    def head_dim(self):
        return self.hidden_dim // self.num_heads


class Normalized(torch.autograd.Function):
    """RMS norm in fewer passes over memory than PyTorch's own takes on a processor."""

    @staticmethod
    def forward(context, x, weight, eps):
        x = x.float()
        inverse = torch.linalg.vector_norm(x, dim=-1, keepdim=True).square_().div_(x.shape[-1]).add_(eps).rsqrt_()
        scaled = x * inverse
        context.save_for_backward(scaled, inverse, weight)
        return scaled * weight

    @staticmethod
    def backward(context, gradient):
        scaled, inverse, weight = context.saved_tensors
        gradient = gradient.float()
        inner = gradient * weight
        mean = (inner * scaled).mean(-1, keepdim=True)
        return torch.addcmul(inner, scaled, mean, value=-1).mul_(inverse), (gradient * scaled).flatten(0, -2).sum(0), None


class RMSNorm(nn.Module):
    def __init__(self, width, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def forward(self, x):
        return Normalized.apply(x, self.weight, self.eps)


BLOCK = 256  # queries that attend at once where rows are long


def attend(query, key, value):
    """Attention, causal where queries and keys are as many: in plain products, a block of queries with the keys up to its end,
    which is faster on a processor than PyTorch's own and reads nothing that is masked away."""
    length = query.shape[2]
    if length != key.shape[2]:
        return F.scaled_dot_product_attention(query, key, value)
    ends = range(BLOCK, length, BLOCK) if length > 2 * BLOCK else ()
    parts = [attend_block(query[:, :, begin:end], key[:, :, :end], value[:, :, :end]) for begin, end in zip((0, *ends), (*ends, length))]
    return torch.cat(parts, 2) if len(parts) > 1 else parts[0]


def attend_block(query, key, value):
    """The last queries of a row, each with the keys up to its own place."""
    rows, columns = query.shape[2], key.shape[2]
    scores = query * query.shape[-1] ** -0.5 @ key.transpose(-1, -2)
    scores = scores + torch.full((rows, columns), -1e4, dtype=scores.dtype).triu_(columns - rows + 1)
    return scores.softmax(-1).to(value.dtype) @ value


class LowRank(nn.Module):
    """x -> scale * B (A x); A starts as tamm's does (normal, std 1/sqrt(in)), B at zero."""

    def __init__(self, width_in, width_out, rank, alpha):
        super().__init__()
        self.a_transpose = nn.Parameter(torch.randn(width_in, rank) / width_in**0.5)
        self.b_transpose = nn.Parameter(torch.zeros(rank, width_out))
        self.scale = alpha / rank

    def forward(self, x):
        return (x @ self.a_transpose) @ self.b_transpose * self.scale


class Linear(nn.Module):
    """A matrix without bias. `quantizer` (a function of the weight) and `adapters` are off until somebody sets them."""

    quantizer = None

    def __init__(self, width_in, width_out, splits=None):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width_out, width_in) / width_in**0.5)
        self.splits = splits
        self.adapters = None

    def forward(self, x):
        y = F.linear(x, self.quantizer(self.weight) if self.quantizer else self.weight)
        if self.adapters is not None:
            y = y + torch.cat([adapter(x) for adapter in self.adapters.base_adapter.children_in_order()], -1)
        return y

    def add_adapter(self, rank, alpha):
        width_in = self.weight.shape[1]
        self.adapters = nn.Module()
        self.adapters.base_adapter = AdapterGroup(width_in, self.splits or [self.weight.shape[0]], rank, alpha)


class AdapterGroup(nn.Module):
    """The low-rank pairs of one linear layer: one, or three for a fused Q/K/V."""

    def __init__(self, width_in, widths_out, rank, alpha):
        super().__init__()
        for index, width_out in enumerate(widths_out):
            setattr(self, f"lora_{index}", LowRank(width_in, width_out, rank, alpha))

    def children_in_order(self):
        return list(self.children())


class QKNorm(nn.Module):
    def __init__(self, width, eps, with_key):
        super().__init__()
        self.query_norm = RMSNorm(width, eps)
        if with_key:
            self.key_norm = RMSNorm(width, eps)


class Attention(nn.Module):
    def __init__(self, c: Config, reuse: bool):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim, self.reuse = c.num_heads, c.num_kv_heads, c.head_dim, reuse
        self.norm = RMSNorm(c.hidden_dim, c.norm_eps)
        if reuse:
            self.q_transform = Linear(c.hidden_dim, c.hidden_dim)
            self.q_norm = QKNorm(c.head_dim, c.norm_eps, with_key=False)
        else:
            kv_width = c.num_kv_heads * c.head_dim
            self.qkv_transform = nn.Module()
            self.qkv_transform.fused_linear = Linear(
                c.hidden_dim, c.hidden_dim + 2 * kv_width, [c.hidden_dim, kv_width, kv_width]
            )
            self.qk_norm = QKNorm(c.head_dim, c.norm_eps, with_key=True)
        self.output_transform = Linear(c.hidden_dim, c.hidden_dim)

    def project(self, x, rope, keys_values):
        batch, length, _ = x.shape
        split = lambda t, heads: t.view(batch, length, heads, self.head_dim).transpose(1, 2)
        if self.reuse:
            query = split(self.q_transform(x), self.heads)
            return self.q_norm.query_norm(rotate(query, rope)), keys_values
        q, k, v = self.qkv_transform.fused_linear(x).split(self.qkv_transform.fused_linear.splits, -1)
        query = self.qk_norm.query_norm(rotate(split(q, self.heads), rope))
        key = self.qk_norm.key_norm(rotate(split(k, self.kv_heads), rope))
        return query, (key, split(v, self.kv_heads))

    def forward(self, x, rope, keys_values, cache=None):
        query, keys_values = self.project(self.norm(x), rope, keys_values)
        if cache is not None and not self.reuse:
            keys_values = cache.append(self, keys_values)
        key, value = (t.repeat_interleave(self.heads // self.kv_heads, 1) for t in keys_values)
        y = attend(query, key, value)
        return x + self.output_transform(y.transpose(1, 2).flatten(2)), keys_values


class FeedForward(nn.Module):
    def __init__(self, c: Config):
        super().__init__()
        self.norm = RMSNorm(c.hidden_dim, c.norm_eps)
        self.hidden_transform = nn.Module()
        self.hidden_transform.linear_0 = Linear(c.hidden_dim, c.ffn_dim)
        self.hidden_transform.linear_1 = Linear(c.hidden_dim, c.ffn_dim)
        self.output_transform = Linear(c.ffn_dim, c.hidden_dim)

    def forward(self, x):
        h = self.norm(x)
        return x + self.output_transform(F.silu(self.hidden_transform.linear_0(h)) * self.hidden_transform.linear_1(h))


class Layer(nn.Module):
    def __init__(self, c: Config, reuse: bool):
        super().__init__()
        self.attention = Attention(c, reuse)
        self.feed_forward = FeedForward(c)


class AFMText(nn.Module):
    def __init__(self, c: Config):
        super().__init__()
        self.config = c
        self.embedding = nn.Embedding(c.vocab_size, c.hidden_dim)
        nn.init.normal_(self.embedding.weight, std=0.02)
        self.embedding_quantizer = None
        regular = c.num_layers - c.num_kv_reuse_layers
        self.layers = nn.Module()
        for name, count, reuse in (("segment_0", regular, False), ("segment_1", c.num_kv_reuse_layers, True)):
            segment = nn.Module()
            for index in range(count):
                setattr(segment, f"layer_{index}", Layer(c, reuse))
            setattr(self.layers, name, segment)
        self.output_norm = RMSNorm(c.hidden_dim, c.norm_eps)
        self.active = None

    def all_layers(self):
        """The layers in order; while a model grows, those whose numbers are in `active`."""
        layers = list(self.layers.segment_0.children()) + list(self.layers.segment_1.children())
        return layers if self.active is None else [layers[i] for i in self.active]

    def embedding_weight(self):
        weight = self.embedding.weight
        return self.embedding_quantizer(weight) if self.embedding_quantizer else weight

    def hidden(self, tokens, weight, cache=None):
        """tokens (batch, length) -> normed states (batch, length, hidden_dim)."""
        start = cache.length if cache is not None else 0
        rope = rope_table(self.config, start, tokens.shape[1])
        x, keys_values = F.embedding(tokens, weight), None
        for layer in self.all_layers():
            x, keys_values = layer.attention(x, rope, keys_values, cache)
            x = layer.feed_forward(x)
        if cache is not None:
            cache.length += tokens.shape[1]
        return self.output_norm(x)

    def forward(self, tokens, cache=None):
        weight = self.embedding_weight()
        return self.hidden(tokens, weight, cache) @ weight.T

    def loss(self, tokens, labels):
        """Mean cross-entropy over the labels that are not -100; the head runs on those positions only."""
        weight = self.embedding_weight()
        chosen = labels != -100
        states = self.hidden(tokens, weight)[chosen]
        return F.cross_entropy(states @ weight.T, labels[chosen])

    def add_adapter(self, rank, alpha):
        """Freezes the base and puts a low-rank pair beside each of the seven projections."""
        self.requires_grad_(False)
        for module in list(self.modules()):
            if isinstance(module, Linear):
                module.add_adapter(rank, alpha)


class Cache:
    """Keys and values of the regular layers, for generation."""

    def __init__(self):
        self.length, self.kept = 0, {}

    def append(self, owner, keys_values):
        if owner in self.kept:
            keys_values = tuple(torch.cat([old, new], 2) for old, new in zip(self.kept[owner], keys_values))
        self.kept[owner] = keys_values
        return keys_values


def rope_table(c: Config, start, length):
    """Rotations as complex numbers (length, head_dim / 2)."""
    frequency = c.rope_theta ** (-torch.arange(0, c.head_dim, 2, dtype=torch.float32) / c.head_dim)
    angle = torch.outer(torch.arange(start, start + length, dtype=torch.float32), frequency)
    return torch.polar(torch.ones_like(angle), angle)


def rotate(x, rope):
    """Rotates adjacent pairs of the last axis; x (batch, heads, length, head_dim)."""
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * rope).flatten(-2)


def load(directory) -> AFMText:
    directory = Path(directory)
    fields = json.loads((directory / "config.json").read_text())
    config = Config(**{k: v for k, v in fields.items() if k in Config.__dataclass_fields__})
    model = AFMText(config)
    model.load_state_dict(load_file(directory / "base.safetensors"))
    return model


def save(model, directory, extra=None):
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    fields = asdict(model.config) | (extra or {})
    (directory / "config.json").write_text(json.dumps(fields, indent=2) + "\n")
    state = {name: tensor.detach().contiguous() for name, tensor in model.state_dict().items() if "adapters" not in name}
    save_file(state, directory / "base.safetensors")
