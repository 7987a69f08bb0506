from __future__ import annotations

import numpy as np
import pytest
from reference import assert_equal_to_micro, ours, random_float, random_int8

from build import Op, T, constant, single

Q = (0.05, -7)


@pytest.mark.parametrize(
    ("shape", "paddings"),
    [((1, 4, 5, 3), [[0, 0], [1, 2], [0, 3], [0, 0]]), ((4, 3), [[2, 0], [0, 1]])],
)
@pytest.mark.parametrize("version_2", [False, True])
def test_pad_is_exact(shape: tuple[int, ...], paddings: list[list[int]], version_2: bool) -> None:
    out = tuple(d + sum(p) for d, p in zip(shape, paddings, strict=True))
    tensors = [T(shape, "int8", *Q), constant(paddings), T(out, "int8", *Q)]
    op = Op("PAD", [0, 1], [2], "PadOptions")
    if version_2:
        tensors.append(T((), "int8", *Q, data=np.array(33)))
        op = Op("PADV2", [0, 1, 3], [2], "PadV2Options")
    assert_equal_to_micro(single(op, tensors), random_int8(1, *shape))


@pytest.mark.parametrize("axis", [1, 3, -1])
def test_concatenation_is_exact(axis: int) -> None:
    shapes = [(1, 2, 3, 4), (1, 2, 3, 4), (1, 2, 3, 4)]
    out = np.concatenate([np.zeros(s) for s in shapes], axis).shape
    tensors = [*(T(s, "int8", *Q) for s in shapes), T(out, "int8", *Q)]
    op = Op("CONCATENATION", [0, 1, 2], [3], "ConcatenationOptions", {"Axis": axis})
    assert_equal_to_micro(single(op, tensors), *(random_int8(i, *s) for i, s in enumerate(shapes)))


@pytest.mark.parametrize(("axis", "out"), [(0, (2, 3, 4)), (1, (3, 2, 4)), (-1, (3, 4, 2))])
def test_pack_is_exact(axis: int, out: tuple[int, ...]) -> None:
    tensors = [T((3, 4), "int8", *Q), T((3, 4), "int8", *Q), T(out, "int8", *Q)]
    op = Op("PACK", [0, 1], [2], "PackOptions", {"ValuesCount": 2, "Axis": axis})
    assert_equal_to_micro(single(op, tensors), random_int8(1, 3, 4), random_int8(2, 3, 4))


@pytest.mark.parametrize(("axis", "out"), [(0, (3, 4)), (1, (2, 4)), (-1, (2, 3))])
def test_unpack_is_exact(axis: int, out: tuple[int, ...]) -> None:
    count = (2, 3, 4)[axis]
    tensors = [T((2, 3, 4), "int8", *Q), *(T(out, "int8", *Q) for _ in range(count))]
    fields = {"Num": count, "Axis": axis}
    op = Op("UNPACK", [0], list(range(1, count + 1)), "UnpackOptions", fields)
    assert_equal_to_micro(single(op, tensors), random_int8(1, 2, 3, 4))


def test_split_is_exact() -> None:
    tensors = [
        constant(-1),
        T((1, 2, 6), "int8", *Q),
        *(T((1, 2, 2), "int8", *Q) for _ in range(3)),
    ]
    op = Op("SPLIT", [0, 1], [2, 3, 4], "SplitOptions", {"NumSplits": 3})
    assert_equal_to_micro(single(op, tensors), random_int8(1, 1, 2, 6))


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


@pytest.mark.parametrize("permutation", [[0, 3, 1, 2], [3, 2, 1, 0], [0, 2, 1, 3]])
def test_transpose_is_exact(permutation: list[int]) -> None:
    shape = (1, 2, 3, 4)
    out = tuple(shape[p] for p in permutation)
    tensors = [T(shape, "int8", *Q), constant(permutation), T(out, "int8", *Q)]
    op = Op("TRANSPOSE", [0, 1], [2], "TransposeOptions")
    assert_equal_to_micro(single(op, tensors), random_int8(1, *shape))


@pytest.mark.parametrize("new_shape", [[4, 6], [-1, 3], [2, -1, 2, 1]])
def test_reshape_is_exact(new_shape: list[int]) -> None:
    out = np.zeros(24).reshape(new_shape).shape
    tensors = [T((2, 3, 4), "int8", *Q), constant(new_shape), T(out, "int8", *Q)]
    op = Op("RESHAPE", [0, 1], [2], "ReshapeOptions", {"NewShape": new_shape})
    assert_equal_to_micro(single(op, tensors), random_int8(1, 2, 3, 4))


