"""The description of an operator's call that is lowered in tiles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mlir import ir

from forebay.device_stages.tiles.tile import OperandTile, Tile
from forebay.regions import LoopNest
from forebay.tiling import MOST_STRAIGHT, CallCost, ScratchStorage, TileLimit, TileStorage


@dataclass(frozen=True, eq=False)
class TiledInput:
    """An input of the loop nest: its tensor, how its tiles are stored, and how they are loaded.

    `load` builds what brings a tile into its pool and returns the tile's tensor. Without it, a tile
    is a copy of a slice, which the pool assignment makes a transfer; such a tile has no padding.
    An input whose storage has no transfer is used where it is. With `dynamic_offsets`, a tile may
    be a part of a larger tensor at an offset that depends on a loop: `compute` uses that offset in
    slices only, and the pool is not inside of the device, where addresses are constants.
    """

    value: ir.Value
    storage: TileStorage
    load: Callable[[OperandTile], ir.Value] | None = None
    dynamic_offsets: bool = False

    def __post_init__(self) -> None:
        """Refuse padding that nothing would fill."""
        if self.storage.with_padding and self.storage.transfer is not None and self.load is None:
            raise ValueError("tiles with padding need a function that loads them")


@dataclass(frozen=True, eq=False)
class TiledOutput:
    """An output of the loop nest: its destination, how its tiles are stored, and who stores them.

    `store` builds what brings a computed tile to its place and returns the whole output. Without
    it, the tile is copied. An output whose storage has no transfer is computed where it is.
    """

    value: ir.Value
    storage: TileStorage
    store: Callable[[ir.Value, OperandTile], ir.Value] | None = None


@dataclass(frozen=True, eq=False)
class PartialSums:
    """The sums of a tile while parts of its reduction are added.

    `begin` returns the sums before the first part, such as zeros or a bias that is loaded. Without
    it, the first part gets a tensor without content and `is_first`. `finish` returns the outputs of
    a tile from its sums, for each contiguous run of a tile; a tile that is one run gets the sums as
    they are, in any layout that `begin` and `compute` give them. Without it, the call of the last
    part returns the outputs. With `always`, sums are also kept where a reduction is not cut. An
    element has `bits`.
    """

    storage: TileStorage
    begin: Callable[[Tile], ir.Value] | None = None
    finish: Callable[[Tile], Sequence[ir.Value]] | None = None
    always: bool = False
    bits: int = 32


@dataclass(frozen=True, eq=False)
class TiledOperator:
    """A call of an operator, as tiles of a loop nest in the device's own coordinates.

    `limits` has one entry per dimension of the domain, `inputs` and `outputs` one per operand of
    the nest. `compute` builds the call for a tile and returns its outputs, or the sums with this
    part added where sums are kept. `calls` has the modelled cycles of a call; with `overlaps`, the
    queues of the device work in parallel. Tiles along the dimensions in `loops` may be iterations
    of a loop if there are more than `most_straight`: there, functions use the positions of a tile
    only as offsets of slices. Of fewer tiles, more are only made if they save `least_gain` percent
    of the modelled cycles. Errors call the smallest tile `smallest`.
    """

    nest: LoopNest
    limits: tuple[TileLimit, ...]
    inputs: tuple[TiledInput, ...]
    outputs: tuple[TiledOutput, ...]
    compute: Callable[[Tile], Sequence[ir.Value]]
    sums: PartialSums | None = None
    scratch: tuple[ScratchStorage, ...] = ()
    calls: CallCost = field(default_factory=lambda: _FREE)
    overlaps: bool = False
    loops: frozenset[int] = frozenset()
    most_straight: int = MOST_STRAIGHT
    least_gain: int = 0
    smallest: str = "the smallest tile of this operator"

    def __post_init__(self) -> None:
        """Refuse sums whose outputs would be written in several calls."""
        if self.sums is not None and self.sums.finish is None:
            stored = (output.storage for output in self.outputs)
            if any(storage.contiguous and storage.transfer is None for storage in stored):
                raise ValueError(
                    "the outputs are written in contiguous runs, so the sums need `finish`"
                )


def _no_cycles(_: tuple[int, ...]) -> int:
    return 0


_FREE = CallCost(_no_cycles)
