"""accel-expand-rounding: round limited floats to integers by additions."""

from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, math
from msgspec import Struct

from forebay.ir.nested import defining_op, ops_of
from forebay.lowering.kernels import scalar
from forebay.passes._pass import Pass

_LIMITS = (arith.MinNumFOp, arith.MinimumFOp, arith.MaxNumFOp, arith.MaximumFOp)
_LOWER_LIMITS = (arith.MaxNumFOp, arith.MaximumFOp)
_FRACTION_BITS: dict[type[ir.Type], int] = {ir.F32Type: 23, ir.F64Type: 52}
"""Bits of the fraction of a float; other types and vectors keep their rounding."""


class AccelExpandRounding(Pass):
    """Replace the rounding of a float that is limited and becomes an integer by additions.

    C's `roundf`, `fmaxf` and `fminf` are calls of the library on most processors. Limits that are
    whole numbers may come before the rounding, which then needs no more than an addition: of the
    largest number below one half, with the sign of the value, where `arith.fptosi` cuts what
    follows the point; or of a number so large that the sum has no bits behind the point, for halves
    to even. The values have less than half of the bits of the fraction in front of the point. A NaN
    becomes the limit that is applied first.
    """

    name: ClassVar[str] = "accel-expand-rounding"
    anchor: ClassVar[str] = "func.func"
    dialects: ClassVar[tuple[str, ...]] = ("arith",)
    needs: ClassVar[tuple[str, ...]] = ("math.round", "math.roundeven")

    def run(self, op: ir.Operation) -> None:
        """Replace the conversions of one function; canonicalize erases what nothing uses then."""
        for conversion in ops_of(op, arith.FPToSIOp):
            rounding = _rounding_of(conversion.in_)
            if rounding is not None:
                with ir.InsertionPoint(conversion), conversion.location:
                    conversion.operation.operands[0] = _expanded(rounding)


class _Limit(Struct, frozen=True, eq=False):
    """A limit that is applied to a value."""

    is_lower: bool
    bound: ir.Value
    number: float


class _Rounding(Struct, frozen=True, eq=False):
    """A rounding, and the limits behind it in the order in which they are applied."""

    op: math.RoundOp | math.RoundEvenOp
    limits: tuple[_Limit, ...]
    fraction_bits: int

    @property
    def low(self) -> float:
        """The lower limit."""
        return max(limit.number for limit in self.limits if limit.is_lower)

    @property
    def high(self) -> float:
        """The upper limit."""
        return min(limit.number for limit in self.limits if not limit.is_lower)


def _rounding_of(value: ir.Value) -> _Rounding | None:
    """Return the rounding of a value that is limited on both sides by whole numbers, or None."""
    fraction_bits, limits = _FRACTION_BITS.get(type(value.type)), list[_Limit]()
    if fraction_bits is None:
        return None
    owner = defining_op(value)
    while isinstance(owner, _LIMITS):
        bound = defining_op(owner.rhs)
        if not isinstance(bound, arith.ConstantOp):
            return None
        number = ir.FloatAttr(bound.value).value
        limits.insert(0, _Limit(isinstance(owner, _LOWER_LIMITS), owner.rhs, number))
        owner = defining_op(owner.lhs)
    if not isinstance(owner, math.RoundOp | math.RoundEvenOp):
        return None
    largest = 2.0 ** (fraction_bits - 1)
    if not all(it.number.is_integer() and abs(it.number) <= largest for it in limits):
        return None
    rounding = _Rounding(owner, tuple(limits), fraction_bits)
    has_both = len({it.is_lower for it in limits}) == 2
    return rounding if has_both and rounding.low <= rounding.high else None


def _expanded(rounding: _Rounding) -> ir.Value:
    """Build the float that has the rounded number in front of the point."""
    value, bits = rounding.op.operand, rounding.fraction_bits
    for limit in rounding.limits:
        order = arith.CmpFPredicate.OGT if limit.is_lower else arith.CmpFPredicate.OLT
        is_inside = arith.CmpFOp(order, value, limit.bound).result
        value = arith.SelectOp(is_inside, value, limit.bound).result
    if isinstance(rounding.op, math.RoundEvenOp):
        large = scalar.scalar_constant(1.5 * 2.0**bits, value.type)
        return arith.SubFOp(scalar.add(value, large), large).result
    # The sum of one half and the number below it would be 1.
    below_half = 0.5 - 2.0 ** -(bits + 2)
    up, down = (scalar.scalar_constant(half, value.type) for half in (below_half, -below_half))
    if rounding.low >= 0:
        return scalar.add(value, up)
    zero = scalar.scalar_constant(0.0, value.type)
    is_negative = arith.CmpFOp(arith.CmpFPredicate.OLT, value, zero).result
    return scalar.add(value, arith.SelectOp(is_negative, down, up).result)
