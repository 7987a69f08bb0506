"""Integers that ops compute, as far as they are known before the program runs."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from mlir import ir
from mlir.dialects import affine, arith

from forebay.ir.plan_check.integers.comparisons import bits_of, compared, comparison_of
from forebay.ir.plan_check.integers.numbers import ZERO, LinearForm, Numbers, number

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

    def function_of(self, value: ir.Value, counter: ir.Value) -> Callable[[int], int] | None:
        """Return a value as a function of an induction variable, if it depends on nothing else."""
        if value == counter:
            return lambda count: count
        form = self.known.get(value)
        owner = value.owner
        op = None if isinstance(owner, ir.Block) else owner.opview
        if op is None or isinstance(op, arith.ConstantOp) or type(op) not in _EXACT:
            known = form if form is not None or op is None else _constant_of(op)
            constant = None if known is None else known.constant
            return None if constant is None else lambda _: constant
        function = _EXACT[type(op)](op)
        parts = [self.function_of(operand, counter) for operand in op.operands]
        functions = [part for part in parts if part is not None]
        if len(functions) < len(parts):
            return None
        if len(functions) == 2:
            one, other = functions
            return lambda count: function(one(count), other(count))
        return lambda count: function(*(each(count) for each in functions))

    def forget(self, value: ir.Value, *, is_data: bool = True) -> None:
        """Record that a value may be any number of its type."""
        self.known[value] = self.numbers.unknown(*_range_of(value.type), is_data=is_data)

    def step_of(self, op: ir.OpView) -> Callable[[], None] | None:
        """Return what records the integer results of an op, or None if it has none.

        The results of an op without a rule are unknown.
        """
        found = [(r, *_range_of(r.type)) for r in op.results if is_integer(r.type)]
        if not found:
            return None
        if isinstance(op, arith.ConstantOp):
            return partial(self._set, found[0][0], self._within(_constant_of(op), *found[0][1:]))
        exact = _EXACT.get(type(op))
        on_numbers = None if exact is None else (exact(op), list(op.operands))
        return partial(self._record, op, _RULES.get(type(op)), on_numbers, found)

    def _set(self, value: ir.Value, form: LinearForm) -> None:
        self.known[value] = form

    def _record(
        self,
        op: ir.OpView,
        rule: _Rule | None,
        on_numbers: tuple[_Function, Sequence[ir.Value]] | None,
        results: Sequence[tuple[ir.Value, _Bound, _Bound]],
    ) -> None:
        for result, low, high in results:
            form = None if on_numbers is None else self._exact(*on_numbers)
            if form is None and rule is not None:
                form = rule(self, op)
            self.known[result] = self._within(form, low, high)

    def _exact(self, function: _Function, operands: Sequence[ir.Value]) -> LinearForm | None:
        """Return the result of an op on numbers, or None if an operand is not known."""
        known: list[int] = []
        for operand in operands:
            form = self.known.get(operand)
            value = None if form is None else form.constant
            if value is None:
                return None
            known.append(value)
        return number(function(*known))

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


def _constant_of(op: ir.OpView) -> LinearForm | None:
    attribute = op.value if isinstance(op, arith.ConstantOp) else None
    is_number = isinstance(attribute, ir.IntegerAttr | ir.BoolAttr)
    return number(int(attribute.value)) if is_number else None


_Rule = Callable[[Arithmetic, Any], "LinearForm | None"]


def _constant(_: Arithmetic, op: arith.ConstantOp) -> LinearForm | None:
    return _constant_of(op)


def _same(run: Arithmetic, op: ir.OpView) -> LinearForm:
    return run.of(op.operands[0])


def _signed(run: Arithmetic, op: ir.OpView) -> LinearForm:
    """Return the operand with its sign: a true condition becomes -1."""
    form = run.of(op.operands[0])
    return form.times(-1) if bits_of(op.operands[0].type) == 1 else form


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


def _quotient_towards_zero(run: Arithmetic, op: ir.OpView) -> LinearForm:
    one, other = map(run.of, op.operands)
    return run.numbers.truncated(one, other)


def _quotient_up(run: Arithmetic, op: ir.OpView) -> LinearForm:
    one, other = map(run.of, op.operands)
    return run.numbers.quotient(one.times(-1), other).times(-1)


def _remainder(run: Arithmetic, op: ir.OpView) -> LinearForm:
    one, other = map(run.of, op.operands)
    return run.numbers.remainder(one, other)


def _unsigned_remainder(run: Arithmetic, op: ir.OpView) -> LinearForm | None:
    """Return the remainder of an unsigned number, which is less than a positive divisor."""
    one, divisor = map(run.of, op.operands)
    if run.numbers.lower(one) >= 0:
        return _if_positive(_remainder)(run, op)
    by = divisor.constant
    return None if by is None or by <= 0 else run.numbers.unknown(0, by - 1, is_data=one.is_data)


def _shifted_up(run: Arithmetic, op: ir.OpView) -> LinearForm | None:
    one, bits = map(run.of, op.operands)
    return None if bits.constant is None or bits.constant > 63 else one.times(1 << bits.constant)


def _select(run: Arithmetic, op: arith.SelectOp) -> LinearForm:
    """Return the one or the other; which one is an unknown, so what depends on it fits together."""
    one, other = run.of(op.true_value), run.of(op.false_value)
    condition = run.of(op.condition).constant
    if condition is not None:
        return one if condition else other
    return run.numbers.named(run.numbers.either(one, other))


def _if_positive(rule: _Rule) -> _Rule:
    """Restrict a rule to non-negative operands: for unsigned ops and rounding towards zero."""

    def checked(run: Arithmetic, op: ir.OpView) -> LinearForm | None:
        is_fine = all(run.numbers.lower(run.of(value)) >= 0 for value in op.operands)
        return rule(run, op) if is_fine else None

    return checked


def _masked(run: Arithmetic, op: ir.OpView) -> LinearForm | None:
    """Return the result of a bitwise and: at most either operand, if one is non-negative.

    So it is 0 if one operand is 0, whatever the other one is.
    """
    lows = [run.numbers.lower(run.of(value)) for value in op.operands]
    highs = [run.numbers.upper(run.of(value)) for value in op.operands]
    limits = [high for low, high in zip(lows, highs, strict=True) if low >= 0]
    if not limits:
        return None
    if min(limits) == 0:
        return ZERO
    is_data = any(run.of(value).is_data for value in op.operands)
    return run.numbers.unknown(0, min(limits), is_data=is_data)


def _either_bit(run: Arithmetic, op: arith.OrIOp) -> LinearForm | None:
    """Return the result of a bitwise or: a condition is 1 if one operand is 1."""
    is_condition = bits_of(op.operands[0].type) == 1
    is_met = is_condition and any(run.of(value).constant == 1 for value in op.operands)
    return number(1) if is_met else None


def _compared(run: Arithmetic, op: arith.CmpIOp) -> LinearForm | None:
    return compared(op, run.of(op.lhs), run.of(op.rhs), run.numbers)


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
    arith.CmpIOp: _compared,
    arith.ConstantOp: _constant,
    arith.DivSIOp: _quotient_towards_zero,
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
    arith.OrIOp: _either_bit,
    arith.RemSIOp: _remainder,
    arith.RemUIOp: _unsigned_remainder,
    arith.SelectOp: _select,
    arith.ShLIOp: _shifted_up,
    arith.SubIOp: _difference,
    arith.TruncIOp: _same,
}


_Function = Callable[..., int]
"""The result of an op as a function of numbers."""


def _quotient_of(op: ir.OpView) -> _Function:
    """Return the function of a division; one by zero is undefined, and gives 0."""
    modulus = 1 << bits_of(op.operands[0].type)
    is_unsigned = isinstance(op, (arith.DivUIOp, arith.RemUIOp))
    rounds_down = isinstance(op, arith.FloorDivSIOp)
    is_rest = isinstance(op, (arith.RemSIOp, arith.RemUIOp))

    def of(one: int, other: int) -> int:
        if is_unsigned:
            one, other = one % modulus, other % modulus
        if other == 0:
            return 0
        quotient = one // other
        if not rounds_down and quotient < 0 and quotient * other != one:
            quotient += 1
        return one - quotient * other if is_rest else quotient

    return of


def _always(function: _Function) -> Callable[[Any], _Function]:
    """Return the rule of a class whose ops all compute the same function."""
    return lambda _: function


def _selected(condition: int, one: int, other: int) -> int:
    return one if condition else other


_EXACT: dict[type, Callable[[Any], _Function]] = {
    arith.AddIOp: _always(operator.add),
    arith.AndIOp: _always(operator.and_),
    arith.CmpIOp: comparison_of,
    arith.DivSIOp: _quotient_of,
    arith.DivUIOp: _quotient_of,
    arith.FloorDivSIOp: _quotient_of,
    arith.MulIOp: _always(operator.mul),
    arith.OrIOp: _always(operator.or_),
    arith.RemSIOp: _quotient_of,
    arith.RemUIOp: _quotient_of,
    arith.SelectOp: _always(_selected),
    arith.SubIOp: _always(operator.sub),
    arith.XOrIOp: _always(operator.xor),
}
"""Results on known numbers."""
