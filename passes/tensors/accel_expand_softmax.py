"""accel-expand-softmax: lower SOFTMAX, for which TOSA has no op, to kernels of the host."""

from typing import ClassVar

from mlir import ir
from mlir.dialects import tosa

from forebay.ir.nested import ops_of
from forebay.ir.softmax import softmax_of
from forebay.lowering.kernels.softmax import lower_softmax
from forebay.passes._pass import Pass, PassError


class AccelExpandSoftmax(Pass):
    """Lower each softmax to `accel.reduce` and `linalg.generic` over rows.

    A softmax is the `tosa.custom` that `forebay.ir.softmax` describes; the pass refuses any other
    `tosa.custom`. The quantised softmax equals TFLite Micro's bit for bit; its exponentials are a
    table of 1 KiB. Apart from the result, the pass makes only tensors of one element per row.
    """

    name: ClassVar[str] = "accel-expand-softmax"
    anchor: ClassVar[str] = "func.func"
    dialects: ClassVar[tuple[str, ...]] = ("accel", "arith", "linalg", "math", "tensor", "tosa")

    def run(self, op: ir.Operation) -> None:
        """Replace the ops of one function."""
        for custom in ops_of(op, tosa.CustomOp):
            softmax = softmax_of(custom)
            if softmax is None:
                raise PassError(
                    custom.location,
                    f"tosa.custom {custom.operator_name} of domain {custom.domain_name} has no "
                    'lowering; known: "softmax" of domain "forebay.tflite"',
                )
            with ir.InsertionPoint(custom), custom.location:
                value = lower_softmax(custom, softmax)
            custom.operation.results[0].replace_all_uses_with(value)
            custom.operation.erase()
