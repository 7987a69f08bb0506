"""SOFTMAX, which TOSA does not have: the contract between front ends and the host lowering.

A softmax is the `tosa.custom` named `softmax` of the domain `forebay.tflite`. It takes one tensor,
gives one of the same type, or of i16 for i8, and works over the last dimension. Its parameters are
one typed dictionary, the discardable attribute `accel.softmax`:

    %y = tosa.custom %x {domain_name = "forebay.tflite", operator_name = "softmax",
           implementation_attrs = "", accel.softmax = {diff_min = -248 : i32,
           input_left_shift = 23 : i32, input_multiplier = 1717965619 : i32}}
           : (tensor<1x10xi8>) -> tensor<1x10xi8>
    %y = tosa.custom %x {..., accel.softmax = {beta = 1.0 : f32}} : (tensor<1x10xf32>) -> ...
"""

from __future__ import annotations

from mlir import ir
from mlir.dialects import tosa
from msgspec import Struct

from forebay.ir.refused import RefusedError

DOMAIN = "forebay.tflite"
_NAME = "softmax"
ATTRIBUTE = "accel.softmax"
_FLOATS = (("f32", "f32"),)
_INTEGERS = (("i8", "i8"), ("i8", "i16"))


class QuantizedSoftmax(Struct, frozen=True):
    """TFLite's int8 softmax, whose output has the scale 2**-bits and the lowest zero point.

    Let `d = x - max(x)`. Elements with `d < diff_min` become that zero point and count as zero in
    the sum. For the others, `exp` is computed of the fixed-point number
    `SaturatingRoundingDoublingHighMul(d << input_left_shift, input_multiplier)` in Q5.26.
    Source: TFLite `reference/softmax.h`.
    """

    input_multiplier: int
    input_left_shift: int
    diff_min: int

    def attribute(self) -> ir.Attribute:
        """Return the dictionary that the op carries."""
        i32 = ir.IntegerType.get_signless(32)
        return ir.DictAttr.get(
            {
                "input_multiplier": ir.IntegerAttr.get(i32, self.input_multiplier),
                "input_left_shift": ir.IntegerAttr.get(i32, self.input_left_shift),
                "diff_min": ir.IntegerAttr.get(i32, self.diff_min),
            }
        )


class FloatSoftmax(Struct, frozen=True):
    """A softmax of floats: `exp(beta * (x - max(x)))`, divided by its sum."""

    beta: float

    def attribute(self) -> ir.Attribute:
        """Return the dictionary that the op carries."""
        return ir.DictAttr.get({"beta": ir.FloatAttr.get(ir.F32Type.get(), self.beta)})


Softmax = QuantizedSoftmax | FloatSoftmax


def build_softmax(
    operand: ir.Value, parameters: Softmax, result: ir.RankedTensorType | None = None
) -> ir.Value:
    """Create a softmax op at the current insertion point and location, and return its result.

    `result` is its type where it is not that of the operand: of i16 for an operand of i8.
    """
    op = tosa.CustomOp([result or operand.type], _NAME, DOMAIN, "", [operand])
    op.operation.attributes[ATTRIBUTE] = parameters.attribute()
    return op.operation.results[0]


def softmax_of(op: ir.OpView) -> Softmax | None:
    """Return the parameters of a softmax, or None for every other op.

    Raise `RefusedError` for a softmax whose attribute, operands or result are not as above.
    """
    if not isinstance(op, tosa.CustomOp):
        return None
    named = (ir.StringAttr(op.domain_name).value, ir.StringAttr(op.operator_name).value)
    if named != (DOMAIN, _NAME):
        return None
    found = _parameters_of(op)
    if found is None:
        raise RefusedError(
            op.location,
            f"this softmax has no dictionary {ATTRIBUTE} of its parameters: {{beta = <f32>}}, or "
            "{input_multiplier, input_left_shift, diff_min}, each an i32",
        )
    _check_types(op, found)
    return found


def _parameters_of(op: tosa.CustomOp) -> Softmax | None:
    attributes = op.operation.attributes
    if ATTRIBUTE not in attributes:
        return None
    given = attributes[ATTRIBUTE]
    if not isinstance(given, ir.DictAttr):
        return None
    if "beta" in given:
        beta = given["beta"]
        return FloatSoftmax(beta.value) if isinstance(beta, ir.FloatAttr) else None
    integers = [given[key] for key in QuantizedSoftmax.__struct_fields__ if key in given]
    values = [i.value for i in integers if isinstance(i, ir.IntegerAttr)]
    return QuantizedSoftmax(*values) if len(values) == 3 else None


def _check_types(op: tosa.CustomOp, found: Softmax) -> None:
    types = [v.type for v in (*op.operation.operands, *op.operation.results)]
    wanted = _FLOATS if isinstance(found, FloatSoftmax) else _INTEGERS
    shaped = [t for t in types if isinstance(t, ir.ShapedType)]
    ranked = len(shaped) == len(types) == 2 and all(t.has_rank and t.rank > 0 for t in shaped)
    if not ranked or tuple(str(t.element_type) for t in shaped) not in wanted:
        names = ", ".join(map(str, types))
        known = " or ".join(" to ".join(pair) for pair in wanted)
        raise RefusedError(
            op.location,
            f"this softmax has operands and results {names}; with its parameters it takes one "
            f"tensor of rank 1 or more and gives one: {known}",
        )
