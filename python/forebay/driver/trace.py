"""Writer of a modelled timeline in the trace event format, which Perfetto and Chrome open.

https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU describes the
format. The program is one process, each of its lanes is a thread, and each of its spans is a
complete event. A microsecond of the trace is a cycle of the model.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from forebay.emulator.machine.timeline import HOST, Timeline, TimelineInterval
from forebay.support.files import replaced_when_done

Event = dict[str, Any]

_PROCESS = 1


def trace_events(timeline: Timeline, name: str) -> list[Event]:
    """Return the events of a run: names of the program and its lanes, then spans by their begin."""
    lanes = [HOST, *(lane for lane in timeline.lanes if lane != HOST)]
    threads = {lane: number for number, lane in enumerate(lanes, 1)}
    events = [_metadata("process_name", 0, name=name)]
    for lane, number in threads.items():
        events.append(_metadata("thread_name", number, name=lane))
        events.append(_metadata("thread_sort_index", number, sort_index=number))
    spans = sorted(timeline.spans, key=lambda span: (span.begin, threads[span.lane], span.end))
    return [*events, *_spans(spans, threads)]


def write_trace(timeline: Timeline, name: str, path: Path) -> None:
    """Write the events of a run as a JSON file; raise `Error` if the file cannot be written."""
    document = {
        "traceEvents": trace_events(timeline, name),
        "displayTimeUnit": "ms",
        "otherData": {"cycles": timeline.cycles, "unit": "1 us is 1 cycle"},
    }
    text = json.dumps(document, indent=1) + "\n"
    with replaced_when_done(path) as file:
        file.write(text.encode())


def _metadata(kind: str, thread: int, **arguments: object) -> Event:
    return {"name": kind, "ph": "M", "pid": _PROCESS, "tid": thread, "args": arguments}


def _spans(spans: list[TimelineInterval], threads: dict[str, int]) -> Iterator[Event]:
    for span in spans:
        work = span.work
        arguments: Event = {"at": work.location, "issued": span.issued}
        if work.bytes:
            arguments["bytes"] = work.bytes
        yield {
            "name": work.name,
            "cat": "host" if span.lane == HOST else "device",
            "ph": "X",
            "ts": span.begin,
            "dur": span.end - span.begin,
            "pid": _PROCESS,
            "tid": threads[span.lane],
            "args": arguments,
        }
