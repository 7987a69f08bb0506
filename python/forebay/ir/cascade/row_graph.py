"""The row graph of an entry function: which rows its ops read and write, step by step.

A step is a box of an op's loop nest: one row of the result, or one row of the input of a reduction
to a single row, whose accumulators then wait in memory. The exact rows of each step come from
`forebay.regions`. An op without a loop nest is one step.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from mlir import ir
from mlir.dialects import func, memref
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.cascade.graph import RowAccess, RowGraph, RowOperator, RowTensor
from forebay.dialects import linalg
from forebay.dialects.accel import ReduceOp
from forebay.dialects.memref_pool import AllocOp, CopyOp
from forebay.ir.attributes import named_attributes
from forebay.ir.cascade.rows import (
    BufferRows,
    buffer_rows_of,
    distance_of_rows,
    row_bytes_of,
    rows_shown,
)
from forebay.ir.interfaces import destinations_of, is_view
from forebay.ir.liveness.memory_effects import MemoryEffect, MemoryEffects
from forebay.ir.locations import name_hint, operator_of
from forebay.ir.machine.pools import candidates_of, element_bytes, pools_in
from forebay.ir.memory.underlying import Base
from forebay.ir.memory.underlying_buffers import result_arguments
from forebay.ir.rows.sources import is_row_source
from forebay.ir.structured.loop_nest import loop_nest_of
from forebay.ir.structured.reduce_box import accumulators_of
from forebay.pools import Pool
from forebay.regions import (
    Affine,
    Box,
    LoopNest,
    OperandAccess,
    Span,
    input_boxes,
    output_boxes,
)
from forebay.regions.runs import distance_over


class Split(Struct, frozen=True):
    """The boxes of an op's steps: `block` points of one dimension of its loop nest each."""

    nest: LoopNest
    dimension: int
    block: int
    steps: int

    @property
    def cuts_reduction(self) -> bool:
        """Return whether the steps are parts of sums."""
        return self.dimension >= len(self.nest.parallel)

    def box(self, step: int) -> Box:
        """Return the part of the domain of one step."""
        spans = list(self.nest.domain.spans)
        spans[self.dimension] = Span(step * self.block, (step + 1) * self.block)
        return Box(tuple(spans))


class RowOp(Struct, frozen=True, eq=False):
    """An op of the row graph; `split` is None if it has one step."""

    op: ir.OpView
    split: Split | None


class IrRowGraph(Struct, frozen=True, eq=False):
    """A row graph, with the base of each tensor and the op of each operator."""

    graph: RowGraph
    bases: tuple[Base, ...]
    ops: tuple[RowOp, ...]


def row_graph_of(module: ModuleOp, function: func.FuncOp, pool: str) -> IrRowGraph:
    """Return the row graph of a function; only tensors that may need bytes of `pool` have bytes.

    They prefer it, or only pools of a known capacity to it. Ops without effects on memory that is
    written are left out.
    """
    return _Extraction(module, function, pool).run()


def pools_ahead(
    candidates: Sequence[str], pool: str, pools: Mapping[str, Pool]
) -> tuple[str, ...] | None:
    """Return the candidates before a pool; None if no buffer needs to be in this pool.

    Whatever does not fit into the pools before it is in this one, if all of them have a capacity.
    """
    if pool not in candidates:
        return None
    ahead = tuple(candidates[: candidates.index(pool)])
    return None if any(pools[name].capacity is None for name in ahead) else ahead


