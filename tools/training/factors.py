"""The low-rank pairs of model.py in the order of packages: layer by layer Q, K, V, out, gate, up, down; a layer that reuses keys and values has no K
and V. Rows of the Q and K pairs' B are in the base file's order, rotary halves one after the other.
"""

TARGETS = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]


def half_split(rows, head_dim):
    """Re-orders rows (heads * head_dim, n) from adjacent rotary pairs to halves."""
    heads = rows.reshape(-1, head_dim // 2, 2, rows.shape[1])
    return heads.transpose(0, 2, 1, 3).reshape(rows.shape)


def pairs(layer):
    """(target, low-rank pair) of one layer of model.py in native order."""
    attention, feed_forward = layer.attention, layer.feed_forward
    if attention.reuse:
        yield "attn_q", attention.q_transform.adapters.base_adapter.lora_0
    else:
        yield from zip(TARGETS[:3], attention.qkv_transform.fused_linear.adapters.base_adapter.children_in_order())
    yield "attn_output", attention.output_transform.adapters.base_adapter.lora_0
    yield "ffn_gate", feed_forward.hidden_transform.linear_0.adapters.base_adapter.lora_0
    yield "ffn_up", feed_forward.hidden_transform.linear_1.adapters.base_adapter.lora_0
    yield "ffn_down", feed_forward.output_transform.adapters.base_adapter.lora_0
