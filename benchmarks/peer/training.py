"""A training step with the defaults of docs/models.md, section 5: loss, clipping, AdamW, warm-up and linear decay."""
import dataclasses

import torch
from torch.nn import functional as F


@dataclasses.dataclass(frozen=True)
class Optimiser:
    learning_rate: float = 1e-3
    warmup: int = 100
    steps: int = 4000
    beta1: float = 0.9
    beta2: float = 0.999
    epsilon: float = 1e-8
    weight_decay: float = 0.1
    clip: float = 1.0


def masked_loss(logits, target):
    """Mean cross-entropy over the valid positions: targets below the three special tokens at the vocabulary's end."""
    vocabulary = logits.shape[-1]
    valid = target.masked_fill(target >= vocabulary - 3, -100)
    return F.cross_entropy(logits.reshape(-1, vocabulary), valid.reshape(-1), ignore_index=-100)


class Trainer:
    def __init__(self, model, settings=Optimiser()):
        self.model = model
        self.settings = settings
        self.optimiser = torch.optim.AdamW(
            model.parameters(), lr=settings.learning_rate, betas=(settings.beta1, settings.beta2),
            eps=settings.epsilon, weight_decay=settings.weight_decay)
        self.scheduler = torch.optim.lr_scheduler.LambdaLR(self.optimiser, self.factor)

    def factor(self, step):
        s = self.settings
        if step < s.warmup:
            return step / s.warmup
        return max(0, s.steps - step) / (s.steps - s.warmup)

    def step(self, ids, target):
        """One update; the loss before it, the norm of the gradient before clipping, and the learning rate."""
        rate = self.scheduler.get_last_lr()[0]
        self.optimiser.zero_grad(set_to_none=True)
        loss = masked_loss(self.model(ids), target)
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.clip)
        self.optimiser.step()
        self.scheduler.step()
        return loss.detach(), norm, rate
