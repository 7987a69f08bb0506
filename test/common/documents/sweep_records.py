"""A planned and a refused record of a sweep."""

from forebay.formats.sweep_record import SweepRecord, SweptPool

PLANNED = SweepRecord(
    key="1",
    network="a.tflite",
    target="npu",
    parameters={"size": "16K", "mode": 1},
    planner="auto",
    budget=None,
    options={},
    outcome="planned",
    workspace=64,
    pools=(SweptPool("ram", "workspace", 64, 60, None),),
    cycles=5,
)

RECORDS = (
    PLANNED,
    SweepRecord(
        key="2",
        network="a.tflite",
        target="host",
        parameters={"mode": "x"},
        planner="auto",
        budget="min",
        options={"slots": 2},
        outcome="refused",
        reason="no room, at all",
    ),
)
