"""Quantised convolutions of random numbers, through the host lowering and by NumPy."""

from __future__ import annotations

import numpy as np

from common.host_jit import run_host
from common.oracles import numpy_kernels
from common.tosa_text import Main, tensor, type_of

SOURCE, WEIGHTS, OUTPUT = -3, 2, 7
"""Zero points."""


def output_size(size: int, kernel: int, axis: int, window: dict) -> int:
    stride, dilation = (window.get(name, (1, 1))[axis] for name in ("stride", "dilation"))
    padding = sum(window.get("pad", (0,) * 4)[2 * axis : 2 * axis + 2])
    return (size + padding - (kernel - 1) * dilation - 1) // stride + 1


def attributes(window: dict) -> str:
    defaults = {"pad": (0, 0, 0, 0), "stride": (1, 1), "dilation": (1, 1)}
    return ", ".join(
        f"{name} = array<i64: {', '.join(map(str, value))}>"
        for name, value in {**defaults, **window}.items()
    )


class Layer:
    """A quantised convolution of random numbers with its rescale."""

    def __init__(self, op, x_shape, w_shape, out_shape, attributes, *, per_channel=True) -> None:
        rng = np.random.default_rng(7)
        self.x = rng.integers(-128, 128, x_shape, dtype=np.int8)
        self.w = rng.integers(-128, 128, w_shape, dtype=np.int8)
        factors = out_shape[-1] if per_channel else 1
        self.bias = rng.integers(-1000, 1000, out_shape[-1], dtype=np.int32)
        self.multipliers = rng.integers(1 << 30, (1 << 31) - 1, factors).tolist()
        self.shifts = rng.integers(38, 41, factors).tolist()
        self.main = main = Main((type_of(self.x),))
        self.wide, self.narrow = tensor(out_shape, "i32"), tensor(out_shape, "i8")
        operands = [self.operand(), (main.constant(self.w), type_of(self.w))]
        operands.append((main.constant(self.bias), type_of(self.bias)))
        operands += [(main.zero_point(z), "tensor<1xi8>") for z in (SOURCE, WEIGHTS)]
        self.value = main.op(op, operands, f"acc_type = i32, {attributes}", self.wide)

    def operand(self) -> tuple[str, str]:
        return "%x0", type_of(self.x)

    def rescaled(self, **options) -> str:
        return self.main.rescale(
            self.value,
            self.wide,
            self.narrow,
            (self.multipliers, self.shifts),
            zero_points=(0, OUTPUT),
            **options,
        )

    def run(self, value: str) -> np.ndarray:
        return run_host(self.main.returning(value, self.narrow), self.x)[0]

    def expected(self, sums, low=-128, high=127, **options) -> np.ndarray:
        return numpy_kernels.rescale(
            sums + self.bias,
            self.multipliers,
            self.shifts,
            OUTPUT,
            low=low,
            high=high,
            **options,
        )

    def without_zero_points(self) -> tuple[np.ndarray, np.ndarray]:
        return self.x.astype(np.int64) - SOURCE, self.w.astype(np.int64) - WEIGHTS
