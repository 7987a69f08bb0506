import pytest

from forebay.assignment import AssignmentProblem, Memory
from forebay.assignment.problem import Position, precedes
from forebay.pools import PoolKind


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (((0, 2),), ((0, 3),), True),
        (((0, 3),), ((0, 3),), False),
        (((0, 3),), ((0, 2),), False),
        # the use at 3 is a loop: what is inside of it runs after the use at 2, and before itself
        (((0, 2),), ((0, 3), (1, 0)), False),
        (((0, 3), (1, 0)), ((0, 4),), True),
        (((0, 3), (1, 0)), ((0, 3), (1, 1)), True),
        (((0, 3), (1, 1)), ((0, 3), (1, 0)), False),
        (((0, 3), (1, 0)), ((0, 3), (2, 1)), False),
        ((), ((0, 1),), False),
        (((0, 1),), (), False),
    ],
)
def test_a_use_precedes_another_in_the_innermost_block_of_the_other(
    one: Position, other: Position, expected: bool
) -> None:
    assert precedes(one, other) is expected


def test_the_copier_copies_into_workspaces_by_its_rights() -> None:
    pools = (
        Memory("ws", PoolKind.workspace),
        Memory("rom", PoolKind.constant),
        Memory("hidden", PoolKind.workspace, readable=False),
        Memory("fixed", PoolKind.workspace, writable=False),
        Memory("caller", None),
    )
    problem = AssignmentProblem(pools, (), ())
    copies = {(a.name, b.name) for a in pools for b in pools if problem.copies(a.name, b.name)}
    assert copies == {
        (source, target)
        for source in ("ws", "rom", "fixed", "caller")
        for target in ("ws", "hidden")
    }
