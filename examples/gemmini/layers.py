"""Write small int8 models for Gemmini, and their expected outputs.

python examples/gemmini/layers.py

It writes two matrix products with a bias, a convolution with stride 2 and padding, and a layer of
the size of ResNet-8's first ones: each as `NAME.mlir` (TOSA) and `NAME.npz` (inputs and outputs, in
sequence) beside this file. NumPy computes the outputs here, without the compiler, with TFLite's
requantisation: the sum times the multiplier is shifted right, and halves are rounded away from 0,
first at bit 31 and then at the last bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HERE = Path(__file__).parent
INPUTS = 4
SOURCE, RESULT = -3, 7
"""Zero points."""

_ATTRIBUTES = (
    "input_unsigned = false, output_unsigned = false, per_channel = true, "
    "rounding_mode = DOUBLE_ROUND, scale32 = true"
)


@dataclass(frozen=True)
class Model:
    """A layer; a matrix product is given by a kernel of 0.

    `size` are the rows and columns of the image, or the rows of the product and 1.
    """

    name: str
    size: tuple[int, int]
    inputs: int
    outputs: int
    kernel: int = 0
    stride: int = 1
    pad: int = 0

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the input."""
        return (1, *(self.size if self.kernel else self.size[:1]), self.inputs)


MODELS = (
    Model("matmul_32x32x32", (32, 1), 32, 32),
    Model("matmul_37x53x19", (37, 1), 53, 19),
    Model("conv_stride2", (15, 13), 5, 20, kernel=3, stride=2, pad=1),
    Model("resnet8_layer", (32, 32), 16, 16, kernel=3, pad=1),
)


@dataclass(frozen=True)
class Numbers:
    """The constants of a layer: weights OHWI, a bias and a factor per output."""

    weights: NDArray[np.int8]
    bias: NDArray[np.int32]
    multipliers: NDArray[np.int32]
    shifts: NDArray[np.int8]


def numbers_of(model: Model) -> Numbers:
    """Return drawn constants, whose results use all of int8."""
    rng = np.random.default_rng(model.outputs)
    kernel = max(model.kernel, 1)
    shape = (model.outputs, kernel, kernel, model.inputs)
    products = kernel * kernel * model.inputs
    shift = 30 + round(np.log2(128 * 128 * products**0.5 / 64))
    return Numbers(
        rng.integers(-127, 128, shape).astype(np.int8),
        rng.integers(-9999, 9999, model.outputs).astype(np.int32),
        rng.integers(1 << 30, (1 << 31) - 1, model.outputs).astype(np.int32),
        rng.integers(shift, shift + 2, model.outputs).astype(np.int8),
    )


def sums_of(x: NDArray[np.int8], model: Model, numbers: Numbers) -> NDArray[np.int64]:
    """Return the sums of an input with a batch of 1."""
    values = x[0].astype(np.int64) - SOURCE
    if not model.kernel:
        return values @ numbers.weights[:, 0, 0].astype(np.int64).T + numbers.bias
    padded = np.pad(values, ((model.pad, model.pad), (model.pad, model.pad), (0, 0)))
    rows, columns = (
        (size + 2 * model.pad - model.kernel) // model.stride + 1 for size in model.size
    )
    sums = np.zeros((rows, columns, model.outputs), np.int64) + numbers.bias
    for ky, kx in np.ndindex(model.kernel, model.kernel):
        window = padded[ky : ky + rows * model.stride, kx : kx + columns * model.stride]
        pixels = window[:: model.stride, :: model.stride]
        sums += pixels @ numbers.weights[:, ky, kx].astype(np.int64).T
    return sums


def requantised(sums: NDArray[np.int64], numbers: Numbers) -> NDArray[np.int8]:
    """Return the sums as TFLite rounds them, for shifts above 31."""
    half = np.int64(1) << (numbers.shifts.astype(np.int64) - 1)
    products = sums * numbers.multipliers.astype(np.int64)
    first = np.where(sums >= 0, np.int64(1) << 30, -(np.int64(1) << 30))
    scaled = (products + half + first) >> numbers.shifts.astype(np.int64)
    return np.clip(scaled + RESULT, -128, 127).astype(np.int8)


