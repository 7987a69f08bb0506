"""Layouts of views in integers: each rule shows the elements that NumPy shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mlir import ir
from numpy.lib.stride_tricks import as_strided

from forebay.ir.views.queries import layout_rule_of
from forebay.ir.views.strided import StridedLayout

UNIT = 2
"""Bytes of an element."""
BUFFER = np.arange(3 + 4 * 6 * 5, dtype=np.int16)
SOURCE = BUFFER[3:].reshape(4, 6, 5)
LAYOUT = StridedLayout(3 * UNIT, (4, 6, 5), (30 * UNIT, 5 * UNIT, UNIT), 0, UNIT)
POINT = StridedLayout(3 * UNIT, (), (), 0, UNIT)
IN = "memref<4x6x5xi16, strided<[30, 5, 1], offset: 3>>"
OPEN = "memref<?x6x?xi16, strided<[?, ?, ?], offset: ?>>"
VALUES = {"%one": 1, "%two": 2, "%three": 3, "%five": 5}

CASES: dict[str, tuple[str, Callable[[np.ndarray], Any]]] = {
    "cast": (f"memref.cast %a : {IN} to {OPEN}", lambda x: x),
    "alignment": (f"memref.assume_alignment %a, 2 : {IN}", lambda x: x),
    "transpose": (
        "memref.transpose %o (i, j, k) -> (k, i, j) "
        ": memref<?x6x?xi16, strided<[?, ?, ?], offset: ?>> "
        "to memref<?x?x6xi16, strided<[?, ?, ?], offset: ?>>",
        lambda x: x.transpose(2, 0, 1),
    ),
    "part": (
        f"memref.subview %o[%one, 2, 0] [%two, 1, %three] [%two, 1, %one] : {OPEN} "
        "to memref<?x?xi16, strided<[?, ?], offset: ?>>",
        lambda x: x[1:4:2, 2, 0:3],
    ),
    "part of size 1": (
        f"memref.subview %a[1, 2, 3] [1, 1, 1] [1, 1, 1] : {IN} "
        "to memref<1xi16, strided<[1], offset: 46>>",
        lambda x: x[1, 2, 3:4],
    ),
    "collapse": (
        f"memref.collapse_shape %a [[0, 1], [2]] : {IN} "
        "into memref<24x5xi16, strided<[5, 1], offset: 3>>",
        lambda x: x.reshape(24, 5),
    ),
    "expand": (
        f"memref.expand_shape %o [[0, 1], [2, 3], [4]] output_shape [%two, 2, 3, 2, %five] "
        f": {OPEN} into memref<?x2x3x2x?xi16, strided<[?, ?, ?, ?, ?], offset: ?>>",
        lambda x: x.reshape(2, 2, 3, 2, 5),
    ),
    "expand a point": (
        "memref.expand_shape %p [] output_shape [1, 1] : memref<i16, strided<[], offset: 3>> "
        "into memref<1x1xi16, strided<[1, 1], offset: 3>>",
        lambda x: x[:1, 0, :1],
    ),
    "reinterpret": (
        f"memref.reinterpret_cast %a to offset: [%two], sizes: [%three, 2], strides: [1, %three] "
        f": {IN} to memref<?x2xi16, strided<[1, ?], offset: ?>>",
        lambda _: np.array([[2, 5], [3, 6], [4, 7]]),
    ),
    "by its type": (
        "memref.reshape %r(%s) : (memref<4x6x5xi16>, memref<2xindex>) -> memref<3x8xi16>",
        lambda _: np.arange(24).reshape(3, 8),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_layout_shows_the_elements_of_the_view(name: str) -> None:
    text, expected = CASES[name]
    numbers = ", ".join(f"{name}: index" for name in VALUES)
    arguments = (
        f"%a: {IN}, %o: {OPEN}, %p: memref<i16, strided<[], offset: 3>>, "
        f"%r: memref<4x6x5xi16>, %s: memref<2xindex>, {numbers}"
    )
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(f"func.func @f({arguments}) {{\n%v = {text}\nreturn }}")
        function = module.body.operations[0]
        block = function.regions[0].blocks[0]
        known = dict(zip(block.arguments[-4:], VALUES.values(), strict=True))
        rule = layout_rule_of(block.operations[0])
        assert rule is not None

        def number(value: int | ir.Value) -> int:
            return value if isinstance(value, int) else known[value]

        source = POINT if "%p" in text else LAYOUT
        seen = rule.layout(source, rule.values(number, number, number))
    first = BUFFER[seen.start // UNIT :]
    assert seen.start % UNIT == 0
    shown = as_strided(first, seen.sizes, seen.strides)
    np.testing.assert_array_equal(shown, expected(SOURCE))
