"""The box of its domain that an `accel.reduce` runs on."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from msgspec import Struct

from forebay.dialects.accel import ReduceOp
from forebay.ir.attributes import integers_of
from forebay.regions import Box

_DYNAMIC = ir.ShapedType.get_dynamic_size()


class ReduceBox(Struct, frozen=True, eq=False):
    """Starts and sizes per dimension of the domain, the `parallel` ones first.

    A start is a number, or the value that is the start when the program runs.
    """

    parallel: int
    extents: tuple[int, ...]
    starts: tuple[int | ir.Value, ...]
    sizes: tuple[int, ...]

    @property
    def dynamic(self) -> tuple[ir.Value, ...]:
        """The starts that are values, in the order of their dimensions."""
        return tuple(start for start in self.starts if isinstance(start, ir.Value))

    @property
    def bounds(self) -> Box:
        """The box that contains every position of this box: the extent where a start varies."""
        known = list(zip(self.starts, self.sizes, self.extents, strict=True))
        return Box.at(
            [start if isinstance(start, int) else 0 for start, _, _ in known],
            [size if isinstance(start, int) else extent for start, size, extent in known],
        )

    @property
    def cuts_reduction(self) -> bool:
        """Return whether the box has not all of the reduction domain."""
        return self.sizes[self.parallel :] != self.extents[self.parallel :]

    @property
    def first(self) -> tuple[tuple[ir.Value, int], ...] | None:
        """Starts that must equal numbers for `init` to run; None if it never runs."""
        return self._conditions([0] * len(self.extents))

    @property
    def last(self) -> tuple[tuple[ir.Value, int], ...] | None:
        """Starts that must equal numbers for `finish` to run; None if it never runs."""
        return self._conditions([e - s for e, s in zip(self.extents, self.sizes, strict=True)])

    def at(self, values: Sequence[int]) -> Box:
        """Return the box for these values of the dynamic starts."""
        given = iter(values)
        starts = [start if isinstance(start, int) else next(given) for start in self.starts]
        return Box.at(starts, self.sizes)

    def _conditions(self, expected: Sequence[int]) -> tuple[tuple[ir.Value, int], ...] | None:
        pairs = list(zip(self.starts, expected, strict=True))[self.parallel :]
        if any(isinstance(start, int) and start != number for start, number in pairs):
            return None
        return tuple((start, number) for start, number in pairs if isinstance(start, ir.Value))


def box_of(op: ReduceOp) -> ReduceBox:
    """Return the box of an op; without `at` it is the whole domain."""
    sizes = integers_of(op.parallel)
    parallel, extents = len(sizes), (*sizes, *integers_of(op.reduction))
    if op.static_starts is None or op.sizes is None:
        return ReduceBox(parallel, extents, (0,) * len(extents), extents)
    values = iter(op.starts)
    starts = tuple(next(values) if s == _DYNAMIC else s for s in integers_of(op.static_starts))
    return ReduceBox(parallel, extents, starts, integers_of(op.sizes))


def static_starts_of(starts: Sequence[int | ir.Value]) -> list[int]:
    """Return the attribute `static_starts` of an op with these starts."""
    return [start if isinstance(start, int) else _DYNAMIC for start in starts]


def mapped_operands_of(op: ReduceOp) -> list[ir.Value]:
    """Return the operands that `maps` address, in order."""
    return [*op.inputs, *op.params, op.output]


def on_box(
    op: ReduceOp,
    starts: Sequence[int | ir.Value],
    sizes: Sequence[int],
    output: ir.Value,
    accumulators: Sequence[ir.Value] = (),
) -> ReduceOp:
    """Create the op on a box of its domain at the current insertion point; `op` stays as it is.

    `output` takes the place of the destination. `accumulators` are needed where the box cuts the
    reduction; `accumulators_of` gives their types.
    """
    destinations = [output, *accumulators]
    is_tensor = isinstance(output.type, ir.RankedTensorType)
    boxed = ReduceOp(
        [value.type for value in destinations] if is_tensor else [],
        list(op.inputs),
        list(op.params),
        [start for start in starts if isinstance(start, ir.Value)],
        output,
        list(accumulators),
        op.parallel,
        op.reduction,
        op.maps,
        static_starts=static_starts_of(starts),
        sizes=list(sizes),
        loc=op.location,
    )
    clone = op.operation.clone()
    for source, target in zip(clone.regions, boxed.operation.regions, strict=True):
        source.blocks[0].append_to(target)
    clone.erase()
    return boxed


def accumulators_of(op: ReduceOp) -> list[ir.Type]:
    """Return the element types of the accumulators of boxes that cut the reduction."""
    *_, handed = op.init.blocks[0].operations
    types = [value.type for value in handed.operands]
    count = op.finish.blocks[0].arguments[len(types)]
    return [*types, count.type] if any(True for _ in count.uses) else types
