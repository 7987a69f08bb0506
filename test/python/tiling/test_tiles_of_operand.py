"""The tiles of an operand: sizes that never shrink, sums without an enumeration of tiles."""

from __future__ import annotations

from forebay.regions import OperandAccess, induction_variables
from forebay.tiling import TileStorage, TransferCost
from forebay.tiling.tiles_of_operand import OperandTiles

y, x, k = induction_variables(3)
WINDOW = OperandAccess((10, 4), (y + k - 3, x), clamped=True)


def test_the_largest_tile_is_that_of_the_inside() -> None:
    # Rows y - 3 to y + 3 of 10: two rows see 8, three see 9, four all 10.
    tiles = OperandTiles(WINDOW, TileStorage("near"), (10, 4, 7))
    assert [tiles.tile_bytes((rows, 2, 7)) for rows in (1, 2, 3, 4, 5)] == [14, 16, 18, 20, 20]


def test_padding_takes_bytes_where_tiles_have_it() -> None:
    tiles = OperandTiles(WINDOW, TileStorage("near", with_padding=True), (10, 4, 7))
    assert tiles.tile_bytes((10, 4, 7)) == 16 * 4
    assert tiles.moved_bytes((10, 4, 7)) == 10 * 4


def test_rows_of_neighbours_are_moved_again() -> None:
    # Tiles of 5 rows read [0, 8) and [2, 10); two tiles of columns read their own.
    tiles = OperandTiles(WINDOW, TileStorage("near"), (10, 4, 7))
    assert tiles.moved_bytes((5, 2, 7)) == (8 + 8) * 4


def test_a_quotient_takes_the_most_of_any_place() -> None:
    # floor(3 * y / 4) of two values takes one or two positions.
    access = OperandAccess((8,), (y * 3 // 4,))
    assert OperandTiles(access, TileStorage("near"), (10,)).tile_bytes((2,)) == 2


def test_axes_that_share_a_dimension_are_summed_together() -> None:
    # The diagonal blocks of 4 x 4 in tiles of 3 and 1: 9 + 1.
    access = OperandAccess((4, 4), (y, y))
    tiles = OperandTiles(access, TileStorage("near"), (4,))
    assert tiles.moved_bytes((3,)) == 10
    assert tiles.dimensions == frozenset({0})


def test_short_runs_take_the_time_of_whole_ones() -> None:
    # 10 rows of 40 bytes, as 24 + 16: requests of 32 bytes move 32 + 32 of each row.
    access = OperandAccess((10, 40), (y, x))
    storage = TileStorage("near", TransferCost("load", run_bytes=32))
    tiles = OperandTiles(access, storage, (10, 40))
    assert (tiles.tile_bytes((5, 24)), tiles.tile_cost((5, 24))) == (5 * 24, 5 * 32)
    assert (tiles.moved_bytes((5, 24)), tiles.moved_cost((5, 24))) == (400, 10 * 64)
    assert tiles.whole_moved_cost == 10 * 64
    bytes_ = OperandTiles(access, TileStorage("near", TransferCost("load")), (10, 40))
    assert bytes_.moved_cost((5, 24)) == 400


def test_an_input_that_may_stay_takes_the_less_of_tiles_and_whole() -> None:
    # Two slots of tiles of 5 rows that see 8, or all 10 rows once; 8 + 8 rows moved, or 10.
    may_stay = TileStorage("near", TransferCost("load"), slots=2, may_stay=True)
    tiles = OperandTiles(WINDOW, may_stay, (10, 4, 7))
    assert (tiles.slot_bytes((5, 4, 7)), tiles.least_bytes((5, 4, 7))) == (2 * 10 * 4, 10 * 4)
    assert (tiles.moved_cost((5, 4, 7)), tiles.least_moved((5, 4, 7))) == (16 * 4, 10 * 4)
    again = OperandTiles(WINDOW, TileStorage("near", TransferCost("load"), slots=2), (10, 4, 7))
    assert (again.least_bytes((5, 4, 7)), again.least_moved((5, 4, 7))) == (2 * 10 * 4, 16 * 4)
    assert OperandTiles(WINDOW, TileStorage("near"), (10, 4, 7)).least_moved((5, 4, 7)) == 0
