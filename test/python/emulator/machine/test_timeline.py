"""Modelled time: lanes beside each other, the host held up by what it calls and waits for."""

from __future__ import annotations

import numpy as np
import pytest
from common.emulated import emulator
from common.in_flight import CHAIN, ROUND, machine, program

from forebay.emulator.machine.timeline import HOST, Timeline, Work
from forebay.emulator.memory.faults import NotEmulatedError

X = np.arange(-8, 8, dtype=np.int8)
Rows = list[tuple[str, str, int, int]]


def spans(timeline: Timeline) -> Rows:
    return [
        (span.lane, span.work.name, span.begin, span.end)
        for span in timeline.spans
        if span.end > span.begin
    ]


def test_a_chain_takes_as_long_as_its_parts() -> None:
    right = machine(*CHAIN)
    right.call("main", [X])
    # 16 bytes in: 20 + 16 / 16; a call of 16: 16 + 5; 16 bytes out: 10 + 16 / 8.
    assert spans(right.report.timeline) == [
        ("npu.load", "@npu.mvin", 0, 21),
        ("npu.run", "@npu.double", 21, 42),
        ("npu.load", "@npu.mvout", 42, 54),
        (HOST, "wait", 0, 54),
    ]
    assert right.report.cycles == 54


def test_a_second_run_begins_at_cycle_0() -> None:
    right = machine(*CHAIN)
    for _ in range(2):
        right.call("main", [X])
    assert right.report.cycles == 54


def test_a_load_beside_a_computation() -> None:
    lines = (
        *CHAIN[:7],
        "%z = memref_pool.alloc at <@spad, 32> : SPAD",
        "%w = accel.start @npu.mvin %a into %z : DRAM, SPAD",
        "accel.wait %w",
        *CHAIN[7:],
    )
    right = machine(*lines)
    right.call("main", [X])
    assert ("npu.load", "@npu.mvin", 21, 42) in spans(right.report.timeline)
    assert right.report.cycles == 54  # not 75: the second load is hidden


def test_what_is_called_holds_up_the_host() -> None:
    right = machine(*ROUND)
    right.call("main", [X])
    assert spans(right.report.timeline) == [
        ("npu.load", "@npu.mvin", 0, 21),
        (HOST, "@npu.mvin", 0, 21),
        ("npu.load", "@npu.mvout", 21, 33),
        (HOST, "@npu.mvout", 21, 33),
    ]


def test_cycles_by_op_and_by_lane() -> None:
    right = machine(*CHAIN)
    right.call("main", [X])
    time = right.report.timeline
    assert time.by_op() == {
        ("n.mlir:6:1", "@npu.mvin"): 21,
        ("n.mlir:7:1", "@npu.double"): 21,
        ("n.mlir:8:1", "@npu.mvout"): 12,
    }
    assert (time.busy("npu.load"), time.busy("npu.run")) == (33, 21)
    text = str(right.report)
    assert "54 cycles modelled" in text
    assert "npu.load             33   61%" in text
    assert "@npu.double      21  n.mlir:7:1" in text


def test_cycles_below_zero_are_refused() -> None:
    text = program(*CHAIN).replace("arith.constant 5 : i64", "arith.constant -99 : i64")
    with pytest.raises(NotEmulatedError, match=r"takes -83 cycles for \[16\]$"):
        emulator(text)


def test_lanes_without_a_queue_are_devices() -> None:
    timeline = Timeline()
    timeline.call(Work("a", "here", 5), "npu0")
    timeline.call(Work("b", "there", 7), "npu1")
    timeline.note(Work("c", "host"))
    assert timeline.lanes == ("npu0", HOST, "npu1")
    assert timeline.cycles == 12  # the host waits for the first before it calls the second


def test_progress_counts_ops() -> None:
    reported: list[tuple[int, int]] = []
    right = machine(*CHAIN)
    right.call("main", [X], progress=lambda done, total: reported.append((done, total)))
    assert reported == [(number, 10) for number in range(1, 11)]
