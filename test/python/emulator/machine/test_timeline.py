"""Modelled time: lanes beside each other, the host held up by what it calls and waits for."""

from __future__ import annotations

import numpy as np
import pytest
from common.emulated import emulator
from common.programs.in_flight import CHAIN, ROUND, machine, program

from forebay.emulator.machine.operator_times import operator_times
from forebay.emulator.machine.timeline import HOST, Timeline, Work, require_rate
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


def test_cycles_by_operator_and_by_lane() -> None:
    right = machine(*CHAIN)
    right.call("main", [X])
    time = right.report.timeline
    assert [(found.location, found.cycles, found.bound) for found in operator_times(time)] == [
        ("n.mlir:6:1", 21, "npu.load"),
        ("n.mlir:7:1", 21, "npu.run"),
        ("n.mlir:8:1", 12, "npu.load"),
    ]
    assert (time.busy("npu.load"), time.busy("npu.run"), time.busy(HOST)) == (33, 21, 0)
    text = str(right.report)
    assert "54 cycles modelled" in text
    assert "npu.load             33   61%" in text
    assert "n.mlir:7:1      21                0               npu.run" in text
    assert "the host's work is not modelled (32 operations of kernels and copies)" in text


def test_cycles_below_zero_are_refused() -> None:
    text = program(*CHAIN).replace("arith.constant 5 : i64", "arith.constant -99 : i64")
    with pytest.raises(NotEmulatedError, match=r"takes -83 cycles for \[16\]$"):
        emulator(text)


def test_lanes_without_a_queue_are_devices() -> None:
    timeline = Timeline()
    timeline.call(Work("a", "here", 5), "npu0")
    timeline.call(Work("b", "there", 7), "npu1")
    timeline.host(Work("c", "host"), 5)
    assert timeline.lanes == ("npu0", HOST, "npu1")
    assert timeline.cycles == 12  # the host waits for the first before it calls the second
    assert timeline.unmodelled == 5


def test_work_of_the_host_at_a_rate() -> None:
    timeline = Timeline(require_rate(0.5))
    timeline.start(Work("a", "here", 5), "npu0")
    timeline.host(Work("b", "there"), 7)
    timeline.call(Work("c", "behind", 3), "npu1")
    assert timeline.busy(HOST) == 14
    assert (timeline.cycles, timeline.unmodelled) == (17, 0)


@pytest.mark.parametrize("rate", [0.0, -1.0, float("inf"), float("nan")])
def test_a_rate_is_above_zero(rate: float) -> None:
    with pytest.raises(ValueError, match=r"operations per cycle; give a number above 0"):
        require_rate(rate)


def test_a_bank_serves_one_lane_at_a_time() -> None:
    timeline = Timeline()
    bank, other = frozenset({("@spad", 0)}), frozenset({("@spad", 1)})
    timeline.start(Work("load", "a", 10, 64, bank), "load")
    timeline.start(Work("gemm", "b", 5, banks=other), "run")
    timeline.start(Work("gemm", "c", 5, banks=bank), "run")
    assert [(s.begin, s.end) for s in timeline.spans] == [(0, 10), (0, 5), (10, 15)]
    assert timeline.bank_conflicts == {"run": 5}


def test_banks_of_an_emulated_pool() -> None:
    in_two_banks = program(*CHAIN).replace("unit 16", "unit 16 banks 2")
    assert in_two_banks != program(*CHAIN)
    found = emulator(in_two_banks)
    found.call("main", [X])
    assert {span.work.banks for span in found.report.timeline.spans if span.lane == "npu.load"} == {
        frozenset({("@spad", 0)})
    }


def test_live_bytes_of_pools_over_time() -> None:
    right = machine(*CHAIN)
    for _ in range(2):
        right.call("main", [X])
        live = [(sample.cycle, sample.bytes) for sample in right.report.timeline.live]
        assert live[0] == (0, 0)
        assert max(size for _, size in live) == 32
        assert live[-1][1] == 0


def test_progress_counts_ops() -> None:
    reported: list[tuple[int, int]] = []
    right = machine(*CHAIN)
    right.call("main", [X], progress=lambda done, total: reported.append((done, total)))
    assert reported == [(number, 10) for number in range(1, 11)]
