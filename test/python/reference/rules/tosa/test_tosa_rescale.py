"""RESCALE, APPLY_SCALE, TABLE and CAST at the edges, by arithmetic without a width."""

from fractions import Fraction

import numpy as np
import pytest
from common.oracles.operands import check, constant, drawn, interpret, main

EDGES = np.array([-(2**31), -(2**31) + 1, -65536, -3, -2, -1, 0, 1, 2, 3, 32767, 2**31 - 1])


def scaled(value: int, multiplier: int, shift: int, *, double: bool) -> int:
    """TOSA's apply_scale_32 on Python's integers."""
    half = 1 << (shift - 1)
    if double and shift > 31:
        half += (1 << 30) if value >= 0 else -(1 << 30)
    return (value * multiplier + half) >> shift


def rescale(
    source: str,
    target: str,
    factors: tuple[np.ndarray, np.ndarray],
    zeros: tuple[int, int] = (0, 0),
    *,
    rounding: str = "SINGLE_ROUND",
    unsigned: tuple[bool, bool] = (False, False),
    shape: str = "12",
) -> str:
    kinds = [f"tensor<{shape}x{element}>" for element in (source, target)]
    points = [
        constant(np.array([zero]).astype(f"int{element[1:]}"), name)
        for zero, element, name in zip(zeros, (source, target), ("zi", "zo"), strict=True)
    ]
    m, s = factors
    attributes = (
        f"input_unsigned = {str(unsigned[0]).lower()}, "
        f"output_unsigned = {str(unsigned[1]).lower()}, "
        f"per_channel = {str(len(m) > 1).lower()}, rounding_mode = {rounding}, scale32 = true"
    )
    types = f"{kinds[0]}, tensor<{len(m)}xi32>, tensor<{len(s)}xi8>"
    types += f", tensor<1x{source}>, tensor<1x{target}>"
    line = f"%r = tosa.rescale %x, %m, %s, %zi, %zo {{{attributes}}} : ({types}) -> {kinds[1]}"
    lines = [constant(m.astype(np.int32), "m"), constant(s.astype(np.int8), "s"), *points, line]
    return main(f"%x: {kinds[0]}", lines, [("%r", kinds[1])])


@pytest.mark.parametrize("shift", [2, 15, 30, 31, 32, 33, 47, 62])
@pytest.mark.parametrize("rounding", ["SINGLE_ROUND", "DOUBLE_ROUND"])
def test_every_value_is_the_exact_one(shift: int, rounding: str) -> None:
    multiplier = 0x5A827999 if shift > 31 else (1 << (shift - 1)) + 1
    text = rescale("i32", "i32", (np.array([multiplier]), np.array([shift])), rounding=rounding)
    (found,) = interpret(text, [EDGES.astype(np.int32)])
    wanted = [
        int(
            np.clip(
                scaled(int(x), multiplier, shift, double=rounding == "DOUBLE_ROUND"),
                -(2**31),
                2**31 - 1,
            )
        )
        for x in EDGES
    ]
    np.testing.assert_array_equal(found, wanted)


def test_ties_by_both_roundings() -> None:
    """Halves go up; with two roundings those of negative numbers go down again, behind 31 bits."""
    x = np.array([-5, -3, -1, 1, 3, 5] * 2, np.int32)
    factors = np.array([1 << 30]), np.array([31])
    (single,) = interpret(rescale("i32", "i32", factors), [x])
    assert single[:6].tolist() == [-2, -1, 0, 1, 2, 3]
    factors = np.array([1 << 30]), np.array([32])
    (double,) = interpret(rescale("i32", "i32", factors, rounding="DOUBLE_ROUND"), [2 * x])
    assert double[:6].tolist() == [-3, -2, -1, 1, 2, 3]


@pytest.mark.parametrize("zeros", [(0, 0), (-128, 127), (127, -128), (3, -5)])
def test_zero_points_and_saturation(zeros: tuple[int, int]) -> None:
    x = np.arange(-128, 128, dtype=np.int8)[:252].reshape(21, 12)
    factors = np.array([1288490189]), np.array([30])  # 1.2
    text = rescale("i8", "i8", factors, zeros, shape="21x12", rounding="DOUBLE_ROUND")
    (found,) = interpret(text, [x])
    exact = [Fraction(int(v) - zeros[0]) * 1288490189 / 2**30 for v in x.reshape(-1)]
    wanted = [min(127, max(-128, round(float(v)) + zeros[1])) for v in exact]
    np.testing.assert_array_equal(found.reshape(-1), wanted)
    check(text, [x])


