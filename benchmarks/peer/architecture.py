"""What both forms of the peer share: sizes, parameter shapes, initial values (docs/models.md, sections 1 to 4)."""
import dataclasses
import math

import torch


@dataclasses.dataclass(frozen=True)
class Dropout:
    embedding: float = 0.0
    probabilities: float = 0.0
    attention: float = 0.0
    mlp: float = 0.0


@dataclasses.dataclass(frozen=True)
class Architecture:
    layers: tuple  # of "TF" and "SSM", left to right
    width: int
    vocabulary: int
    window: int = 1 << 30
    states: int = 16
    heads: int = 1
    rotary_width: int = -1  # -1: a quarter of the head width, rounded up to an even number
    parallel: bool = True
    conv_width: int = 4
    expansion: int = 2
    dropout: Dropout = Dropout()

    @property
    def inner(self):
        return self.expansion * self.width

    @property
    def rank(self):
        return math.ceil(self.width / 16)

    @property
    def head_width(self):
        return self.width // self.heads

    @property
    def rotary(self):
        if self.rotary_width >= 0:
            return self.rotary_width
        return 2 * math.ceil(0.25 * self.head_width / 2)


def parameter_shapes(a):
    """Name to shape, weights [out, in], in the order of the program's parameter list."""
    d, e, r, n = a.width, a.inner, a.rank, a.states
    shapes = {"embedding": (a.vocabulary, d)}
    for i, kind in enumerate(a.layers):
        if kind == "TF":
            block = {
                "norm1.weight": (d,), "norm1.bias": (d,),
                "qkv.weight": (3 * d, d), "qkv.bias": (3 * d,),
                "out_proj.weight": (d, d), "out_proj.bias": (d,),
                "norm2.weight": (d,), "norm2.bias": (d,),
                "mlp_in.weight": (2 * d, d), "mlp_in.bias": (2 * d,),
                "mlp_out.weight": (d, 2 * d), "mlp_out.bias": (d,),
            }
        else:
            block = {
                "norm.weight": (d,),
                "in_proj.weight": (2 * e, d),
                "conv.weight": (e, a.conv_width), "conv.bias": (e,),
                "x_proj.weight": (r + 2 * n, e),
                "dt_proj.weight": (e, r), "dt_proj.bias": (e,),
                "A_log": (e, n), "D": (e,),
                "out_proj.weight": (d, e),
            }
        shapes.update({f"layers.{i}.{kind.lower()}.{name}": shape for name, shape in block.items()})
    shapes["final_norm.weight"] = (d,)
    shapes["final_norm.bias"] = (d,)
    return shapes


def initial_values(a, seed, dtype):
    """The distributions of docs/models.md, section 4 (not the same draws: speed does not depend on them)."""
    generator = torch.Generator().manual_seed(seed)
    values = {}
    for name, shape in parameter_shapes(a).items():
        if ".conv." in name:
            bound = a.conv_width ** -0.5
            value = torch.rand(shape, generator=generator, dtype=dtype) * (2 * bound) - bound
        elif name.endswith("A_log"):
            value = torch.arange(1, a.states + 1, dtype=dtype).log().expand(shape)
        elif name.endswith(".D") or ("norm" in name and name.endswith("weight")):
            value = torch.ones(shape, dtype=dtype)
        elif name.endswith("bias"):
            value = torch.zeros(shape, dtype=dtype)
        else:
            value = torch.randn(shape, generator=generator, dtype=dtype) * 0.02
        values[name] = value
    return values


def rotary_tables(a, length, dtype):
    """Cosines and sines [length, rotary/2], of double-precision angles."""
    half = a.rotary // 2
    frequency = 10000.0 ** (-2 * torch.arange(half, dtype=torch.float64) / max(a.rotary, 1))
    angle = torch.arange(length, dtype=torch.float64)[:, None] * frequency
    return angle.cos().to(dtype), angle.sin().to(dtype)


def window_mask(window, length, dtype):
    """Additive mask [length, length]: 0 where position t (row) sees t-window+1 .. t, -inf elsewhere."""
    distance = torch.arange(length)[:, None] - torch.arange(length)[None, :]
    visible = (distance >= 0) & (distance < window)
    return torch.zeros(length, length, dtype=dtype).masked_fill(~visible, float("-inf"))
