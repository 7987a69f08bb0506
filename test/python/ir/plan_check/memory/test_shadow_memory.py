"""Which write breaks which buffer, on bytes drawn at random against bytes marked one by one."""

from __future__ import annotations

import random

from forebay.ir.plan_check.memory.shadow_memory import BufferState, PlacedBytes, ShadowMemory


def broken_in(memory: ShadowMemory[str], count: int) -> set[int]:
    return {number for number in range(count) if memory.broken_mark_of(number) is not None}


def test_a_write_breaks_a_defined_buffer_with_a_byte_of_its_place() -> None:
    memory = ShadowMemory[str]([PlacedBytes("@a", 0, 8), PlacedBytes("@a", 7, 16)])
    for number in (0, 1):
        memory.allocate(number)
    memory.write(0, "first")
    memory.write(1, "second")
    mark = memory.broken_mark_of(0)
    assert mark is not None
    assert (mark.by, mark.where) == (1, "second")
    assert broken_in(memory, 2) == {0}


def test_neighbours_other_pools_and_buffers_of_no_bytes_share_nothing() -> None:
    places = [
        PlacedBytes("@a", 0, 8),
        PlacedBytes("@a", 8, 16),
        PlacedBytes("@b", 0, 8),
        PlacedBytes("@a", 4, 4),
    ]
    memory = ShadowMemory[str](places)
    for number in range(4):
        memory.allocate(number)
        memory.write(number, "here")
    assert broken_in(memory, 4) == set()
    assert not memory.marks


def test_a_fresh_buffer_cannot_be_broken() -> None:
    memory = ShadowMemory[str]([PlacedBytes("@a", 0, 8), PlacedBytes("@a", 0, 8)])
    memory.allocate(0)
    memory.allocate(1)
    memory.write(1, "here")
    assert memory.broken_mark_of(0) is None


def test_only_a_new_allocation_or_a_repair_of_exactly_its_bytes_mends_a_buffer() -> None:
    memory = ShadowMemory[str]([PlacedBytes("@a", 0, 8), PlacedBytes("@a", 4, 12)])
    for number in (0, 1):
        memory.allocate(number)
    memory.write(0, "first")
    memory.write(1, "second")
    memory.repair(PlacedBytes("@a", 0, 12))
    assert broken_in(memory, 2) == {0}
    memory.repair(PlacedBytes("@a", 0, 8))
    assert memory.marks[0].state is BufferState.DEFINED
    memory.write(1, "third")
    memory.allocate(0)
    assert memory.marks[0].state is BufferState.FRESH


def test_restored_marks_break_and_mend_like_those_that_were_made_here() -> None:
    places = [PlacedBytes("@a", 0, 8), PlacedBytes("@a", 4, 12), PlacedBytes("@a", 8, 16)]
    memory = ShadowMemory[str](places)
    for number in range(3):
        memory.allocate(number)
    memory.write(0, "first")
    memory.write(1, "second")
    saved = memory.copy_marks()
    memory.restore({})
    assert not memory.marks
    memory.restore(saved)
    memory.write(2, "third")
    assert broken_in(memory, 3) == {0, 1}
    memory.repair(places[0])
    assert broken_in(memory, 3) == {1}


def test_random_runs_agree_with_sets_of_bytes() -> None:
    broken_runs = 0
    for seed in range(200):
        draw = random.Random(seed)
        places = [
            PlacedBytes(draw.choice(["@a", "@b"]), *sorted(draw.choices(range(12), k=2)))
            for _ in range(5)
        ]
        memory = ShadowMemory[int](places)
        states = dict.fromkeys(range(5), "fresh")
        for number in range(5):
            memory.allocate(number)
        for step in range(20):
            number = draw.randrange(5)
            if draw.random() < 0.3:
                memory.allocate(number)
                states[number] = "fresh"
                continue
            memory.write(number, step)
            if states[number] == "fresh":
                states[number] = "defined"
            for other, state in states.items():
                is_hit = other != number and _bytes(places[number]) & _bytes(places[other])
                if is_hit and state == "defined":
                    states[other] = "broken"
            if draw.random() < 0.2:
                memory.restore(memory.copy_marks())
            broken = {other for other, state in states.items() if state == "broken"}
            assert broken_in(memory, 5) == broken
        broken_runs += "broken" in states.values()
    assert broken_runs > 50


def _bytes(place: PlacedBytes) -> set[tuple[str, int]]:
    return {(place.pool, at) for at in range(place.start, place.end)}
