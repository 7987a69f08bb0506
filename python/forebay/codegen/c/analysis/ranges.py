"""Value ranges of integers, which show which C operators cannot overflow.

A range is a closed interval of the value read as signed. It is computed from widths, constants
(also the constant tensors that a load reads), clamps and trip counts. A value about which nothing
is known has its type's range. The range of a vector is that of its elements.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from typing import Any

from mlir.dialects import arith, func, scf
from mlir.ir import (
    Block,
    BlockArgument,
    DenseIntElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    Operation,
    Value,
)
from msgspec import Struct, field

from forebay.dialects.accel import DotEachOp, DotOp, DotsOp, LoadExtendedOp, MultiplyAddOp
from forebay.ir.memory.ranges_arith import (
    Range,
    hull,
    range_of_arith,
    range_of_products,
    type_range,
)


class Ranges(Struct):
    """An analysis that computes and caches the range of each value.

    `of_load` returns the range of the values that a load reads from constant memory, or None.
    `calls` has all calls of each private function, for the ranges of its arguments. If
    `trusts_indices` is set, sums and products of type `index` are assumed not to overflow: they
    count elements of memory, fewer than 2^31, but their factors are known only to the caller.
    """

    of_load: Callable[[Any], Range | None] = lambda op: None
    calls: Mapping[str, Sequence[func.CallOp]] = field(
        default_factory=dict[str, Sequence[func.CallOp]]
    )
    trusts_indices: bool = False
    known: dict[Value, Range] = field(default_factory=dict[Value, Range])
    gains: dict[Value, Range | None] = field(default_factory=dict[Value, "Range | None"])
    """The change in one iteration of each value that a loop carries, if it is bounded."""

    def of(self, value: Value) -> Range:
        """Return a range that contains every possible value of `value`."""
        known = self.known.get(value)
        if known is not None:
            return known
        everything = type_range(value.type)
        self.known[value] = everything  # the range that a cycle through a loop reads
        found = self._compute(value)
        found = found if found is not None and found in everything else everything
        self.known[value] = found
        return found

    def exact(self, value: Value) -> Range | None:
        """Return the range of the unwrapped result of an add, sub, mul or shl."""
        owner = _defining(value)
        return range_of_arith(owner, self.of) if owner is not None else None

    def fits(self, value: Value) -> bool:
        """Return whether an add, sub, mul or shl cannot leave its type's range."""
        if self.trusts_indices and isinstance(value.type, IndexType):
            return True
        exact = self.exact(value)
        return exact is not None and exact in type_range(value.type)

    def is_non_negative(self, *values: Value) -> bool:
        """Return whether no value is ever below zero."""
        return all(self.of(value).low >= 0 for value in values)

    def _compute(self, value: Value) -> Range | None:
        if isinstance(value, BlockArgument):
            return self._of_argument(value)
        op = _defining(value)
        if isinstance(op, arith.ConstantOp):
            return _of_constant(op)
        if isinstance(op, scf.ForOp):
            return self._of_carried(op, list(op.results).index(value), trips_before_read=0)
        if isinstance(op, scf.IfOp):
            return self._of_if(op, list(op.results).index(value))
        found = range_of_arith(op, self.of)
        found = found if found is not None else self.of_load(op)
        is_byte = found is None and isinstance(op, LoadExtendedOp)
        return type_range(IntegerType.get_signless(8, op.context)) if is_byte else found

    def _of_argument(self, value: BlockArgument) -> Range | None:
        loop = value.owner.owner
        loop = loop.opview if isinstance(loop, Operation) else loop
        if isinstance(loop, func.FuncOp):
            return self._passed(value, self.calls.get(loop.name.value, ()))
        if not isinstance(loop, scf.ForOp):
            return None
        if value.arg_number > 0:
            return self._of_carried(loop, value.arg_number - 1, trips_before_read=1)
        return Range(self.of(loop.lowerBound).low, self.of(loop.upperBound).high - 1)

    def _passed(self, value: BlockArgument, calls: Sequence[func.CallOp]) -> Range | None:
        found = [self.of(call.operands_[value.arg_number]) for call in calls]
        return reduce(hull, found) if found else None

    def _of_carried(self, loop: scf.ForOp, index: int, trips_before_read: int) -> Range | None:
        """Return start + trips x gain for a value that changes by a bounded gain per trip."""
        gain = self._gain(loop, index)
        trips = self.max_trips(loop)
        if gain is None or trips is None:
            return None
        start = self.of(loop.initArgs[index])
        return start.plus(gain.times_up_to(max(0, trips - trips_before_read)))

    def _of_if(self, op: scf.IfOp, index: int) -> Range:
        then, otherwise = _yielded(op, index)
        return hull(self.of(then), self.of(otherwise))

    def max_trips(self, loop: scf.ForOp) -> int | None:
        """Return the largest number of iterations of a loop, or None if its step may be < 1."""
        step = self.of(loop.step).low
        if step < 1:
            return None
        distance = self.of(loop.upperBound).high - self.of(loop.lowerBound).low
        return max(0, -(-distance // step))

    def _gain(self, loop: scf.ForOp, index: int) -> Range | None:
        carried = loop.inner_iter_args[index]
        if carried not in self.gains:
            self.gains[carried] = self._difference(_last_of(loop.body).operands[index], carried)
        return self.gains[carried]

    def _difference(self, value: Value, base: Value) -> Range | None:
        """Return the range of value - base if value is base plus terms, else None."""
        if value == base:
            return Range(0, 0)
        op = _defining(value)
        if isinstance(op, arith.AddIOp):
            return self._added(op, base)
        if isinstance(op, (DotOp, DotsOp, DotEachOp, MultiplyAddOp)):
            before = self._difference(op.sum, base)
            return None if before is None else before.plus(range_of_products(op, self.of))
        if isinstance(op, scf.ForOp):
            return self._gained(op, list(op.results).index(value), base)
        if isinstance(op, scf.IfOp):
            then, otherwise = _yielded(op, list(op.results).index(value))
            one, other = self._difference(then, base), self._difference(otherwise, base)
            return hull(one, other) if one is not None and other is not None else None
        return None

    def _added(self, op: arith.AddIOp, base: Value) -> Range | None:
        for onward, term in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            found = self._difference(onward, base)
            if found is not None:
                return found.plus(self.of(term))
        return None

    def _gained(self, op: scf.ForOp, index: int, base: Value) -> Range | None:
        before = self._difference(op.initArgs[index], base)
        trips = self.max_trips(op)
        gain = self._gain(op, index) if before is not None else None
        if before is None or gain is None or trips is None:
            return None
        return before.plus(gain.times_up_to(trips))


def _of_constant(op: arith.ConstantOp) -> Range | None:
    if isinstance(op.value, DenseIntElementsAttr) and op.value.is_splat:
        literal = IntegerAttr(op.value.get_splat_value()).value
        return Range(literal, literal)
    if isinstance(op.result.type, IntegerType | IndexType) and isinstance(op.value, IntegerAttr):
        literal = (
            abs(op.value.value) if op.result.type == IntegerType.get_signless(1) else op.value.value
        )
        return Range(literal, literal)
    return None


def _yielded(op: Any, index: int) -> tuple[Value, Value]:
    """Return the values that the two branches of an if yield as one of its results."""
    then, otherwise = _last_of(op.then_block), _last_of(op.else_block)
    return then.operands[index], otherwise.operands[index]


def _last_of(block: Block) -> Any:
    """Return the terminator of a block, without an object for each op before it."""
    return block.operations[len(block.operations) - 1]


def _defining(value: Value) -> Any:
    if isinstance(value, BlockArgument):
        return None
    owner = value.owner
    return owner.opview if isinstance(owner, Operation) else owner