class Text:
    """The lines of the function, and the number of its values."""

    def __init__(self) -> None:
        """Begin without lines."""
        self.lines: list[str] = []

    def add(self, op: str) -> str:
        """Append an operation and return the name of its result."""
        name = f"%{len(self.lines)}"
        self.lines.append(f"  {name} = {op}")
        return name

    def constant(self, array: NDArray[np.generic]) -> tuple[str, str]:
        """Append a constant; return its name and its type."""
        type_ = tensor(array.shape, f"i{array.dtype.itemsize * 8}")
        data = array.astype(array.dtype.newbyteorder("<")).tobytes().hex().upper()
        value = f'dense<"0x{data}">' if array.size > 1 else f"dense<{int(array.flat[0])}>"
        return self.add(f'"tosa.const"() <{{values = {value} : {type_}}}> : () -> {type_}'), type_

    def operation(
        self, kind: str, operands: list[tuple[str, str]], attributes: str, type_: str
    ) -> tuple[str, str]:
        """Append an operation of TOSA; return its result and the type."""
        names, types = (", ".join(column) for column in zip(*operands, strict=True))
        given = f" {{{attributes}}}" if attributes else ""
        return self.add(f"{kind} {names}{given} : ({types}) -> {type_}"), type_


def tensor(shape: tuple[int, ...], element: str) -> str:
    """Return the text of a type."""
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def text_of(model: Model, numbers: Numbers, result: tuple[int, ...]) -> str:
    """Return the model as MLIR."""
    text, wide = Text(), tensor(result, "i32")
    x = ("%x", tensor(model.shape, "i8"))
    zeros = [text.constant(np.array([zero], np.int8)) for zero in (SOURCE, 0)]
    if model.kernel:
        constants = [text.constant(numbers.weights), text.constant(numbers.bias)]
        pad, stride = ", ".join([str(model.pad)] * 4), f"{model.stride}, {model.stride}"
        attributes = f"acc_type = i32, dilation = array<i64: 1, 1>, pad = array<i64: {pad}>"
        attributes += f", stride = array<i64: {stride}>"
        sums = text.operation("tosa.conv2d", [x, *constants, *zeros], attributes, wide)
    else:
        other = text.constant(np.ascontiguousarray(numbers.weights[:, 0, 0].T[None]))
        products = text.operation("tosa.matmul", [x, other, *zeros], "", wide)
        bias = text.constant(numbers.bias[None, None])
        sums = text.operation("tosa.add", [products, bias], "", wide)
    factors = [text.constant(numbers.multipliers), text.constant(numbers.shifts)]
    zeros = [text.constant(np.zeros(1, np.int32)), text.constant(np.array([RESULT], np.int8))]
    narrow = tensor(result, "i8")
    y, _ = text.operation("tosa.rescale", [sums, *factors, *zeros], _ATTRIBUTES, narrow)
    head = f'func.func @main(%x: {x[1]} {{accel.name = "x"}})'
    body = "\n".join(text.lines)
    types = f'({narrow} {{accel.name = "y"}})'
    return f"{head}\n    -> {types} {{\n{body}\n  return {y} : {narrow}\n}}\n"


def main() -> None:
    """Write all files."""
    for model in MODELS:
        numbers = numbers_of(model)
        rng = np.random.default_rng(1)
        arrays: dict[str, NDArray[np.int8]] = {}
        for step in range(INPUTS):
            x = rng.integers(-128, 128, model.shape).astype(np.int8)
            arrays[f"in{step}_0"] = x
            arrays[f"out{step}_0"] = requantised(sums_of(x, model, numbers), numbers)[None]
        text = text_of(model, numbers, arrays["out0_0"].shape)
        (HERE / f"{model.name}.mlir").write_text(text, encoding="utf-8")
        np.savez_compressed(HERE / f"{model.name}.npz", **arrays)


if __name__ == "__main__":
    main()
