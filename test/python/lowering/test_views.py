"""Padding and cropping in front of a window cost neither a copy nor a wrong element."""

from __future__ import annotations

import numpy as np
import pytest
from common.host_jit import BUFFERS, lower
from common.oracles import numpy_kernels
from common.oracles.quantised_convolution import SOURCE, Layer, attributes, output_size
from common.tosa_text import tensor
from mlir import ir

from forebay.pipelines.host import HOST_LOWERING


def pad(layer: Layer, value: str, shape, amounts, number: int) -> tuple[str, tuple[int, ...]]:
    """`amounts` is top, bottom, left, right."""
    top, bottom, left, right = amounts
    padded = (shape[0], shape[1] + top + bottom, shape[2] + left + right, shape[3])
    sizes = layer.main.shape([0, 0, *amounts, 0, 0])
    operands = [(value, tensor(shape, "i8")), (sizes, "!tosa.shape<8>")]
    operands.append((layer.main.zero_point(number), "tensor<1xi8>"))
    return layer.main.op("tosa.pad", operands, "", tensor(padded, "i8")), padded


def crop(layer: Layer, value: str, shape, amounts) -> tuple[str, tuple[int, ...]]:
    top, bottom, left, right = amounts
    cropped = (shape[0], shape[1] - top - bottom, shape[2] - left - right, shape[3])
    operands = [(value, tensor(shape, "i8"))]
    operands += [(layer.main.shape(s), "!tosa.shape<4>") for s in ([0, top, left, 0], cropped)]
    return layer.main.op("tosa.slice", operands, "", tensor(cropped, "i8")), cropped


def apply(x: np.ndarray, steps, number: int) -> np.ndarray:
    for name, (top, bottom, left, right) in steps:
        if name == "pad":
            around = ((0, 0), (top, bottom), (left, right), (0, 0))
            x = np.pad(x, around, constant_values=number)
        else:
            x = x[:, top : x.shape[1] - bottom, left : x.shape[2] - right]
    return x


class Viewed(Layer):
    """A convolution behind steps of padding and cropping of `[2, 9, 8, 3]`."""

    def __init__(self, steps, window: dict, number: int = SOURCE) -> None:
        self.steps, self.window, self.number = steps, window, number
        seen = apply(np.zeros((2, 9, 8, 3)), steps, 0).shape
        sizes = [output_size(seen[1 + i], 3, i, window) for i in (0, 1)]
        super().__init__(
            "tosa.conv2d", (2, 9, 8, 3), (4, 3, 3, 3), (2, *sizes, 4), attributes(window)
        )

    def operand(self) -> tuple[str, str]:
        value, shape = "%x0", self.x.shape
        for name, amounts in self.steps:
            if name == "pad":
                value, shape = pad(self, value, shape, amounts, self.number)
            else:
                value, shape = crop(self, value, shape, amounts)
        return value, tensor(shape, "i8")

    def check(self) -> None:
        x, w = self.without_zero_points()
        seen = apply(x + SOURCE, self.steps, self.number) - SOURCE
        sums = numpy_kernels.convolution(seen, w, **self.window)
        np.testing.assert_array_equal(self.run(self.rescaled()), self.expected(sums))

    def buffers(self) -> tuple[list[str], int]:
        """The types of all allocations, and the number of copies."""
        with ir.Context(), ir.Location.unknown():
            module = ir.Module.parse(self.main.returning(self.rescaled(), self.narrow))
            lower(module, HOST_LOWERING, BUFFERS)
            allocations, copies = [], []

            def visit(op: ir.Operation) -> ir.WalkResult:
                if op.name == "memref.alloc":
                    allocations.append(str(op.results[0].type))
                if op.name == "memref.copy":
                    copies.append(op.name)
                return ir.WalkResult.ADVANCE

            module.operation.walk(visit)
        return allocations, len(copies)


FREE = {
    "cropped behind": ([("crop", (0, 1, 0, 2))], {}),
    "cropped on all sides": ([("crop", (1, 1, 2, 1))], {}),
    "padded": ([("pad", (1, 2, 0, 3))], {}),
    "padded, in a padding window": ([("pad", (1, 0, 2, 1))], {"pad": (1, 1, 1, 1)}),
    "padded, then cropped": ([("pad", (2, 2, 2, 2)), ("crop", (1, 3, 0, 2))], {}),
    "cropped, then padded elsewhere": ([("crop", (0, 2, 0, 0)), ("pad", (2, 0, 1, 1))], {}),
    "cropped, stride 2": ([("crop", (0, 0, 0, 1))], {"stride": (2, 2)}),
}


@pytest.mark.parametrize("name", FREE)
def test_views_are_read_through(name: str) -> None:
    layer = Viewed(*FREE[name])
    layer.check()
    allocations, copies = Viewed(*FREE[name]).buffers()
    assert (len(allocations), copies) == (0, 0)  # the result is the caller's


def test_padding_of_another_value_is_stored() -> None:
    steps = [("pad", (1, 1, 1, 1))]
    Viewed(steps, {}, number=SOURCE + 1).check()
    allocations, copies = Viewed(steps, {}, number=SOURCE + 1).buffers()
    assert (allocations, copies) == (["memref<2x11x10x3xi8>"], 1)


CUTS = [(1, 0, 0, 0), (0, 2, 0, 0), (0, 0, 3, 0), (0, 0, 0, 1)]


@pytest.mark.parametrize("cut", CUTS)
def test_padding_at_a_cut_is_not_the_rows_that_were_cut(cut: tuple[int, ...]) -> None:
    Viewed([("crop", cut)], {"pad": (1, 1, 1, 1)}).check()
