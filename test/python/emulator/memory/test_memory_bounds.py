"""Sizes that no machine has are refused before anything of that size is made."""

import numpy as np
import pytest
from common.emulated import ALLOC, FILL, OUT, emulator, main, run
from mlir import ir
from mlir.dialects import memref

from forebay.emulator.interpreter import registry
from forebay.emulator.memory.faults import (
    LiveOverwrite,
    NotEmulatedError,
    OutOfRange,
    TooLargeError,
)

HUGE = 1 << 62


def test_a_buffer_beyond_its_pool() -> None:
    text = main("%a = " + ALLOC.format(HUGE, "a", 1), FILL.format("a", 2), OUT.format("a", 3))
    with pytest.raises(OutOfRange, match=f"at \\[{HUGE}, {HUGE + 16}\\) of @ws, which has 256"):
        run(text)
    with pytest.raises(OutOfRange, match="which has 256 bytes"):
        run(text, checks=False)


def test_a_view_of_more_elements_than_there_are() -> None:
    text = main(
        "%a = " + ALLOC.format(0, "a", 1),
        f"%v = memref.reinterpret_cast %a to offset: [0], sizes: [{HUGE}], strides: [1] : "
        f"memref<16xi8, #ws> to memref<{HUGE}xi8, strided<[1]>, #ws>",
        f"%w = memref.cast %v : memref<{HUGE}xi8, strided<[1]>, #ws> to "
        f"memref<{HUGE}xi8, strided<[1]>, #ws>",
        f"memref.copy %w, %w : memref<{HUGE}xi8, strided<[1]>, #ws> to "
        f"memref<{HUGE}xi8, strided<[1]>, #ws>",
        OUT.format("a", 3),
    )
    with pytest.raises(OutOfRange, match="outside of buffer 'a'"):
        run(text)


def test_a_kernel_over_more_points_than_can_be_looked_at() -> None:
    text = main(
        "%a = " + ALLOC.format(0, "a", 1),
        f"%v = memref.reinterpret_cast %a to offset: [0], sizes: [{HUGE}], strides: [1] : "
        f"memref<16xi8, #ws> to memref<{HUGE}xi8, strided<[1]>, #ws>",
        f"linalg.fill ins(%x : i8) outs(%v : memref<{HUGE}xi8, strided<[1]>, #ws>)",
        OUT.format("a", 3),
    )
    with pytest.raises(TooLargeError, match="elements is more than the 134,217,728"):
        run(text)


def test_arguments_of_the_caller() -> None:
    port = f'%out: memref<{HUGE}xi8> {{accel.name = "y", bufferize.result}}'
    with pytest.raises(TooLargeError, match="the caller's 'y' takes 4,611,686,018,427,387,904"):
        run(f"func.func @main({port}) {{ return }}")


def test_a_large_pool_inside_a_device_has_what_the_plan_takes() -> None:
    text = """
    accel.device @cpu kind "cpu" host
    accel.device @npu kind "npu"
    memref_pool.pool @spad workspace local capacity {} read [@npu] write [@npu]{}
    func.func @main() {{ return }}
    """
    emulator(text.format(HUGE, ' certificate <planner = "hand", peak = 16, lower_bound = 0>'))
    with pytest.raises(NotEmulatedError, match=r"'memref_pool.pool' is too large: @spad"):
        emulator(text.format(HUGE, ""))


POOLS = """
memref_pool.pool @ws workspace capacity 64 align 16 base 4096
memref_pool.pool @above workspace capacity 64 align 16 base {}
"""
TWO = main(
    "%a = " + ALLOC.format(48, "a", 1),
    "%b = memref_pool.alloc at <@above, 0> : memref<16xi8, #memref_pool.space<@above>> "
    'loc("b"("n.mlir":2:1))',
    FILL.format("a", 3),
    "linalg.fill ins(%x : i8) outs(%b : memref<16xi8, #memref_pool.space<@above>>) "
    'loc("n.mlir":4:1)',
    OUT.format("a", 5),
)


def test_pools_whose_addresses_overlap_share_bytes() -> None:
    """[4096, 4160) and [4144, 4208): byte 48 of the one is byte 0 of the other."""
    with pytest.raises(LiveOverwrite) as caught:
        run(POOLS.format(4144) + TWO)
    assert str(caught.value) == (
        "n.mlir:4:1: linalg.fill writes byte 0 of @above (address 0x1030) in buffer 'b' [0, 16) "
        "over live buffer 'a' [48, 64), written by linalg.fill at n.mlir:3:1"
    )


def test_pools_behind_each_other_do_not() -> None:
    np.testing.assert_array_equal(run(POOLS.format(4160) + TWO)[0], np.full(16, 7, np.int8))


