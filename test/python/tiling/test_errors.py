"""The error of a tiler names the pools that are too small, and what they need."""

from __future__ import annotations

from forebay.regions import LoopNest, OperandAccess, induction_variables
from forebay.tiling import TileLimit, TileStorage, TilingError, TilingProblem, TransferCost


def test_pools_that_are_too_small_are_named_with_what_they_need() -> None:
    (i,) = induction_variables(1)
    access = OperandAccess((4000,), (i,))
    nest = LoopNest((4000,), (), (access,), (access,))
    pools = (("far", 64), ("near", 1000), ("other", 1))
    stores = TransferCost("queue")
    problem = TilingProblem(
        nest,
        (TileLimit(2000),),
        (TileStorage("near", stores),),
        (TileStorage("far", stores),),
        pools,
    )
    error = TilingError(problem, {"far": 2000, "near": 2000, "other": 0})
    assert str(error) == (
        "the smallest tiles do not fit: pool 'far' needs 2,000 bytes but has 64, "
        "pool 'near' needs 2,000 bytes but has 1,000"
    )
    assert error.least == {"far": 2000, "near": 2000, "other": 0}
