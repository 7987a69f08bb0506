"""Synchronous transfers are one call; asynchronous ones a start, a ticket and a wait."""

from __future__ import annotations

from mlir import ir

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.codegen.c import print_module
from forebay.network.constants import constant_memory, constants_of
from forebay.pipelines.runner import run_pipeline

from .scratchpad import DEVICE

PROGRAM = """
func.func @main(%a: memref<32xi8, #dram> {accel.name = "a"},
                %r: memref<32xi32, #dram> {accel.name = "r", bufferize.result}) {
  %s = memref_pool.alloc : memref<32xi8, #spad>
  %y = memref_pool.alloc : memref<32xi32, #acc>
  MOVE
  accel.call @npu.widen ins(%s : memref<32xi8, #spad>) outs(%y : memref<32xi32, #acc>)
    config {n = 32 : i64}
  accel.move @npu.mvout %y into %r : memref<32xi32, #acc>, memref<32xi32, #dram>
  return
}
"""
IF_WRONG = ["if (code != 0) {", "return code;", "}"]
TYPES = "memref<32xi8, #dram>, memref<32xi8, #spad>"


def device_calls(move: str) -> list[str]:
    """What the device's function says, line by line."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(DEVICE + PROGRAM.replace("MOVE", move))
        run_pipeline(
            module,
            "builtin.module(memref-pool-plan,memref-pool-verify-plan,accel-outline-operators,"
            "memref-pool-materialize,memref-pool-verify-plan,memref-pool-check-printable)",
        )
        memory = constant_memory(module, constants_of(module))
        text = print_module(module, "net", set(), memory, {}).units["npu"].functions
    return [line.strip() for line in text.splitlines() if line.startswith("    ")]


def test_a_synchronous_copy_is_one_call() -> None:
    lines = device_calls(f"accel.move @npu.mvin %a into %s : {TYPES}")
    assert lines[0] == "int32_t code = npu_mvin(in, 0x00000000u /* spad */, 1u, 0u, 0u, 32u);"
    assert lines[1:4] == IF_WRONG
    assert len(lines) == 3 * 4 - 3


def test_an_asynchronous_copy_is_a_start_a_ticket_and_a_wait() -> None:
    lines = device_calls(f"%t = accel.start @npu.mvin %a into %s : {TYPES}\n  accel.wait %t")
    assert lines[:5] == [
        "const uint32_t ticket = npu_mvin_start(in, 0x00000000u /* spad */, 1u, 0u, 0u, 32u);",
        "int32_t code = npu_load_wait(ticket);",
        *IF_WRONG,
    ]
    assert len(lines) == 1 + 3 * 4 - 3
