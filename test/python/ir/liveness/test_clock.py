"""Lifetimes on the clock, without IR: buffers are numbers, steps are names."""

from __future__ import annotations

from forebay.ir.liveness.clock import LifetimeClock
from forebay.planning import Interval, live

A, B, C = 0, 1, 2


def touch(clock: LifetimeClock[str], *buffers: int) -> None:
    clock.tick("step", frozenset(buffers))


def test_a_buffer_lives_from_first_to_last_touch() -> None:
    clock: LifetimeClock[str] = LifetimeClock()
    clock.allocated(A)
    touch(clock)
    touch(clock, A)
    touch(clock)
    touch(clock, A)
    assert clock.lifetime(A) == live(1, 4)


def test_every_birth_begins_a_life_of_its_own() -> None:
    clock: LifetimeClock[str] = LifetimeClock()
    clock.allocated(A)
    touch(clock, A)
    touch(clock)
    clock.allocated(A)
    touch(clock, A)
    assert clock.lifetime(A) == (Interval(0, 1), Interval(2, 3))


def test_adjacent_lives_are_one_interval() -> None:
    clock: LifetimeClock[str] = LifetimeClock()
    for _ in range(2):
        clock.allocated(A)
        touch(clock, A)
    assert clock.lifetime(A) == live(0, 2)


def test_an_untouched_buffer_takes_one_tick() -> None:
    clock: LifetimeClock[str] = LifetimeClock()
    touch(clock)
    clock.allocated(A)
    assert clock.lifetime(A) == live(1, 2)


def test_a_loop_stretches_what_was_born_outside() -> None:
    clock: LifetimeClock[str] = LifetimeClock()
    clock.allocated(A)
    touch(clock)
    with clock.loop():
        clock.allocated(B)
        touch(clock)
        touch(clock, A, B)
        touch(clock)
    assert clock.lifetime(A) == live(1, 4)
    assert clock.lifetime(B) == live(2, 3)


def test_nested_loops_stretch_to_where_the_buffer_was_born() -> None:
    clock: LifetimeClock[str] = LifetimeClock()
    clock.allocated(A)
    with clock.loop():
        clock.allocated(B)
        touch(clock)
        with clock.loop():
            clock.allocated(C)
            touch(clock)
            touch(clock, A, B, C)
            touch(clock)
        touch(clock)
    assert clock.lifetime(A) == live(0, 5)
    assert clock.lifetime(B) == live(1, 4)
    assert clock.lifetime(C) == live(2, 3)


def test_a_second_loop_stretches_what_was_born_in_the_first() -> None:
    """What a while loop hands out is from outside for the loop that follows."""
    clock: LifetimeClock[str] = LifetimeClock()
    with clock.loop():
        clock.allocated(A)
        touch(clock, A)
    with clock.loop() as second:
        assert not clock.was_allocated_in(A, second)
        touch(clock)
        touch(clock, A)
        touch(clock)
    assert clock.lifetime(A) == live(0, 4)


def test_rewinding_keeps_what_was_seen() -> None:
    clock: LifetimeClock[str] = LifetimeClock()
    clock.allocated(A)
    with clock.loop() as loop:
        clock.tick("first", frozenset({A}))
        clock.rewind(loop)
        clock.tick("second", frozenset())
        touch(clock)
    assert clock.steps == ["second", "step"]
    assert clock.lifetime(A) == live(0, 2)
