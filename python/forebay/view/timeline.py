"""The modelled run of a trace document, joined with the operators of a plan."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from forebay.formats.trace import TraceDocument, TraceMetadata, TraceSpan
from forebay.view.live_bytes import merged_spans
from forebay.view.plan_data import PlanData, ShownSpan, ShownTimeline

_MOST_SPANS = 50_000
"""Spans that a page has; a longer run is shown up to the last of these."""


def with_timeline(plan: PlanData, trace: TraceDocument) -> PlanData:
    """Return the plan with the timeline of a run, and the modelled cycles of its operators."""
    timeline = _timeline(plan, trace)
    working: dict[int, list[tuple[int, int]]] = {}
    for span in timeline.spans:
        if span.operator is not None and not span.waits:
            working.setdefault(span.operator, []).append((span.begin, span.end))
    operators = tuple(
        structs.replace(
            operator, cycles=sum(end - begin for begin, end in merged_spans(working[number]))
        )
        if number in working
        else operator
        for number, operator in enumerate(plan.operators)
    )
    return structs.replace(plan, timeline=timeline, operators=operators)


def _timeline(plan: PlanData, trace: TraceDocument) -> ShownTimeline:
    events = trace.traceEvents
    names = [
        (event.tid, str(event.args.name))
        for event in events
        if isinstance(event, TraceMetadata) and event.name == "thread_name"
    ]
    lanes = {tid: number for number, (tid, _) in enumerate(names)}
    operators = {step.location: step.operator for step in plan.steps}
    spans = [
        ShownSpan(
            lane=lanes[event.tid],
            name=event.name,
            begin=event.ts,
            end=event.ts + event.dur,
            location=event.args.at,
            operator=operators.get(event.args.at),
            bytes=event.args.bytes or 0,
            waits=event.args.waits is True,
        )
        for event in events
        if isinstance(event, TraceSpan) and event.dur
    ]
    return ShownTimeline(
        cycles=trace.otherData.cycles,
        lanes=tuple(name for _, name in names),
        busy=tuple(_busy(span for span in spans if span.lane == lane) for lane in lanes.values()),
        spans=tuple(spans[:_MOST_SPANS]),
    )


def _busy(spans: Iterable[ShownSpan]) -> int:
    return sum(span.end - span.begin for span in spans if not span.waits)