@pytest.mark.parametrize(("axes", "out"), [([], (2, 3)), ([1], (2, 3, 1)), ([-1], (2, 1, 3))])
def test_squeeze_is_exact(axes: list[int], out: tuple[int, ...]) -> None:
    tensors = [T((2, 1, 3, 1), "int8", *Q), T(out, "int8", *Q)]
    op = Op("SQUEEZE", [0], [1], "SqueezeOptions", {"SqueezeDims": axes})
    assert_equal_to_micro(single(op, tensors), random_int8(1, 2, 1, 3, 1))


@pytest.mark.parametrize(("axis", "out"), [(0, (1, 2, 3)), (-1, (2, 3, 1)), (1, (2, 1, 3))])
def test_expand_dims_is_exact(axis: int, out: tuple[int, ...]) -> None:
    tensors = [T((2, 3), "int8", *Q), constant([axis]), T(out, "int8", *Q)]
    op = Op("EXPAND_DIMS", [0, 1], [2], "ExpandDimsOptions")
    assert_equal_to_micro(single(op, tensors), random_int8(1, 2, 3))


EVERY_VALUE = np.arange(-128, 128, dtype=np.int8).reshape(1, 256)


@pytest.mark.parametrize(
    ("source", "target"), [((0.05, -3), (0.05, 100)), ((0.2, 5), (0.03, -1)), ((0.01, 0), (0.3, 9))]
)
def test_every_value_requantises_exactly(source, target) -> None:
    tensors = [T((1, 256), "int8", *source), T((1, 256), "int8", *target)]
    assert_equal_to_micro(single(Op("QUANTIZE", [0], [1], "QuantizeOptions"), tensors), EVERY_VALUE)


@pytest.mark.parametrize("zero_points", [(127, -1), (128, 0), (3, -100)])
def test_every_uint8_becomes_int8_exactly(zero_points: tuple[int, int]) -> None:
    tensors = [
        T((1, 256), "uint8", 0.05, zero_points[0]),
        T((1, 256), "int8", 0.05, zero_points[1]),
    ]
    file = single(Op("QUANTIZE", [0], [1], "QuantizeOptions"), tensors)
    assert_equal_to_micro(file, EVERY_VALUE.view(np.uint8))


@pytest.mark.parametrize("target", [(0.05, 131), (0.02, 0), (0.11, 255)])
def test_every_int8_becomes_uint8_exactly(target: tuple[float, int]) -> None:
    tensors = [T((1, 256), "int8", 0.05, 3), T((1, 256), "uint8", *target)]
    assert_equal_to_micro(single(Op("QUANTIZE", [0], [1], "QuantizeOptions"), tensors), EVERY_VALUE)


@pytest.mark.parametrize("target", [(0.00783931, 0), (0.05, -128), (0.3, 40), (0.25, 0)])
def test_floats_quantise_exactly(target: tuple[float, int]) -> None:
    # Every half between two steps, and its two neighbours among the floats.
    scale, zero_point = np.float32(target[0]), target[1]
    halves = (np.arange(-300, 300, dtype=np.float32) + np.float32(0.5)) * scale
    around = [np.nextafter(halves, np.float32(s)) for s in (-np.inf, np.inf)]
    values = np.concatenate([halves, *around, random_float(1, 500, spread=10)]).reshape(1, -1)
    tensors = [T(values.shape, "float32"), T(values.shape, "int8", float(scale), zero_point)]
    assert_equal_to_micro(single(Op("QUANTIZE", [0], [1], "QuantizeOptions"), tensors), values)


def test_floats_out_of_range_saturate() -> None:
    values = np.array([[1e30, -1e30, np.inf, -np.inf, 3e9, -3e9]], np.float32)
    tensors = [T(values.shape, "float32"), T(values.shape, "int8", 0.05, 3)]
    file = single(Op("QUANTIZE", [0], [1], "QuantizeOptions"), tensors)
    assert ours(file, [values])[0].tolist() == [[127, -128, 127, -128, 127, -128]]


@pytest.mark.parametrize("source", [(0.00783931, 0), (0.146878, 1), (0.3, -128)])
def test_every_value_dequantises_exactly(source: tuple[float, int]) -> None:
    tensors = [T((1, 256), "int8", *source), T((1, 256), "float32")]
    op = Op("DEQUANTIZE", [0], [1], "DequantizeOptions")
    assert_equal_to_micro(single(op, tensors), EVERY_VALUE)
