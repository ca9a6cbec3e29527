"""Muon for the matrices (momentum, then the nearest orthogonal matrix), AdamW for the embedding and the norms.

Method: Jordan et al., "Muon: an optimizer for hidden layers in neural networks" (2024). Single precision, because the
target is a processor without fast bfloat16; matrices of one shape go through the iteration together.
"""

import torch


def orthogonalize(stack, steps=4):
    """Newton-Schulz iteration on a stack (n, rows, columns), rows <= columns: singular values go towards 1."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = stack / (stack.norm(dim=(1, 2), keepdim=True) + 1e-7)
    for _ in range(steps):
        gram = x @ x.transpose(1, 2)
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x


def pieces(name, tensor):
    """Views of a weight that are matrices of their own: a fused Q/K/V counts as Q and K/V."""
    if "fused_linear" in name:
        width = tensor.shape[1]
        return [tensor[:width], tensor[width:]]
    return [tensor]


class Muon:
    def __init__(self, named, rate, momentum=0.95, decay=0.01):
        self.named, self.rate, self.momentum, self.decay = list(named), rate, momentum, decay
        self.buffers = {name: torch.zeros_like(p) for name, p in self.named}

    @torch.no_grad()
    def step(self, factor):
        groups = {}
        for name, p in self.named:
            buffer = self.buffers[name].lerp_(p.grad, 1 - self.momentum)
            update = p.grad.lerp(buffer, self.momentum)
            for view, target in zip(pieces(name, update), pieces(name, p.data)):
                tall = view.shape[0] > view.shape[1]
                view = view.T if tall else view
                groups.setdefault(view.shape, []).append((view, target, tall))
        rate = self.rate * factor
        for items in groups.values():
            for update, (_, target, tall) in zip(orthogonalize(torch.stack([v for v, _, _ in items])), items):
                update = update.T if tall else update
                stretch = max(1, target.shape[0] / target.shape[1]) ** 0.5
                target.mul_(1 - rate * self.decay).add_(update, alpha=-rate * stretch)


class Optimizer:
    """Both halves behind one `step(factor)`, where the factor scales the learning rates."""

    def __init__(self, model, matrix_rate=0.02, other_rate=4e-3):
        named = list(model.named_parameters())
        matrices = [(n, p) for n, p in named if p.ndim == 2 and not n.startswith("embedding")]
        rest = [p for n, p in named if p.ndim < 2 or n.startswith("embedding")]
        self.matrix = Muon(matrices, matrix_rate)
        self.other_rate = other_rate
        self.other = torch.optim.AdamW(rest, lr=other_rate, betas=(0.9, 0.95), weight_decay=0.0, foreach=True)

    def step(self, factor):
        self.matrix.step(factor)
        for group in self.other.param_groups:
            group["lr"] = self.other_rate * factor
        self.other.step()

    def state(self):
        return {"matrix": self.matrix.buffers, "other": self.other.state_dict()}

    def load(self, state):
        self.matrix.buffers = state["matrix"]
        self.other.load_state_dict(state["other"])
