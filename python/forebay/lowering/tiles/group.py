"""Groups of kernels of one operator that are computed together, a tile of all results at a time.

%f = sum of W x          %f and %g are temporaries: only kernels of the group read them, at the
%g = sum of R h          position at which they compute. %c is updated in place.
%c = update %c by %f, %g
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import tensor
from msgspec import Struct

from forebay.ir.locations import OperatorLocation, operator_of
from forebay.ir.nested import ops_in
from forebay.lowering.tiles.kernel import Kernel, kernel_of


class Group(Struct, frozen=True, eq=False):
    """Kernels of one operator, in order, whose results have one shape."""

    operator: OperatorLocation
    kernels: tuple[Kernel, ...]

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of all results."""
        return self.kernels[0].shape

    @property
    def results(self) -> dict[ir.Value, Kernel]:
        """All results, and the kernels that compute them."""
        return {result: kernel for kernel in self.kernels for result in kernel.results}

    @property
    def kept(self) -> dict[ir.Value, ir.Value]:
        """The results that other ops use, each with its destination from outside of the group."""
        inside = {kernel.op.operation for kernel in self.kernels}
        used = [r for r in self.results if any(u.owner.operation not in inside for u in r.uses)]
        return {result: self.destination(result) for result in used}

    @property
    def temporaries(self) -> list[ir.Value]:
        """The results in memory of their own that only the group uses."""
        kept = set(self.kept.values())
        homes = {result: self.destination(result) for result in self.results}
        return [result for result, home in homes.items() if is_new(home) and home not in kept]

    def destination(self, result: ir.Value) -> ir.Value:
        """Return the tensor from outside of the group in whose memory a result is computed."""
        results = self.results
        while result in results:
            kernel = results[result]
            result = kernel.outputs[kernel.results.index(result)].value
        return result

    def takes(self, kernel: Kernel) -> bool:
        """Return whether a kernel reads the results at the position at which it computes."""
        results = self.results
        inner = [o for o in (*kernel.inputs, *kernel.outputs) if o.value in results]
        return (
            operator_of(kernel.op.location) == self.operator
            and kernel.shape == self.shape
            and all(operand.axes == kernel.whole for operand in inner)
        )

    def is_used_by(self, op: ir.OpView) -> bool:
        """Return whether an op, or an op inside of it, uses a result."""
        results = self.results
        return any(operand in results for inner in ops_in(op) for operand in inner.operands)

    def saves_memory(self) -> bool:
        """Return whether sums are temporaries, and tiles need no copy of what is overwritten."""
        kept = self.kept
        homes = list(kept.values())
        updated = {home for home in map(self.destination, self.results) if not is_new(home)}
        if len(set(homes)) < len(homes) or not updated <= set(homes):
            return False
        reads = [(o, kernel) for kernel in self.kernels for o in kernel.inputs]
        if any(o.value in homes and o.axes != kernel.whole for o, kernel in reads):
            return False
        results = self.results
        return any(results[temporary].sums for temporary in self.temporaries)


def groups_in(block: ir.Block) -> Iterator[Group]:
    """Yield the groups of a block whose tiles save memory."""
    group: Group | None = None
    for op in list(block.operations):
        kernel, operator = kernel_of(op), operator_of(op.location)
        if group is not None and kernel is not None and group.takes(kernel):
            group = Group(group.operator, (*group.kernels, kernel))
            continue
        if group is not None and (kernel is not None or group.is_used_by(op)):
            if group.saves_memory():
                yield group
            group = None
        if kernel is not None and operator is not None:
            group = Group(operator, (kernel,))
    if group is not None and group.saves_memory():
        yield group


def is_new(value: ir.Value) -> bool:
    """Return whether a tensor has no elements yet."""
    return not isinstance(value.owner, ir.Block) and isinstance(value.owner.opview, tensor.EmptyOp)
