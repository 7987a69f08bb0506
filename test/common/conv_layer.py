"""Quantised convolutions as text of TOSA."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from common.tosa_text import Main, tensor, type_of

SOURCE, OUTPUT = -3, 7
"""Zero points."""


@dataclass(frozen=True)
class Layer:
    """A quantised convolution; `channels` are output channels, of a depthwise one per input."""

    size: tuple[int, int] = (9, 8)
    depth: int = 3
    channels: int = 5
    kernel: tuple[int, int] = (3, 3)
    stride: tuple[int, int] = (1, 1)
    pad: tuple[int, int, int, int] = (1, 1, 1, 1)
    dilation: tuple[int, int] = (1, 1)
    batch: int = 1
    depthwise: bool = False
    weights_zero_point: int = 0
    rounding: str = "DOUBLE_ROUND"
    per_channel: bool = True
    clamp: tuple[int, int] | None = None
    shifts: tuple[int, ...] = ()
    """The shifts of the channels; drawn if empty."""

    @property
    def out(self) -> tuple[int, ...]:
        sizes = [
            (
                self.size[i]
                + sum(self.pad[2 * i : 2 * i + 2])
                - (self.kernel[i] - 1) * self.dilation[i]
                - 1
            )
            // self.stride[i]
            + 1
            for i in (0, 1)
        ]
        return (self.batch, *sizes, self.channels * (self.depth if self.depthwise else 1))

    def source(self) -> np.ndarray:
        return np.random.default_rng(5).integers(
            -128, 128, (self.batch, *self.size, self.depth), dtype=np.int8
        )

    def text(self) -> str:
        main = Main((type_of(self.source()),))
        value, kind = self.append(main, "%x0", type_of(self.source()), seed=7)
        return main.returning(value, kind)

    def append(self, main: Main, value: str, kind: str, *, seed: int) -> tuple[str, str]:
        rng = np.random.default_rng(seed)
        shape = (
            (*self.kernel, self.depth, self.channels)
            if self.depthwise
            else (self.channels, *self.kernel, self.depth)
        )
        weights = rng.integers(-128, 128, shape, dtype=np.int8)
        bias = rng.integers(-2000, 2000, self.out[-1], dtype=np.int32)
        count = self.out[-1] if self.per_channel else 1
        multipliers = rng.integers(1 << 30, (1 << 31) - 1, count).tolist()
        shifts = [*self.shifts] or rng.integers(39, 42, count).tolist()
        wide, narrow = tensor(self.out, "i32"), tensor(self.out, "i8")
        operands = [(value, kind), (main.constant(weights), type_of(weights))]
        operands.append((main.constant(bias), type_of(bias)))
        operands += [
            (main.zero_point(z), "tensor<1xi8>") for z in (SOURCE, self.weights_zero_point)
        ]
        arrays = {"pad": self.pad, "stride": self.stride, "dilation": self.dilation}
        spelled = ", ".join(
            f"{n} = array<i64: {', '.join(map(str, v))}>" for n, v in arrays.items()
        )
        op = "tosa.depthwise_conv2d" if self.depthwise else "tosa.conv2d"
        total = main.op(op, operands, f"acc_type = i32, {spelled}", wide)
        result = main.rescale(
            total,
            wide,
            narrow,
            (multipliers, shifts),
            zero_points=(0, OUTPUT),
            rounding=self.rounding,
        )
        if self.clamp is not None:
            result = main.clamp(result, narrow, *self.clamp)
        return result, narrow
