"""Where copies go, and the pools that remain: the smallest problems that show each rule."""

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
    Solution,
    solve,
)
from forebay.pools import PoolKind

L2, ACT = Memory("l2", PoolKind.workspace), Memory("act", PoolKind.workspace)
ROM = Memory("rom", PoolKind.constant)
WEI = Memory("wei", PoolKind.constant, readable=False)
POOLS = (L2, ACT, ROM, WEI)


def slot(*names: str, fixed: bool = False) -> AliasSet:
    return AliasSet(tuple(PoolOption(name, not fixed) for name in names))


def solved(
    *values: AssignedValue, slots: tuple[AliasSet, ...], pools: tuple[Memory, ...] = POOLS
) -> Solution:
    return solve(AssignmentProblem(pools, slots, values))


def kinds(solution: Solution) -> list[list[tuple[str, CopyKind]]]:
    return [[(copy.pool, copy.kind) for copy in copies] for copies in solution.copies]


def pools_of_slot(solution: Solution, slot: int) -> tuple[str, ...]:
    return solution.pools[solution.classes[slot]]


def test_a_set_keeps_every_pool_that_suits_all() -> None:
    found = solved(AssignedValue(0, 8, (Reader(("act", "l2")),)), slots=(slot("l2", "act"),))
    assert (pools_of_slot(found, 0), found.moved) == (("l2", "act"), 0)


def test_readers_in_one_other_pool_share_a_copy() -> None:
    readers = (Reader(("act",)), Reader(("l2",)), Reader(("act",)))
    found = solved(AssignedValue(0, 8, readers), slots=(slot("l2"),))
    assert kinds(found) == [[("act", CopyKind.MOVED)]]
    assert found.copies[0][0].readers == (0, 2)
    assert (found.moved, found.pools[found.copy_class(0, 0)]) == (8, ("act",))


def test_one_copy_serves_readers_whose_pools_meet() -> None:
    three = (Memory("x", PoolKind.workspace), L2, ACT)
    readers = (Reader(("x", "act")), Reader(("l2", "act")))
    found = solved(
        AssignedValue(0, 8, readers),
        slots=(slot("y"),),
        pools=(*three, Memory("y", PoolKind.workspace)),
    )
    assert kinds(found) == [[("act", CopyKind.MOVED)]]


def test_the_smaller_of_two_tensors_is_copied() -> None:
    whole = AssignedValue(0, 64, ties=(EqualityConstraint(1),))
    part = AssignedValue(1, 4, (Reader(("act",)),))
    found = solved(whole, part, slots=(slot("l2"), slot("l2", "act")))
    assert (kinds(found), found.moved) == ([[], [("act", CopyKind.MOVED)]], 4)


def test_each_use_that_overwrites_has_its_copy_and_earlier_readers_use_it() -> None:
    first, second, third = ((0, 1),), ((0, 2),), ((0, 3),)
    ties = (EqualityConstraint(1, position=second),)
    early = solved(
        AssignedValue(0, 8, (Reader(("act",), position=first),), ties),
        slots=(slot("l2"), slot("act")),
    )
    assert (early.moved, early.copies[0][0].readers) == (8, (0,))
    late = solved(
        AssignedValue(0, 8, (Reader(("act",), position=third),), ties),
        slots=(slot("l2"), slot("act")),
    )
    assert late.moved == 16


def test_what_is_not_owned_is_not_overwritten_where_it_is() -> None:
    found = solved(
        AssignedValue(0, 8, ties=(EqualityConstraint(1),)),
        slots=(slot("l2", fixed=True), slot("l2")),
    )
    assert kinds(found) == [[("l2", CopyKind.MOVED)]]


def test_old_bytes_that_do_not_matter_are_not_copied() -> None:
    found = solved(
        AssignedValue(0, 8, ties=(EqualityConstraint(1, contents=False),)),
        slots=(slot("l2"), slot("act")),
    )
    assert (kinds(found), found.moved) == ([[("act", CopyKind.FRESH)]], 0)


def test_a_constant_is_doubled_rather_than_copied() -> None:
    readers = (Reader(("wei", "l2")), Reader(("rom",)))
    found = solved(
        AssignedValue(0, 8, readers, constant=True), slots=(slot("rom", "wei", fixed=True),)
    )
    assert (kinds(found), found.moved) == ([[("wei", CopyKind.DOUBLED)]], 0)
    assert pools_of_slot(found, 0) == ("rom",)


def test_a_copy_without_a_permitted_device_is_reported() -> None:
    found = solved(AssignedValue(0, 8, (Reader(("l2",)),)), slots=(slot("wei", fixed=True),))
    assert not found.possible


def test_an_order_that_was_asked_for_is_kept() -> None:
    asked = AliasSet((PoolOption("act", True), PoolOption("l2", True)), ordered=True)
    found = solved(
        AssignedValue(0, 8, ties=(EqualityConstraint(1),)), slots=(slot("l2", "act"), asked)
    )
    assert pools_of_slot(found, 0) == pools_of_slot(found, 1) == ("act", "l2")


def test_out_of_work_it_says_so() -> None:
    value = AssignedValue(0, 8, (Reader(("act",)),), (EqualityConstraint(1),))
    problem = AssignmentProblem(POOLS, (slot("l2"), slot("l2", "act")), (value,))
    assert solve(problem).proven
    conflict = AssignmentProblem(
        POOLS, (slot("l2"), slot("act")), (AssignedValue(0, 8, ties=(EqualityConstraint(1),)),)
    )
    assert not solve(conflict, work=0).proven
    assert solve(conflict, work=0).moved == 8
