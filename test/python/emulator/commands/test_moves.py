"""Moves: what a transfer can move, from where to where; who reaches into a device."""

from __future__ import annotations

import numpy as np
import pytest
from common.emulated import emulator
from common.programs.in_flight import ROUND, machine, program, refused, without

import forebay
from forebay.emulator.memory.faults import (
    Misaligned,
    NoSuchMove,
    NotAddressable,
    WrongPool,
)

X = np.arange(-8, 8, dtype=np.int8)
WIDE = "memref<3x{}xi8, strided<[{}, 1]>, #{}>"


def block(columns: int, apart: int, rows_apart: int) -> tuple[str, ...]:
    """Three runs of `columns` bytes, so far apart in @dram and in @spad."""
    source, target = WIDE.format(columns, apart, "dram"), WIDE.format(columns, rows_apart, "spad")
    whole, held = f"memref<3x{apart}xi8, #dram>", f"memref<3x{rows_apart}xi8, #spad>"
    zero = "%z = arith.constant 7 : i8"
    return (
        zero,
        f"%a = memref_pool.alloc at <@dram, 0> : {whole}",
        f"%x = memref_pool.alloc at <@spad, 0> : {held}",
        f"linalg.fill ins(%z : i8) outs(%a : {whole})",
        f"%s = memref.subview %a[0, 0] [3, {columns}] [1, 1] : {whole} to {source}",
        f"%d = memref.subview %x[0, 0] [3, {columns}] [1, 1] : {held} to {target}",
        f"accel.move @npu.mvin %s into %d : {source}, {target}",
        f"accel.move @npu.mvout %d into %s : {target}, {source}",
        "memref.copy %in, %out : memref<16xi8> to memref<16xi8>",
    )


def test_a_round_trip() -> None:
    right = machine(*ROUND)
    np.testing.assert_array_equal(right.call("main", [X])[0], X)
    assert right.report.read["@spad"] == right.report.written["@spad"] == 16


def test_rows_that_lie_apart() -> None:
    right = machine(*block(8, 32, 16))
    right.call("main", [X])
    assert right.report.moved["@npu.mvin", "@spad"] == 24


def test_a_run_over_rows_may_end_inside_of_one() -> None:
    machine(*block(24, 32, 32)).call("main", [X])


def test_rows_that_begin_inside_of_a_row() -> None:
    message = refused(NoSuchMove, *block(8, 32, 24))
    assert message == (
        "n.mlir:7:1: accel.move moves runs that are 24 bytes apart in @spad, whose rows have 16"
    )


def test_runs_that_are_no_multiple_of_the_granule() -> None:
    message = refused(NoSuchMove, *block(6, 32, 16))
    assert message == (
        "n.mlir:7:1: accel.move moves runs of 6 bytes, but those of @npu.mvin are multiples of 4"
    )


def test_a_block_of_too_many_dimensions() -> None:
    text = program(*block(8, 32, 16)).replace("to [@spad] rank 2", "to [@spad] rank 1")
    with pytest.raises(NoSuchMove, match=r"of rank 2, but @npu\.mvin has rank 1$"):
        emulator(text).call("main", [X])


def test_the_wrong_end_of_a_transfer() -> None:
    message = refused(WrongPool, *without(ROUND, 5, "accel.move @npu.mvin %x into %a : SPAD, DRAM"))
    assert message == (
        "n.mlir:5:1: accel.move finds that the source of @npu.mvin is in @spad, but it may be in "
        "@dram only: buffer 'buffer' [16, 32)"
    )
    aside = "accel.move @npu.mvin %a into %a : DRAM, DRAM"
    assert "the target of @npu.mvin is in @dram" in refused(WrongPool, *without(ROUND, 5, aside))


def test_a_buffer_that_begins_inside_of_a_row() -> None:
    message = refused(
        Misaligned, *without(ROUND, 2, "%x = memref_pool.alloc at <@spad, 24> : SPAD")
    )
    assert message == (
        "n.mlir:2:1: memref_pool.alloc places buffer 'buffer' at [24, 40) of @spad, but its "
        "alignment is 16"
    )


@pytest.mark.parametrize(
    ("line", "verb"),
    [
        ("memref.copy %x, %out : SPAD to memref<16xi8>", "reads"),
        ("memref.copy %in, %x : memref<16xi8> to SPAD", "writes"),
    ],
)
def test_the_host_inside_of_a_device(line: str, verb: str) -> None:
    message = refused(NotAddressable, *without(ROUND, 5, line))
    assert message == (
        f"n.mlir:5:1: memref.copy {verb} buffer 'buffer' in @spad on the host 'cpu', but the pool "
        "is inside a device; move the bytes by one of its transfers"
    )


def test_an_op_on_a_device_that_is_none() -> None:
    line = "memref.copy %in, %a {accel.on = @tpu} : memref<16xi8> to DRAM"
    with pytest.raises(forebay.Error, match=r"^n\.mlir:3:1: accel\.on names @tpu, which is no"):
        machine(*without(ROUND, 3, line))
