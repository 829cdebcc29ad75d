#!/usr/bin/env python3
"""Float errors of the golden models: how far a plain float32 evaluation lands from the stored float64 values.

An evaluation of the model files written in NumPy from the equations in ../README.md alone; it shares no code with
hyseq. It first runs in float64 and refuses to write anything unless that agrees with the stored values to 1e-11.
Then it runs in float32 and writes float_errors.toml beside itself. Needs numpy and h5py:

    python3 evaluate.py
"""

import pathlib
import sys

import h5py
import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
EPSILON = 1e-5  # inside the square root of both norms
FLOAT64_LIMIT = 1e-11

# The orders in which a sum of products may be taken. Any of them is a legitimate float evaluation.
ORDERS = ("ascending", "descending", "halves")


class Arithmetic:
    """One floating-point type and one order of summation: every operation of a model rounds to this type."""

    def __init__(self, dtype, order):
        self.dtype = dtype
        self.order = order

    def add_up(self, terms):
        """Sum over the first axis, term by term, so that no library decides the order."""
        if self.order == "halves":
            while len(terms) > 1:
                half = (len(terms) + 1) // 2
                head = terms[:half].copy()
                head[: len(terms) - half] += terms[half:]
                terms = head
            return terms[0]
        total = np.zeros(terms.shape[1:], self.dtype)
        for term in terms if self.order == "ascending" else terms[::-1]:
            total = total + term
        return total

    def linear(self, x, weight, bias=None):
        """x [..., in], weight [out, in] -> [..., out]."""
        y = self.add_up(np.moveaxis(x, -1, 0)[..., None] * weight.T.reshape(weight.shape[1], *[1] * (x.ndim - 1), -1))
        return y if bias is None else y + bias

    def mean(self, x):
        return (self.add_up(np.moveaxis(x, -1, 0)) / self.dtype(x.shape[-1]))[..., None]

    def layer_norm(self, x, weight, bias):
        centred = x - self.mean(x)
        return centred / np.sqrt(self.mean(centred * centred) + self.dtype(EPSILON)) * weight + bias

    def rms_norm(self, x, weight):
        return x / np.sqrt(self.mean(x * x) + self.dtype(EPSILON)) * weight

    def silu(self, x):
        return x / (self.dtype(1) + np.exp(-x))

    def softplus(self, x):
        # log(1 + exp(x)) without overflow: the larger of x and 0, plus a correction that is at most log 2.
        return np.maximum(x, self.dtype(0)) + np.log1p(np.exp(-np.abs(x)))


