"""Views, copies and strides: C and LLVM agree with NumPy."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from forebay.codegen.project.project import project_files
from forebay.engines.c import CEngine
from forebay.engines.llvm import LlvmEngine

STRICT = ("-std=c99", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Wcast-qual", "-Wshadow",
          "-pedantic", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover=all")  # fmt: skip
CONSTANTS = """
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
"""
X = np.arange(4 * 6 * 5, dtype=np.int8).reshape(4, 6, 5)


def assert_both(kernel: Any, body: str, inputs: list[Any], expected: NDArray[Any]) -> str:
    module, model = kernel(CONSTANTS + body, inputs, [expected])
    np.testing.assert_array_equal(CEngine(module, model, STRICT).run(inputs)[0], expected)
    np.testing.assert_array_equal(LlvmEngine(module, model).run(inputs)[0], expected)
    return project_files(module, model)["kernel.c"]


def test_static_subview_copies_rows(kernel: Any) -> None:
    body = """
      %part = memref.subview %in0[1, 2, 0] [2, 3, 5] [1, 1, 1]
        : memref<4x6x5xi8> to memref<2x3x5xi8, strided<[30, 5, 1], offset: 40>>
      memref.copy %part, %out0
        : memref<2x3x5xi8, strided<[30, 5, 1], offset: 40>> to memref<2x3x5xi8>
    """
    text = assert_both(kernel, body, [X], X[1:3, 2:5])
    assert "memcpy(&out[i * 15], &in2[i * 30], 15);" in text  # three rows are contiguous in both


def test_rows_go_where_there_are_gaps(kernel: Any) -> None:
    """The source has no gaps, the target has."""
    x = X[0, :2, :3].copy()
    body = """
      %to = memref.subview %out0[0, 1] [2, 3] [1, 1]
        : memref<2x5xi8> to memref<2x3xi8, strided<[5, 1], offset: 1>>
      memref.copy %in0, %to : memref<2x3xi8> to memref<2x3xi8, strided<[5, 1], offset: 1>>"""
    expected = np.zeros((2, 5), np.int8)
    expected[:, 1:4] = x
    assert_both(kernel, body, [x], expected)


def test_subview_with_steps(kernel: Any) -> None:
    body = """
      %part = memref.subview %in0[0, 1, 1] [2, 3, 2] [2, 2, 3]
        : memref<4x6x5xi8> to memref<2x3x2xi8, strided<[60, 10, 3], offset: 6>>
      memref.copy %part, %out0
        : memref<2x3x2xi8, strided<[60, 10, 3], offset: 6>> to memref<2x3x2xi8>
    """
    assert_both(kernel, body, [X], X[0::2, 1::2, 1::3])


def test_subview_that_moves_in_a_loop(kernel: Any) -> None:
    body = """
      scf.for %i = %c0 to %c4 step %c1 {
        %row = memref.subview %in0[%i, 2, 0] [1, 1, 5] [1, 1, 1]
          : memref<4x6x5xi8> to memref<5xi8, strided<[1], offset: ?>>
        %to = memref.subview %out0[%i, 0] [1, 5] [1, 1]
          : memref<4x5xi8> to memref<5xi8, strided<[1], offset: ?>>
        %x = memref.load %row[%c3] : memref<5xi8, strided<[1], offset: ?>>
        memref.copy %row, %to
          : memref<5xi8, strided<[1], offset: ?>> to memref<5xi8, strided<[1], offset: ?>>
        memref.store %x, %to[%c0] : memref<5xi8, strided<[1], offset: ?>>
      }"""
    expected = X[:, 2].copy()
    expected[:, 0] = expected[:, 3]
    assert_both(kernel, body, [X], expected)


def test_subview_of_a_size_known_at_run_time(kernel: Any) -> None:
    n = np.array([3], np.int32)
    body = """
      %n32 = memref.load %in1[%c0] : memref<1xi32>
      %n = arith.index_cast %n32 : i32 to index
      %from = memref.subview %in0[0, 0, 1] [4, %n, 2] [1, 1, 1]
        : memref<4x6x5xi8> to memref<4x?x2xi8, strided<[30, 5, 1], offset: 1>>
      %to = memref.subview %out0[0, 1, 0] [4, %n, 2] [1, 1, 1]
        : memref<4x6x2xi8> to memref<4x?x2xi8, strided<[12, 2, 1], offset: 2>>
      memref.copy %from, %to
        : memref<4x?x2xi8, strided<[30, 5, 1], offset: 1>>
        to memref<4x?x2xi8, strided<[12, 2, 1], offset: 2>>
      %d = memref.dim %from, %c1 : memref<4x?x2xi8, strided<[30, 5, 1], offset: 1>>
      %d8 = arith.index_cast %d : index to i8
      memref.store %d8, %out0[%c0, %c0, %c0] : memref<4x6x2xi8>"""
    expected = np.zeros((4, 6, 2), np.int8)
    expected[:, 1:4] = X[:, 0:3, 1:3]
    expected[0, 0, 0] = 3
    assert_both(kernel, body, [X, n], expected)


def test_subview_with_an_unused_size(kernel: Any) -> None:
    n = np.array([3], np.int32)
    body = """
      %n32 = memref.load %in1[%c0] : memref<1xi32>
      %n = arith.index_cast %n32 : i32 to index
      %part = memref.subview %in0[1, 1, 1] [1, %n, 1] [1, 1, 1]
        : memref<4x6x5xi8> to memref<?xi8, strided<[5], offset: 36>>
      %x = memref.load %part[%c2] : memref<?xi8, strided<[5], offset: 36>>
      memref.store %x, %out0[%c0] : memref<1xi8>"""
    assert_both(kernel, body, [X, n], X[1, 3, 1:2])


def test_subview_of_a_subview(kernel: Any) -> None:
    body = """
      %a = memref.subview %in0[1, 0, 0] [3, 6, 5] [1, 1, 1]
        : memref<4x6x5xi8> to memref<3x6x5xi8, strided<[30, 5, 1], offset: 30>>
      %b = memref.subview %a[1, 2, 3] [2, 2, 2] [1, 2, 1]
        : memref<3x6x5xi8, strided<[30, 5, 1], offset: 30>>
        to memref<2x2x2xi8, strided<[30, 10, 1], offset: 73>>
      memref.copy %b, %out0
        : memref<2x2x2xi8, strided<[30, 10, 1], offset: 73>> to memref<2x2x2xi8>"""
    assert_both(kernel, body, [X], X[2:4, 2:6:2, 3:5])


def test_reshapes_and_casts(kernel: Any) -> None:
    body = """
      %flat = memref.collapse_shape %in0 [[0, 1], [2]] : memref<4x6x5xi8> into memref<24x5xi8>
      %deep = memref.expand_shape %flat [[0, 1], [2]] output_shape [2, 12, 5]
        : memref<24x5xi8> into memref<2x12x5xi8>
      %open = memref.cast %deep : memref<2x12x5xi8> to memref<?x12x5xi8>
      %x = memref.load %open[%c1, %c3, %c2] : memref<?x12x5xi8>
      memref.store %x, %out0[%c0] : memref<1xi8>"""
    assert_both(kernel, body, [X], X.reshape(2, 12, 5)[1, 3, 2:3])


def test_a_collapsed_axis_of_one_element_does_not_give_its_stride(kernel: Any) -> None:
    """Channel 2 of `[4][6][5]`: the columns are 5 elements apart, whatever the stride of one is."""
    body = """
      %part = memref.subview %in0[0, 0, 2] [4, 6, 1] [1, 1, 1]
        : memref<4x6x5xi8> to memref<4x6x1xi8, strided<[30, 5, 1], offset: 2>>
      %flat = memref.collapse_shape %part [[0], [1, 2]]
        : memref<4x6x1xi8, strided<[30, 5, 1], offset: 2>>
        into memref<4x6xi8, strided<[30, 5], offset: 2>>
      memref.copy %flat, %out0 : memref<4x6xi8, strided<[30, 5], offset: 2>> to memref<4x6xi8>"""
    assert_both(kernel, body, [X], X[:, :, 2])


def test_reinterpret_cast_transposes(kernel: Any) -> None:
    x = X[0, :4, :4].copy()
    body = """
      %t = memref.reinterpret_cast %in0 to offset: [1], sizes: [3, 4], strides: [1, 4]
        : memref<4x4xi8> to memref<3x4xi8, strided<[1, 4], offset: 1>>
      memref.copy %t, %out0 : memref<3x4xi8, strided<[1, 4], offset: 1>> to memref<3x4xi8>"""
    assert_both(kernel, body, [x], x.T[1:4])


def test_overlapping_bytes_of_a_buffer_move(kernel: Any) -> None:
    """A copy of a buffer onto itself is all that may overlap; it must not be a memcpy."""
    body = """
      memref.copy %in0, %out0 : memref<16xi8> to memref<16xi8>
      memref.copy %out0, %out0 : memref<16xi8> to memref<16xi8>"""
    x = np.arange(16, dtype=np.int8)
    text = assert_both(kernel, body, [x], x)
    assert "memcpy(out, in, 16);" in text
    assert "memmove(out, out, 16);" in text


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "float32", "float64", "bool"])
def test_element_types(kernel: Any, dtype: str) -> None:
    x = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
    element = {"float32": "f32", "float64": "f64", "bool": "i1"}.get(
        dtype, dtype.replace("int", "i")
    )
    body = f"""
      scf.for %i = %c0 to %c2 step %c1 {{
        scf.for %j = %c0 to %c3 step %c1 {{
          %v = memref.load %in0[%i, %j] : memref<2x3x{element}>
          memref.store %v, %out0[%j, %i] : memref<3x2x{element}>
        }}
      }}"""
    assert_both(kernel, body, [x], x.T)


def test_rank_zero(kernel: Any) -> None:
    x = np.array(42, np.int32)
    body = """
      %v = memref.load %in0[] : memref<i32>
      memref.store %v, %out0[] : memref<i32>"""
    assert_both(kernel, body, [x], x)


def test_a_view_by_its_layout(kernel: Any) -> None:
    """A column of a transposed part, in two dimensions and in one."""
    body = """
      %t = memref.transpose %in0 (i, j, k) -> (k, i, j)
        : memref<4x6x5xi8> to memref<5x4x6xi8, strided<[1, 30, 5]>>
      %part = memref.subview %t[2, 1, 0] [1, 1, 6] [1, 1, 1]
        : memref<5x4x6xi8, strided<[1, 30, 5]>> to memref<6xi8, strided<[5], offset: 32>>
      %two = memref.expand_shape %part [[0, 1]] output_shape [2, 3]
        : memref<6xi8, strided<[5], offset: 32>> into memref<2x3xi8, strided<[15, 5], offset: 32>>
      %one = memref.collapse_shape %two [[0, 1]]
        : memref<2x3xi8, strided<[15, 5], offset: 32>> into memref<6xi8, strided<[5], offset: 32>>
      memref.copy %one, %out0 : memref<6xi8, strided<[5], offset: 32>> to memref<6xi8>"""
    assert_both(kernel, body, [X], X[1, :, 2])


def test_a_local_variable_is_an_array_of_its_block(kernel: Any) -> None:
    body = """
      scf.for %i = %c0 to %c4 step %c1 {
        %sums = memref.alloca() : memref<2xi16>
        %first = memref.load %in0[%i, %c0] : memref<4x2xi16>
        %second = memref.load %in0[%i, %c1] : memref<4x2xi16>
        memref.store %second, %sums[%c0] : memref<2xi16>
        memref.store %first, %sums[%c1] : memref<2xi16>
        scf.for %j = %c0 to %c2 step %c1 {
          %x = memref.load %sums[%j] : memref<2xi16>
          memref.store %x, %out0[%i, %j] : memref<4x2xi16>
        }
      }"""
    x = np.arange(8, dtype=np.int16).reshape(4, 2)
    text = assert_both(kernel, body, [x], x[:, ::-1].copy())
    assert re.search(r"for .*\{\n +int16_t \w+\[2\];\n", text)
