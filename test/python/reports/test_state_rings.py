"""The rings of a module, and what they cost."""

from __future__ import annotations

import pytest
from common.models.ring_programs import ring_program
from mlir import ir

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay.ir.module import module_of
from forebay.pipelines.runner import run_pipeline
from forebay.reports.state_rings import StateRings, state_rings_in


@pytest.mark.parametrize(
    ("rows", "new", "expected"), [(4, 1, (1, 6)), (6, 2, (1, 8)), (5, 2, (0, 0))]
)
def test_weights_are_there_once_more_but_for_the_last_rows(
    rows: int, new: int, expected: tuple[int, int]
) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(ring_program(rows, new))
        assert state_rings_in(module_of(module)) == StateRings()
        run_pipeline(module, "builtin.module(memref-pool-shift-state)")
        assert state_rings_in(module_of(module)) == StateRings(*expected)


def test_the_text_has_both_numbers() -> None:
    rest = "whose rows never move: 4,768 bytes of weights are there twice"
    assert str(StateRings(7, 4768)) == f"7 variables are rings, {rest}"
    assert str(StateRings(1, 4768)) == f"1 variable is a ring, {rest}"
