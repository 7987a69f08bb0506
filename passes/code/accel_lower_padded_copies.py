"""accel-lower-padded-copies: make fills and copies of padded copies."""

from typing import ClassVar

from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.ir.nested import ops_of
from forebay.lowering.padding.fills import lower_padded_copy
from forebay.lowering.padding.padded_copy import padded_copy_of
from forebay.passes._pass import Pass


class AccelLowerPaddedCopies(Pass):
    """Replace each padded copy by fills of its borders and one copy.

    A padded copy is an `accel.reduce` without a reduction that copies the elements of its source,
    and has a constant around them. It is lowered as a whole, or one row of it in a loop over rows;
    other boxes stay for `accel-lower-reduce`.
    """

    name: ClassVar[str] = "accel-lower-padded-copies"
    anchor: ClassVar[str] = "func.func"
    dialects: ClassVar[tuple[str, ...]] = ("arith", "linalg", "memref", "memref_pool", "scf")
    needs: ClassVar[tuple[str, ...]] = ("accel.reduce",)

    def run(self, op: ir.Operation) -> None:
        """Replace the padded copies of one function."""
        for reduce in ops_of(op, ReduceOp):
            padding = padded_copy_of(reduce)
            if padding is not None:
                lower_padded_copy(reduce, padding)
