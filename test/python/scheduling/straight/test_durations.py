"""Cycles of the operations of straight-line code."""

from __future__ import annotations

import re

from common.programs.straight_tiles import BYTES, Tiles
from mlir import ir

from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.scheduling.straight.durations import Durations
from forebay.scheduling.straight.items import Commands, ScheduledOp


def cycles(text: str) -> list[int]:
    """Of the load, the call and the store of a tile."""
    with ir.Context(), ir.Location.unknown():
        program = ir.Module.parse(text)
        module = module_of(program)
        commands, durations = Commands(module), Durations(module)
        return [
            durations.of(ScheduledOp(op, (), commands.command_of(op), None, op.location))
            for op in ops_nested_in(functions_in(module)[0])
            if commands.command_of(op) is not None
        ]


def test_transfers_take_latency_and_bandwidth_and_calls_what_they_declare() -> None:
    assert cycles(Tiles(1, cycles=30).text) == [8 + BYTES // 4, 30, 8 + BYTES // 4]


def test_cycles_are_computed_from_the_scalars_of_the_call() -> None:
    text = Tiles(1).text.replace("queue @npu.run {", 'scalars ["rows"] queue @npu.run {')
    text = text.replace("%y: memref<?xi8>):", "%y: memref<?xi8>, %rows: i32):")
    cost = "^bb0(%rows: i32):\n%r = arith.extui %rows : i32 to i64\n"
    text = re.sub(r"\^bb0:\s+%c = .*", f"{cost}%c = arith.muli %r, %r : i64", text)
    text = re.sub(r"(accel.call .*)", r"\1 config {rows = 7 : i64}", text)
    assert cycles(text)[1] == 49


def test_without_times_the_bytes_decide() -> None:
    text = re.sub(r"\s+latency 8 bandwidth 4", "", Tiles(1).text)
    text = re.sub(r"cycles \{\n\^bb0:(.|\n)*?\n\}\n", "\n", text)
    assert cycles(text) == [2 * BYTES, 2 * BYTES, 2 * BYTES]
