"""The calls of a tiling, against the calls of tiles that are enumerated one by one."""

from __future__ import annotations

from forebay.regions import LoopNest, OperandAccess, induction_variables
from forebay.tiling import TileLimit, TileStorage, TilingProblem, TransferCost
from forebay.tiling.call_costs import CallCosts
from forebay.tiling.problem import CallCost

m, n, k = induction_variables(3)
NEST = LoopNest(
    (5, 6),
    (8,),
    (OperandAccess((5, 8), (m, k)), OperandAccess((8, 6), (k, n))),
    (OperandAccess((5, 6), (m, n)),),
)


def costs(output: TileStorage) -> CallCosts:
    call = CallCost(lambda sizes: sizes[0] * sizes[1] * sizes[2] + 10)
    inputs = (TileStorage("near", TransferCost("load")),) * 2
    pools = (("near", 1 << 20), ("far", 1 << 20))
    return CallCosts(TilingProblem(NEST, (TileLimit(),) * 3, inputs, (output,), pools, calls=call))


def test_the_last_tile_of_a_dimension_is_the_remainder() -> None:
    found = costs(TileStorage("near", TransferCost("store")))
    assert found.sizes_along(0, 2) == ((2, 2), (1, 1))
    assert found.sizes_along(1, 3) == ((3, 2),)
    assert found.tiles((2, 3, 8)) == 3 * 2


def test_the_cycles_of_all_tiles_are_added() -> None:
    found = costs(TileStorage("near", TransferCost("store")))
    # Rows of 2, 2, 1, columns of 4, 2: every point once, and 10 for each of six calls.
    assert found.of((2, 4, 8)) == (5 * 6 * 8 + 6 * 10, 6)


def test_an_output_in_runs_has_a_call_for_each_row_of_its_tile() -> None:
    found = costs(TileStorage("far", contiguous=True))
    # A tile of whole rows is one run; a tile of parts of rows has a run per row.
    assert found.of((2, 6, 8)) == (5 * 6 * 8 + 3 * 10, 3)
    assert found.of((2, 3, 8)) == (5 * 6 * 8 + 10 * 10, 10)
