"""Pooling after the host lowering equals NumPy's, and its division equals TOSA's reciprocal."""

from __future__ import annotations

import numpy as np
import pytest
from common.host_jit import run_host
from common.oracles import numpy_kernels
from common.tosa_text import Main, tensor, type_of

RNG = np.random.default_rng(5)
WINDOWS = {
    "valid": ((2, 2), (2, 2), (0, 0, 0, 0), (6, 8)),
    "same, odd": ((3, 3), (1, 1), (1, 1, 1, 1), (5, 7)),
    "padded behind": ((3, 2), (2, 2), (0, 1, 0, 1), (6, 7)),
    "padded before": ((4, 3), (3, 1), (2, 1, 2, 0), (7, 4)),
    "whole image": ((5, 7), (5, 7), (0, 0, 0, 0), (5, 7)),
}


def spell(kernel, stride, pad) -> str:
    pairs = {"kernel": kernel, "stride": stride, "pad": pad}
    return ", ".join(f"{k} = array<i64: {', '.join(map(str, v))}>" for k, v in pairs.items())


def pooled_shape(x: np.ndarray, kernel, stride, pad) -> tuple[int, ...]:
    sizes = [
        (x.shape[1 + i] + sum(pad[2 * i : 2 * i + 2]) - kernel[i]) // stride[i] + 1 for i in (0, 1)
    ]
    return (x.shape[0], *sizes, x.shape[3])


@pytest.mark.parametrize("zero_points", [(0, 0), (-5, -5), (-128, 20)])
@pytest.mark.parametrize("name", WINDOWS)
def test_average_pool_equals_numpy(name: str, zero_points: tuple[int, int]) -> None:
    kernel, stride, pad, size = WINDOWS[name]
    x = RNG.integers(-128, 128, (2, *size, 3), dtype=np.int8)
    main, kind = Main((type_of(x),)), tensor(pooled_shape(x, kernel, stride, pad), "i8")
    points = [(main.zero_point(z), "tensor<1xi8>") for z in zero_points]
    attributes = f"acc_type = i32, {spell(kernel, stride, pad)}"
    value = main.op("tosa.avg_pool2d", [("%x0", type_of(x)), *points], attributes, kind)
    expected = numpy_kernels.average_pool(
        x,
        kernel=kernel,
        stride=stride,
        pad=pad,
        source_zero_point=zero_points[0],
        zero_point=zero_points[1],
    )
    np.testing.assert_array_equal(run_host(main.returning(value, kind), x)[0], expected)


@pytest.mark.parametrize("name", WINDOWS)
def test_max_pool_equals_numpy(name: str) -> None:
    kernel, stride, pad, size = WINDOWS[name]
    x = RNG.integers(-128, 128, (2, *size, 3), dtype=np.int8)
    shape = pooled_shape(x, kernel, stride, pad)
    main, kind = Main((type_of(x),)), tensor(shape, "i8")
    value = main.op("tosa.max_pool2d", [("%x0", type_of(x))], spell(kernel, stride, pad), kind)
    value = main.clamp(value, kind, -100, 100)
    padded = np.pad(x, ((0, 0), pad[:2], pad[2:], (0, 0)), constant_values=-128)
    expected = np.zeros(shape, np.int8)
    for y, z in np.ndindex(*shape[1:3]):
        rows = slice(y * stride[0], y * stride[0] + kernel[0])
        columns = slice(z * stride[1], z * stride[1] + kernel[1])
        expected[:, y, z] = padded[:, rows, columns].max((1, 2))
    actual = run_host(main.returning(value, kind), x)[0]
    np.testing.assert_array_equal(actual, expected.clip(-100, 100))


def test_average_of_floats_divides_by_what_is_inside() -> None:
    kernel, stride, pad, size = WINDOWS["same, odd"]
    x = RNG.standard_normal((1, *size, 2), dtype=np.float32)
    main, kind = Main((type_of(x),)), tensor(x.shape, "f32")
    points = [(main.zero_point(0, "float32"), "tensor<1xf32>")] * 2
    attributes = f"acc_type = f32, {spell(kernel, stride, pad)}"
    value = main.op("tosa.avg_pool2d", [("%x0", type_of(x)), *points], attributes, kind)
    expected = np.zeros_like(x)
    for y, z, c in np.ndindex(*size, 2):
        seen = [
            x[0, y + ky, z + kx, c]
            for ky, kx in np.ndindex(3, 3)
            for ky, kx in [(ky - 1, kx - 1)]
            if 0 <= y + ky < size[0] and 0 <= z + kx < size[1]
        ]
        total = np.float32(0)
        for element in seen:
            total += element
        expected[0, y, z, c] = total / np.float32(len(seen))
    np.testing.assert_array_equal(run_host(main.returning(value, kind), x)[0], expected)


def tosa_mean(total: np.ndarray, count: int) -> np.ndarray:
    """`apply_scale_32(total, reciprocal_scale(count))` of the TOSA specification."""
    k = (count - 1).bit_length()
    multiplier, shift = (((1 << 30) + 1) << k) // count, 30 + k
    return (total * multiplier + (1 << (shift - 1))) >> shift


def divided_mean(total: np.ndarray, count: int) -> np.ndarray:
    """What the kernel computes: C's truncating division after half the count is added."""
    away = np.where(total > 0, total + count // 2, total - count // 2)
    return np.sign(away) * (np.abs(away) // count)


def test_division_equals_the_reciprocal_of_tosa() -> None:
    """Both are monotone in the sum, so they are equal if they step at the same sums.

    A step is near `(q + 1/2) * count`; the sums there and next to it are tried for every quotient
    of 9 bits (a difference of two elements of 8 bits), for windows of up to 2**14 elements, and for
    some of up to 2**20.
    """
    quotients = np.arange(-256, 256, dtype=np.int64)
    for count in [*range(1, (1 << 14) + 1), *range((1 << 14) + 1, 1 << 20, 1009)]:
        steps = (2 * quotients + 1) * count // 2
        totals = np.concatenate([steps - 1, steps, steps + 1, steps + 2])
        assert (tosa_mean(totals, count) == divided_mean(totals, count)).all(), count


def test_division_equals_the_reciprocal_for_every_sum_of_small_windows() -> None:
    for count in range(1, 129):
        totals = np.arange(-255 * count, 255 * count + 1, dtype=np.int64)
        assert (tosa_mean(totals, count) == divided_mean(totals, count)).all(), count
