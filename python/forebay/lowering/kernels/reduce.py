"""Build `accel.reduce` ops from affine expressions and functions that emit the regions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext

from mlir import ir
from mlir.dialects import tensor
from msgspec import Struct

from forebay.dialects import accel
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.named import named

Scalars = Sequence[ir.Value]


class ReduceOperand(Struct, frozen=True, eq=False):
    """A tensor, and the index of the element that a point of the domain uses."""

    value: ir.Value
    index: tuple[ir.AffineExpr, ...]


class ReduceKernel(Struct, frozen=True, eq=False):
    """The three regions, as functions that emit their ops and return the values to yield."""

    init: Callable[[Scalars], Scalars]
    """Emits `init` from the params."""
    body: Callable[[Scalars, Scalars], Scalars]
    """Emits `body` from the accumulators and the ins."""
    finish: Callable[[Scalars, ir.Value, Scalars], ir.Value]
    """Emits `finish` from the accumulators, the count and the params."""


def sum_kernel(element: ir.Type, term: Callable[[Scalars], ir.Value]) -> ReduceKernel:
    """Return the kernel that sums the terms of the ins, from 0 on."""
    return ReduceKernel(
        lambda _: [scalar.scalar_constant(0, element)],
        lambda sums, ins: [scalar.add(sums[0], term(ins))],
        lambda sums, _, __: sums[0],
    )


def product_kernel(element: ir.Type) -> ReduceKernel:
    """Return the kernel that multiplies the elements of one operand."""
    return ReduceKernel(
        lambda _: [scalar.scalar_constant(1, element)],
        lambda products, ins: [scalar.multiply(products[0], ins[0])],
        lambda products, _, __: products[0],
    )


class KernelDomain(Struct, frozen=True):
    """The extents of a domain; dimension `d` of the expressions counts the parallel ones first."""

    parallel: tuple[int, ...]
    reduction: tuple[int, ...]

    @property
    def extents(self) -> tuple[int, ...]:
        """All extents, the parallel ones first."""
        return (*self.parallel, *self.reduction)


def affine_dimensions(count: int) -> list[ir.AffineExpr]:
    """Return the expressions of the first `count` dimensions of a domain."""
    return [ir.AffineExpr.get_dim(i) for i in range(count)]


def zero() -> ir.AffineExpr:
    """Return the expression 0."""
    return ir.AffineExpr.get_constant(0)


def build_reduce(
    domain: KernelDomain,
    kernel: ReduceKernel,
    *,
    ins: Sequence[ReduceOperand],
    params: Sequence[ReduceOperand],
    out: Sequence[ir.AffineExpr],
    result: ir.RankedTensorType,
    name: str | None = None,
) -> ir.Value:
    """Create the op at the current insertion point and location, without dimensions of extent 1.

    `name` is the name of the result's buffer, where it differs from the operator's.
    """
    small = _Squeezed(domain)
    maps = [small.map_of(operand.index, reduces=True) for operand in ins]
    maps += [small.map_of(operand.index, reduces=False) for operand in params]
    maps.append(small.map_of(out, reduces=False))
    with named(name) if name else nullcontext():
        empty = tensor.EmptyOp(list(result.shape), result.element_type).result
    op = accel.ReduceOp(
        [result],
        [operand.value for operand in ins],
        [operand.value for operand in params],
        [],
        empty,
        [],
        small.parallel,
        small.reduction,
        ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps]),
    )
    _fill_regions(op, _element_types(ins), _element_types(params), kernel)
    return op.operation.results[0]


class _Squeezed:
    """The domain without its dimensions of extent 1."""

    def __init__(self, domain: KernelDomain) -> None:
        self.parallel = [e for e in domain.parallel if e > 1]
        self.reduction = [e for e in domain.reduction if e > 1]
        self._parallel = self._renumbering(domain.parallel)
        self._all = self._renumbering(domain.extents)

    @staticmethod
    def _renumbering(extents: Sequence[int]) -> ir.AffineMap:
        kept = sum(1 for e in extents if e > 1)
        numbers = iter(range(kept))
        exprs = [ir.AffineExpr.get_dim(next(numbers)) if e > 1 else zero() for e in extents]
        return ir.AffineMap.get(kept, 0, exprs)

    def map_of(self, index: Sequence[ir.AffineExpr], *, reduces: bool) -> ir.AffineMap:
        renumbering = self._all if reduces else self._parallel
        return ir.AffineMap.get(renumbering.n_dims, 0, [e.compose(renumbering) for e in index])


def _fill_regions(
    op: accel.ReduceOp, ins: list[ir.Type], params: list[ir.Type], kernel: ReduceKernel
) -> None:
    init = op.init.blocks.append(*params)
    with ir.InsertionPoint(init):
        accumulators = list(kernel.init(list(init.arguments)))
        accel.YieldOp(accumulators)
    types = [a.type for a in accumulators]
    n = len(types)
    body = op.body.blocks.append(*types, *ins)
    with ir.InsertionPoint(body):
        arguments = list(body.arguments)
        accel.YieldOp(list(kernel.body(arguments[:n], arguments[n:])))
    finish = op.finish.blocks.append(*types, scalar.i32(), *params)
    with ir.InsertionPoint(finish):
        arguments = list(finish.arguments)
        accel.YieldOp([kernel.finish(arguments[:n], arguments[n], arguments[n + 1 :])])


def _element_types(operands: Sequence[ReduceOperand]) -> list[ir.Type]:
    return [ir.RankedTensorType(operand.value.type).element_type for operand in operands]
