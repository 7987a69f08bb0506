"""Groups of kernels of one operator that are computed together, a tile of all results at a time.

%f = sum of W x          %f and %g are temporaries: only kernels of the group read them, at the
%g = sum of R h          position at which they compute. %c is updated in place.
%c = update %c by %f, %g

%m = highest of a row    Results share their leading axes, those of the first one. The axes after
%e = exp (x - %m)        them are in the tile as a whole: %e is [rows, columns], and a tile of one
%t = sum of %e           row has all of its columns.
%y = %e / %t
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from mlir import ir
from mlir.dialects import tensor
from msgspec import Struct

from forebay.ir.locations import OperatorLocation, operator_of
from forebay.ir.machine.pools import bytes_of
from forebay.ir.nested import ops_in
from forebay.lowering.tiles import TILE_BYTES
from forebay.lowering.tiles.kernel import Axes, Kernel, kernel_of, leading
from forebay.support.lazy import lazy


class Group:
    """Kernels of one operator, in order, whose results have the same leading axes."""

    def __init__(self, kernels: tuple[Kernel, ...]) -> None:
        self.kernels = kernels

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the axes that all results share."""
        return self.kernels[0].shape

    @lazy
    def length(self) -> int:
        """The positions of a tile along the last shared axis, so that temporaries have few bytes.

        It is 0 if the temporaries of one position have more than `TILE_BYTES`. Kernels with axes of
        their own compute one position: their loops over these axes are long enough.
        """
        depth = len(self.shape)
        largest = max((_position_bytes(value, depth) for value in self.temporaries), default=0)
        if not 0 < largest <= TILE_BYTES:
            return 0
        return 1 if any(len(it.shape) > depth for it in self.kernels) else TILE_BYTES // largest

    @lazy
    def results(self) -> dict[ir.Value, Kernel]:
        """All results, and the kernels that compute them."""
        return {result: kernel for kernel in self.kernels for result in kernel.results}

    @lazy
    def kept(self) -> dict[ir.Value, ir.Value]:
        """The results that other ops use, each with its destination from outside of the group."""
        inside = {kernel.op.operation for kernel in self.kernels}
        used = [r for r in self.results if any(u.owner.operation not in inside for u in r.uses)]
        return {result: self.destination(result) for result in used}

    @lazy
    def temporaries(self) -> list[ir.Value]:
        """The results in memory of their own that only the group uses."""
        kept = set(self.kept.values())
        homes = {result: self.destination(result) for result in self.results}
        return [result for result, home in homes.items() if is_new(home) and home not in kept]

    def axes_of(self, result: ir.Value) -> Axes:
        """Return what a tile uses of a result."""
        return leading(self.results[result].whole, len(self.shape))

    def destination(self, result: ir.Value) -> ir.Value:
        """Return the tensor from outside of the group in whose memory a result is computed."""
        results = self.results
        while result in results:
            kernel = results[result]
            result = kernel.outputs[kernel.results.index(result)].value
        return result

    def saves_memory(self) -> bool:
        """Return whether sums are temporaries, and tiles need no copy of what is overwritten."""
        if not 0 < self.length < prod(self.shape):
            return False
        axes = {home: self.axes_of(result) for result, home in self.kept.items()}
        updated = {home for home in map(self.destination, self.results) if not is_new(home)}
        if len(axes) < len(self.kept) or not updated <= axes.keys():
            return False
        depth = len(self.shape)
        reads = [operand for kernel in self.kernels for operand in kernel.inputs]
        if any(o.value in axes and leading(o.axes, depth) != axes[o.value] for o in reads):
            return False
        results = self.results
        return any(results[temporary].sums for temporary in self.temporaries)


class _Op(Struct, frozen=True, eq=False):
    """An op of a block; a kernel of an operator, or another op."""

    op: ir.OpView
    kernel: Kernel | None
    operator: OperatorLocation | None

    def uses(self, results: dict[ir.Value, Axes]) -> bool:
        """Return whether the op, or an op inside of it, uses a result."""
        return any(operand in results for inner in ops_in(self.op) for operand in inner.operands)


def groups_in(block: ir.Block) -> Iterator[Group]:
    """Yield the groups of a block whose tiles save memory."""
    found = ((op, kernel_of(op), operator_of(op.location)) for op in list(block.operations))
    ops = [_Op(*it) for it in found]
    start = 0
    while start < len(ops):
        members, end = _members(ops, start)
        group = Group(tuple(kernel for n in members if (kernel := ops[n].kernel) is not None))
        if group.kernels and group.saves_memory():
            yield group
            start = end
        else:
            # Kernels after the first one may have more axes in common.
            start = next((n for n in members if _shape(ops[n]) != _shape(ops[start])), end)


def _members(ops: list[_Op], start: int) -> tuple[list[int], int]:
    """Return the numbers of the kernels of the group that begins at an op, and of the next one."""
    first = ops[start].kernel
    if first is None or ops[start].operator is None:
        return [], start + 1
    depth, members = len(first.shape), [start]
    axes = dict.fromkeys(first.results, first.whole)
    for number in range(start + 1, len(ops)):
        kernel = ops[number].kernel
        if kernel is None:
            if ops[number].uses(axes):
                return members, number
            continue
        operands = (*kernel.inputs, *kernel.outputs)
        if (
            ops[number].operator != ops[start].operator
            or kernel.shape[:depth] != first.shape
            or any(axes.get(o.value, at) != at for o in operands for at in [leading(o.axes, depth)])
        ):
            return members, number
        members.append(number)
        axes.update(dict.fromkeys(kernel.results, leading(kernel.whole, depth)))
    return members, len(ops)


def _shape(op: _Op) -> tuple[int, ...] | None:
    return None if op.kernel is None else op.kernel.shape


def _position_bytes(result: ir.Value, depth: int) -> int:
    """Return the bytes of a result at one position of the leading axes."""
    type_ = ir.RankedTensorType(result.type)
    return bytes_of(ir.MemRefType.get(type_.shape[depth:], type_.element_type))


def is_new(value: ir.Value) -> bool:
    """Return whether a tensor has no elements yet."""
    return not isinstance(value.owner, ir.Block) and isinstance(value.owner.opview, tensor.EmptyOp)