class Model:
    """A golden model file: its parameters in one type, its attributes, its forward pass."""

    def __init__(self, file, arithmetic):
        self.math = arithmetic
        self.attributes = file.attrs
        self.parameters = {
            name: item[...].astype(arithmetic.dtype)
            for name, item in file.items()
            if isinstance(item, h5py.Dataset) and name not in ("input", "target", "logits", "loss")
        }
        layers = file.attrs["layers"]
        self.layers = (layers.decode() if isinstance(layers, bytes) else str(layers)).split(",")

    def logits(self, ids):
        x = self.parameters["embedding"][ids]
        for index, kind in enumerate(self.layers):
            block = {"TF": self.transformer, "SSM": self.state_space}[kind]
            x = block(x, lambda name: self.parameters[f"layers.{index}.{kind.lower()}.{name}"])
        x = self.math.layer_norm(x, self.parameters["final_norm.weight"], self.parameters["final_norm.bias"])
        return self.math.linear(x, self.parameters["embedding"])

    def transformer(self, x, p):
        math = self.math
        a = self.attention(math.layer_norm(x, p("norm1.weight"), p("norm1.bias")), p)
        middle = x if self.attributes["parallel_residual"] else x + a
        m = math.linear(math.layer_norm(middle, p("norm2.weight"), p("norm2.bias")), p("mlp_in.weight"), p("mlp_in.bias"))
        m = math.linear(math.silu(m), p("mlp_out.weight"), p("mlp_out.bias"))
        return x + a + m

    def attention(self, x, p):
        math = self.math
        batch, length, width = x.shape
        heads, window = int(self.attributes["heads"]), int(self.attributes["window"])
        qkv = math.linear(x, p("qkv.weight"), p("qkv.bias")).reshape(batch, length, 3, heads, width // heads)
        q, k, v = self.rotate(qkv[:, :, 0]), self.rotate(qkv[:, :, 1]), qkv[:, :, 2]
        scale = math.dtype(1) / np.sqrt(math.dtype(width // heads))
        out = np.empty_like(v)
        for t in range(length):
            first = max(0, t - window + 1)
            keys, values = k[:, first : t + 1], v[:, first : t + 1]  # [batch, seen, heads, h]
            scores = math.add_up(np.moveaxis(q[:, t, None] * keys, -1, 0)) * scale
            powers = np.exp(scores - scores.max(axis=1, keepdims=True))
            shares = powers / math.add_up(np.moveaxis(powers, 1, 0))[:, None]
            out[:, t] = math.add_up(np.moveaxis(shares[..., None] * values, 1, 0))
        return math.linear(out.reshape(batch, length, width), p("out_proj.weight"), p("out_proj.bias"))

    def rotate(self, x):
        """Rotary code of [batch, time, heads, h]. Angles are taken in float64 and their cosines rounded once."""
        width = int(self.attributes["rotary_width"])
        half = width // 2
        if half == 0:
            return x
        angle = np.arange(x.shape[1])[:, None] * 10000.0 ** (-2.0 * np.arange(half) / width)
        cos, sin = (f(angle).astype(self.math.dtype)[:, None, :] for f in (np.cos, np.sin))
        a, b = x[..., :half], x[..., half:width]
        return np.concatenate([a * cos - b * sin, b * cos + a * sin, x[..., width:]], axis=-1)

    def state_space(self, x, p):
        math = self.math
        states = int(self.attributes["N"])
        inner = p("conv.weight").shape[0]
        rank = p("dt_proj.weight").shape[1]
        u, z = np.split(math.linear(math.rms_norm(x, p("norm.weight")), p("in_proj.weight")), [inner], axis=-1)
        u = math.silu(self.convolution(u, p("conv.weight"), p("conv.bias")))
        step, b, c = np.split(math.linear(u, p("x_proj.weight")), [rank, rank + states], axis=-1)
        step = math.softplus(math.linear(step, p("dt_proj.weight"), p("dt_proj.bias")))  # [batch, time, e]
        decay = -np.exp(p("A_log"))
        state = np.zeros((x.shape[0], inner, states), math.dtype)
        y = np.empty_like(u)
        for t in range(x.shape[1]):
            keep = np.exp(step[:, t, :, None] * decay)
            state = keep * state + (step[:, t] * u[:, t])[:, :, None] * b[:, t, None, :]
            y[:, t] = math.add_up(np.moveaxis(state * c[:, t, None, :], -1, 0)) + p("D") * u[:, t]
        return x + math.linear(y * math.silu(z), p("out_proj.weight"))

    def convolution(self, u, weight, bias):
        """Causal, depthwise: the last column of the weight multiplies the current step."""
        taps = weight.shape[1]
        padded = np.concatenate([np.zeros((u.shape[0], taps - 1, u.shape[2]), u.dtype), u], axis=1)
        terms = np.stack([padded[:, j : j + u.shape[1]] * weight[:, j] for j in range(taps)])
        return self.math.add_up(terms) + bias

    def loss(self, logits, target):
        """Mean cross-entropy over the positions whose target is an ordinary token (below V - 3)."""
        valid = target < logits.shape[-1] - 3
        rows, wanted = logits[valid], target[valid]
        top = rows.max(axis=-1)
        total = self.math.add_up(np.exp(rows - top[:, None]).T)
        costs = np.log(total) + (top - rows[np.arange(len(rows)), wanted])
        return self.math.add_up(costs) / self.math.dtype(len(costs))


def errors(file, dtype, order):
    model = Model(file, Arithmetic(dtype, order))
    logits = model.logits(file["input"][...])
    loss = model.loss(logits, file["target"][...])
    if logits.dtype != dtype or np.asarray(loss).dtype != dtype:
        sys.exit(f"{file.filename}: the evaluation left {dtype.__name__}")
    return (
        float(np.abs(logits.astype(np.float64) - file["logits"][...]).max()),
        float(abs(np.float64(loss) - file["loss"][()])),
    )


def main():
    lines = [
        "# Written by evaluate.py; see README.md. Largest absolute difference from the stored float64 values.",
        "# Per file: logits and loss, the largest over the orders of summation; then the figures of each order.",
        "",
    ]
    for path in sorted(HERE.parent.glob("model_*.h5")):
        with h5py.File(path, "r") as file:
            exact = [errors(file, np.float64, order) for order in ORDERS]
            worst = max(max(pair) for pair in exact)
            if not worst <= FLOAT64_LIMIT:
                sys.exit(f"{path.name}: float64 differs from the stored values by {worst:.1e}, more than {FLOAT64_LIMIT:.0e}")
            found = [errors(file, np.float32, order) for order in ORDERS]
        print(f"{path.name}: float64 within {worst:.1e}, float32 " + ", ".join(f"{a:.2e} {b:.2e}" for a, b in found))
        lines += [f'["{path.name}"]']
        for position, name in enumerate(("logits", "loss")):
            lines.append(f"{name} = {max(pair[position] for pair in found):.3e}")
            lines.append(f"{name}_by_order = [{', '.join(f'{pair[position]:.3e}' for pair in found)}]")
        lines.append("")
    lines.insert(2, f"orders = [{', '.join(f'{chr(34)}{order}{chr(34)}' for order in ORDERS)}]")
    (HERE / "float_errors.toml").write_text("\n".join(lines).rstrip() + "\n")


if __name__ == "__main__":
    main()
