"""Calls of intrinsics: the reference computes, and every demand of an operand is checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.emulated import emulator
from mlir import ir

import forebay.passes  # noqa: F401  (registers)
from forebay.emulator import Emulator, Fault
from forebay.emulator.memory.faults import (
    LiveOverwrite,
    Misaligned,
    NeverWritten,
    NoRight,
    NotContiguous,
    NotEmulatedError,
    OutOfRange,
    WrongPool,
    WrongReference,
)
from forebay.pipelines import run_pipeline

TWO_DEVICES = Path(__file__).parents[2] / "codegen" / "inputs" / "two_devices.mlir"

TEXT = """
accel.device @cpu kind "cpu" host
accel.device @npu kind "npu"
memref_pool.pool @l2 workspace capacity 256 align 8 read [@cpu] write [@cpu]
memref_pool.pool @act workspace capacity 256 align 8
accel.intrinsic @npu.double on @npu symbol "npu_double"
  operands [#accel.operand<name = "x", access = in, pools = [@act], align = 16>,
            #accel.operand<name = "y", access = out, pools = [@act]>]
  scalars ["count"] {
^bb0(%x: memref<?xi8>, %y: memref<?xi8>, %count: i32):
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.index_cast %count : i32 to index
  scf.for %i = %c0 to %n step %c1 {
    %v = memref.load %x[%i] : memref<?xi8>
    %s = arith.addi %v, %v : i8
    memref.store %s, %y[%i] : memref<?xi8>
  }
  accel.yield
}
func.func @main(%out: memref<16xi8> {accel.name = "y", bufferize.result}) {
  %three = arith.constant 3 : i8
  %x = memref_pool.alloc at <@act, 16> : memref<16xi8, #act> loc("x"("n.mlir":1:1))
  linalg.fill ins(%three : i8) outs(%x : memref<16xi8, #act>) loc("n.mlir":2:1)
  %y = memref_pool.alloc at <@act, 32> : memref<16xi8, #act> loc("y"("n.mlir":3:1))
  accel.call @npu.double ins(%x : memref<16xi8, #act>) outs(%y : memref<16xi8, #act>)
    config {count = 16 : i64} loc("n.mlir":4:1)
  memref.copy %y, %out : memref<16xi8, #act> to memref<16xi8> loc("n.mlir":5:1)
  return
}
"""
SPACES = {"#act": "#memref_pool.space<@act>", "#l2": "#memref_pool.space<@l2>"}


def machine(*changes: tuple[str, str]) -> Emulator:
    text = TEXT
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    for short, long in SPACES.items():
        text = text.replace(short, long)
    return emulator(text)


def refused(kind: type[Fault], *changes: tuple[str, str]) -> str:
    with pytest.raises(Fault) as caught:
        machine(*changes).call("main")
    assert type(caught.value) is kind
    return str(caught.value)


def test_the_reference_computes() -> None:
    right = machine()
    np.testing.assert_array_equal(right.call("main")[0], np.full(16, 6, np.int8))
    assert right.report.calls == {"@npu.double": 1}
    # The fill writes 16 bytes of @act, the call reads these and writes 16, the copy reads 16.
    assert (right.report.read["@act"], right.report.written["@act"]) == (32, 32)


def test_two_instances_of_a_kind_and_an_inout_operand() -> None:
    with ir.Context():
        module = ir.Module.parse(TWO_DEVICES.read_text())
        run_pipeline(module, "builtin.module(memref-pool-plan{planner=first-fit})")
    devices = Emulator(module.operation)
    weights = np.array([range(1, 9), [-1] * 4 + [1] * 4, range(-8, 0)])
    for x in np.random.default_rng(0).integers(-60, 60, (8, 8), np.int8):
        expected = np.maximum(weights @ (x.astype(np.int32) + 1), 0)
        np.testing.assert_array_equal(devices.call("main", [x])[0], expected)
    assert devices.report.calls == {"@npu0.scale": 1, "@npu1.scale": 1, "@npu1.dense": 1}
    assert devices.report.macs == 24  # of the dense layer; a scale by a number is none


def test_an_operand_in_a_pool_that_it_cannot_be_in() -> None:
    message = refused(
        WrongPool,
        ("at <@act, 16> : memref<16xi8, #act>", "at <@l2, 16> : memref<16xi8, #l2>"),
        ("outs(%x : memref<16xi8, #act>)", "outs(%x : memref<16xi8, #l2>)"),
        ("ins(%x : memref<16xi8, #act>)", "ins(%x : memref<16xi8, #l2>)"),
    )
    assert message == (
        "n.mlir:4:1: accel.call finds that operand 'x' of @npu.double is in @l2, but it may be in "
        "@act only: buffer 'x' [16, 32)"
    )


def test_an_operand_in_the_caller_s_memory() -> None:
    message = refused(
        WrongPool,
        ("access = out, pools = [@act]>", "access = out>"),
        ("outs(%y : memref<16xi8, #act>)", "outs(%out : memref<16xi8>)"),
        (
            "memref.copy %y, %out : memref<16xi8, #act> to",
            "memref.copy %out, %out : memref<16xi8> to",
        ),
    )
    assert "operand 'y' of @npu.double is in the caller's 'y', which is no pool" in message


def test_an_operand_without_pools_falls_under_the_device_s_right() -> None:
    message = refused(
        NoRight,
        ("access = in, pools = [@act], align = 16>", "access = in>"),
        ("at <@act, 16> : memref<16xi8, #act>", "at <@l2, 16> : memref<16xi8, #l2>"),
        ("outs(%x : memref<16xi8, #act>)", "outs(%x : memref<16xi8, #l2>)"),
        ("ins(%x : memref<16xi8, #act>)", "ins(%x : memref<16xi8, #l2>)"),
    )
    assert message == (
        "n.mlir:4:1: accel.call reads buffer 'x' in @l2 on device 'npu', which may not read there; "
        "devices that may: cpu"
    )


def test_an_operand_s_pools_stand_above_the_device_s_right() -> None:
    right = machine(
        (
            "@act workspace capacity 256 align 8",
            "@act workspace capacity 256 align 8 read [@cpu] write [@cpu]",
        )
    )
    np.testing.assert_array_equal(right.call("main")[0], np.full(16, 6, np.int8))


def test_an_operand_that_is_not_aligned() -> None:
    message = refused(Misaligned, ("at <@act, 16>", "at <@act, 8>"))
    assert message == (
        "n.mlir:4:1: accel.call needs operand 'x' of @npu.double aligned to 16, and it begins at "
        "byte 8 of @act"
    )


def test_an_operand_that_was_never_written() -> None:
    fill = 'linalg.fill ins(%three : i8) outs(%x : memref<16xi8, #act>) loc("n.mlir":2:1)'
    message = refused(NeverWritten, (fill, ""))
    assert "accel.call reads byte 16 of @act in buffer 'x' [16, 32), which nothing has" in message


def test_a_result_over_an_operand() -> None:
    message = refused(LiveOverwrite, ("at <@act, 32>", "at <@act, 24>"))
    assert message == (
        "n.mlir:4:1: accel.call writes byte 24 of @act in buffer 'y' [24, 40) over live buffer 'x' "
        "[16, 32), written by linalg.fill at n.mlir:2:1"
    )


def test_a_result_that_is_its_operand() -> None:
    message = refused(
        LiveOverwrite,
        ("outs(%y : memref<16xi8, #act>)", "outs(%x : memref<16xi8, #act>)"),
        ("memref.copy %y", "memref.copy %x"),
    )
    assert "operand 'y' of @npu.double shares bytes with operand 'x'" in message


def test_an_operand_with_gaps() -> None:
    view = (
        "%v = memref.subview %x[0] [8] [2] : "
        "memref<16xi8, #act> to memref<8xi8, strided<[2]>, #act>"
    )
    message = refused(
        NotContiguous,
        ("  accel.call", f"  {view}\n  accel.call"),
        ("ins(%x : memref<16xi8, #act>)", "ins(%v : memref<8xi8, strided<[2]>, #act>)"),
    )
    assert "operand 'x' of @npu.double has gaps" in message


def test_scalars_that_lead_outside() -> None:
    message = refused(OutOfRange, ("count = 16 : i64", "count = 17 : i64"))
    assert message == (
        "n.mlir:4:1: accel.call of @npu.double uses element 16 of operand 'x', which has 16 there"
    )


def test_a_result_that_is_not_written_completely() -> None:
    message = refused(WrongReference, ("count = 16 : i64", "count = 15 : i64"))
    assert message == (
        "n.mlir:4:1: accel.call of @npu.double leaves element 15 of operand 'y' unwritten"
    )


def test_a_reference_that_reads_what_it_only_writes() -> None:
    load = "%v = memref.load %x[%i] : memref<?xi8>"
    message = refused(WrongReference, (load, load.replace("%x", "%y")))
    assert "reads element 0 of operand 'y' before it writes it" in message


def test_a_reference_that_writes_what_it_only_reads() -> None:
    store = "memref.store %s, %y[%i]"
    message = refused(WrongReference, (store, store.replace("%y", "%x")))
    assert "writes element 0 of operand 'x', which it only reads" in message


def test_an_intrinsic_needs_a_reference() -> None:
    start, end = TEXT.index('["count"] {'), TEXT.index("func.func")
    with pytest.raises(NotEmulatedError, match="has no reference; say in upstream ops"):
        machine((TEXT[start:end], '["count"]\n'))
