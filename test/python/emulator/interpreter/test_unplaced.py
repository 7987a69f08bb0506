"""Programs that no plan has placed: each buffer has memory of its own, and what it computes."""

import numpy as np
import pytest
from common.emulated import emulator, run
from common.programs.in_flight import MACHINE
from mlir import ir

from forebay.emulator import Emulator
from forebay.emulator.memory.faults import (
    DeadRead,
    NeverWritten,
    NoRight,
    NotEmulatedError,
    OutOfRange,
)
from forebay.options import Options
from forebay.pipelines import run_pipeline, stages

WS = "#memref_pool.space<[@ws, @fast]>"
POOLS = "memref_pool.pool @ws workspace\nmemref_pool.pool @fast workspace capacity 4\n"
PORTS = (
    '%in: memref<16xi8> {accel.name = "in"}, '
    '%out: memref<16xi8> {accel.name = "out", bufferize.result}'
)
X = np.arange(16, dtype=np.int8)


def program(*lines: str) -> str:
    body = "\n  ".join(lines)
    text = f"{POOLS}func.func @main({PORTS}) {{\n  {body}\n  return\n}}"
    return text.replace("BUF", "memref<16xi8, #candidates>").replace("#candidates", WS)


def sized(text: str) -> str:
    return text.replace("workspace\n", "workspace capacity 64\n")


def unplaced(*lines: str, **options: int) -> np.ndarray:
    return run(program(*lines), X, placed=False, **options)[0]


ALLOC_AND_COPY = (
    "%a = memref_pool.alloc : BUF",
    "memref.copy %in, %a : memref<16xi8> to BUF",
    "memref.copy %a, %out : BUF to memref<16xi8>",
)


def test_a_buffer_without_a_place_runs_only_unplaced() -> None:
    np.testing.assert_array_equal(unplaced(*ALLOC_AND_COPY), X)
    with pytest.raises(NotEmulatedError, match="has no place for 'buffer'"):
        run(sized(program(*ALLOC_AND_COPY)), X)


def test_upstreams_allocations_run_too() -> None:
    lines = [line.replace("memref_pool.alloc", "memref.alloc()") for line in ALLOC_AND_COPY]
    np.testing.assert_array_equal(unplaced(*lines, "memref.dealloc %a : BUF"), X)


def local_variable(*written: str) -> str:
    """Return a planned program whose output is the input, but for byte 0, from a variable."""
    text = program(
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "memref.copy %in, %out : memref<16xi8> to memref<16xi8>",
        "%variable = memref.alloca() : memref<2xi8>",
        "%x = memref.load %in[%c1] : memref<16xi8>",
        *written,
        "%y = memref.load %variable[%c1] : memref<2xi8>",
        "memref.store %y, %out[%c0] : memref<16xi8>",
    )
    return sized(text)


def test_a_local_variable_of_a_planned_program_has_no_place() -> None:
    (out,) = run(local_variable("memref.store %x, %variable[%c1] : memref<2xi8>"), X)
    np.testing.assert_array_equal(out, [X[1], *X[1:]])


def test_a_local_variable_is_not_read_before_it_is_written() -> None:
    with pytest.raises(NeverWritten, match="memory without a pool"):
        run(local_variable(), X)


def test_wrong_places_do_not_matter() -> None:
    at = "memref_pool.alloc at <@ws, 0> : BUF"
    lines = (
        f"%a = {at}",
        f"%b = {at}",
        "%z = arith.constant 0 : i8",
        "memref.copy %in, %a : memref<16xi8> to BUF",
        "linalg.fill ins(%z : i8) outs(%b : BUF)",
        "memref.copy %b, %out : BUF to memref<16xi8>",
        "memref.copy %a, %out : BUF to memref<16xi8>",
    )
    np.testing.assert_array_equal(unplaced(*lines), X)


def test_what_nothing_has_written_is_poison_and_a_fault() -> None:
    lines = (ALLOC_AND_COPY[0], ALLOC_AND_COPY[2])
    with pytest.raises(NeverWritten, match="byte 0 of @ws or @fast in buffer 'buffer'"):
        unplaced(*lines)
    for poison in (0xA5, 0x3C):
        found = unplaced(*lines, checks=False, poison=poison)
        assert found.view(np.uint8).tolist() == [poison] * 16


def test_each_iteration_has_a_buffer_of_its_own() -> None:
    lines = (
        "%c0 = arith.constant 0 : index",
        "%c1 = arith.constant 1 : index",
        "%c2 = arith.constant 2 : index",
        "scf.for %i = %c0 to %c2 step %c1 {",
        ALLOC_AND_COPY[0],
        "%first = arith.cmpi eq, %i, %c0 : index",
        "scf.if %first {",
        ALLOC_AND_COPY[1],
        "}",
        ALLOC_AND_COPY[2],
        "}",
    )
    with pytest.raises(NeverWritten):
        unplaced(*lines)
    found = unplaced(*lines, checks=False, poison=7)
    assert found.tolist() == [7] * 16


