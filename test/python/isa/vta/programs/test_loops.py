"""Loops as micro-ops in two loops: every iteration once, with as few micro-ops as possible."""

import itertools
from collections import Counter

from forebay.isa.vta.instructions import MicroOp
from forebay.isa.vta.programs.loops import IndexLoop, looped_micro_ops

BASE = MicroOp(3, 5, 7)


def iterations(loops) -> Counter:
    """Return the indices that plain loops give."""
    return Counter(
        tuple(
            getattr(BASE, name)
            + sum(i * getattr(loop, name) for i, loop in zip(at, loops, strict=True))
            for name in ("dst", "src", "wgt")
        )
        for at in itertools.product(*(range(loop.count) for loop in loops))
    )


def looped_iterations(made) -> Counter:
    """Return the indices that instructions give."""
    return Counter(
        tuple(
            getattr(op, name) + o * getattr(one.outer, name) + i * getattr(one.inner, name)
            for name in ("dst", "src", "wgt")
        )
        for one in made
        for o in range(one.outer.count)
        for i in range(one.inner.count)
        for op in one.micro_ops
    )


def test_the_two_longest_dimensions_become_loops() -> None:
    loops = [IndexLoop(2, 0, 1, 1), IndexLoop(6, 10, 7), IndexLoop(5, 0, 20, 4)]
    (made,) = looped_micro_ops(loops, BASE, 2048)
    assert [made.outer.count, made.inner.count, len(made.micro_ops)] == [6, 5, 2]
    assert looped_iterations([made]) == iterations(loops)


def test_dimensions_that_step_evenly_are_one() -> None:
    loops = [IndexLoop(4, 12, 24), IndexLoop(3, 4, 8), IndexLoop(9, 0, 0, 2), IndexLoop(2, 0, 0, 1)]
    (made,) = looped_micro_ops(loops, BASE, 2048)
    assert sorted([made.outer.count, made.inner.count]) == [12, 18]
    assert len(made.micro_ops) == 1
    assert looped_iterations([made]) == iterations(loops)


def test_a_factor_that_no_field_holds_is_left_to_the_micro_ops() -> None:
    # 1,024 does not fit the ten bits of a factor of WGT.
    loops = [IndexLoop(1, 0, 0, 5), IndexLoop(9, 0, 0, 1024), IndexLoop(4, 1), IndexLoop(3, 0, 1)]
    assert not loops[1].fits_instruction
    fitting = [IndexLoop(9, 0, 0, 100), *loops[2:]]
    (made,) = looped_micro_ops(fitting, BASE, 2048)
    assert looped_iterations([made]) == iterations(fitting)


def test_more_micro_ops_than_allowed_are_several_instructions() -> None:
    loops = [IndexLoop(7, 1), IndexLoop(5, 0, 2), IndexLoop(3, 0, 0, 3), IndexLoop(2, 0, 50, 9)]
    made = looped_micro_ops(loops, BASE, 4)
    assert [len(one.micro_ops) for one in made] == [4, 2]
    assert looped_iterations(made) == iterations(loops)


def test_neighbouring_micro_ops_add_to_different_sums() -> None:
    loops = [
        IndexLoop(9, 0, 1),
        IndexLoop(8, 0, 100),
        IndexLoop(4, 1, 0, 40),
        IndexLoop(3, 0, 0, 1),
    ]
    (made,) = looped_micro_ops(loops, BASE, 2048)
    dst = [op.dst for op in made.micro_ops]
    assert all(a != b for a, b in itertools.pairwise(dst))
