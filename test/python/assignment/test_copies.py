"""The copies of one value whose pool and whose users' pools are known."""

from __future__ import annotations

from forebay.assignment import (
    AliasSet,
    AssignedValue,
    AssignmentProblem,
    CopyKind,
    EqualityConstraint,
    Memory,
    PoolOption,
    Reader,
)
from forebay.assignment.copies import PlannedCopy, bytes_moved, copies_of, is_possible, is_shared
from forebay.pools import PoolKind

A, B = Memory("a", PoolKind.workspace), Memory("b", PoolKind.workspace)
ROM, ROM2 = Memory("rom", PoolKind.constant), Memory("rom2", PoolKind.constant)


def copies(
    value: AssignedValue,
    place: PoolOption,
    ties_at: tuple[PoolOption, ...] = (),
    moves: frozenset[tuple[str, str]] = frozenset(),
) -> tuple[PlannedCopy, ...]:
    slots = (AliasSet((place,)), *(AliasSet((at,)) for at in ties_at))
    problem = AssignmentProblem((A, B, ROM, ROM2), slots, (value,), moves)
    return copies_of(problem, value, place, ties_at)


def test_a_tie_in_the_same_pool_needs_no_copy_unless_it_may_not_overwrite() -> None:
    tie = EqualityConstraint(1)
    assert is_shared(tie, PoolOption("a", True), PoolOption("a", True))
    assert not is_shared(tie, PoolOption("a", False), PoolOption("a", True))
    assert is_shared(tie, PoolOption("a", False), PoolOption("a", False))
    assert not is_shared(tie, PoolOption("a", True), PoolOption("b", True))
    assert not is_shared(
        EqualityConstraint(1, always_copied=True), PoolOption("a", True), PoolOption("a", True)
    )


def test_ties_that_overwrite_have_a_copy_each_and_others_share_one() -> None:
    value = AssignedValue(0, 8, ties=tuple(EqualityConstraint(n) for n in (1, 2, 3, 4)))
    at = (
        PoolOption("b", True),
        PoolOption("b", False),
        PoolOption("b", False),
        PoolOption("b", True),
    )
    found = copies(value, PoolOption("a", True), at)
    assert [copy.ties for copy in found] == [(0,), (3,), (1, 2)]
    assert {copy.kind for copy in found} == {CopyKind.MOVED}


def test_unneeded_bytes_are_not_moved() -> None:
    value = AssignedValue(0, 8, ties=(EqualityConstraint(1, contents=False),))
    (copy,) = copies(value, PoolOption("a", True), (PoolOption("b", True),))
    assert (copy.kind, copy.possible, copy.cost(8)) == (CopyKind.FRESH, True, 0)


def test_a_constant_is_there_twice_where_a_pool_of_constants_is_asked_for() -> None:
    value = AssignedValue(0, 8, (Reader(("rom2",)), Reader(("a",))), constant=True)
    found = copies(value, PoolOption("rom", False))
    kinds = {copy.pool: copy.kind for copy in found}
    assert kinds == {"rom2": CopyKind.DOUBLED, "a": CopyKind.MOVED}


def test_a_reader_that_is_done_before_the_tie_uses_the_copy_of_the_tie() -> None:
    tie = EqualityConstraint(1, position=((0, 5),))
    early, late = Reader(("b",), position=((0, 4),)), Reader(("b",), position=((0, 6),))
    found = copies(
        AssignedValue(0, 8, (early, late), (tie,)), PoolOption("a", True), (PoolOption("b", True),)
    )
    assert [(copy.ties, copy.readers) for copy in found] == [((0,), (0,)), ((), (1,))]


def test_readers_are_served_by_the_fewest_bytes() -> None:
    readers = (Reader(("rom2", "b")), Reader(("b",)), Reader(("a", "rom")))
    found = copies(AssignedValue(0, 8, readers), PoolOption("a", True))
    assert [(copy.pool, copy.readers) for copy in found] == [("b", (0, 1))]


def test_a_copy_that_no_device_can_make_costs_more_than_any_other() -> None:
    value = AssignedValue(0, 2**70, (Reader(("rom",)),))
    (copy,) = copies(value, PoolOption("a", True))
    assert not copy.possible
    assert copy.cost(1) > 10 * PlannedCopy("b", CopyKind.MOVED).cost(2**70)
    (moved,) = copies(value, PoolOption("a", True), moves=frozenset({("a", "rom")}))
    assert moved.possible


def test_costs_of_several_copies_keep_their_parts() -> None:
    moved, doubled = PlannedCopy("b", CopyKind.MOVED), PlannedCopy("rom", CopyKind.DOUBLED)
    total = moved.cost(100) + doubled.cost(2**40) + moved.cost(28)
    assert (bytes_moved(total), is_possible(total)) == (128, True)
    assert not is_possible(total + PlannedCopy("a", CopyKind.MOVED, possible=False).cost(1))