class _Extraction:
    def __init__(self, module: ModuleOp, function: func.FuncOp, pool: str) -> None:
        self._effects = MemoryEffects(module)
        self._function = function
        self._pool = pool
        self._pools = pools_in(module.operation)
        self._outputs = set(result_arguments(function))
        self._numbers: dict[Base, int] = {}
        self._tensors: list[RowTensor] = []
        self._rows: list[BufferRows] = []

    def run(self) -> IrRowGraph:
        candidates = [
            op
            for op in self._function.entry_block.operations
            if not isinstance(op, AllocOp) and not is_view(op)
        ]
        effects = [(op, self._effects.effects_of(op)) for op in candidates]
        effects = [(op, found) for op, found in effects if found]
        self._add_tensors(effects)
        operators: list[RowOperator] = []
        ops: list[RowOp] = []
        for op, found in effects:
            row_op, operator = self._operator(op, found)
            operators.append(operator)
            ops.append(row_op)
        graph = RowGraph(tuple(self._tensors), tuple(operators))
        return IrRowGraph(graph, tuple(self._numbers), tuple(ops))

    def _add_tensors(self, effects: Sequence[tuple[ir.OpView, list[MemoryEffect]]]) -> None:
        """Number the memory that the function writes, and its arguments."""
        for argument in self._function.arguments:
            if isinstance(argument.type, ir.MemRefType):
                self._add(argument)
        for _, found in effects:
            for effect in found:
                for base in sorted(effect.bases or (), key=str) if effect.writes else ():
                    self._add(base)

    def _add(self, base: Base) -> None:
        if base in self._numbers:
            return
        self._numbers[base] = len(self._tensors)
        if isinstance(base, str):
            self._rows.append(BufferRows(None, 1, 1))
            self._tensors.append(RowTensor(base, 1, 0))
            return
        type_ = ir.MemRefType(base.type)
        is_argument = isinstance(base.owner, ir.Block)
        rows = buffer_rows_of(type_) if type_.has_static_shape else BufferRows(None, 1, 1)
        ahead = pools_ahead(candidates_of(type_), self._pool, self._pools)
        self._rows.append(rows)
        self._tensors.append(
            RowTensor(
                self._name(base),
                rows.count,
                0 if ahead is None else row_bytes_of(type_),
                is_input=is_argument and base not in self._outputs,
                is_output=is_argument and base in self._outputs,
                is_contiguous=is_argument,
            )
        )

    def _name(self, base: ir.Value) -> str:
        if isinstance(base.owner, ir.Block):
            number = ir.BlockArgument(base).arg_number
            name = named_attributes(self._function.arg_attrs[number]).get("accel.name")
            return f"arg{number}" if name is None else ir.StringAttr(name).value
        known = operator_of(base.owner.location)
        return f"buffer{len(self._tensors)}" if known is None else known.tensor

    # ---- Operators -------------------------------------------------------------------------------

    def _operator(
        self, op: ir.OpView, effects: Sequence[MemoryEffect]
    ) -> tuple[RowOp, RowOperator]:
        nest = loop_nest_of(op)
        pairs = None if nest is None else self._operands(op, nest)
        split = None if pairs is None or nest is None else self._split(op, nest, *pairs)
        if nest is None or pairs is None or split is None:
            return RowOp(op, None), self._whole(op, effects, is_fixed=nest is None)
        reads, writes = pairs
        inputs = self._accesses(split, reads, is_output=False)
        outputs = self._accesses(split, writes, is_output=True)
        seen = {access.tensor for access in (*inputs, *outputs)}
        steps = range(split.steps)
        others = [
            RowAccess(tensor, tuple(Span(0, self._rows[tensor].count) for _ in steps))
            for tensor in self._touched(effects)[0]
            if tensor not in seen
        ]
        operator = RowOperator(
            _operator_name(op),
            (*inputs, *others),
            tuple(outputs),
            _accumulator_bytes(op, split) if split.cuts_reduction else 0,
            () if split.cuts_reduction else self._in_place(nest, reads, writes),
            is_source=_is_source(op),
        )
        return RowOp(op, split), operator

    def _whole(
        self, op: ir.OpView, effects: Sequence[MemoryEffect], *, is_fixed: bool
    ) -> RowOperator:
        reads, writes = self._touched(effects)

        def accesses(tensors: Iterable[int]) -> tuple[RowAccess, ...]:
            return tuple(RowAccess(t, (Span(0, self._rows[t].count),)) for t in tensors)

        return RowOperator(
            _operator_name(op),
            accesses(reads),
            accesses(writes),
            is_fixed=is_fixed,
            is_source=_is_source(op),
        )

    def _touched(self, effects: Sequence[MemoryEffect]) -> tuple[list[int], list[int]]:
        """Return the tensors that effects read and write; all where an effect may be anywhere."""
        reads: dict[int, None] = {}
        writes: dict[int, None] = {}
        for effect in effects:
            bases = self._numbers if effect.bases is None else effect.bases
            numbers = sorted(self._numbers[base] for base in bases if base in self._numbers)
            reads.update(dict.fromkeys(numbers if effect.reads else ()))
            writes.update(dict.fromkeys(numbers if effect.writes else ()))
        return list(reads), list(writes)

    def _operands(self, op: ir.OpView, nest: LoopNest) -> tuple[_Operands, _Operands] | None:
        """Return inputs and outputs of the nest with their values; None if these do not match."""
        outs = destinations_of(op) or (len(op.operands) - 1,)
        shaped = [
            (n, value)
            for n, value in enumerate(op.operands)
            if isinstance(value.type, ir.MemRefType)
        ]
        if isinstance(op, ReduceOp):
            if op.sizes is not None:
                return None
            shaped = [(n, value) for n, value in shaped if value not in list(op.accumulators)]
        inputs = [value for n, value in shaped if n not in outs]
        outputs = [value for n, value in shaped if n in outs]
        if (len(inputs), len(outputs)) != (len(nest.inputs), len(nest.outputs)):
            return None
        return (
            list(zip(inputs, nest.inputs, strict=True)),
            list(zip(outputs, nest.outputs, strict=True)),
        )

    def _number(self, value: ir.Value) -> int | None:
        """Return the tensor that a value is a view of; None for a constant."""
        bases = self._effects.underlying.bases_of(value)
        if bases is None or len(bases) != 1:
            return None
        return self._numbers.get(next(iter(bases)))

    def _split(
        self, op: ir.OpView, nest: LoopNest, reads: _Operands, writes: _Operands
    ) -> Split | None:
        """Return the steps of an op: rows of its result, else rows of the input of a reduction."""
        if any(self._number(value) is None for value, _ in writes) or not _has_slices(op, nest):
            return None
        for value, access in writes:
            found = self._rows_along(nest, value, access, range(len(nest.parallel)), True)
            if found is not None:
                return found
        if not isinstance(op, ReduceOp) or not nest.reduction:
            return None
        for value, access in reads:
            first = range(len(nest.parallel), len(nest.parallel) + 1)
            found = self._rows_along(nest, value, access, first, False)
            if found is not None:
                return found
        return None

    def _rows_along(
        self,
        nest: LoopNest,
        value: ir.Value,
        access: OperandAccess,
        dimensions: range,
        is_output: bool,
    ) -> Split | None:
        """Return the split along a dimension of which each block is one row of the operand."""
        number = self._number(value)
        if number is None or self._rows[number].count == 1:
            return None
        for dimension in dimensions:
            extent, rows = nest.domain.spans[dimension].size, self._rows[number].count
            if extent < 2:
                continue
            block = extent // rows if extent % rows == 0 else 1
            split = Split(nest, dimension, block, extent // block)
            spans = self._shown(split, value, access, is_output)
            if all(s.size == 1 for s in spans) and len({s.start for s in spans}) == len(spans):
                return split
        return None

    def _shown(
        self, split: Split, value: ir.Value, access: OperandAccess, is_output: bool
    ) -> tuple[Span, ...]:
        """Return the rows of the buffer behind an operand that each step accesses."""
        number = self._number(value)
        if number is None:
            return (Span(0, 0),) * split.steps
        of_steps = (_boxes_of_outputs if is_output else _boxes_of_inputs)(split)
        at = (split.nest.outputs if is_output else split.nest.inputs).index(access)
        boxes = [boxes[at] for boxes in of_steps]
        return rows_shown(ir.MemRefType(value.type), boxes, self._rows[number])

    def _accesses(self, split: Split, operands: _Operands, *, is_output: bool) -> list[RowAccess]:
        found: list[RowAccess] = []
        for value, access in operands:
            number = self._number(value)
            if number is not None:
                spans = self._shown(split, value, access, is_output)
                if is_output and split.cuts_reduction:
                    spans = (*[Span(0, 0)] * (split.steps - 1), spans[-1])
                distance = 1 if is_output else self._distance(split, value, access)
                found.append(RowAccess(number, spans, distance))
        return found

    def _distance(self, split: Split, value: ir.Value, access: OperandAccess) -> int:
        """Return a distance between the rows of the buffer that each step reads of an operand."""
        number = self._number(value)
        assert number is not None, "constants have no rows"
        distances = [distance_over(index, split.box(0)) for index in access.index]
        return distance_of_rows(ir.MemRefType(value.type), distances, self._rows[number])

    def _in_place(self, nest: LoopNest, reads: _Operands, writes: _Operands) -> tuple[int, ...]:
        """Return the operands whose elements may hold the result."""
        if nest.reduction or len(writes) != 1:
            return ()
        result, written = writes[0]
        identity = tuple(map(Affine.dimension, range(len(nest.parallel))))
        if written.index != identity or _is_view_of_other(result):
            return ()
        element = ir.MemRefType(result.type).element_type
        numbers = [
            self._number(value)
            for value, access in reads
            if access.index == identity
            and ir.MemRefType(value.type).element_type == element
            and not _is_view_of_other(value)
            and _may_share_buffer(value.type, result.type)
        ]
        return tuple(number for number in numbers if number is not None)


@lru_cache(maxsize=1024)  # the graph of each trial has the same nests
def _boxes_of_inputs(split: Split) -> tuple[tuple[Box, ...], ...]:
    """Return the part of each input that each step reads."""
    return tuple(input_boxes(split.nest, split.box(step)) for step in range(split.steps))


@lru_cache(maxsize=1024)
def _boxes_of_outputs(split: Split) -> tuple[tuple[Box, ...], ...]:
    """Return the part of each output that each step writes."""
    return tuple(output_boxes(split.nest, split.box(step)) for step in range(split.steps))


def _may_share_buffer(one: ir.Type, other: ir.Type) -> bool:
    """Return whether users of both values may get one buffer: the same pools, or the caller's."""
    first, second = (ir.MemRefType(type_).memory_space for type_ in (one, other))
    return first is None or second is None or first == second


_Operands = list[tuple[ir.Value, OperandAccess]]


def _accumulator_bytes(op: ir.OpView, split: Split) -> int:
    assert isinstance(op, ReduceOp)
    return math.prod(split.nest.parallel) * sum(map(element_bytes, waiting_of(op, split.nest)))


def waiting_of(op: ReduceOp, nest: LoopNest) -> list[ir.Type]:
    """Return the types of the accumulators that wait between steps.

    The count of points is none of them where no point is skipped, because it is a constant there.
    """
    types = accumulators_of(op)
    *_, handed = op.init.blocks[0].operations
    return types[: len(handed.operands)] if nest.points().points == nest.domain.elements else types


def _has_slices(op: ir.OpView, nest: LoopNest) -> bool:
    """Return whether operands of a structured op have slices of the elements of each step."""
    if isinstance(op, ReduceOp):
        return True
    indices = [index for access in (*nest.inputs, *nest.outputs) for index in access.index]
    return all(index.is_linear for index in indices) and (
        isinstance(op, (linalg.GenericOp, memref.CopyOp, CopyOp))
        or not any(index.constant for index in indices)
    )


def _is_view_of_other(value: ir.Value) -> bool:
    return not isinstance(value.owner, ir.Block) and is_view(value.owner.opview)


def _is_source(op: ir.OpView) -> bool:
    return isinstance(op, memref.CopyOp) and is_row_source(op.source)


def _operator_name(op: ir.OpView) -> str:
    known = operator_of(op.location)
    if known is not None:
        return known.tensor or f"{known.kind} #{known.index}"
    return (name_hint(op.location) if _is_source(op) else None) or op.operation.name
