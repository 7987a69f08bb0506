"""Extrema of floats and constants that one comparison tells."""

from __future__ import annotations

import math

from mlir import ir
from mlir.dialects import arith

from forebay.ir.nested import defining_op


def is_limit(op: arith.MaximumFOp | arith.MinimumFOp) -> bool:
    """Return whether a comparison with a constant tells an extremum: the constant, or the value.

    Of two zeros the minimum is -0.0 and the maximum is 0.0, so that must be the limit's sign.
    """
    limit = defining_op(op.rhs)
    if not isinstance(limit, arith.ConstantOp):
        return False
    elements = limit.value
    if isinstance(elements, ir.DenseElementsAttr):
        elements = elements.get_splat_value()
    number = ir.FloatAttr(elements).value
    is_sign = (math.copysign(1.0, number) < 0) == isinstance(op, arith.MinimumFOp)
    return not math.isnan(number) and (number != 0 or is_sign)
