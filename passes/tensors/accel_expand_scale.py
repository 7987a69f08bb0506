"""accel-expand-scale: turn a rescale by a whole number into a multiplication."""

from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, tosa

from forebay.ir.nested import ops_of
from forebay.lowering.kernels import scalar
from forebay.passes._pass import Pass


class AccelExpandScale(Pass):
    """Make a 32-bit multiplication of each `tosa.apply_scale` whose factor is a whole number.

    TFLite shifts the operands of an addition left by 20 bits. Here that is `apply_scale(x, 1 << 30,
    10)`, whose 64-bit product and rounding have no effect. The result fits into 32 bits by the
    definition of the op, so the multiplication carries `nsw`.
    """

    name: ClassVar[str] = "accel-expand-scale"
    anchor: ClassVar[str] = "func.func"
    dialects: ClassVar[tuple[str, ...]] = ("arith",)

    def run(self, op: ir.Operation) -> None:
        """Replace the ops of one function."""
        for scale in ops_of(op, tosa.ApplyScaleOp):
            _expand(scale)


def _expand(scale: tosa.ApplyScaleOp) -> None:
    multiplier, shift = _number(scale.multiplier), _number(scale.shift)
    if multiplier is None or shift is None or multiplier % (1 << shift) != 0:
        return
    if scale.value.type != scalar.i32():
        return
    factor = multiplier >> shift
    with ir.InsertionPoint(scale), scale.location:
        product = scalar.scaled(scale.value, factor)
    scale.result.replace_all_uses_with(product)
    scale.operation.erase()


def _number(value: ir.Value) -> int | None:
    owner = value.owner
    if not isinstance(owner, arith.ConstantOp):
        return None
    return ir.IntegerAttr(owner.value).value
