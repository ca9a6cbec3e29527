"""Random models of each family at the widths of its smallest published one, as Hugging Face folders.

Weights are values that F16 holds. Needs the packages of tools/requirements.txt.
"""

import pathlib
import sys

import torch
import transformers

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "fixtures"))
sys.dont_write_bytecode = True
import make_hugging_face_fixtures as folders  # noqa: E402
import make_transformers_fixtures as fixtures  # noqa: E402


def sizes(width, inside, heads, keys, vocabulary, layers, **more):
    return dict(
        hidden_size=width, intermediate_size=inside, num_attention_heads=heads, num_key_value_heads=keys, vocab_size=vocabulary,
        num_hidden_layers=layers, pad_token_id=0) | more


def default(theta, **more):
    return dict(rope_parameters=dict(rope_type="default", rope_theta=theta, **more))


LONG = dict(
    rope_type="longrope", rope_theta=10000.0, original_max_position_embeddings=4096,
    short_factor=[1 + n / 24 for n in range(48)], long_factor=[1.2 + n / 2 for n in range(48)])
# Family: model whose widths they are, tokenizer of the folder, the fewest layers that have all kinds, and how a model of some layers is made.
FAMILIES = {
    "llama": ("SmolLM2 135M", "llama-bpe", 4, lambda layers: transformers.LlamaForCausalLM(transformers.LlamaConfig(
        **sizes(576, 1536, 9, 3, 49152, layers), **default(100000.0), rms_norm_eps=1e-5, max_position_embeddings=8192, tie_word_embeddings=True))),
    "mistral": ("Mistral 7B 0.1", "spm", 2, lambda layers: transformers.MistralForCausalLM(transformers.MistralConfig(
        **sizes(4096, 14336, 32, 8, 32000, layers), **default(10000.0), rms_norm_eps=1e-5, max_position_embeddings=32768, sliding_window=4096, tie_word_embeddings=False))),
    "phi3": ("Phi 3.5 mini", "spm", 2, lambda layers: transformers.Phi3ForCausalLM(transformers.Phi3Config(
        **sizes(3072, 8192, 32, 32, 32064, layers), rope_parameters=LONG, rms_norm_eps=1e-5, max_position_embeddings=131072,
        original_max_position_embeddings=4096, sliding_window=262144, tie_word_embeddings=False))),
    "smollm3": ("SmolLM3 3B", "smaug-bpe", 4, lambda layers: transformers.SmolLM3ForCausalLM(transformers.SmolLM3Config(
        **sizes(2048, 11008, 16, 4, 128256, layers), **default(5000000.0), max_position_embeddings=65536, tie_word_embeddings=True))),
    "gemma3": ("Gemma 3 270M", "spm-no-prefix", 6, lambda layers: transformers.Gemma3ForCausalLM(transformers.Gemma3TextConfig(
        **sizes(640, 2048, 4, 1, 262144, layers), head_dim=256, query_pre_attn_scalar=256, sliding_window=512, max_position_embeddings=32768,
        rope_parameters=dict(sliding_attention=dict(rope_type="default", rope_theta=10000.0), full_attention=dict(rope_type="default", rope_theta=1000000.0))))),
    "granite": ("Granite 3.3 2B", "starcoder", 2, lambda layers: transformers.GraniteForCausalLM(transformers.GraniteConfig(
        **sizes(2048, 8192, 32, 8, 49159, layers), **default(10000000.0), rms_norm_eps=1e-5, max_position_embeddings=131072, tie_word_embeddings=True,
        embedding_multiplier=12.0, logits_scaling=8.0, residual_multiplier=0.22, attention_multiplier=0.015625))),
    "qwen2": ("Qwen 2.5 0.5B", "qwen2", 3, lambda layers: transformers.Qwen2ForCausalLM(transformers.Qwen2Config(
        **sizes(896, 4864, 14, 2, 151936, layers), **default(1000000.0), max_position_embeddings=32768, tie_word_embeddings=True))),
    "qwen3": ("Qwen 3 0.6B", "qwen2", 3, lambda layers: transformers.Qwen3ForCausalLM(transformers.Qwen3Config(
        **sizes(1024, 3072, 16, 8, 151936, layers), **default(1000000.0), head_dim=128, max_position_embeddings=40960, tie_word_embeddings=True))),
    "lfm2": ("LFM 2 350M", "llama-bpe", 4, lambda layers: transformers.Lfm2ForCausalLM(transformers.Lfm2Config(
        **sizes(1024, 6656, 16, 8, 65536, layers), **default(1000000.0), block_ff_dim=6656, max_position_embeddings=128000, tie_word_embeddings=True,
        layer_types=["full_attention" if n in (2, 5, 8, 10, 12, 14) else "conv" for n in range(layers)]))),
    "qwen35": ("Qwen 3.5 0.8B", "qwen35", 4, lambda layers: transformers.Qwen3_5ForCausalLM(transformers.Qwen3_5TextConfig(
        **sizes(1024, 3584, 8, 2, 248320, layers), **default(10000000.0, partial_rotary_factor=0.25), head_dim=256, max_position_embeddings=262144,
        linear_num_key_heads=16, linear_num_value_heads=16, layer_types=["full_attention" if n % 4 == 3 else "linear_attention" for n in range(layers)], tie_word_embeddings=True))),
    "gemma4": ("Gemma 4 E2B", "merged", 4, lambda layers: transformers.Gemma4ForCausalLM(transformers.Gemma4TextConfig(
        **sizes(1536, 6144, 8, 1, 262144, layers), head_dim=256, global_head_dim=512, sliding_window=512, max_position_embeddings=131072,
        hidden_size_per_layer_input=256, vocab_size_per_layer_input=262144, num_kv_shared_layers=2, use_double_wide_mlp=True, final_logit_softcapping=30.0,
        layer_types=["sliding_attention", "full_attention"] * (layers // 2)))),
    "qwen3moe": ("Qwen 3 30B-A3B", "qwen2", 2, lambda layers: transformers.Qwen3MoeForCausalLM(transformers.Qwen3MoeConfig(
        **sizes(2048, 6144, 32, 4, 151936, layers), **default(1000000.0), head_dim=128, num_experts=128, num_experts_per_tok=8, moe_intermediate_size=768,
        norm_topk_prob=True, max_position_embeddings=40960, tie_word_embeddings=False, experts_implementation="eager"))),
    "gemma4-experts": ("Gemma 4 26B-A4B", "merged", 2, lambda layers: transformers.Gemma4ForCausalLM(transformers.Gemma4TextConfig(
        **sizes(2816, 2112, 16, 8, 262144, layers), head_dim=256, global_head_dim=512, num_global_key_value_heads=2, attention_k_eq_v=True, sliding_window=1024,
        max_position_embeddings=262144, hidden_size_per_layer_input=0, final_logit_softcapping=30.0, layer_types=["sliding_attention", "full_attention"] * (layers // 2),
        enable_moe_block=True, num_experts=128, top_k_experts=8, moe_intermediate_size=704, experts_implementation="eager"))),
}


def soften(model):
    """Weights under which a layer adds less to what it gets, as in trained models."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim > 1:
                parameter.copy_((parameter * (0.1 if "embed_tokens" in name else 0.5)).half().float())


def save(family, folder, layers=None):
    """Writes the folder of a random model, of the fewest layers unless told; what its numbers come from, which can go on."""
    _, tokenizer, few, make = FAMILIES[family]
    generator = torch.Generator().manual_seed(7000 + list(FAMILIES).index(family))
    model = make(layers or few).float().eval()
    fixtures.randomize(model, generator)
    soften(model)
    with torch.no_grad():
        # Logits as large as those of trained models; those of Granite are divided, but it multiplies what it reads.
        embedding = model.get_input_embeddings().weight
        wanted = 0.1 if family == "granite" else 2 / model.config.hidden_size**0.5
        embedding.copy_((embedding * (wanted / embedding.std())).half().float())
    folder.mkdir()
    _, number = folders.tokenizer(folder, tokenizer)
    begin, end = ("<s>", "</s>") if tokenizer.startswith(("spm", "merged")) else ("<|bos|>", "<|eos|>")
    model.config.bos_token_id, model.config.eos_token_id, model.config.pad_token_id = number(begin), number(end), None
    model.generation_config.eos_token_id, model.generation_config.bos_token_id = number(end), number(begin)
    model.generation_config.pad_token_id = None
    model.half().save_pretrained(folder)
    return generator
