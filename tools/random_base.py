"""Random bases of any size in Q4_K, written a piece at a time, and adapters: as fast as real ones of their shape, and they say nothing.

The tokens are bytes and numbered words, `w0 w1 w2`, so that every program reads any prompt and can show every answer.
"""

import hashlib
import pathlib

import gguf
import numpy

Q4_K = gguf.GGMLQuantizationType.Q4_K
BLOCK, BLOCK_BYTES = 256, 144
PIECE = 1 << 16  # blocks


def blocks(count, columns, random):
    """Blocks whose products keep activations at ordinary sizes: random codes and parts of scales, under one scale each."""
    data = random.integers(0, 256, (count, BLOCK_BYTES), dtype=numpy.uint8)
    scale = 1 / 240 / columns**0.5
    data[:, 0:2] = numpy.array([scale], numpy.float16).view(numpy.uint8)
    data[:, 2:4] = numpy.array([scale * 7.5], numpy.float16).view(numpy.uint8)
    return data


def vocabulary(writer, size):
    named = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    # A word is merged from its beginning on, so all beginnings are tokens.
    parts = ["▁", "w", "▁w", *map(str, range(10))]
    words = parts + [f"▁w{n}" for n in range(size - len(named) - len(parts))]
    writer.add_tokenizer_model("llama")
    writer.add_token_list(named + words)
    writer.add_token_scores([0.0] * len(named) + [-float(n) for n in range(len(words))])
    writer.add_token_types([2, 3, 3] + [6] * 256 + [1] * len(words))
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template("{% for message in messages %}{{ message.content }}{% endfor %}")


def write(path, layers, width, hidden, heads, kv_heads, size=32_000, context=32_768):
    """Writes the file `path`, if it is not there: the same bytes each time."""
    path = pathlib.Path(path)
    if path.exists():
        return path
    part = path.with_suffix(".part")
    writer = gguf.GGUFWriter(part, "llama")
    writer.add_name(path.stem)
    # Without one the first who asks reads all of the file.
    writer.add_string("fmadapter.base.signature", hashlib.sha1(path.stem.encode()).hexdigest())
    writer.add_context_length(context)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(hidden)
    writer.add_head_count(heads)
    writer.add_head_count_kv(kv_heads)
    writer.add_rope_freq_base(10000.0)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(size)
    vocabulary(writer, size)
    keys = width // heads * kv_heads
    tensors = [("token_embd", size, width), ("output_norm", width)]
    for layer in range(layers):
        shapes = [
            ("attn_norm", width), ("attn_q", width, width), ("attn_k", keys, width), ("attn_v", keys, width),
            ("attn_output", width, width), ("ffn_norm", width), ("ffn_gate", hidden, width), ("ffn_up", hidden, width),
            ("ffn_down", width, hidden)]
        tensors += [(f"blk.{layer}.{name}", *shape) for name, *shape in shapes]
    tensors.append(("output", size, width))
    for name, *shape in tensors:
        if len(shape) == 1:
            writer.add_tensor_info(name + ".weight", shape, numpy.dtype(numpy.float32), 4 * shape[0])
        else:
            rows = (shape[0], shape[1] // BLOCK * BLOCK_BYTES)
            writer.add_tensor_info(name + ".weight", rows, numpy.dtype(numpy.uint8), rows[0] * rows[1], raw_dtype=Q4_K)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_ti_data_to_file()
    random = numpy.random.default_rng(1)
    with open(part, "ab") as file:
        file.write(bytes(-file.tell() % 32))
        for name, *shape in tensors:
            if len(shape) == 1:
                file.write(numpy.ones(shape[0], numpy.float32).tobytes())
            else:
                count = shape[0] * shape[1] // BLOCK
                for start in range(0, count, PIECE):
                    file.write(blocks(min(PIECE, count - start), shape[1], random).tobytes())
            file.write(bytes(-file.tell() % 32))
    writer.close()
    return part.rename(path)


def adapter(base, path, rank, seed=1):
    """Writes an adapter of all seven projections of the file `base` in F16 to `path`: the same bytes each time."""
    random = numpy.random.default_rng(seed)
    part = path.with_suffix(".part")
    writer = gguf.GGUFWriter(part, "llama")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", float(rank))
    for tensor in gguf.GGUFReader(base).tensors:
        if tensor.name.startswith("blk.") and len(tensor.shape) == 2:
            inputs, outputs = (int(n) for n in tensor.shape)
            for name, shape in (("lora_a", (rank, inputs)), ("lora_b", (outputs, rank))):
                writer.add_tensor(f"{tensor.name}.{name}", random.uniform(-0.01, 0.01, shape).astype(numpy.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return part.rename(path)
