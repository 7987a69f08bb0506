"""`accel.reduce` as loops computes what the op's description says, for maps of all kinds."""

from __future__ import annotations

import numpy as np
import pytest
from common.reduce_cases import Case, check

CASES = {
    "window that may lie outside": Case((9,), (3,), ((4,),), ((((1, 1), -3),),)),
    "window that steps over the operand": Case((6,), (4,), ((2,),), ((((1, 3), -4),),)),
    "window from behind": Case((6,), (4,), ((5,),), ((((1, -1), 1),),)),
    "stride from behind": Case((9,), (4,), ((3,),), ((((1, -2), 0),),)),
    "two operands clamp one loop": Case(
        (5,), (6,), ((4,), (7,)), ((((1, 1), -2),), (((-1, 2), -1),))
    ),
    "two loops with bounds": Case(
        (4, 5), (3, 3), ((4, 5),), ((((1, 0, 1, 0), -1), ((0, 1, 0, 1), -1)),)
    ),
    "bounds that depend on no outer loop": Case(
        (2,), (5,), ((2, 3),), ((((1, 0), 0), ((0, 1), -1)),)
    ),
    "bounds of two outer loops": Case((3, 3), (4,), ((5,),), ((((1, 2, 1), -2),),)),
    "axis without a reduction dimension": Case(
        (6,), (2,), ((4, 2),), ((((1, 0), -1), ((0, 1), 0)),)
    ),
    "axis with two reduction dimensions": Case((4,), (2, 3), ((5,),), ((((1, 1, 2), -1),),)),
    "loop of one that leaves the operand": Case((4,), (1,), ((2,),), ((((1, 5), -1),),)),
    "nothing to leave": Case((2,), (2, 2), ((2, 4),), ((((1, 0, 0), 0), ((0, 2, 1), 0)),)),
}


@pytest.mark.parametrize("name", CASES)
def test_loops_follow_the_description(name: str) -> None:
    check(CASES[name])


@pytest.mark.parametrize("seed", range(40))
def test_random_maps(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parallel = tuple(int(e) for e in rng.integers(1, 5, rng.integers(1, 3)))
    reduction = tuple(int(e) for e in rng.integers(1, 5, rng.integers(1, 3)))
    dims = len(parallel) + len(reduction)
    shapes, forms = [], []
    for _ in range(rng.integers(1, 3)):
        shapes.append(tuple(int(n) for n in rng.integers(1, 6, rng.integers(1, 3))))
        forms.append(
            tuple(
                (tuple(int(c) for c in rng.integers(-2, 3, dims)), int(rng.integers(-3, 4)))
                for _ in shapes[-1]
            )
        )
    check(Case(parallel, reduction, tuple(shapes), tuple(forms)))
