"""Pooling, resizing, reductions and moves of elements, held against upstream's lowering."""

import numpy as np
import pytest
from common.oracles.operands import check, constant, drawn, interpret, main

from forebay.reference import UnsupportedError

POOLS = {
    "plain": ((1, 6, 8, 3), (1, 3, 4, 3), "2, 2", "2, 2", "0, 0, 0, 0"),
    "border": ((2, 5, 5, 2), (2, 3, 3, 2), "3, 3", "2, 2", "1, 1, 1, 1"),
    "uneven": ((1, 7, 4, 2), (1, 3, 3, 2), "3, 2", "2, 2", "0, 0, 1, 1"),
}


def kind(shape: tuple[int, ...], element: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("element", ["i8", "f32"])
def test_largest_of_a_window(name: str, element: str) -> None:
    x, out, kernel, stride, pad = POOLS[name]
    types = kind(x, element), kind(out, element)
    line = (
        f"%r = tosa.max_pool2d %x {{kernel = array<i64: {kernel}>, stride = array<i64: {stride}>, "
        f"pad = array<i64: {pad}>}} : ({types[0]}) -> {types[1]}"
    )
    dtype = "float32" if element == "f32" else "int8"
    check(main(f"%x: {types[0]}", [line], [("%r", types[1])]), [drawn(x, dtype)])


@pytest.mark.parametrize("name", POOLS)
@pytest.mark.parametrize("zeros", [(0, 0), (-128, 127), (5, -7)])
def test_mean_of_a_window(name: str, zeros: tuple[int, int]) -> None:
    x, out, kernel, stride, pad = POOLS[name]
    types = kind(x, "i8"), kind(out, "i8")
    lines = [
        constant(np.array([zeros[0]], np.int8), "i"),
        constant(np.array([zeros[1]], np.int8), "o"),
        f"%r = tosa.avg_pool2d %x, %i, %o {{kernel = array<i64: {kernel}>, acc_type = i32, "
        f"stride = array<i64: {stride}>, pad = array<i64: {pad}>}} : "
        f"({types[0]}, tensor<1xi8>, tensor<1xi8>) -> {types[1]}",
    ]
    check(main(f"%x: {types[0]}", lines, [("%r", types[1])]), [drawn(x, "int8")])


RESIZES = {
    "twice": ("4, 2, 4, 2", "0, 0", "0, 0"),
    "centres": ("4, 2, 4, 2", "-1, -1", "1, 1"),
    "thirds": ("1, 1, 3, 2", "0, -1", "0, 0"),
}


def resized(
    x: np.ndarray, n: list[int], offset: list[int], out: tuple[int, int], *, bilinear: bool
):
    """The specification's pseudo-code, element by element; upstream leaves it below offset 0."""
    _, height, width, channels = x.shape
    result = np.zeros((1, *out, channels))
    for oy, ox, c in np.ndindex(*out, channels):
        (iy, ry), (ix, rx) = (
            divmod(o * d + begin, unit)
            for o, d, begin, unit in zip((oy, ox), n[1::2], offset, n[::2], strict=True)
        )
        y0, y1 = max(iy, 0), min(iy + 1, height - 1)
        x0, x1 = max(ix, 0), min(ix + 1, width - 1)
        if not bilinear:
            result[0, oy, ox, c] = x[
                0, y1 if 2 * ry >= n[0] else y0, x1 if 2 * rx >= n[2] else x0, c
            ]
            continue
        top = float(x[0, y0, x0, c]) * (n[2] - rx) + float(x[0, y0, x1, c]) * rx
        bottom = float(x[0, y1, x0, c]) * (n[2] - rx) + float(x[0, y1, x1, c]) * rx
        result[0, oy, ox, c] = top * (n[0] - ry) + bottom * ry
    return result


@pytest.mark.parametrize("name", RESIZES)
@pytest.mark.parametrize("mode", ["NEAREST_NEIGHBOR", "BILINEAR"])
@pytest.mark.parametrize("element", ["i8", "f32"])
def test_resize(name: str, mode: str, element: str) -> None:
    scale, offset, border = RESIZES[name]
    n, o, b = ([int(v) for v in text.split(", ")] for text in (scale, offset, border))
    x = drawn((1, 3, 4, 2), "float32" if element == "f32" else "int8")
    height = ((x.shape[1] - 1) * n[0] - o[0] + b[0]) // n[1] + 1
    width = ((x.shape[2] - 1) * n[2] - o[1] + b[1]) // n[3] + 1
    bilinear = mode == "BILINEAR"
    out = "i32" if element == "i8" and bilinear else element
    types = kind(x.shape, element), kind((1, height, width, 2), out)

    def shape(name: str, values: str) -> str:
        count = len(values.split(","))
        return (
            f"%{name} = tosa.const_shape {{values = dense<[{values}]> : tensor<{count}xindex>}} : "
            f"() -> !tosa.shape<{count}>"
        )

    lines = [
        shape("s", scale),
        shape("o", offset),
        shape("b", border),
        f"%r = tosa.resize %x, %s, %o, %b {{mode = {mode}}} : ({types[0]}, !tosa.shape<4>, "
        f"!tosa.shape<2>, !tosa.shape<2>) -> {types[1]}",
    ]
    (found,) = interpret(main(f"%x: {types[0]}", lines, [("%r", types[1])]), [x])
    wanted = resized(x, n, o, (height, width), bilinear=bilinear)
    if element == "f32" and bilinear:
        wanted = wanted / (n[0] * n[2])
    np.testing.assert_allclose(found, wanted, rtol=1e-6 if element == "f32" else 0)


def test_reductions() -> None:
    x, out = "tensor<2x5x3xi32>", "tensor<2x1x3xi32>"
    names = ["reduce_sum", "reduce_max", "reduce_min"]
    lines = [f"%{n} = tosa.{n} %x {{axis = 1 : i32}} : ({x}) -> {out}" for n in names]
    lines.append(f"%argmax = tosa.argmax %x {{axis = 1 : i32}} : ({x}) -> tensor<2x3xi32>")
    results = [*((f"%{n}", out) for n in names), ("%argmax", "tensor<2x3xi32>")]
    check(main(f"%x: {x}", lines, results), [drawn((2, 5, 3), "int32")])


def test_moves_of_elements() -> None:
    """Against NumPy: each is one line of it."""
    x = drawn((2, 3, 4), "int8")
    lines = [
        "%t = tosa.transpose %x {perms = array<i32: 2, 0, 1>} : "
        "(tensor<2x3x4xi8>) -> tensor<4x2x3xi8>",
        "%v = tosa.reverse %x {axis = 1 : i32} : (tensor<2x3x4xi8>) -> tensor<2x3x4xi8>",
        "%c = tosa.concat %x, %v {axis = 2 : i32} : "
        "(tensor<2x3x4xi8>, tensor<2x3x4xi8>) -> tensor<2x3x8xi8>",
        "%a = tosa.const_shape {values = dense<[0, 1, 1]> : tensor<3xindex>} : "
        "() -> !tosa.shape<3>",
        "%n = tosa.const_shape {values = dense<[2, 1, 3]> : tensor<3xindex>} : "
        "() -> !tosa.shape<3>",
        "%s = tosa.slice %x, %a, %n : "
        "(tensor<2x3x4xi8>, !tosa.shape<3>, !tosa.shape<3>) -> tensor<2x1x3xi8>",
        "%m = tosa.tile %s, %n : (tensor<2x1x3xi8>, !tosa.shape<3>) -> tensor<4x1x9xi8>",
        "%p = tosa.const_shape {values = dense<[0, 1, 2, 0, 1, 1]> : tensor<6xindex>} : "
        "() -> !tosa.shape<6>",
        constant(np.array([-7], np.int8), "k"),
        "%q = tosa.pad %s, %p, %k : "
        "(tensor<2x1x3xi8>, !tosa.shape<6>, tensor<1xi8>) -> tensor<3x3x5xi8>",
    ]
    results = [
        ("%t", "tensor<4x2x3xi8>"),
        ("%c", "tensor<2x3x8xi8>"),
        ("%s", "tensor<2x1x3xi8>"),
        ("%m", "tensor<4x1x9xi8>"),
        ("%q", "tensor<3x3x5xi8>"),
    ]
    found = interpret(main("%x: tensor<2x3x4xi8>", lines, results), [x])
    part = x[:, 1:2, 1:4]
    wanted = [
        x.transpose(2, 0, 1),
        np.concatenate([x, x[:, ::-1]], 2),
        part,
        np.tile(part, (2, 1, 3)),
        np.pad(part, [(0, 1), (2, 0), (1, 1)], constant_values=-7),
    ]
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


GATHER = main(
    "%x: tensor<2x5x3xi8>, %i: tensor<2x4xi32>",
    ["%r = tosa.gather %x, %i : (tensor<2x5x3xi8>, tensor<2x4xi32>) -> tensor<2x4x3xi8>"],
    [("%r", "tensor<2x4x3xi8>")],
)


def test_rows_by_index() -> None:
    x, rows = drawn((2, 5, 3), "int8"), np.array([[0, 4, 4, 1], [3, 2, 0, 0]], np.int32)
    (found,) = interpret(GATHER, [x, rows])
    np.testing.assert_array_equal(found, [x[0][rows[0]], x[1][rows[1]]])
    with pytest.raises(UnsupportedError, match=r"-:\d+:\d+: 'tosa.gather' has an index outside"):
        interpret(GATHER, [x, rows + 2])