def test_a_view_does_not_leave_its_buffer() -> None:
    cast = (
        "%r = memref.reinterpret_cast %a to offset: [8], sizes: [16], strides: [1] "
        ": BUF to memref<16xi8, strided<[1], offset: 8>, #candidates>"
    )
    copy = (
        "memref.copy %r, %out : memref<16xi8, strided<[1], offset: 8>, #candidates> "
        "to memref<16xi8>"
    )
    with pytest.raises(OutOfRange, match=r"outside of buffer 'buffer' \[0, 16\)"):
        unplaced(ALLOC_AND_COPY[0], ALLOC_AND_COPY[1], cast, copy)


def test_an_input_of_the_caller_is_not_written() -> None:
    with pytest.raises(NoRight):
        unplaced("%z = arith.constant 0 : i8", "linalg.fill ins(%z : i8) outs(%in : memref<16xi8>)")


STATE = """
memref_pool.pool @st state
func.func @main(%s: memref<4xi8, #memref_pool.space<@st>> {accel.name = "s"},
                %out: memref<4xi8> {accel.name = "out", bufferize.result}) {
  memref.copy %s, %out : memref<4xi8, #memref_pool.space<@st>> to memref<4xi8>
  linalg.add ins(%s, %s : memref<4xi8, #memref_pool.space<@st>>,
                          memref<4xi8, #memref_pool.space<@st>>)
             outs(%s : memref<4xi8, #memref_pool.space<@st>>)
  return
}
func.func @reset(%s: memref<4xi8, #memref_pool.space<@st>> {accel.name = "s"}) {
  %v = arith.constant 3 : i8
  linalg.fill ins(%v : i8) outs(%s : memref<4xi8, #memref_pool.space<@st>>)
  return
}
"""


def test_state_that_two_functions_take_is_one_variable() -> None:
    machine = emulator(STATE, placed=False)
    machine.call("reset")
    assert [machine.call("main")[0].tolist() for _ in range(3)] == [[3] * 4, [6] * 4, [12] * 4]
    assert machine.state["s"].tolist() == [24] * 4
    machine.call("reset")
    assert machine.state["s"].tolist() == [3] * 4


def test_a_stale_buffer_of_a_dead_call_is_not_seen() -> None:
    """Memory is used again when its buffer has died; the next one finds nothing in it."""
    text = program("func.call @fill() : () -> ()", ALLOC_AND_COPY[0], ALLOC_AND_COPY[2])
    text += (
        "\nfunc.func private @fill() {\n%a = memref_pool.alloc : BUF\n%v = arith.constant 1 : i8\n"
        "linalg.fill ins(%v : i8) outs(%a : BUF)\nreturn\n}"
    ).replace("BUF", f"memref<16xi8, {WS}>")
    with pytest.raises((NeverWritten, DeadRead)):
        run(text, X, placed=False)


def test_memory_inside_of_a_device_is_filled_by_copies_before_transfers_are_there() -> None:
    lines = (
        "%a = memref_pool.alloc : SPAD",
        "memref_pool.copy %in into %a : memref<16xi8>, SPAD",
        "memref_pool.copy %a into %out : SPAD, memref<16xi8>",
    )
    text = program(*lines).replace("SPAD", "memref<16xi8, #memref_pool.space<@spad>>")
    np.testing.assert_array_equal(run(MACHINE + text, X, placed=False)[0], X)


CONVOLUTION = """
func.func @main(%x: tensor<1x8x8x3xf32> {accel.name = "x"}) -> (tensor<1x4x4x3xf32> {accel.name = "y"}) {
  %zero = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %p = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>,
    pad = array<i64: 0, 0, 0, 0>} : (tensor<1x8x8x3xf32>) -> tensor<1x4x4x3xf32>
  %y = tosa.add %p, %p : (tensor<1x4x4x3xf32>, tensor<1x4x4x3xf32>) -> tensor<1x4x4x3xf32>
  return %y : tensor<1x4x4x3xf32>
}
"""  # noqa: E501


def test_a_network_computes_the_same_before_and_after_planning() -> None:
    x = np.random.default_rng(0).normal(size=(1, 8, 8, 3)).astype(np.float32)
    pooled = x.reshape(1, 4, 2, 4, 2, 3).max(axis=(2, 4))
    host = Options(target="host")
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(CONVOLUTION)
        run_pipeline(module, stages.lowering(host))
        run_pipeline(module, stages.bufferization(host))
        before = Emulator(module.operation.clone().operation, placed=False)
        run_pipeline(module, stages.planning(host))
        for machine in (
            before,
            Emulator(module.operation),
            Emulator(module.operation, placed=False),
        ):
            np.testing.assert_array_equal(machine.call("main", [x])[0], 2 * pooled)
