from __future__ import annotations

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build, constant, single
from common.tflite_reference import assert_equal_to_micro, ours, random_int8
from mlir import ir

from forebay.frontends.tflite import UnsupportedModel, import_model

Q = (0.05, -7)


@pytest.mark.parametrize(
    ("begin", "size", "out"),
    [([0, 1, 2], [2, 2, 1], (2, 2, 1)), ([1, 0, 1], [-1, 2, -1], (1, 2, 3))],
)
def test_slice_is_exact(begin: list[int], size: list[int], out: tuple[int, ...]) -> None:
    tensors = [T((2, 3, 4), "int8", *Q), constant(begin), constant(size), T(out, "int8", *Q)]
    op = Op("SLICE", [0, 1, 2], [3], "SliceOptions")
    assert_equal_to_micro(single(op, tensors), random_int8(1, 2, 3, 4))


@pytest.mark.parametrize(
    ("begin", "end", "masks", "out"),
    [
        ([0, 1, 0], [2, 3, 4], {}, (2, 2, 4)),
        ([0, -2, 0], [2, 0, -1], {"EndMask": 0b010}, (2, 2, 3)),
        ([5, 1, 1], [9, 9, 3], {"BeginMask": 0b001, "EndMask": 0b001}, (2, 2, 2)),
        ([0, 1, 0], [2, 2, 4], {"ShrinkAxisMask": 0b010}, (2, 4)),
        ([0, -1, 0], [2, 0, 4], {"ShrinkAxisMask": 0b010}, (2, 4)),
    ],
)
def test_strided_slice_is_exact(begin, end, masks: dict[str, int], out: tuple[int, ...]) -> None:
    tensors = [
        T((2, 3, 4), "int8", *Q),
        constant(begin),
        constant(end),
        constant([1, 1, 1]),
        T(out, "int8", *Q),
    ]
    op = Op("STRIDED_SLICE", [0, 1, 2, 3], [4], "StridedSliceOptions", masks)
    assert_equal_to_micro(single(op, tensors), random_int8(1, 2, 3, 4))


def test_split_is_exact() -> None:
    tensors = [
        constant(-1),
        T((1, 2, 6), "int8", *Q),
        *(T((1, 2, 2), "int8", *Q) for _ in range(3)),
    ]
    op = Op("SPLIT", [0, 1], [2, 3, 4], "SplitOptions", {"NumSplits": 3})
    assert_equal_to_micro(single(op, tensors), random_int8(1, 1, 2, 6))


@pytest.mark.parametrize(("axis", "out"), [(0, (3, 4)), (1, (2, 4)), (-1, (2, 3))])
def test_unpack_is_exact(axis: int, out: tuple[int, ...]) -> None:
    count = (2, 3, 4)[axis]
    tensors = [T((2, 3, 4), "int8", *Q), *(T(out, "int8", *Q) for _ in range(count))]
    fields = {"Num": count, "Axis": axis}
    op = Op("UNPACK", [0], list(range(1, count + 1)), "UnpackOptions", fields)
    assert_equal_to_micro(single(op, tensors), random_int8(1, 2, 3, 4))


def without_elements(then: Op) -> bytes:
    """A slice of no row, as converters write it for the first step of a loop, and its reader."""
    none = T((1, 4), "int8", *Q, signature=(-1, 4))
    tensors = [T((3, 4), "int8", *Q), constant([2, 0]), constant([0, 4]), none]
    tensors.append(T((3, 4), "int8", *Q))
    slice_ = Op("SLICE", [0, 1, 2], [3], "SliceOptions")
    return build(Graph(tensors, [0], [4], [slice_, then]))


def test_a_slice_without_elements_is_left_out_of_a_concatenation() -> None:
    join = Op("CONCATENATION", [3, 0, 3], [4], "ConcatenationOptions", {"Axis": 0})
    x = random_int8(1, 3, 4)
    np.testing.assert_array_equal(ours(without_elements(join), [x])[0], x)


def test_another_reader_of_a_slice_without_elements_is_refused(context: ir.Context) -> None:
    relu = Op("RELU", [3], [4])
    with pytest.raises(UnsupportedModel, match=r"'t3' of shape \[0, 4\] has no elements"):
        import_model(without_elements(relu))
