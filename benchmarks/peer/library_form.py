"""The model in the style of the common model libraries (HuggingFace transformers and alike): what a CPU user gets.

Modules per layer, batch-major tensors, a mask over L x L that is built and added in every forward pass, and a scan that
loops over the time steps indexing every tensor. The gradient of such an index is a tensor of the full size for every
step, so that the backward pass is quadratic in the length. `UnbindModel` repairs that one thing.
"""
import torch
from torch import nn
from torch.nn import functional as F

from architecture import initial_values, rotary_tables, window_mask


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        variance = x.pow(2).mean(-1, keepdim=True)
        return self.weight * (x * torch.rsqrt(variance + 1e-5))


def rotate_half(x):
    low, high = x.chunk(2, dim=-1)
    return torch.cat((-high, low), dim=-1)


def rotate(x, cos, sin, rotary):
    turned, passed = x[..., :rotary], x[..., rotary:]
    return torch.cat((turned * cos + rotate_half(turned) * sin, passed), dim=-1)


class Attention(nn.Module):
    def __init__(self, a, qkv, out_proj):
        super().__init__()
        self.a = a
        self.qkv = [qkv]  # owned by the block, which carries the parameters' published names
        self.out_proj = [out_proj]

    def forward(self, x, mask):
        a = self.a
        rows, length, width = x.shape
        qkv = self.qkv[0](x).view(rows, length, 3, a.heads, a.head_width).permute(2, 0, 3, 1, 4)
        query, key, value = qkv[0], qkv[1], qkv[2]
        if a.rotary:
            cos, sin = rotary_tables(a, length, x.dtype)
            cos, sin = torch.cat((cos, cos), -1), torch.cat((sin, sin), -1)
            query, key = rotate(query, cos, sin, a.rotary), rotate(key, cos, sin, a.rotary)
        scores = torch.matmul(query, key.transpose(-1, -2)) * a.head_width ** -0.5
        scores = scores + mask
        weights = F.softmax(scores, dim=-1)
        weights = F.dropout(weights, a.dropout.probabilities, self.training)
        mixed = torch.matmul(weights, value).transpose(1, 2).contiguous().view(rows, length, width)
        return self.out_proj[0](mixed)


class TransformerBlock(nn.Module):
    def __init__(self, a):
        super().__init__()
        d = a.width
        self.a = a
        self.norm1 = nn.LayerNorm(d, eps=1e-5)
        self.qkv = nn.Linear(d, 3 * d)
        self.out_proj = nn.Linear(d, d)
        self.norm2 = nn.LayerNorm(d, eps=1e-5)
        self.mlp_in = nn.Linear(d, 2 * d)
        self.mlp_out = nn.Linear(2 * d, d)
        self.attention = Attention(a, self.qkv, self.out_proj)
        self.after_attention = nn.Dropout(a.dropout.attention)
        self.after_mlp = nn.Dropout(a.dropout.mlp)

    def forward(self, x, mask):
        attended = self.after_attention(self.attention(self.norm1(x), mask))
        source = x if self.a.parallel else x + attended
        return x + attended + self.after_mlp(self.mlp_out(F.silu(self.mlp_in(self.norm2(source)))))


def indexing_scan(decay, drive, c, state):
    """decay, drive [rows, e, length, N], c [rows, length, N], state [rows, e, N] -> [rows, e, length]."""
    outputs = []
    for t in range(decay.shape[2]):
        state = decay[:, :, t, :] * state + drive[:, :, t, :]
        outputs.append(torch.matmul(state, c[:, t, :].unsqueeze(-1))[:, :, 0])
    return torch.stack(outputs, dim=-1)


def unbinding_scan(decay, drive, c, state):
    """The same sums with one unbind per tensor: its gradient is one stack instead of a full tensor per step."""
    outputs = []
    for decay_t, drive_t, c_t in zip(decay.unbind(2), drive.unbind(2), c.unsqueeze(-1).unbind(1)):
        state = decay_t * state + drive_t
        outputs.append(torch.matmul(state, c_t).squeeze(-1))
    return torch.stack(outputs, dim=-1)


class MambaBlock(nn.Module):
    def __init__(self, a, scan):
        super().__init__()
        d, e = a.width, a.inner
        self.a = a
        self.scan = scan
        self.norm = RMSNorm(d)
        self.in_proj = nn.Linear(d, 2 * e, bias=False)
        self.conv = nn.Conv1d(e, e, a.conv_width, groups=e, padding=a.conv_width - 1)
        self.x_proj = nn.Linear(e, a.rank + 2 * a.states, bias=False)
        self.dt_proj = nn.Linear(a.rank, e)
        self.A_log = nn.Parameter(torch.zeros(e, a.states))
        self.D = nn.Parameter(torch.ones(e))
        self.out_proj = nn.Linear(e, d, bias=False)

    def forward(self, x, mask):
        a = self.a
        rows, length, _ = x.shape
        u, gate = self.in_proj(self.norm(x)).transpose(1, 2).chunk(2, dim=1)  # [rows, e, length]
        u = F.silu(self.conv(u)[..., :length])
        p, b, c = torch.split(self.x_proj(u.transpose(1, 2)), [a.rank, a.states, a.states], dim=-1)
        delta = F.softplus(self.dt_proj(p), threshold=100).transpose(1, 2)  # [rows, e, length]

        decay = torch.exp(-torch.exp(self.A_log)[None, :, None, :] * delta[:, :, :, None])  # [rows, e, length, N]
        drive = delta[:, :, :, None] * b[:, None, :, :] * u[:, :, :, None]
        state = torch.zeros(rows, a.inner, a.states, dtype=x.dtype)
        y = self.scan(decay, drive, c, state) + u * self.D[None, :, None]
        return x + self.out_proj((y * F.silu(gate)).transpose(1, 2))


class LibraryModel(nn.Module):
    """ids [rows, length] to logits [rows, length, vocabulary]."""

    form = "library"
    scan = staticmethod(indexing_scan)

    def __init__(self, a, seed=0, dtype=torch.float32):
        super().__init__()
        self.a = a
        self.embedding = nn.Embedding(a.vocabulary, a.width)
        self.after_embedding = nn.Dropout(a.dropout.embedding)
        self.layers = nn.ModuleList(
            nn.ModuleDict({"tf": TransformerBlock(a)} if kind == "TF" else {"ssm": MambaBlock(a, self.scan)})
            for kind in a.layers)
        self.final_norm = nn.LayerNorm(a.width, eps=1e-5)
        self.to(dtype)
        self.load(initial_values(a, seed, dtype))

    def forward(self, ids):
        x = self.after_embedding(self.embedding(ids))
        mask = window_mask(self.a.window, ids.shape[1], x.dtype)
        for layer in self.layers:
            for block in layer.values():
                x = block(x, mask)
        return F.linear(self.final_norm(x), self.embedding.weight)

    def _named(self):
        return {name.replace("embedding.weight", "embedding"): p for name, p in self.named_parameters()}

    @torch.no_grad()
    def load(self, values):
        for name, parameter in self._named().items():
            parameter.copy_(values[name].reshape(parameter.shape))  # a convolution's weight is [e, 1, k] here

    def values(self):
        return {name: p.detach() for name, p in self._named().items()}

    def gradients(self):
        return {name: p.grad for name, p in self._named().items()}


class UnbindModel(LibraryModel):
    """The library form with nothing changed but the loop of the scan."""

    form = "unbind"
    scan = staticmethod(unbinding_scan)
