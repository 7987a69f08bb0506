"""Sums, means, maxima and matrix products after the host lowering equal NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from common.host_jit import lower, run_host
from common.oracles import numpy_kernels
from common.tosa_text import Main, tensor, type_of
from mlir import ir

from forebay.ir.nested import ops_nested_in
from forebay.pipelines.host import HOST_LOWERING

ONE = (1 << 30, 30)
RNG = np.random.default_rng(11)


def with_ones(shape, axes) -> list[int]:
    return [1 if d in axes else size for d, size in enumerate(shape)]


@pytest.mark.parametrize("axes", [(1,), (2,), (1, 2), (1, 3), (3, 1), (0, 2, 3)])
def test_mean_is_one_nest(axes: tuple[int, ...]) -> None:
    x = RNG.integers(-128, 128, (2, 3, 4, 5), dtype=np.int8)
    main = Main((type_of(x),))
    count = int(np.prod([x.shape[a] for a in axes]))
    bits = count.bit_length() - 1
    multiplier, shift = (1 << 30 << bits) // count, 30 + bits
    kind = tensor(x.shape, "i32")
    value = main.rescale("%x0", type_of(x), kind, ([ONE[0]], [ONE[1]]), zero_points=(-7, 0))
    shape = list(x.shape)
    for axis in axes:
        before, shape = kind, with_ones(shape, (axis,))
        kind = tensor(shape, "i32")
        value = main.op("tosa.reduce_sum", [(value, before)], f"axis = {axis} : i32", kind)
    narrow = tensor(shape, "i8")
    value = main.rescale(value, kind, narrow, ([multiplier], [shift]), zero_points=(0, 3))
    sums = (x.astype(np.int64) + 7).sum(axes, keepdims=True)
    expected = numpy_kernels.rescale(sums, [multiplier], [shift], 3)
    np.testing.assert_array_equal(run_host(main.returning(value, narrow), x)[0], expected)


def test_prologue_with_a_factor_of_its_own() -> None:
    x = RNG.integers(-128, 128, (4, 6), dtype=np.int8)
    main, wide, result = Main((type_of(x),)), tensor(x.shape, "i32"), tensor((4, 1), "i32")
    factors = ([1234567890], [25])
    value = main.rescale("%x0", type_of(x), wide, factors, zero_points=(9, 0))
    value = main.op("tosa.reduce_sum", [(value, wide)], "axis = 1 : i32", result)
    scaled = numpy_kernels.rescale(
        x.astype(np.int64) - 9, *factors, 0, low=-(2**31), high=2**31 - 1
    )
    expected = scaled.sum(1, keepdims=True)
    np.testing.assert_array_equal(run_host(main.returning(value, result), x)[0], expected)


@pytest.mark.parametrize("element", ["int8", "float32"])
def test_maximum(element: str) -> None:
    x = (RNG.standard_normal((3, 4, 5)) * 50).astype(element)
    kind = type_of(x).replace("3x4x5", "3x1x5")
    main = Main((type_of(x),))
    value = main.op("tosa.reduce_max", [("%x0", type_of(x))], "axis = 1 : i32", kind)
    actual = run_host(main.returning(value, kind), x)[0]
    np.testing.assert_array_equal(actual, x.max(1, keepdims=True))


def test_sum_of_floats_runs_in_the_order_of_memory() -> None:
    x = RNG.standard_normal((3, 4, 5), dtype=np.float32)
    main, once, twice = Main((type_of(x),)), tensor((1, 4, 5), "f32"), tensor((1, 4, 1), "f32")
    value = main.op("tosa.reduce_sum", [("%x0", type_of(x))], "axis = 0 : i32", once)
    value = main.op("tosa.reduce_sum", [(value, once)], "axis = 2 : i32", twice)
    expected = np.zeros((1, 4, 1), np.float32)
    for i, j, k in np.ndindex(3, 4, 5):
        expected[0, j, 0] += x[i, j, k]
    np.testing.assert_array_equal(run_host(main.returning(value, twice), x)[0], expected)


def test_mean_of_floats_is_one_kernel() -> None:
    x = RNG.standard_normal((2, 6, 5), dtype=np.float32)
    main, kind = Main((type_of(x),)), tensor((2, 1, 5), "f32")
    value = main.op("tosa.reduce_sum", [("%x0", type_of(x))], "axis = 1 : i32", kind)
    sixth = np.full((1, 1, 1), 1 / 6, np.float32)
    operands = [(value, kind), (main.constant(sixth), type_of(sixth))]
    operands.append((main.zero_point(0), "tensor<1xi8>"))
    value = main.op("tosa.mul", operands, "", kind)
    value = main.clamp(value, kind, -0.5, 0.5)
    source = main.returning(value, kind)
    expected = np.zeros((2, 1, 5), np.float32)
    for i, j, k in np.ndindex(2, 6, 5):
        expected[i, 0, k] += x[i, j, k]
    expected = (expected * sixth).clip(-0.5, 0.5)
    np.testing.assert_array_equal(run_host(source, x)[0], expected)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source)
        lower(module, HOST_LOWERING)
        kernels = [op.operation.name for op in ops_nested_in(module.operation)]
    assert (kernels.count("accel.reduce"), kernels.count("linalg.generic")) == (1, 0)


def test_matmul() -> None:
    a = RNG.integers(-128, 128, (2, 3, 4), dtype=np.int8)
    b = RNG.integers(-128, 128, (2, 4, 5), dtype=np.int8)
    main, wide, narrow = (
        Main((type_of(a), type_of(b))),
        tensor((2, 3, 5), "i32"),
        "tensor<2x3x5xi8>",
    )
    operands = [("%x0", type_of(a)), ("%x1", type_of(b))]
    operands += [(main.zero_point(z), "tensor<1xi8>") for z in (4, -6)]
    value = main.op("tosa.matmul", operands, "", wide)
    value = main.rescale(value, wide, narrow, ([1 << 30], [37]), zero_points=(0, -1))
    sums = (a.astype(np.int64) - 4) @ (b.astype(np.int64) + 6)
    actual = run_host(main.returning(value, narrow), a, b)[0]
    np.testing.assert_array_equal(actual, numpy_kernels.rescale(sums, [1 << 30], [37], -1))


def test_matmul_of_floats() -> None:
    a = RNG.standard_normal((1, 3, 4), dtype=np.float32)
    b = RNG.standard_normal((1, 4, 2), dtype=np.float32)
    main, kind = Main((type_of(a), type_of(b))), tensor((1, 3, 2), "f32")
    operands = [("%x0", type_of(a)), ("%x1", type_of(b))]
    operands += [(main.zero_point(0, "float32"), "tensor<1xf32>")] * 2
    value = main.op("tosa.matmul", operands, "", kind)
    actual = run_host(main.returning(value, kind), a, b)[0]
    np.testing.assert_allclose(actual, a @ b, rtol=1e-5)
