"""Checks model.py against tamm's AFMTextV7: `python check_model.py FIXTURE_DIR` where the folder holds
config.json, base.safetensors, lora.safetensors and reference.json (logits computed by tamm)."""

import json
import sys
from pathlib import Path

import torch
from safetensors.torch import load_file

import model as afm

folder = Path(sys.argv[1])
reference = json.loads((folder / "reference.json").read_text())
settings = json.loads((folder / "config.json").read_text())
tokens = torch.tensor([reference["tokens"]])
model = afm.load(folder)
with torch.no_grad():
    base = (model(tokens)[0] - torch.tensor(reference["base_logits"])).abs().max().item()
    model.add_adapter(settings["lora_rank"], settings["lora_alpha"])
    state = dict(model.named_parameters())
    for name, tensor in load_file(folder / "lora.safetensors").items():
        if name not in state:
            name = name.replace("qkv_transform.", "qkv_transform.fused_linear.")
        if name not in state:
            name = name.replace("base_adapter.", "base_adapter.lora_0.")
        state[name].copy_(tensor)
    adapted = (model(tokens)[0] - torch.tensor(reference["adapted_logits"])).abs().max().item()
    cache = afm.Cache()
    stepped = torch.cat([model(tokens[:, :5], cache)] + [model(tokens[:, i : i + 1], cache) for i in range(5, tokens.shape[1])], 1)
    cached = (stepped[0] - torch.tensor(reference["adapted_logits"])).abs().max().item()
print(f"largest difference: base {base:.2e}, adapted {adapted:.2e}, adapted with cache {cached:.2e}")
sys.exit(max(base, adapted, cached) > 1e-4)