def test_buffers_without_bytes_share_none() -> None:
    """At one place, inside of a buffer: nothing of it is read or written."""
    empty = "memref_pool.alloc align 1 at <@ws, 8> : memref<0xi8, #ws>"
    text = main(
        "%a = " + ALLOC.format(0, "a", 1),
        f"%e = {empty}",
        f"%f = {empty}",
        FILL.format("a", 2),
        "memref.copy %e, %f : memref<0xi8, #ws> to memref<0xi8, #ws>",
        OUT.format("a", 3),
    )
    np.testing.assert_array_equal(run(text)[0], np.full(16, 7, np.int8))


def test_reshapes_of_what_leaves_its_buffer_are_found_at_the_access() -> None:
    """Nothing is made of the bytes that a view does not have."""
    text = main(
        "%a = " + ALLOC.format(240, "a", 1),
        "%v = memref.reinterpret_cast %a to offset: [0], sizes: [64], strides: [1] : "
        "memref<16xi8, #ws> to memref<64xi8, strided<[1]>, #ws>",
        "%e = memref.expand_shape %v [[0, 1]] output_shape [4, 16] : "
        "memref<64xi8, strided<[1]>, #ws> into memref<4x16xi8, #ws>",
        'linalg.fill ins(%x : i8) outs(%e : memref<4x16xi8, #ws>) loc("n.mlir":4:1)',
        OUT.format("a", 5),
    )
    with pytest.raises(
        OutOfRange, match=r"n.mlir:4:1: linalg.fill writes byte 256 of @ws, outside"
    ):
        run(text)


@pytest.mark.parametrize("op", [None, memref.TransposeOp, memref.CollapseShapeOp])
def test_a_view_without_a_rule_of_its_own(
    monkeypatch: pytest.MonkeyPatch, op: type[ir.OpView] | None
) -> None:
    """The layout comes from the type: row 1 of the transposed buffer is column 1."""
    if op is not None:
        rules = {cls: rule for cls, rule in registry.rules().items() if cls is not op}
        monkeypatch.setattr(registry, "rules", lambda: rules)
    text = main(
        "%a = memref_pool.alloc at <@ws, 0> : memref<4x4xi8, #ws>",
        "%y = arith.constant 1 : i8",
        "linalg.fill ins(%y : i8) outs(%a : memref<4x4xi8, #ws>)",
        "%t = memref.transpose %a (i, j) -> (j, i) : memref<4x4xi8, #ws> to "
        "memref<4x4xi8, strided<[1, 4]>, #ws>",
        "%v = memref.subview %t[1, 0] [1, 4] [1, 1] : memref<4x4xi8, strided<[1, 4]>, #ws> to "
        "memref<4xi8, strided<[4], offset: 1>, #ws>",
        "linalg.fill ins(%x : i8) outs(%v : memref<4xi8, strided<[4], offset: 1>, #ws>)",
        "%b = memref.collapse_shape %a [[0, 1]] : memref<4x4xi8, #ws> into memref<16xi8, #ws>",
        OUT.format("b", 5),
    )
    np.testing.assert_array_equal(run(text)[0], [1, 7, 1, 1] * 4)


def test_reshapes_to_sizes_that_the_run_decides() -> None:
    """A column of a 4x4 buffer in two dimensions and back: every other byte of it is another's."""
    text = main(
        "%c2 = arith.constant 2 : index",
        "%a = memref_pool.alloc at <@ws, 0> : memref<4x4xi8, #ws>",
        "%y = arith.constant 1 : i8",
        "linalg.fill ins(%y : i8) outs(%a : memref<4x4xi8, #ws>)",
        "%v = memref.subview %a[0, 1] [4, 1] [1, 1] : memref<4x4xi8, #ws> to "
        "memref<4xi8, strided<[4], offset: 1>, #ws>",
        "%d = memref.cast %v : memref<4xi8, strided<[4], offset: 1>, #ws> to "
        "memref<?xi8, strided<[4], offset: 1>, #ws>",
        "%e = memref.expand_shape %d [[0, 1]] output_shape [%c2, 2] : "
        "memref<?xi8, strided<[4], offset: 1>, #ws> into "
        "memref<?x2xi8, strided<[8, 4], offset: 1>, #ws>",
        "%f = memref.collapse_shape %e [[0, 1]] : "
        "memref<?x2xi8, strided<[8, 4], offset: 1>, #ws> into "
        "memref<?xi8, strided<[4], offset: 1>, #ws>",
        "%z = memref.cast %f : memref<?xi8, strided<[4], offset: 1>, #ws> to "
        "memref<4xi8, strided<[4], offset: 1>, #ws>",
        "linalg.fill ins(%x : i8) outs(%z : memref<4xi8, strided<[4], offset: 1>, #ws>)",
        "%b = memref.collapse_shape %a [[0, 1]] : memref<4x4xi8, #ws> into memref<16xi8, #ws>",
        OUT.format("b", 5),
    )
    np.testing.assert_array_equal(run(text)[0], [1, 7, 1, 1] * 4)
