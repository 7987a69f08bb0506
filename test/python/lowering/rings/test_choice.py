"""Rings for which pools have room, and which save instructions."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from common.models.ring_programs import ring_program
from mlir import ir

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.ir.liveness.memory_effects import MemoryEffects
from forebay.ir.memory.underlying_buffers import entry_functions
from forebay.ir.module import module_of
from forebay.ir.state.windows import EqualWindow, WindowSearch
from forebay.lowering.padding.constants import Constants
from forebay.lowering.rings.choice import chosen_rings
from forebay.lowering.rings.found import RingSearch, RingWindow


def chosen(text: str, times: int = 1) -> Sequence[RingWindow]:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        top = module_of(module)
        effects = MemoryEffects(top)
        search = WindowSearch(top.operation, effects)
        [window] = (own for f in entry_functions(top) for own in search.in_function(f))
        assert isinstance(window, EqualWindow)
        rings = RingSearch(top, effects, Constants(top)).rings_of([window])
        assert len(rings) == 1
        return chosen_rings(rings * times, top)


@pytest.mark.parametrize(
    ("rows", "is_chosen"),
    # A move of 2 * rows - 1 bytes. The remainder by a power of two is no division.
    [(5, True), (15, True), (16, True), (17, False), (20, False), (22, False), (23, True)],
)
def test_a_ring_repays_its_position(rows: int, is_chosen: bool) -> None:
    assert len(chosen(ring_program(rows))) == is_chosen


@pytest.mark.parametrize(("capacity", "is_chosen"), [(31, False), (32, True)])
def test_weights_are_stored_twice_where_there_is_room(capacity: int, is_chosen: bool) -> None:
    # 8 bytes of weights are there, and 6 more are needed, each at a multiple of 16.
    pool = {"@flash constant": f"@flash constant capacity {capacity}"}
    assert len(chosen(ring_program(changes=pool))) == is_chosen


@pytest.mark.parametrize(("capacity", "is_chosen"), [(31, False), (32, True)])
def test_the_position_has_room_beside_the_state(capacity: int, is_chosen: bool) -> None:
    pool = {"@kept state": f"@kept state capacity {capacity}"}
    assert len(chosen(ring_program(changes=pool))) == is_chosen


def test_the_room_is_for_all_rings_together() -> None:
    pools = {
        "@flash constant": "@flash constant capacity 48",
        "@kept state": "@kept state capacity 32",
    }
    # 16 bytes for each ring; the position is there once.
    assert len(chosen(ring_program(changes=pools), times=3)) == 2
