"""Runs have tiles of one size whose windows move evenly inside of their operands."""

from __future__ import annotations

from forebay.device_stages.tiles.regular_runs import regular_runs
from forebay.regions import Affine, LoopNest, OperandAccess, cuts, induction_variables

y, k = induction_variables(2)


def runs(nest: LoopNest, size: int, ends: int = 0) -> list[list[int]]:
    """The starts of the tiles of each run."""
    spans = list(cuts(nest.domain.spans[0], size))
    found = regular_runs(nest, nest.domain, 0, spans, ends)
    assert [span for run in found for span in run] == spans
    return [[span.start for span in run] for run in found]


def rows(extent: int, index: Affine, source: int) -> LoopNest:
    """A kernel of three positions over an image."""
    return LoopNest(
        (extent,),
        (3,),
        (OperandAccess((source,), (index,), clamped=True),),
        (OperandAccess((extent,), (y,)),),
    )


def test_tiles_at_borders_are_alone() -> None:
    assert runs(rows(12, y + k - 1, 12), 2) == [[0], [2, 4, 6, 8], [10]]
    assert runs(rows(12, y + k, 14), 2) == [[0, 2, 4, 6, 8, 10]]


def test_a_remainder_is_alone() -> None:
    assert runs(rows(11, y + k, 13), 2) == [[0, 2, 4, 6, 8], [10]]


def test_ends_are_alone() -> None:
    assert runs(rows(12, y + k, 14), 2, ends=1) == [[0], [2, 4, 6, 8], [10]]


def test_two_tiles_are_no_loop() -> None:
    assert runs(rows(8, y + k - 1, 8), 2) == [[0], [2], [4], [6]]


def test_windows_that_move_unevenly_are_no_loop() -> None:
    """Rows of an image that is three times as large: two rows of the result move it by 0 or 1."""
    assert runs(rows(12, y // 3 + k, 6), 2) == [[n] for n in range(0, 12, 2)]
    assert runs(rows(12, y // 3 + k, 6), 3) == [[0, 3, 6, 9]]
