"""The same model written with care: what remains when the avoidable costs of the library form are avoided.

One flat parameter (clipping and AdamW are a few calls instead of a few per tensor), time-major tensors, decays of all
steps from one exp, one unbind over time with a single call per step, cached masks and rotary tables, fused calls
(addcmul, baddbmm, addmm), and cheap dropout masks.
"""
import torch
from torch import nn
from torch.nn import functional as F

from architecture import initial_values, parameter_shapes, rotary_tables, window_mask

# A scan is computed in pieces of as many steps as fit into this many numbers a tensor, so that a piece stays in cache.
SCAN_NUMBERS = 1 << 16


def dropout(x, rate, training):
    if rate == 0 or not training:
        return x
    return F.dropout(x, rate, True)


def scan(delta, u, b, c, decay_rate):
    """delta, u [L, rows, e]; b, c [L, rows, N]; decay_rate [e, N] -> sum over the states of state * c, [L, rows, e]."""
    length, rows, e = delta.shape
    n = b.shape[-1]
    piece = max(1, SCAN_NUMBERS // (rows * e * n))
    state = None
    outputs = []
    for begin in range(0, length, piece):
        part = slice(begin, min(begin + piece, length))
        decay = torch.exp(delta[part].unsqueeze(-1) * decay_rate)
        drive = (delta[part] * u[part]).unsqueeze(-1) * b[part].unsqueeze(-2)
        states = []
        for a_t, x_t in zip(decay.unbind(0), drive.unbind(0)):
            state = x_t if state is None else torch.addcmul(x_t, a_t, state)
            states.append(state)
        # Quicker than a batched product with a column, which the libraries of products do not do well.
        outputs.append((torch.stack(states) * c[part].unsqueeze(-2)).sum(-1))
    return outputs[0] if len(outputs) == 1 else torch.cat(outputs)


class CarefulModel(nn.Module):
    """ids [rows, length] to logits [rows, length, vocabulary]."""

    form = "careful"

    def __init__(self, a, seed=0, dtype=torch.float32):
        super().__init__()
        self.a = a
        self.shapes = parameter_shapes(a)
        self.sizes = [torch.Size(shape).numel() for shape in self.shapes.values()]
        self.flat = nn.Parameter(torch.empty(sum(self.sizes), dtype=dtype))
        self.tables = {}
        self.load(initial_values(a, seed, dtype))

    def _unpack(self, flat):
        parts = flat.split(self.sizes)
        return {name: part.view(shape) for (name, shape), part in zip(self.shapes.items(), parts)}

    def _tables(self, length):
        if length not in self.tables:
            dtype = self.flat.dtype
            cos, sin = rotary_tables(self.a, length, dtype)
            self.tables[length] = (window_mask(self.a.window, length, dtype), cos[:, None, :], sin[:, None, :])
        return self.tables[length]

    def forward(self, ids):
        a = self.a
        p = self._unpack(self.flat)
        rows, length = ids.shape
        x = F.embedding(ids.t(), p["embedding"])  # [length, rows, d]
        x = dropout(x, a.dropout.embedding, self.training)
        for i, kind in enumerate(a.layers):
            prefix = f"layers.{i}.{kind.lower()}."
            block = {name[len(prefix):]: value for name, value in p.items() if name.startswith(prefix)}
            x = self._transformer(x, block) if kind == "TF" else self._mamba(x, block)
        x = F.layer_norm(x, (a.width,), p["final_norm.weight"], p["final_norm.bias"], 1e-5)
        return F.linear(x, p["embedding"]).transpose(0, 1)

    def _transformer(self, x, w):
        a = self.a
        d = a.width
        attended = self._attention(F.layer_norm(x, (d,), w["norm1.weight"], w["norm1.bias"], 1e-5), w)
        attended = dropout(attended, a.dropout.attention, self.training)
        first = x + attended
        source = x if a.parallel else first
        hidden = F.layer_norm(source, (d,), w["norm2.weight"], w["norm2.bias"], 1e-5)
        hidden = F.silu(F.linear(hidden, w["mlp_in.weight"], w["mlp_in.bias"]))
        hidden = F.linear(hidden, w["mlp_out.weight"], w["mlp_out.bias"])
        return first + dropout(hidden, a.dropout.mlp, self.training)

    def _attention(self, x, w):
        a = self.a
        length, rows, d = x.shape
        mask, cos, sin = self._tables(length)
        qkv = F.linear(x, w["qkv.weight"], w["qkv.bias"])
        query_key, value = qkv.split([2 * d, d], dim=-1)
        half = a.rotary // 2
        if half:  # queries and keys of all heads turned together
            query_key = query_key.reshape(length, 2 * rows * a.heads, a.head_width)
            low, high, passed = query_key.split([half, half, a.head_width - 2 * half], dim=-1)
            query_key = torch.cat((low * cos - high * sin, high * cos + low * sin, passed), dim=-1)
        query, key = query_key.reshape(length, rows, 2, d).unbind(2)
        heads = (length, rows * a.heads, a.head_width)
        query, key, value = (part.reshape(heads).transpose(0, 1) for part in (query, key, value))
        scores = torch.baddbmm(mask, query, key.transpose(1, 2), alpha=a.head_width ** -0.5)
        weights = dropout(F.softmax(scores, dim=-1), a.dropout.probabilities, self.training)
        mixed = torch.bmm(weights, value).transpose(0, 1).reshape(length, rows, d)
        return F.linear(mixed, w["out_proj.weight"], w["out_proj.bias"])

    def _mamba(self, x, w):
        a = self.a
        length, rows, _ = x.shape
        normed = x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-5) * w["norm.weight"]
        u, gate = F.linear(normed, w["in_proj.weight"]).chunk(2, dim=-1)
        padded = F.pad(u, (0, 0, 0, 0, a.conv_width - 1, 0))
        convolved = w["conv.bias"] + padded[:length] * w["conv.weight"][:, 0]
        for k in range(1, a.conv_width):
            convolved = torch.addcmul(convolved, padded[k:k + length], w["conv.weight"][:, k])
        u = F.silu(convolved)
        step, b, c = F.linear(u, w["x_proj.weight"]).split([a.rank, a.states, a.states], dim=-1)
        delta = F.softplus(F.linear(step, w["dt_proj.weight"], w["dt_proj.bias"]), threshold=100)
        y = torch.addcmul(scan(delta, u, b, c, -torch.exp(w["A_log"])), u, w["D"])
        return x + F.linear(y * F.silu(gate), w["out_proj.weight"])

    @torch.no_grad()
    def load(self, values):
        for name, part in self._unpack(self.flat).items():
            part.copy_(values[name].reshape(part.shape))

    def values(self):
        return self._unpack(self.flat.detach())

    def gradients(self):
        return self._unpack(self.flat.grad)
