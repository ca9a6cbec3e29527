"""Muon for the matrices (momentum, then the nearest orthogonal matrix), AdamW for the embedding and the norms.

Method: Jordan et al., "Muon: an optimizer for hidden layers in neural networks" (2024). The iteration runs in bfloat16, as
it does there; matrices of one shape go through it together. Each of several workers updates the weights that it owns.
"""

import torch


def orthogonalize(stack, steps=4):
    """Newton-Schulz iteration on a stack (n, rows, columns), rows <= columns: singular values go towards 1."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = (stack / (stack.norm(dim=(1, 2), keepdim=True) + 1e-7)).bfloat16()
    for _ in range(steps):
        gram = x @ x.transpose(1, 2)
        x = a * x + (b * gram + c * gram @ gram) @ x
    return x.float()


def pieces(name, tensor):
    """Views of a weight that are matrices of their own: a fused Q/K/V counts as Q and K/V."""
    if "fused_linear" in name:
        width = tensor.shape[1]
        return [tensor[:width], tensor[width:]]
    return [tensor]


def shares(model, workers):
    """The names of the weights by the worker that updates them: about the same number of values each."""
    loads, result = [0] * workers, [[] for _ in range(workers)]
    for name, p in sorted(model.named_parameters(), key=lambda item: -item[1].numel()):
        worker = loads.index(min(loads))
        loads[worker] += p.numel()
        result[worker].append(name)
    return [set(names) for names in result]


class Optimizer:
    """Both halves behind one `step(gradients, factor)`; `moments` holds one tensor for a matrix, two for anything else."""

    def __init__(self, model, matrix_rate=0.02, other_rate=4e-3, momentum=0.95, decay=0.01):
        self.parameters = dict(model.named_parameters())
        self.matrix_rate, self.other_rate, self.momentum, self.decay = matrix_rate, other_rate, momentum, decay
        self.moments = {n: [torch.zeros_like(p) for _ in range(1 if self.is_matrix(n) else 2)] for n, p in self.parameters.items()}

    def is_matrix(self, name):
        return self.parameters[name].ndim == 2 and not name.startswith("embedding")

    @torch.no_grad()
    def step(self, gradients, number, factor):
        """Updates the weights named in `gradients`; `number` counts the steps from 1, `factor` scales the rates."""
        groups = {}
        for name, gradient in gradients.items():
            if self.is_matrix(name):
                buffer = self.moments[name][0].lerp_(gradient, 1 - self.momentum)
                for view, target in zip(pieces(name, gradient.lerp(buffer, self.momentum)), pieces(name, self.parameters[name].data)):
                    tall = view.shape[0] > view.shape[1]
                    view = view.T if tall else view
                    groups.setdefault(view.shape, []).append((view, target, tall))
            else:
                self.adam(name, gradient, number, self.other_rate * factor)
        rate = self.matrix_rate * factor
        for items in groups.values():
            for update, (_, target, tall) in zip(orthogonalize(torch.stack([v for v, _, _ in items])), items):
                stretch = max(1, target.shape[0] / target.shape[1]) ** 0.5
                target.mul_(1 - rate * self.decay).add_(update.T if tall else update, alpha=-rate * stretch)

    def adam(self, name, gradient, number, rate, first=0.9, second=0.95):
        mean, square = self.moments[name]
        mean.lerp_(gradient, 1 - first)
        square.mul_(second).addcmul_(gradient, gradient, value=1 - second)
        root = (square / (1 - second**number)).sqrt_().add_(1e-8)
        self.parameters[name].data.addcdiv_(mean, root, value=-rate / (1 - first**number))