@pytest.mark.parametrize("unsigned", [(True, False), (False, True), (True, True)])
def test_bytes_without_a_sign(unsigned: tuple[bool, bool]) -> None:
    zeros = (-128 if unsigned[0] else 0, -128 if unsigned[1] else 0)  # 128 of u8
    text = rescale(
        "i8", "i8", (np.array([1 << 30]), np.array([30])), zeros, unsigned=unsigned, shape="256"
    )
    x = np.arange(256).astype(np.uint8).view(np.int8)
    (found,) = interpret(text, [x])
    value = x.view(np.uint8).astype(int) - 128 if unsigned[0] else x.astype(int)
    if unsigned[1]:
        np.testing.assert_array_equal(found.view(np.uint8), np.clip(value + 128, 0, 255))
    else:
        np.testing.assert_array_equal(found, np.clip(value, -128, 127))


def test_channels_have_factors_of_their_own() -> None:
    m, s = drawn((12,), "int32") // 2 % (1 << 30) + (1 << 30), np.arange(30, 42)
    text = rescale("i32", "i8", (m, s), shape="5x12", rounding="DOUBLE_ROUND")
    x = drawn((5, 12), "int32") >> 8
    (found,) = interpret(text, [x])
    wanted = [
        [
            min(127, max(-128, scaled(int(v), int(a), int(b), double=True)))
            for v, a, b in zip(row, m, s, strict=True)
        ]
        for row in x
    ]
    np.testing.assert_array_equal(found, wanted)


def test_48_bits_by_factors_of_16() -> None:
    kind = "tensor<6xi48>"
    attributes = (
        "input_unsigned = false, output_unsigned = false, per_channel = false, "
        "rounding_mode = SINGLE_ROUND, scale32 = false"
    )
    lines = [
        constant(np.array([-20000], np.int16), "m"),
        constant(np.array([17], np.int8), "s"),
        '%zi = "tosa.const"() {values = dense<0> : tensor<1xi48>} : () -> tensor<1xi48>',
        constant(np.array([0], np.int32), "zo"),
        f"%r = tosa.rescale %x, %m, %s, %zi, %zo {{{attributes}}} : ({kind}, tensor<1xi16>, "
        "tensor<1xi8>, tensor<1xi48>, tensor<1xi32>) -> tensor<6xi32>",
    ]
    x = np.array([-(2**47), 2**47 - 1, 12345678901, -12345678901, 1, -3])
    (found,) = interpret(main(f"%x: {kind}", lines, [("%r", "tensor<6xi32>")]), [x])
    exact = [(int(v) * -20000 + (1 << 16)) >> 17 for v in x]
    assert found.tolist() == [min(2**31 - 1, max(-(2**31), v)) for v in exact]


def test_table_of_bytes() -> None:
    entries = drawn((256,), "int8")
    line = "%r = tosa.table %x, %t : (tensor<256xi8>, tensor<256xi8>) -> tensor<256xi8>"
    text = main("%x: tensor<256xi8>", [constant(entries, "t"), line], [("%r", "tensor<256xi8>")])
    x = np.arange(-128, 128).astype(np.int8)
    np.testing.assert_array_equal(interpret(text, [x])[0], entries)
    check(text, [x[::-1].copy()])


def test_table_of_16_bits_interpolates() -> None:
    entries = (drawn((513,), "int16") >> 1).astype(np.int16)
    line = "%r = tosa.table %x, %t : (tensor<512xi16>, tensor<513xi16>) -> tensor<512xi32>"
    text = main("%x: tensor<512xi16>", [constant(entries, "t"), line], [("%r", "tensor<512xi32>")])
    check(text, [drawn((512,), "int16")])


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("i8", "i32"),
        ("i32", "i8"),
        ("i16", "i8"),
        ("i8", "f32"),
        ("i32", "f32"),
        ("i8", "i1"),
        ("i1", "i8"),
        ("i1", "i32"),
    ],
)
def test_casts_of_integers(source: str, target: str) -> None:
    kinds = [f"tensor<40x{element}>" for element in (source, target)]
    text = main(
        f"%x: {kinds[0]}", [f"%r = tosa.cast %x : ({kinds[0]}) -> {kinds[1]}"], [("%r", kinds[1])]
    )
    x = drawn((40,), "bool" if source == "i1" else f"int{source[1:]}")
    (found,) = interpret(text, [x])
    wanted = x.astype({"i1": "bool", "f32": "float32"}.get(target, f"int{target[1:]}"))
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("target", ["i8", "i16", "i32"])
def test_casts_of_floats_round_to_even_and_saturate(target: str) -> None:
    kinds = ["tensor<12xf32>", f"tensor<12x{target}>"]
    text = main(
        f"%x: {kinds[0]}", [f"%r = tosa.cast %x : ({kinds[0]}) -> {kinds[1]}"], [("%r", kinds[1])]
    )
    x = np.array([0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 3e9, -3e9, 127.5, -128.5, 1.4, -1.6], np.float32)
    limits = np.iinfo(f"int{target[1:]}")
    wanted = np.clip(np.rint(x.astype(np.float64)), limits.min, limits.max)
    np.testing.assert_array_equal(interpret(text, [x])[0], wanted)
    check(text, [x])
