"""The weights that training starts from.

Most are random. Two heads start as what every language model has to find first and a short run finds late: a head of the
first layer that looks at the previous token, and a head of the second that looks for what followed the same token before
(Olsson et al., "In-context learning and induction heads", 2022). Gradients are free to undo them.
"""

import torch

MATCHED = 24  # rotary rows below this turn too fast to match content over a distance


def orthonormal(rows, width, generator):
    """(rows, width) with orthonormal rows; the last column, where every embedding holds the same constant, is zero."""
    q, _ = torch.linalg.qr(torch.randn(width - 1, rows, generator=generator))
    return torch.cat([q.T, torch.zeros(rows, 1)], 1)


@torch.no_grad()
def start(model, seed):
    generator = torch.Generator().manual_seed(seed)
    c, size = model.config, model.config.head_dim
    for layer in model.all_layers():
        layer.attention.output_transform.weight.zero_()
        layer.feed_forward.output_transform.weight.zero_()
    model.embedding.weight[:, -1] = 0.06
    first, second = model.all_layers()[0].attention, model.all_layers()[1].attention
    carried, copied = orthonormal(size, c.hidden_dim, generator), orthonormal(size, c.hidden_dim, generator)
    place = orthonormal(size, c.hidden_dim, generator)
    look_back(first, c, carried, place)
    look_up(second, c, carried, place, copied)


def rows(attention, c):
    """Views of the first head's Q, K and V rows."""
    weight, kv = attention.qkv_transform.fused_linear.weight, c.num_kv_heads * c.head_dim
    return weight[: c.head_dim], weight[c.hidden_dim : c.hidden_dim + c.head_dim], weight[c.hidden_dim + kv : c.hidden_dim + kv + c.head_dim]


def look_back(attention, c, carried, place):
    """Query and key depend on the constant alone and agree at distance one; the value is the token, put at `place`."""
    query, key, value = rows(attention, c)
    query.zero_()
    key.zero_()
    for pair in range(3):
        angle = torch.tensor(c.rope_theta ** (-2 * pair / c.head_dim))
        query[2 * pair, -1] = 1
        key[2 * pair, -1], key[2 * pair + 1, -1] = angle.cos(), angle.sin()
    value.copy_(carried)
    attention.output_transform.weight[:, : c.head_dim] = 0.05 * place.T


def look_up(attention, c, carried, place, copied):
    """The query is the token, the key the token before; the value, the token itself, goes to the output."""
    query, key, value = rows(attention, c)
    query.zero_()
    key.zero_()
    query[MATCHED:] = carried[: c.head_dim - MATCHED]
    key[MATCHED:] = place[: c.head_dim - MATCHED]
    attention.qk_norm.query_norm.weight.fill_(1.5)
    attention.qk_norm.key_norm.weight.fill_(1.5)
    value.copy_(copied)
    attention.output_transform.weight[:, : c.head_dim] = 0.1 * copied.T
