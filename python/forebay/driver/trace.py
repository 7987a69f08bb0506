"""Writer of a modelled timeline as a trace, see `forebay.formats.trace`.

The program is one process, each of its lanes is a thread, each of its spans is a complete event,
and the live bytes of each pool are a counter. A microsecond of the trace is a cycle of the model.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec import UNSET

from forebay.emulator.machine.timeline import HOST, Timeline, TimelineInterval
from forebay.formats.trace import (
    LiveBytesArguments,
    MetadataArguments,
    SpanArguments,
    TraceCounter,
    TraceData,
    TraceDocument,
    TraceMetadata,
    TraceSpan,
)
from forebay.formats.writing import json_text
from forebay.support.files import write_whole

_PROCESS = 1


def trace_of(timeline: Timeline, name: str) -> TraceDocument:
    """Return the trace of a run: names, spans by their begin, and live bytes by cycle."""
    data = TraceData(timeline.cycles, "1 us is 1 cycle")
    events = (*_metadata(timeline, name), *_spans(timeline), *_counters(timeline))
    return TraceDocument(events, "ms", data)


def write_trace(timeline: Timeline, name: str, path: Path) -> None:
    """Write the trace of a run as a JSON file; raise `Error` if the file cannot be written."""
    write_whole(path, json_text(trace_of(timeline, name)))


def _threads(timeline: Timeline) -> dict[str, int]:
    """Return the number of each lane's thread, the host's first."""
    lanes = [HOST, *(lane for lane in timeline.lanes if lane != HOST)]
    return {lane: number for number, lane in enumerate(lanes, 1)}


def _metadata(timeline: Timeline, name: str) -> Iterator[TraceMetadata]:
    yield TraceMetadata("process_name", _PROCESS, 0, MetadataArguments(name=name))
    for lane, number in _threads(timeline).items():
        yield TraceMetadata("thread_name", _PROCESS, number, MetadataArguments(name=lane))
        position = MetadataArguments(sort_index=number)
        yield TraceMetadata("thread_sort_index", _PROCESS, number, position)


def _spans(timeline: Timeline) -> Iterator[TraceSpan]:
    threads = _threads(timeline)

    def order(span: TimelineInterval) -> tuple[int, int, int]:
        return span.begin, threads[span.lane], span.end

    for span in sorted(timeline.spans, key=order):
        work = span.work
        yield TraceSpan(
            name=work.name,
            cat="host" if span.lane == HOST else "device",
            ts=span.begin,
            dur=span.end - span.begin,
            pid=_PROCESS,
            tid=threads[span.lane],
            args=SpanArguments(
                work.location,
                span.issued,
                work.bytes or UNSET,
                True if span.is_blocked else UNSET,
            ),
        )


def _counters(timeline: Timeline) -> Iterator[TraceCounter]:
    """Yield the live bytes of each pool, once per cycle in which they change."""
    last = {(sample.pool, sample.cycle): sample.bytes for sample in timeline.live}
    for (pool, cycle), bytes_ in sorted(last.items()):
        yield TraceCounter(pool, cycle, _PROCESS, LiveBytesArguments(bytes_))
