"""Groups of kernels of one operator that are computed together, a tile of all results at a time.

%f = sum of W x          %f and %g are temporaries: only kernels of the group read them, at the
%g = sum of R h          position at which they compute. %c is updated in place.
%c = update %c by %f, %g
"""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import tensor

from forebay.ir.locations import OperatorLocation, operator_of
from forebay.ir.nested import ops_in
from forebay.lowering.tiles.kernel import Kernel, kernel_of
from forebay.support.lazy import lazy


class Group:
    """Kernels of one operator, in order, whose results have one shape."""

    def __init__(self, kernels: tuple[Kernel, ...]) -> None:
        self.kernels = kernels

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of all results."""
        return self.kernels[0].shape

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

    def destination(self, result: ir.Value) -> ir.Value:
        """Return the tensor from outside of the group in whose memory a result is computed."""
        results = self.results
        while result in results:
            kernel = results[result]
            result = kernel.outputs[kernel.results.index(result)].value
        return result

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


class _Collected:
    """The kernels of a group so far."""

    def __init__(self, operator: OperatorLocation, first: Kernel) -> None:
        self._operator, self._kernels = operator, [first]
        self._results = set(first.results)

    def add(self, kernel: Kernel) -> bool:
        """Add a kernel that reads the results at the position at which it computes, if it does."""
        operands = (*kernel.inputs, *kernel.outputs)
        belongs = (
            operator_of(kernel.op.location) == self._operator
            and kernel.shape == self._kernels[0].shape
            and all(o.axes == kernel.whole for o in operands if o.value in self._results)
        )
        if belongs:
            self._kernels.append(kernel)
            self._results.update(kernel.results)
        return belongs

    def is_used_by(self, op: ir.OpView) -> bool:
        """Return whether an op, or an op inside of it, uses a result."""
        return any(operand in self._results for inner in ops_in(op) for operand in inner.operands)

    def group(self) -> Group:
        """Return the group of these kernels."""
        return Group(tuple(self._kernels))


def groups_in(block: ir.Block) -> Iterator[Group]:
    """Yield the groups of a block whose tiles save memory."""
    yield from (group for group in _all_groups(block) if group.saves_memory())


def _all_groups(block: ir.Block) -> Iterator[Group]:
    open_: _Collected | None = None
    for op in list(block.operations):
        kernel, operator = kernel_of(op), operator_of(op.location)
        if open_ is not None and kernel is not None and open_.add(kernel):
            continue
        if open_ is not None and (kernel is not None or open_.is_used_by(op)):
            yield open_.group()
            open_ = None
        if kernel is not None and operator is not None:
            open_ = _Collected(operator, kernel)
    if open_ is not None:
        yield open_.group()


def is_new(value: ir.Value) -> bool:
    """Return whether a tensor has no elements yet."""
    return not isinstance(value.owner, ir.Block) and isinstance(value.owner.opview, tensor.EmptyOp)
