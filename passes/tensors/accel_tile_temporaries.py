"""accel-tile-temporaries: compute an operator of several kernels in tiles of few elements."""

from typing import ClassVar

from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.ir.nested import ops_of
from forebay.lowering.tiles.emit import compute_in_tiles
from forebay.lowering.tiles.group import groups_in
from forebay.passes._pass import Pass


class AccelTileTemporaries(Pass):
    """Compute the kernels of an operator together, so that its temporaries have few elements.

    An operator of several kernels, such as a step of an LSTM, has temporaries between them: the
    sums of a gate. Where each kernel reads them only at the position at which it computes, loops
    over tiles of the results contain all kernels, and a temporary has the elements of a tile, at
    most 16 bytes. The results share their leading axes, those of the first one. If some have more
    axes, as in a softmax, a tile is one position of the leading axes, such as a row, and the other
    axes are in the tile as a whole.

    The other operands are sliced, or used as a whole. A result that is updated in place is updated
    tile by tile; a new tensor that becomes a slice of another one is computed there. Kernels stay
    as they are if they have no sums between them, if one of them reads a tensor at a position that
    another tile overwrites, if temporaries of one position are larger, and if they come from no
    operator of a model.
    """

    name: ClassVar[str] = "accel-tile-temporaries"
    anchor: ClassVar[str] = "func.func"
    dialects: ClassVar[tuple[str, ...]] = ("arith", "scf", "tensor")
    needs: ClassVar[tuple[str, ...]] = ("accel.reduce",)

    def run(self, op: ir.Operation) -> None:
        """Replace the groups of kernels in all blocks of a function."""
        for block in dict.fromkeys(sum_.operation.block for sum_ in ops_of(op, ReduceOp)):
            # From the last one on: the results of a group are operands of those after it.
            for group in reversed(list(groups_in(block))):
                compute_in_tiles(group, group.length)
