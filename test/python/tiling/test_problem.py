"""Problems say what does not fit together; storages say how many bytes a tile takes."""

from __future__ import annotations

import pytest

from forebay.regions import LoopNest, OperandAccess, induction_variables
from forebay.tiling import TileLimit, TileStorage, TilingProblem, TransferCost


def test_what_has_no_partner_is_refused() -> None:
    (i,) = induction_variables(1)
    nest = LoopNest((4,), (), (), (OperandAccess((4,), (i,)),))
    store = TileStorage("near", TransferCost("store"))
    with pytest.raises(ValueError, match="2 limits are given, but the loop nest has 1"):
        TilingProblem(nest, (TileLimit(), TileLimit()), (), (store,), (("near", 4),))
    with pytest.raises(ValueError, match="tiles lie in the pool 'near', but the pools are"):
        TilingProblem(nest, (TileLimit(),), (), (store,), (("far", 4),))
    with pytest.raises(ValueError, match="has no tile size that is a multiple of 1 and at most 2"):
        TilingProblem(nest, (TileLimit(1, 2, is_whole=True),), (), (store,), (("near", 4),))
    stays = TileStorage("near", TransferCost("store"), may_stay=True)
    with pytest.raises(ValueError, match="has may_stay, but only an input can stay"):
        TilingProblem(nest, (TileLimit(),), (), (stays,), (("near", 4),))


def test_a_reduction_is_not_cut_without_accumulators() -> None:
    i, k = induction_variables(2)
    source = OperandAccess((4, 40), (i, k))
    nest = LoopNest((4,), (40,), (source,), (OperandAccess((4,), (i,)),))
    near = TileStorage("near", TransferCost("load"))
    limits, pools = (TileLimit(), TileLimit(16, 16)), (("near", 99),)
    with pytest.raises(ValueError, match=r"dimension 1 of extent 40 has no .* no accumulators"):
        TilingProblem(nest, limits, (near,), (near,), pools)
    cut = TilingProblem(nest, limits, (near,), (near,), pools, accumulators=near)
    assert cut.sizes_of(1) == (16,)
    assert cut.sizes_of(0) == (4, 2, 1)


def test_rows_and_alignment_round_up() -> None:
    # 3 rows of 17 int8, in rows of 16 bytes: 3 * 32; of 12 bits: 3 * 32 * 12 / 8 = 144.
    rows = TileStorage("near", granules=(1, 16))
    assert rows.bytes((3, 17), 8) == 96
    assert rows.bytes((3, 17), 12) == 144
    assert TileStorage("near", alignment=64).bytes((3, 17), 8) == 64
