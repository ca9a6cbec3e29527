"""Writes `.fmadapter` packages: metadata.json and adapter_weights.bin (MIL blob storage version 2, half precision).

Native order: layer by layer Q, K, V, out, gate, up, down, each A (rank, in) and then B (out, rank); a layer that reuses
keys and values has no K and V. Rows of the Q and K pairs' B are in the base file's order, rotary halves one after the other.
"""

import hashlib
import json
import struct
from pathlib import Path

import numpy
import torch

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


def read(model, folder):
    """Puts the matrices of a package written by `write` into the model's low-rank pairs."""
    data, offset = (Path(folder) / "adapter_weights.bin").read_bytes(), 64
    for layer in model.all_layers():
        for target, pair in pairs(layer):
            for parameter in (pair.a_transpose, pair.b_transpose):
                sentinel, kind, size, start = struct.unpack_from("<IIQQ", data, offset)
                assert sentinel == 0xDEADBEEF and kind == 1 and size == 2 * parameter.numel()
                matrix = numpy.frombuffer(data, numpy.float16, parameter.numel(), start).reshape(parameter.shape[::-1])
                if parameter is pair.b_transpose and target in ("attn_q", "attn_k"):
                    matrix = adjacent_pairs(matrix, model.config.head_dim)
                parameter.data.copy_(torch.from_numpy(matrix.T.astype(numpy.float32)))
                offset = (start + size + 63) // 64 * 64


def adjacent_pairs(rows, head_dim):
    """Undoes `half_split`."""
    heads = rows.reshape(-1, 2, head_dim // 2, rows.shape[1])
    return heads.transpose(0, 2, 1, 3).reshape(rows.shape)


def blobs(model):
    """The half-precision matrices of a package."""
    for layer in model.all_layers():
        for target, pair in pairs(layer):
            a = pair.a_transpose.detach().numpy().T
            b = pair.b_transpose.detach().numpy().T
            if target in ("attn_q", "attn_k"):
                b = half_split(b, model.config.head_dim)
            for matrix in (a, b):
                assert numpy.abs(matrix).max() < 65504
                yield numpy.ascontiguousarray(matrix, dtype=numpy.float16)


def blob_file(matrices):
    """MIL blob storage version 2: a header of 64 bytes, then per blob 64 bytes of metadata and the data, all at multiples of 64."""
    data = bytearray(struct.pack("<II56x", len(matrices), 2))
    for matrix in matrices:
        data += bytes(-len(data) % 64)
        data += struct.pack("<IIQQ40x", 0xDEADBEEF, 1, matrix.nbytes, len(data) + 64)
        data += matrix.tobytes()
    return bytes(data)


def coremltools_blob_file(matrices, path):
    from coremltools.libmilstoragepython import _BlobStorageWriter

    writer = _BlobStorageWriter(str(path))
    for matrix in matrices:
        writer.write_fp16_data(matrix.ravel().view(numpy.uint16))
    del writer
    return Path(path).read_bytes()


def write(model, folder, name, signature, rank, alpha, description, trained_on, evaluation=None):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    weights = blob_file(list(blobs(model)))
    (folder / "adapter_weights.bin").write_bytes(weights)
    ours = {
        "formatVersion": 1, "alpha": alpha, "targets": TARGETS, "architecture": "afm",
        "weightsSHA256": hashlib.sha256(weights).hexdigest(), "trainedOn": trained_on, "version": "1.0.0",
    }
    if evaluation:
        ours["evaluation"] = evaluation
    write_metadata(folder, {
        "adapterIdentifier": f"fmadapter-{name}-{signature[:7]}", "author": "fmadapter", "baseModelSignature": signature,
        "creatorDefined": {"fmadapter": ours}, "description": description, "license": "Apache-2.0", "loraRank": rank,
    })


def write_metadata(folder, metadata):
    text = json.dumps(metadata, sort_keys=True, indent=4, ensure_ascii=False)
    (Path(folder) / "metadata.json").write_text(text, encoding="utf-8")
