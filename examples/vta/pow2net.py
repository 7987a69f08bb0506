"""Write a network whose scales are powers of two, and its expected outputs in VTA's arithmetic.

python examples/vta/pow2net.py

It writes `pow2net.mlir` (TOSA) and `pow2net.npz` (inputs and outputs, in sequence) beside this
file. All layers are int8 with zero point 0. Sums of products and bias become int8 as on VTA: half
of the divisor is added, the sum is shifted right, which rounds down, and clipped; VTA's STORE keeps
the low byte. NumPy computes the expected outputs here, without the compiler.

    x 16x16x16 -> conv 3x3, ReLU -> conv 3x3 stride 2, ReLU -> conv 3x3 -> conv 1x1
      -> fully connected -> 32 numbers
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
SEED = 7
INPUTS = 4
_ONE = 30
"""The exponent of the multiplier in the file: a shift by `s` is `2**30 / 2**(30 + s)`."""


@dataclass(frozen=True)
class Conv:
    """A convolution: weights OHWI, padding before and after in both directions."""

    weights: NDArray[np.int8]
    bias: NDArray[np.int32]
    shift: int
    stride: int = 1
    pad: tuple[int, int] = (0, 0)
    relu: bool = True


def shifted(sums: NDArray[np.int64], shift: int, *, relu: bool) -> NDArray[np.int8]:
    """Add half, shift right, clip, keep the low byte."""
    half = 1 << (shift - 1) if shift else 0
    clipped = np.clip((sums + half) >> shift, 0 if relu else -128, 127)
    return (clipped & 0xFF).astype(np.uint8).view(np.int8)


def convolved(x: NDArray[np.int8], conv: Conv) -> NDArray[np.int8]:
    """Return the result of a convolution of one image, HWC."""
    padded = np.pad(x.astype(np.int64), (conv.pad, conv.pad, (0, 0)))
    _, rows, columns, _ = conv.weights.shape
    height = (padded.shape[0] - rows) // conv.stride + 1
    width = (padded.shape[1] - columns) // conv.stride + 1
    sums = np.zeros((height, width, len(conv.bias)), np.int64) + conv.bias
    for ky, kx in np.ndindex(rows, columns):
        window = padded[ky : ky + height * conv.stride, kx : kx + width * conv.stride]
        pixels = window[:: conv.stride, :: conv.stride]
        sums += pixels @ conv.weights[:, ky, kx].astype(np.int64).T
    return shifted(sums, conv.shift, relu=conv.relu)


@dataclass
class Text:
    """The lines of the function, and the number of its values."""

    lines: list[str] = field(default_factory=list)
    values: int = 0

    def add(self, op: str) -> str:
        """Append an operation and return the name of its result."""
        name = f"%{self.values}"
        self.values += 1
        self.lines.append(f"  {name} = {op}")
        return name

    def constant(self, array: NDArray[np.generic]) -> tuple[str, str]:
        """Append a constant; return its name and its type."""
        type_ = tensor(array.shape, f"i{array.dtype.itemsize * 8}")
        data = array.astype(array.dtype.newbyteorder("<")).tobytes().hex().upper()
        value = f'dense<"0x{data}">' if array.size > 1 else f"dense<{int(array.flat[0])}>"
        return self.add(f'"tosa.const"() <{{values = {value} : {type_}}}> : () -> {type_}'), type_

    def rescale(self, x: str, shape: tuple[int, ...], types: tuple[str, str], shift: int) -> str:
        """Append a multiplication by `2**-shift`, rounded once: halves up."""
        zeros = [self.constant(np.zeros(1, {"i8": np.int8, "i32": np.int32}[t])) for t in types]
        multiplier = self.constant(np.array([1 << _ONE], np.int32))
        exponent = self.constant(np.array([_ONE + shift], np.int8))
        operands = [(x, tensor(shape, types[0])), multiplier, exponent, *zeros]
        return self.add(
            f"tosa.rescale {', '.join(name for name, _ in operands)} {{input_unsigned = false, "
            "output_unsigned = false, per_channel = false, rounding_mode = SINGLE_ROUND, "
            f"scale32 = true}} : ({', '.join(type_ for _, type_ in operands)}) -> "
            f"{tensor(shape, types[1])}"
        )

    def relu(self, x: str, shape: tuple[int, ...]) -> str:
        """Append a clamp to 0 and more."""
        type_ = tensor(shape, "i8")
        return self.add(
            f"tosa.clamp {x} {{min_val = 0 : i8, max_val = 127 : i8}} : ({type_}) -> {type_}"
        )

    def conv(self, x: str, shape: tuple[int, ...], conv: Conv) -> tuple[str, tuple[int, ...]]:
        """Append a convolution of an image NHWC; return the result and its shape."""
        outputs, rows, columns, _ = conv.weights.shape
        height, width = (
            (size + sum(conv.pad) - kernel) // conv.stride + 1
            for size, kernel in zip(shape[1:3], (rows, columns), strict=True)
        )
        result = (1, height, width, outputs)
        zero = self.constant(np.zeros(1, np.int8))
        operands = [(x, tensor(shape, "i8")), self.constant(conv.weights)]
        operands += [self.constant(conv.bias), zero, zero]
        pad = ", ".join(map(str, conv.pad * 2))
        sums = self.add(
            f"tosa.conv2d {', '.join(name for name, _ in operands)} {{acc_type = i32, "
            f"dilation = array<i64: 1, 1>, pad = array<i64: {pad}>, "
            f"stride = array<i64: {conv.stride}, {conv.stride}>}} : "
            f"({', '.join(type_ for _, type_ in operands)}) -> {tensor(result, 'i32')}"
        )
        y = self.rescale(sums, result, ("i32", "i8"), conv.shift)
        return (self.relu(y, result) if conv.relu else y), result

    def reshape(self, x: str, shape: tuple[int, ...], to: tuple[int, ...]) -> str:
        """Append a reshape."""
        size = f"!tosa.shape<{len(to)}>"
        sizes = ", ".join(map(str, to))
        values = f"dense<[{sizes}]> : tensor<{len(to)}xindex>"
        of = self.add(f"tosa.const_shape {{values = {values}}} : () -> {size}")
        types = f"({tensor(shape, 'i8')}, {size}) -> {tensor(to, 'i8')}"
        return self.add(f"tosa.reshape {x}, {of} : {types}")


def tensor(shape: tuple[int, ...], element: str) -> str:
    """Return the type of a tensor."""
    return f"tensor<{'x'.join(map(str, (*shape, element)))}>"


def layers() -> list[Conv]:
    """Return random layers; shifts keep about the whole range of int8."""
    draw = np.random.default_rng(SEED)

    def layer(outputs: int, size: int, inputs: int, shift: int, **more: object) -> Conv:
        weights = draw.integers(-64, 64, (outputs, size, size, inputs), np.int8)
        return Conv(weights, draw.integers(-4000, 4000, outputs, np.int32), shift, **more)

    return [
        layer(32, 3, 16, 9, pad=(1, 1)),
        layer(32, 3, 32, 10, stride=2, pad=(0, 1)),
        layer(32, 3, 32, 9, pad=(1, 1), relu=False),
        layer(16, 1, 32, 7, relu=False),
        layer(32, 1, 8 * 8 * 16, 10, relu=False),
    ]


def run(x: NDArray[np.int8], net: list[Conv]) -> NDArray[np.int8]:
    """Return the outputs of an image HWC."""
    for conv in net[:-1]:
        x = convolved(x, conv)
    return convolved(x.reshape(1, 1, -1), net[-1]).reshape(1, -1)


def text(net: list[Conv]) -> str:
    """Return the network as MLIR."""
    out = Text()
    value, shape = "%x", (1, 16, 16, 16)
    for conv in net[:-1]:
        value, shape = out.conv(value, shape, conv)
    flat = out.reshape(value, shape, (1, 1, 1, 8 * 8 * 16))
    five, shape = out.conv(flat, (1, 1, 1, 8 * 8 * 16), net[-1])
    y = out.reshape(five, shape, (1, 32))
    head = (
        f'func.func @main(%x: {tensor((1, 16, 16, 16), "i8")} {{accel.name = "x"}})\n'
        f'    -> ({tensor((1, 32), "i8")} {{accel.name = "y"}}) {{'
    )
    return "\n".join([head, *out.lines, f"  return {y} : {tensor((1, 32), 'i8')}", "}\n"])


def main() -> None:
    """Write both files."""
    net = layers()
    (HERE / "pow2net.mlir").write_text(text(net), "utf-8")
    draw = np.random.default_rng(SEED + 1)
    images = [draw.integers(-128, 128, (16, 16, 16), np.int8) for _ in range(INPUTS)]
    arrays = {f"in{n}_0": image[None] for n, image in enumerate(images)}
    arrays |= {f"out{n}_0": run(image, net) for n, image in enumerate(images)}
    np.savez_compressed(HERE / "pow2net.npz", **arrays)


if __name__ == "__main__":
    main()
