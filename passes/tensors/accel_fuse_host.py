"""accel-fuse-host: turn each operator that accumulates into one `accel.reduce`."""

from collections.abc import Callable
from typing import Any, ClassVar

from mlir import ir

from forebay.ir import fused
from forebay.ir.nested import ops_nested_in
from forebay.lowering.kernels.convolution import (
    lower_convolution,
    lower_depthwise,
    lower_transpose_convolution,
)
from forebay.lowering.kernels.matmul import lower_matmul
from forebay.lowering.kernels.pooling import lower_average_pool, lower_max_pool
from forebay.lowering.kernels.reduction import lower_reduction
from forebay.lowering.parameters.negligible_scales import replace_negligible_scales
from forebay.lowering.parameters.zero_point import fold_source_zero_point
from forebay.passes._pass import Pass, PassError, option
from forebay.support.records import record

_LOWERINGS: dict[type[fused.Fused], Callable[[Any], ir.Value]] = {
    fused.Convolution: lower_convolution,
    fused.Depthwise: lower_depthwise,
    fused.TransposeConvolution: lower_transpose_convolution,
    fused.MatMul: lower_matmul,
    fused.AveragePool: lower_average_pool,
    fused.MaxPool: lower_max_pool,
    fused.Reduction: lower_reduction,
}


@record
class AccelFuseHost(Pass):
    """Fuse each TOSA operator that accumulates, with bias, rescale and clamp, to an `accel.reduce`.

    Padding becomes a window that is clamped at the border, so there is no padded copy of an
    operand. The accumulator is a scalar, so there is no tensor for it. Integer arithmetic inside
    carries `nsw`: TFLite's kernels have the same precondition. Leaves `tosa.apply_scale` inside.
    The bias of a convolution without padding takes its source's zero point, but for `offset`.
    """

    name: ClassVar[str] = "accel-fuse-host"
    anchor: ClassVar[str] = "func.func"
    dialects: ClassVar[tuple[str, ...]] = ("accel", "arith", "tensor", "tosa")

    offset: int = option(0, "what a convolution without padding adds to its source")

    def run(self, op: ir.Operation) -> None:
        """Replace the operators of one function."""
        # In reverse order: the ops of a view are after its root or directly before it, so this
        # loop never visits a replaced op.
        for root in reversed([nested for nested in ops_nested_in(op) if fused.is_root(nested)]):
            try:
                found = fused.match(root)
            except fused.UnsupportedFormError as error:
                raise PassError(error.location, str(error)) from error
            # Upstream fuses elementwise operators.
            if found is not None and type(found) in _LOWERINGS:
                _replace(root, found, self.offset)


def _replace(root: ir.OpView, found: fused.Fused, offset: int) -> None:
    last = found.ops[-1]
    if isinstance(found, fused.Convolution | fused.Depthwise | fused.TransposeConvolution):
        replace_negligible_scales(found)
    with ir.InsertionPoint(last), _location(root, last):
        value = _LOWERINGS[type(found)](_with_offset(found, offset))
    last.operation.results[0].replace_all_uses_with(value)
    for op in reversed(found.ops):
        op.operation.erase()


def _with_offset(found: fused.Fused, offset: int) -> fused.Fused:
    """Return a convolution with what is left of its zero point; any other operator as it is.

    Products of words have one factor with an addition, and weights may have a zero point, too.
    """
    if isinstance(found, fused.Convolution):
        return fold_source_zero_point(found, 0 if found.weights_zero_point else offset)
    return fold_source_zero_point(found) if isinstance(found, fused.Depthwise) else found


def _location(root: ir.OpView, last: ir.OpView) -> ir.Location:
    if root.operation.location == last.operation.location:
        return root.operation.location
    return ir.Location.fused([root.operation.location, last.operation.location])
