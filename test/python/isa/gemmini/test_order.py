"""What hardware has completed when it issues an instruction."""

import numpy as np

from forebay.isa.gemmini.order import IssueQueue, MoveOrder
from forebay.isa.main_memory import MainMemory

FIRST, SECOND = slice(0, 16), slice(16, 32)


def order() -> MoveOrder:
    return MoveOrder(MainMemory(0, np.zeros(64, np.uint8)))


def test_a_chain_of_local_rows_completes_a_move_in() -> None:
    moves = order()
    moves.issue(IssueQueue.LOAD, (), [0], moves_in=True)
    assert moves.move_in([FIRST]) is None
    assert moves.issue(IssueQueue.EXECUTE, [0], [8]) == 1 << 1
    complete = moves.issue(IssueQueue.STORE, [8], ())
    assert complete == 1 << 1
    assert moves.move_out([FIRST], complete) is None


def test_a_move_in_behind_another_is_not_complete_with_it() -> None:
    moves = order()
    moves.issue(IssueQueue.LOAD, (), [0], moves_in=True)
    moves.move_in([FIRST])
    moves.issue(IssueQueue.LOAD, (), [1], moves_in=True)
    moves.move_in([SECOND])
    assert moves.issue(IssueQueue.STORE, [1], ()) == 1 << 2
    assert moves.move_out([FIRST], 1 << 2) == FIRST


def test_two_readers_of_the_same_bytes_must_both_be_complete() -> None:
    moves = order()
    for row in (0, 1):
        moves.issue(IssueQueue.LOAD, (), [row], moves_in=True)
        moves.move_in([FIRST])
    assert moves.move_out([FIRST], 1 << 2) == FIRST
    assert moves.move_out([FIRST], 1 << 1 | 1 << 2) is None


def test_readers_of_the_same_rows_do_not_wait_for_each_other() -> None:
    moves = order()
    moves.issue(IssueQueue.LOAD, (), [0], moves_in=True)
    moves.move_in([FIRST])
    assert moves.issue(IssueQueue.EXECUTE, [5], [6]) == 0
    assert moves.issue(IssueQueue.STORE, [5], ()) == 0


def test_a_fence_completes_everything() -> None:
    moves = order()
    moves.issue(IssueQueue.LOAD, (), [0], moves_in=True)
    moves.move_in([FIRST])
    moves.move_out([SECOND], 0)
    assert moves.has_stores
    moves.fence()
    assert not moves.has_stores
    assert moves.move_in([SECOND]) is None
    assert moves.move_out([FIRST], 0) is None
