"""The elements, words and vectors that a block loads, each of them once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlir import ir
from mlir.dialects import memref, vector

from forebay.ir.memory.linear import Linear
from forebay.lowering.blocks.blocked_op import BlockedOp
from forebay.lowering.blocks.filled import load_filled
from forebay.lowering.blocks.lanes import load_floats
from forebay.lowering.blocks.operand import BlockOffsets, BlockOperand, distance
from forebay.lowering.blocks.scope import NestScope
from forebay.lowering.blocks.words import load_word
from forebay.lowering.kernels import scalar

LoadedValues = dict[tuple[int, str, tuple[tuple[Linear[int], int], ...]], ir.Value]
"""Elements and vectors in registers: the operand, how it is loaded, and the index of the first
element as counted forms with distances.
"""
_Loader = Callable[[ir.Value, list[ir.Value]], ir.Value]
"""Loads from an index of a memory on."""


class NestElements:
    """Loads from the operands of an op at the positions of a block."""

    def __init__(self, blocked: BlockedOp, scope: NestScope) -> None:
        self._blocked, self._scope = blocked, scope

    def params(
        self, block: ir.Block, first: int, at: BlockOffsets, loaded: LoadedValues
    ) -> list[ir.Value | None]:
        """Load one element for each used argument of `init` or `finish` from `first` on."""
        arguments = list(block.arguments)[first:]
        return self.used(self._blocked.params, arguments, at, loaded)

    def used(
        self,
        accesses: Sequence[BlockOperand],
        arguments: Sequence[ir.Value],
        at: BlockOffsets,
        loaded: LoadedValues,
    ) -> list[ir.Value | None]:
        """Load one element for each argument that has uses, unless a register holds it."""
        return [
            self.load(access, at, loaded) if any(True for _ in argument.uses) else None
            for access, argument in zip(accesses, arguments, strict=True)
        ]

    def load(
        self, access: BlockOperand, at: BlockOffsets, loaded: LoadedValues, lanes: int | None = None
    ) -> ir.Value:
        """Return an element, or a word of `lanes` elements."""
        if lanes is None:
            return self.load_by(access, at, loaded, "", _load_element)
        name = f"{lanes} elements"
        return self.load_by(access, at, loaded, name, lambda m, i: load_word(m, i, lanes))

    def load_by(
        self, access: BlockOperand, at: BlockOffsets, loaded: LoadedValues, name: str, load: _Loader
    ) -> ir.Value:
        """Return what a loader of this name loads at a position, unless a register holds it."""
        key = (access.number, name, tuple((form, distance(form, at)) for form in access.index))
        if key not in loaded:
            loaded[key] = load(self.memory(access, at), self.index(access, at))
        return loaded[key]

    def floats(
        self, access: BlockOperand, lanes: tuple[int, int], at: BlockOffsets, loaded: LoadedValues
    ) -> ir.Value:
        """Return the floats of `lanes`, a dimension and a number of positions along it."""
        dim, count = lanes
        if any(form.factor(dim) for form in access.index):
            name = f"{count} floats"
            return self.load_by(access, at, loaded, name, lambda m, i: load_floats(m, i, count))
        name, element = f"{count} equal floats", self.load(access, at, loaded)
        key = (access.number, name, tuple((form, distance(form, at)) for form in access.index))
        if key not in loaded:
            type_ = ir.VectorType.get([count], element.type)
            loaded[key] = vector.BroadcastOp(type_, element).result
        return loaded[key]

    def memory(self, access: BlockOperand, at: BlockOffsets) -> ir.Value:
        """Return the memory that has the element of a position."""
        memories = self._scope.memories[access.number] if access.windows is None else access.windows
        return memories[access.distances(at)]

    def _is_filled(self, access: BlockOperand) -> bool:
        """Return whether elements of an operand may be outside, and get the value of no factor."""
        x = self._blocked.fill_dim
        if x is None or access.number > 0 or len(self._scope.ins) == 1:
            return False
        return any(clamp.base.factor(x) for clamp in self._scope.subdomain.bounds.clamps)

    def word(
        self, access: BlockOperand, at: BlockOffsets, loaded: LoadedValues, lanes: int
    ) -> ir.Value:
        """Return a word of factors, with elements outside of the operand filled."""
        if not self._is_filled(access):
            return self.load(access, at, loaded, lanes)
        subdomain, x = self._scope.subdomain, self._blocked.fill_dim
        axes, words, counters = (
            access.axes()[len(access.row) :],
            subdomain.words,
            subdomain.counters,
        )
        assert words is not None and x is not None, "elements are filled in words"
        may_leave = [form.factor(x) and _may_leave(form, size, counters) for form, size in axes]

        def load(memory: ir.Value, index: list[ir.Value]) -> ir.Value:
            sizes = [size if own else None for (_, size), own in zip(axes, may_leave, strict=True)]
            return load_filled(memory, index, sizes, (lanes, -words.offset))

        return self.load_by(access, at, loaded, f"{lanes} filled", load)

    def index(self, access: BlockOperand, at: BlockOffsets) -> list[ir.Value]:
        """Return the index of the element of a position in its memory."""
        forms, inner = access.inside, self._blocked.innermost
        if access.windows is not None:
            forms = [Linear.of(inner).times(form.factor(inner)) for form in forms]
        first = {inner: -access.first}
        distances = [distance(form, at) + distance(form, first) for form in access.inside]
        return [
            scalar.add_constant(self._scope.counters.value(form), distance)
            for form, distance in zip(forms, distances, strict=True)
        ]

    def widened(self, access: BlockOperand, at: BlockOffsets, loaded: LoadedValues) -> ir.Value:
        """Return an element in 32 bits."""
        return self.load_by(
            access, at, loaded, "widened", lambda m, i: scalar.widen(_load_element(m, i))
        )


def _may_leave(form: Linear[int], size: int, counters: Sequence[range]) -> bool:
    low, high = form.extremes(lambda d: (counters[d][0], counters[d][-1]))
    return low < 0 or high >= size


def _load_element(memory: ir.Value, index: list[ir.Value]) -> ir.Value:
    return memref.LoadOp(memory, index).result
