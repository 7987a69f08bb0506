"""Whether zeros around a source in single precision change no bit of a sum.

    s + 0.0 * w  =  s        for a finite w, unless s is -0.0

The product is 0.0 or -0.0. A sum is -0.0 only if both of its parts are, as 0.0 is the result of
`x - x`. So a sum that does not begin with -0.0 never is -0.0, and no zero changes it. A weight that
is infinite or no number would make one of a zero, so the weights must be known.
"""

from __future__ import annotations

import math

from mlir import ir
from mlir.dialects import arith

from forebay.dialects.accel import ReduceOp
from forebay.ir.nested import defining_op
from forebay.lowering.padding.constants import Constants
from forebay.lowering.padding.padding import SOURCE

_WEIGHTS = SOURCE + 1
_FACTORS = 2


def zeros_add_nothing(op: ReduceOp, constants: Constants) -> bool:
    """Return whether a product of a zero of the source changes no sum of an op.

    The op is a sum of products. Zeros add nothing to integers. False for products of floats other
    than those of a source and weights, such as squares.
    """
    if not isinstance(ir.MemRefType(op.inputs[SOURCE].type).element_type, ir.FloatType):
        return True
    if len(op.inputs) != _FACTORS or not _begins_with_no_negative_zero(op):
        return False
    return constants.are_finite(op.inputs[_WEIGHTS])


def _begins_with_no_negative_zero(op: ReduceOp) -> bool:
    """Return whether the sum of an op begins with a constant other than -0.0."""
    (yielded,) = list(op.init.blocks[0].operations)[-1:]
    constant = defining_op(yielded.operands[0])
    if not isinstance(constant, arith.ConstantOp):
        return False
    value = ir.FloatAttr(constant.value).value
    return value != 0 or math.copysign(1.0, value) > 0
