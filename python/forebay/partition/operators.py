"""The operators of a program as the user knows them, and their views for the matcher."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from mlir import ir
from mlir.dialects import func, tosa
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.ir import fused
from forebay.ir.locations import describe_location, name_hint, operator_of, shortened
from forebay.ir.machine.pools import element_bytes
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.nested import ops_nested_in


class Operator(Struct, frozen=True, eq=False):
    """An operator of the model, or, in IR that was not imported, one op that `match` knows.

    `unmatched` says why `match` gives no view of a root; None when it does not fail.
    """

    index: int | None
    kind: str
    name: str
    where: str
    location: ir.Location
    ops: tuple[ir.OpView, ...]
    roots: tuple[ir.OpView, ...]
    views: tuple[fused.Fused, ...]
    unmatched: str | None

    def __str__(self) -> str:
        return f"{self.kind} {self.name}" if self.index is None else f"{self.index} {self.kind}"

    @property
    def keys(self) -> tuple[str, ...]:
        """The names by which a user may refer to the operator: its index (if any) and its name."""
        return (self.name,) if self.index is None else (str(self.index), self.name)

    @property
    def macs(self) -> int:
        """The multiply-accumulates of the operator, those with padding included."""
        return sum(map(macs_of, self.views))

    @property
    def bytes(self) -> int:
        """The bytes read from other operators and constants, plus the bytes written for others."""
        inside = set(self.ops)
        read = {o for op in self.ops for o in op.operation.operands if o.owner not in inside}
        written = [r for op in self.ops for r in op.operation.results if _leaves(r, inside)]
        return sum(_size(value) for value in (*read, *written))


def operators_in(module: ModuleOp, others: tuple[type[ir.OpView], ...] = ()) -> list[Operator]:
    """Return the operators of all functions, in order of execution.

    `others` are the classes of ops that are operators, too, if no view is of them.
    """
    found: list[Operator] = []
    for function in functions_in(module):
        ops = [op for op in ops_nested_in(function) if not _is_constant_or_return(op)]
        found += [_operator(group, others) for group in _groups(ops, others)]
    return found


def macs_of(view: fused.Fused) -> int:
    """Return the multiply-accumulates of an operator; 0 for an operator that does not multiply."""
    if isinstance(view, fused.Convolution):
        return math.prod(fused.shape_of(view.result)) * math.prod(fused.shape_of(view.weights)[1:])
    if isinstance(view, fused.Depthwise):
        return math.prod(fused.shape_of(view.result)) * math.prod(view.window.kernel)
    if isinstance(view, fused.TransposeConvolution):
        return math.prod(fused.shape_of(view.source)[:3]) * math.prod(fused.shape_of(view.weights))
    if isinstance(view, fused.MatMul):
        return math.prod(fused.shape_of(view.result)) * fused.shape_of(view.source)[-1]
    return 0


def _groups(
    ops: Sequence[ir.OpView], others: tuple[type[ir.OpView], ...]
) -> Iterable[list[ir.OpView]]:
    """Group the ops of each operator of the model; in other IR, each root is its own group."""
    imported: dict[int, list[ir.OpView]] = {}
    order: list[list[ir.OpView]] = []
    for op in ops:
        operator = operator_of(op.operation.location)
        if operator is None:
            if fused.is_root(op) or isinstance(op, others):
                order.append([op])
            continue
        if operator.index not in imported:
            imported[operator.index] = []
            order.append(imported[operator.index])
        imported[operator.index].append(op)
    return order


def _operator(ops: list[ir.OpView], others: tuple[type[ir.OpView], ...]) -> Operator:
    location = ops[0].operation.location
    imported = operator_of(location)
    roots = [op for op in ops if fused.is_root(op)]
    views, unmatched = _views(roots)
    if not views and unmatched is None:
        roots = [op for op in ops if isinstance(op, others)]
        views = tuple(view for view in map(fused.single_op, roots) if view is not None)
    if imported is not None:
        index, kind, name = imported.index, imported.kind, imported.tensor
    else:
        index, kind = None, ops[0].operation.name.removeprefix("tosa.").upper()
        name = name_hint(location) or describe_location(location)
        ops = [op for view in views for op in view.ops] or ops
    return Operator(
        index,
        kind,
        name,
        describe_location(location),
        location,
        tuple(ops),
        tuple(roots),
        views,
        unmatched,
    )


def _views(roots: Iterable[ir.OpView]) -> tuple[tuple[fused.Fused, ...], str | None]:
    views: list[fused.Fused] = []
    try:
        for root in roots:
            view = fused.match(root)
            if view is not None:
                views.append(view)
    except fused.UnsupportedFormError as error:
        return tuple(views), str(error)
    return tuple(views), None


def _is_constant_or_return(op: ir.OpView) -> bool:
    return isinstance(op, tosa.ConstOp | tosa.ConstShapeOp | func.ReturnOp)


def _leaves(result: ir.Value, inside: set[ir.OpView]) -> bool:
    return any(use.owner not in inside for use in result.uses)


def _size(value: ir.Value) -> int:
    if not isinstance(value.type, ir.RankedTensorType) or not value.type.has_static_shape:
        return 0
    return math.prod(value.type.shape) * element_bytes(value.type.element_type)


def labels_of(operators: Iterable[Operator]) -> Iterator[str]:
    """Yield how to list each operator: `3 conv1`, with long names shortened."""
    for operator in operators:
        yield " ".join(map(shortened, operator.keys))
