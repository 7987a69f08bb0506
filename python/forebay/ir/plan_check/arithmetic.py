"""Integers that ops compute, as far as they are known before the program runs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from mlir import ir
from mlir.dialects import affine, arith

from forebay.ir.plan_check.numbers import LinearForm, Numbers, number

Known = dict[ir.Value, LinearForm]

_Bound = int | float
"""A limit of a type; infinite for types as wide as an address."""


class Arithmetic:
    """The integers of a program, by their SSA values."""

    def __init__(self) -> None:
        self.numbers = Numbers()
        self.known: Known = {}

    def of(self, value: ir.Value) -> LinearForm:
        """Return the form of a value; for a new value, an unknown in the range of its type."""
        if value not in self.known:
            self.known[value] = self.numbers.unknown(*_range_of(value.type))
        return self.known[value]

    def forget(self, value: ir.Value) -> None:
        """Record that a value may be any number of its type."""
        self.known[value] = self.numbers.unknown(*_range_of(value.type))

    def step_of(self, op: ir.OpView) -> Callable[[], None] | None:
        """Return what records the integer results of an op, or None if it has none.

        The results of an op without a rule are unknown.
        """
        found = [(r, *_range_of(r.type)) for r in op.results if is_integer(r.type)]
        return partial(self._record, op, _RULES.get(type(op)), found) if found else None

    def _record(
        self, op: ir.OpView, rule: _Rule | None, results: Sequence[tuple[ir.Value, _Bound, _Bound]]
    ) -> None:
        for result, low, high in results:
            form = self._exact(op)
            if form is None and rule is not None:
                form = rule(self, op)
            self.known[result] = self._within(form, low, high)

    def _exact(self, op: ir.OpView) -> LinearForm | None:
        """Return the result of an op on known numbers, if there is a rule for it."""
        rule = _EXACT.get(type(op))
        if rule is None:
            return None
        values = [self.known[v].constant if v in self.known else None for v in op.operands]
        known = [value for value in values if value is not None]
        found = rule(op, *known) if len(known) == len(values) else None
        return None if found is None else number(found)

    def _within(self, form: LinearForm | None, low: _Bound, high: _Bound) -> LinearForm:
        """Return the form if its type can hold it, else an unknown: narrow types wrap around."""
        if form is None:
            return self.numbers.unknown(low, high)
        if math.isinf(low):
            return form
        fits = self.numbers.lower(form) >= low and self.numbers.upper(form) <= high
        return form if fits else self.numbers.unknown(low, high, is_data=form.is_data)


def is_integer(type_: ir.Type) -> bool:
    """Return whether offsets and sizes may be values of the type."""
    return isinstance(type_, ir.IntegerType | ir.IndexType)


def _range_of(type_: ir.Type) -> tuple[_Bound, _Bound]:
    """Return the smallest and largest signed number; infinite for types as wide as an address.

    A condition is 0 or 1.
    """
    if not isinstance(type_, ir.IntegerType) or type_.width >= 64:
        return -math.inf, math.inf
    if type_.width == 1:
        return 0, 1
    half = 1 << (type_.width - 1)
    return -half, half - 1


_Rule = Callable[[Arithmetic, Any], "LinearForm | None"]


def _constant(_: Arithmetic, op: arith.ConstantOp) -> LinearForm | None:
    attribute = op.value
    is_number = isinstance(attribute, ir.IntegerAttr | ir.BoolAttr)
    return number(int(attribute.value)) if is_number else None


def _same(run: Arithmetic, op: ir.OpView) -> LinearForm:
    return run.of(op.operands[0])


def _signed(run: Arithmetic, op: ir.OpView) -> LinearForm:
    """Return the operand with its sign: a true condition becomes -1."""
    form = run.of(op.operands[0])
    return form.times(-1) if _bits_of(op.operands[0].type) == 1 else form


def _unsigned(run: Arithmetic, op: ir.OpView) -> LinearForm:
    """Return the operand as unsigned: a negative number of a narrow type becomes a large one."""
    form = run.of(op.operands[0])
    if run.numbers.lower(form) >= 0:
        return form
    low, _ = _range_of(op.operands[0].type)
    return run.numbers.unknown(0, -2 * low - 1, is_data=form.is_data)


def _sum(run: Arithmetic, op: ir.OpView) -> LinearForm:
    one, other = map(run.of, op.operands)
    return one.plus(other)


def _difference(run: Arithmetic, op: ir.OpView) -> LinearForm:
    one, other = map(run.of, op.operands)
    return one.minus(other)


def _product(run: Arithmetic, op: ir.OpView) -> LinearForm:
    one, other = map(run.of, op.operands)
    return run.numbers.product(one, other)


def _least(run: Arithmetic, op: ir.OpView) -> LinearForm:
    return run.numbers.least([run.of(value) for value in op.operands])


def _greatest(run: Arithmetic, op: ir.OpView) -> LinearForm:
    return run.numbers.greatest([run.of(value) for value in op.operands])


def _quotient(run: Arithmetic, op: ir.OpView) -> LinearForm | None:
    one, other = map(run.of, op.operands)
    return run.numbers.quotient(one, other)


def _quotient_up(run: Arithmetic, op: ir.OpView) -> LinearForm:
    one, other = map(run.of, op.operands)
    return run.numbers.quotient(one.times(-1), other).times(-1)


def _remainder(run: Arithmetic, op: ir.OpView) -> LinearForm:
    one, other = map(run.of, op.operands)
    return run.numbers.remainder(one, other)


def _shifted_up(run: Arithmetic, op: ir.OpView) -> LinearForm | None:
    one, bits = map(run.of, op.operands)
    return None if bits.constant is None or bits.constant > 63 else one.times(1 << bits.constant)


def _select(run: Arithmetic, op: arith.SelectOp) -> LinearForm:
    one, other = run.of(op.true_value), run.of(op.false_value)
    return run.numbers.either(one, other)


def _if_positive(rule: _Rule) -> _Rule:
    """Restrict a rule to non-negative operands: for unsigned ops and rounding towards zero."""

    def checked(run: Arithmetic, op: ir.OpView) -> LinearForm | None:
        is_fine = all(run.numbers.lower(run.of(value)) >= 0 for value in op.operands)
        return rule(run, op) if is_fine else None

    return checked


def _masked(run: Arithmetic, op: ir.OpView) -> LinearForm | None:
    """Return the result of a bitwise and: at most either operand, if one is non-negative."""
    lows = [run.numbers.lower(run.of(value)) for value in op.operands]
    highs = [run.numbers.upper(run.of(value)) for value in op.operands]
    limits = [high for low, high in zip(lows, highs, strict=True) if low >= 0]
    if not limits:
        return None
    is_data = any(run.of(value).is_data for value in op.operands)
    return run.numbers.unknown(0, min(limits), is_data=is_data)


def _affine_apply(run: Arithmetic, op: affine.AffineApplyOp) -> LinearForm:
    return _results(run, op, op.map)[0]


def _affine_least(run: Arithmetic, op: affine.AffineMinOp) -> LinearForm:
    return run.numbers.least(_results(run, op, op.map))


def _affine_greatest(run: Arithmetic, op: affine.AffineMaxOp) -> LinearForm:
    return run.numbers.greatest(_results(run, op, op.map))


def _results(run: Arithmetic, op: ir.OpView, attribute: Any) -> list[LinearForm]:
    map_ = ir.AffineMapAttr(attribute).value if isinstance(attribute, ir.Attribute) else attribute
    operands = [run.of(value) for value in op.operands]
    dims, symbols = operands[: map_.n_dims], operands[map_.n_dims :]
    return [_evaluated(expr, dims, symbols, run.numbers) for expr in map_.results]


def _evaluated(
    expr: ir.AffineExpr, dims: Sequence[LinearForm], symbols: Sequence[LinearForm], numbers: Numbers
) -> LinearForm:
    if isinstance(expr, ir.AffineBinaryExpr):
        one = _evaluated(expr.lhs, dims, symbols, numbers)
        other = _evaluated(expr.rhs, dims, symbols, numbers)
        return _of_two(expr, one, other, numbers)
    if isinstance(expr, ir.AffineConstantExpr):
        return number(expr.value)
    known = dims if isinstance(expr, ir.AffineDimExpr) else symbols
    assert isinstance(expr, ir.AffineDimExpr | ir.AffineSymbolExpr)
    return known[expr.position]


def _of_two(
    expr: ir.AffineBinaryExpr, one: LinearForm, other: LinearForm, numbers: Numbers
) -> LinearForm:
    match expr:
        case ir.AffineAddExpr():
            return one.plus(other)
        case ir.AffineMulExpr():
            return numbers.product(one, other)
        case ir.AffineFloorDivExpr():
            return numbers.quotient(one, other)
        case ir.AffineCeilDivExpr():
            return numbers.quotient(one.times(-1), other).times(-1)
        case _:
            return one.minus(numbers.product(numbers.quotient(one, other), other))


_RULES: dict[type, _Rule] = {
    affine.AffineApplyOp: _affine_apply,
    affine.AffineMaxOp: _affine_greatest,
    affine.AffineMinOp: _affine_least,
    arith.AddIOp: _sum,
    arith.AndIOp: _masked,
    arith.CeilDivSIOp: _quotient_up,
    arith.CeilDivUIOp: _if_positive(_quotient_up),
    arith.ConstantOp: _constant,
    arith.DivSIOp: _if_positive(_quotient),
    arith.DivUIOp: _if_positive(_quotient),
    arith.ExtSIOp: _signed,
    arith.ExtUIOp: _unsigned,
    arith.FloorDivSIOp: _quotient,
    arith.IndexCastOp: _signed,
    arith.IndexCastUIOp: _unsigned,
    arith.MaxSIOp: _greatest,
    arith.MaxUIOp: _if_positive(_greatest),
    arith.MinSIOp: _least,
    arith.MinUIOp: _if_positive(_least),
    arith.MulIOp: _product,
    arith.RemSIOp: _remainder,
    arith.RemUIOp: _if_positive(_remainder),
    arith.SelectOp: _select,
    arith.ShLIOp: _shifted_up,
    arith.SubIOp: _difference,
    arith.TruncIOp: _same,
}


def _bits_of(type_: ir.Type) -> int:
    return type_.width if isinstance(type_, ir.IntegerType) else 64


def _wrapped(op: ir.OpView, value: int) -> int:
    """Return an operand as an unsigned number of its width."""
    return value % (1 << _bits_of(op.operands[0].type))


def _towards_zero(one: int, other: int) -> int:
    found = abs(one) // abs(other)
    return found if (one < 0) == (other < 0) else -found


def _divided_exactly(op: ir.OpView, one: int, other: int) -> int | None:
    if other == 0:
        return None
    if isinstance(op, (arith.DivUIOp, arith.RemUIOp)):
        one, other = _wrapped(op, one), _wrapped(op, other)
    quotient = one // other if isinstance(op, arith.FloorDivSIOp) else _towards_zero(one, other)
    is_rest = isinstance(op, (arith.RemSIOp, arith.RemUIOp))
    return one - quotient * other if is_rest else quotient


def _compared(op: arith.CmpIOp, one: int, other: int) -> int:
    name = arith.CmpIPredicate(ir.IntegerAttr(op.predicate).value).name
    if name.startswith("u"):
        one, other = _wrapped(op, one), _wrapped(op, other)
    elif _bits_of(op.lhs.type) == 1:
        one, other = -one, -other
    kinds = {"eq": one == other, "ne": one != other, "lt": one < other, "le": one <= other}
    return int({**kinds, "gt": one > other, "ge": one >= other}[name[-2:]])


def _and(_: ir.OpView, one: int, other: int) -> int:
    return one & other


def _or(_: ir.OpView, one: int, other: int) -> int:
    return one | other


def _exclusive_or(_: ir.OpView, one: int, other: int) -> int:
    return one ^ other


def _selected(_: ir.OpView, condition: int, one: int, other: int) -> int:
    return one if condition else other


_EXACT: dict[type, Callable[..., int | None]] = {
    arith.AndIOp: _and,
    arith.CmpIOp: _compared,
    arith.DivSIOp: _divided_exactly,
    arith.DivUIOp: _divided_exactly,
    arith.FloorDivSIOp: _divided_exactly,
    arith.OrIOp: _or,
    arith.RemSIOp: _divided_exactly,
    arith.RemUIOp: _divided_exactly,
    arith.SelectOp: _selected,
    arith.XOrIOp: _exclusive_or,
}
"""Results on known numbers of those ops whose rules above do not give them."""
