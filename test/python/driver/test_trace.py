"""The timeline as Perfetto reads it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import forebay
from forebay.driver.trace import trace_of, write_trace
from forebay.emulator.machine.timeline import Timeline, Work


def overlapping() -> Timeline:
    """A load, a computation behind it, a second load beside that; the host waits at the end."""
    timeline = Timeline()
    loaded = timeline.start(Work("@npu.mvin", "n.mlir:1:1", 21, 64), "npu.load")
    timeline.start(Work("@npu.mvin", "n.mlir:2:1", 21, 64), "npu.load")
    done = timeline.start(Work("@npu.gemm", "n.mlir:3:1", 30), "npu.run", [loaded])
    timeline.holds("@spad", 64)
    timeline.holds("@spad", 128)
    timeline.wait(done, Work("wait", "n.mlir:4:1"))
    timeline.holds("@spad", 0)
    return timeline


def trace_events() -> list[dict[str, Any]]:
    return msgspec.to_builtins(trace_of(overlapping(), "net").traceEvents)


def test_spans_become_complete_events() -> None:
    events = [event for event in trace_events() if event["ph"] == "X"]
    rows = [(e["name"], e["tid"], e["ts"], e["dur"], e["cat"]) for e in events]
    assert rows == [
        ("wait", 1, 0, 51, "host"),
        ("@npu.mvin", 2, 0, 21, "device"),
        ("@npu.mvin", 2, 21, 21, "device"),
        ("@npu.gemm", 3, 21, 30, "device"),
    ]
    assert events[1]["args"] == {"at": "n.mlir:1:1", "issued": 0, "bytes": 64}


def test_live_bytes_become_counters() -> None:
    events = [event for event in trace_events() if event["ph"] == "C"]
    rows = [(event["name"], event["ts"], event["args"]["bytes"]) for event in events]
    assert rows == [("@spad", 0, 128), ("@spad", 51, 0)]  # the last value of each cycle


def test_lanes_become_named_threads() -> None:
    events = [event for event in trace_events() if event["ph"] == "M"]
    named = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert named == {1: "host", 2: "npu.load", 3: "npu.run"}
    (process,) = (e for e in events if e["name"] == "process_name")
    assert process["args"]["name"] == "net"


def test_the_file_has_what_the_format_demands(tmp_path: Path) -> None:
    write_trace(overlapping(), "net", tmp_path / "t.json")
    document = json.loads((tmp_path / "t.json").read_text("utf-8"))
    assert isinstance(document["traceEvents"], list)
    assert document["displayTimeUnit"] in ("ms", "ns")
    assert document["otherData"]["cycles"] == 51
    events: list[dict[str, Any]] = document["traceEvents"]
    for event in events:
        assert isinstance(event["name"], str)
        assert event["ph"] in ("M", "X", "C")
        assert isinstance(event["pid"], int)
        assert isinstance(event["tid"] if event["ph"] != "C" else event["args"]["bytes"], int)
        if event["ph"] == "X":
            assert event["ts"] >= 0
            assert event["dur"] >= 0
    begins = [event["ts"] for event in events if event["ph"] == "X"]
    assert begins == sorted(begins)


def test_spans_of_a_lane_do_not_overlap() -> None:
    free: dict[int, int] = {}
    for event in trace_events():
        if event["ph"] == "X":
            assert event["ts"] >= free.get(event["tid"], 0)
            free[event["tid"]] = event["ts"] + event["dur"]


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(forebay.Error, match=r"missing/t\.json: there is no directory"):
        write_trace(overlapping(), "net", tmp_path / "missing" / "t.json")
