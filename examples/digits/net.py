"""The digits network as a table, which training, quantisation and export read.

image 8x8x1 > stem > near > mix > block 8x8x16 > down > down_near > down_mix > down_block 4x4x32
                 '---------------^         '> short_pool > short_mix -----------^      |
                                   scores 10 < logits < flat 128 < pooled 2x2x32 <-----'
"""

from dataclasses import dataclass

INPUT = "image"
INPUT_SHAPE = (1, 8, 8, 1)


@dataclass(frozen=True)
class Layer:
    """One TFLite operator, which computes the tensor `output` of `shape` (NHWC) from `inputs`."""

    operator: str
    output: str
    inputs: tuple[str, ...]
    shape: tuple[int, ...]
    kernel: int = 1
    stride: int = 1
    relu: bool = False

    @property
    def has_weights(self) -> bool:
        """Return whether the operator has a filter and a bias as operands."""
        return self.operator in {"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"}

    @property
    def keeps_quantisation(self) -> bool:
        """Return whether TFLite requires the scale and zero point of the input for the output."""
        return self.operator in {"MAX_POOL_2D", "AVERAGE_POOL_2D", "RESHAPE"}


LAYERS = (
    Layer("CONV_2D", "stem", ("image",), (1, 8, 8, 16), kernel=3, relu=True),
    Layer("DEPTHWISE_CONV_2D", "near", ("stem",), (1, 8, 8, 16), kernel=3, relu=True),
    Layer("CONV_2D", "mix", ("near",), (1, 8, 8, 16)),
    Layer("ADD", "block", ("stem", "mix"), (1, 8, 8, 16), relu=True),
    Layer("CONV_2D", "down", ("block",), (1, 4, 4, 32), kernel=3, stride=2, relu=True),
    Layer("DEPTHWISE_CONV_2D", "down_near", ("down",), (1, 4, 4, 32), kernel=3, relu=True),
    Layer("CONV_2D", "down_mix", ("down_near",), (1, 4, 4, 32)),
    Layer("MAX_POOL_2D", "short_pool", ("block",), (1, 4, 4, 16), kernel=2, stride=2),
    Layer("CONV_2D", "short_mix", ("short_pool",), (1, 4, 4, 32)),
    Layer("ADD", "down_block", ("short_mix", "down_mix"), (1, 4, 4, 32), relu=True),
    Layer("AVERAGE_POOL_2D", "pooled", ("down_block",), (1, 2, 2, 32), kernel=2, stride=2),
    Layer("RESHAPE", "flat", ("pooled",), (1, 128)),
    Layer("FULLY_CONNECTED", "logits", ("flat",), (1, 10)),
    Layer("SOFTMAX", "scores", ("logits",), (1, 10)),
)
SHAPES = {INPUT: INPUT_SHAPE} | {layer.output: layer.shape for layer in LAYERS}


def same_padding(size: int, kernel: int, stride: int) -> tuple[int, int]:
    """Return the rows that SAME padding adds before and after `size` rows (the odd one after)."""
    outputs = -(-size // stride)
    total = max((outputs - 1) * stride + kernel - size, 0)
    return total // 2, total - total // 2
