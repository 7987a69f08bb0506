"""The schedule of an `accel.reduce`: merged dimensions, and the blocks that cost least."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from mlir import ir
from msgspec import Struct

from forebay.cpus.costs.block_costs import BlockCost
from forebay.cpus.costs.blocks import Blocks, cheapest_blocks, cost_of_blocks
from forebay.cpus.costs.weighted_nest import WeightedNest, WordDots
from forebay.cpus.cpu import Cpu
from forebay.dialects.accel import ReduceOp
from forebay.ir.memory.linear import linear_of_map
from forebay.ir.memory.loop_counters import CounterRange, counter_range_of
from forebay.ir.rows.layout import rows_of
from forebay.ir.structured.loop_nest import loop_nest_of
from forebay.ir.structured.reduce_box import box_of, mapped_operands_of
from forebay.lowering.blocks.blocked_op import takes_blocks
from forebay.lowering.blocks.hoisted import dims_of_factors
from forebay.lowering.blocks.interior import interior_of
from forebay.lowering.blocks.lanes import dims_of_lanes, requantisation_of
from forebay.lowering.blocks.neighbours import uses_dim
from forebay.lowering.blocks.product import product_of
from forebay.lowering.blocks.words import (
    dims_of_floats,
    dims_of_sums,
    dims_of_words,
    dots_of,
    is_float_sum,
    offset_of_words,
)
from forebay.lowering.loops.box_loops import BoxLoops
from forebay.lowering.schedule.exchange import exchange_factors
from forebay.lowering.schedule.interchange import clamped_first, factors_first, interchange
from forebay.lowering.schedule.merge import merge_dimensions
from forebay.regions import LoopNest

_MANY = 8
"""Positions for which it pays to add the second factors once."""


def schedule(op: ReduceOp, cpu: Cpu, calls: int = 1) -> None:
    """Merge dimensions of an op on buffers and give it blocks, and words where the CPU has vectors.

    An inference calls the op's function `calls` times, which repay the bytes of its code.

    Ops that are no sums of products, that count points, or whose reduction is cut stay as they are.
    Dimensions that select the rows of an operand, which lie anywhere, take no blocks.
    """
    prepared = _prepared(op, cpu, calls)
    if prepared is not None:
        _set_blocks(prepared.op, cheapest_blocks(prepared.weighted, cpu))


def least_cost(op: ReduceOp, cpu: Cpu) -> BlockCost | None:
    """Return the cost of the schedule of an op, or None for an op that gets none.

    The dimensions of the op are merged and interchanged as by `schedule`.
    """
    prepared = _prepared(op, cpu, calls=1)
    return None if prepared is None else cost_of_blocks(prepared.weighted, cpu)


class _Prepared(Struct, frozen=True, eq=False):
    """An op with the dimensions that its loops will have, and its nest."""

    op: ReduceOp
    weighted: WeightedNest


def _prepared(op: ReduceOp, cpu: Cpu, calls: int) -> _Prepared | None:
    is_float = isinstance(op.body.blocks[0].arguments[0].type, ir.FloatType)
    if product_of(op) is None or op.blocks is not None or (is_float and cpu.floats is None):
        return None
    op = merge_dimensions(op)
    if not takes_blocks(op):
        return None
    op = exchange_factors(op) if cpu.vectors else op
    factors = product_of(op)
    assert factors is not None, "the dimensions and the order of factors are not in the body"
    has_words = bool(cpu.vectors) and offset_of_words(op) is not None
    sums_factors = has_words and any(unit.sums_factors for unit in cpu.vectors)
    hoists_elements = not (cpu.vectors or is_float) and _has_many_inside(op)
    is_interchanged = sums_factors or hoists_elements
    if is_interchanged and (offset_of_words(op) or not cpu.vectors):
        op = interchange(op, factors_first(op))
    elif has_words and cpu.lanes is not None and dims_of_sums(op):
        op = interchange(op, clamped_first(op))
    if has_words and dots_of(op) is not None and _bytes_of_factors(op) > cpu.cache:
        op = interchange(op, factors_first(op))
    nest = loop_nest_of(op)
    assert nest is not None, "an accel.reduce is a loop nest"
    count, box = len(op.parallel), BoxLoops(box_of(op))
    # A box with a start that varies has one position there, and each in turn.
    sizes = [nest.parallel[d] if d in box.varying else size for d, size in enumerate(box.sizes)]
    box_nest = replace(nest, parallel=tuple(sizes[:count]), reduction=tuple(sizes[count:]))
    rows = _dims_of_rows(op, nest)
    is_hoisted = is_interchanged and dims_of_factors(op) is not None
    has_offsets = bool(cpu.vectors) or not is_hoisted
    weighted = WeightedNest(
        box_nest,
        box_nest.inputs[: len(op.inputs)],
        tuple(factor.additions if has_offsets else 0 for factor in factors),
        frozenset(d for d in rows if d < count) | {*box.varying},
        dims_of_words(op) if has_words else (),
        *_dims_of_vectors(op, cpu, has_words=has_words),
        is_hoisted and has_words,
        offset_of_words(op) or 0,
        _runs(op, math.prod(sizes[:count])) * calls,
        frozenset(box.varying),
        frozenset(d for d in rows if d >= count and sizes[d] > 1),
        _dots_of(op) if has_words and cpu.sums else None,
        is_float,
    )
    return _Prepared(op, weighted)


def _set_blocks(op: ReduceOp, found: Blocks) -> None:
    op.blocks = ir.DenseI64ArrayAttr.get(list(found.sizes))
    if found.word is not None:
        lanes = [found.lanes if d == found.word else 1 for d in range(len(found.sizes))]
        if found.dot_length > 1:
            lanes[-1] = found.dot_length
        op.words = ir.DenseI64ArrayAttr.get(lanes)
    if found.partial_sums > 1:
        op.partial_sums = ir.IntegerAttr.get(ir.IntegerType.get_signless(64), found.partial_sums)
    if found.stored is not None:
        stored = [found.stored_lanes if d == found.stored else 1 for d in range(len(found.sizes))]
        op.lanes = ir.DenseI64ArrayAttr.get(stored)
    if found.peeled:
        op.peeled = ir.DenseI64ArrayAttr.get(list(found.peeled))


def _runs(op: ReduceOp, positions: int) -> int:
    """Return how often an inference runs a kernel of so many positions."""
    if op.sizes is not None:  # the boxes of a kernel are all of its domain
        return math.prod(op.parallel) // positions
    return math.prod(loop.trips or 1 for loop in _loops_around(op))


def _loops_around(op: ReduceOp) -> Iterator[CounterRange]:
    around = op.operation.parent
    while around is not None:
        loop = counter_range_of(around.opview)
        if loop is not None:
            yield loop
        around = around.operation.parent


def _has_many_inside(op: ReduceOp) -> bool:
    """Return whether many positions have windows inside, and the same second factors."""
    box = box_of(op)
    counters = BoxLoops(box).counters
    source, shape = ir.AffineMapAttr(op.maps[0]).value, ir.MemRefType(op.inputs[0].type).shape
    forms = linear_of_map(source)
    axes = [(form, size) for form, size in zip(forms, shape, strict=True) if form is not None]
    dims = range(len(op.parallel))
    others = [d for d in dims if not uses_dim(op, 1, d)]
    if any(uses_dim(op, 0, d) for d in dims if d not in others):
        return False
    inside = [min(box.sizes[d], len(interior_of(d, axes, counters))) for d in others]
    return math.prod(inside) >= _MANY


def _dims_of_vectors(
    op: ReduceOp, cpu: Cpu, *, has_words: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the dimensions of results in vectors, and those along which sums are vectors, too."""
    if cpu.floats is not None and cpu.floats.sums and is_float_sum(op):
        dims = tuple(sorted(dims_of_floats(op)))
        return dims, dims
    return _dims_of_lanes(op, has_sums=has_words) if cpu.lanes is not None else ((), ())


def _dims_of_lanes(op: ReduceOp, *, has_sums: bool) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the dimensions of results in vectors, and those along which sums are vectors, too."""
    requantisation = requantisation_of(op)
    if requantisation is None:
        return (), ()
    stored = dims_of_lanes(op, requantisation)
    return tuple(sorted(stored)), tuple(sorted(stored & dims_of_sums(op))) if has_sums else ()


def _bytes_of_factors(op: ReduceOp) -> int:
    return math.prod(ir.MemRefType(op.inputs[1].type).shape)


def _dots_of(op: ReduceOp) -> WordDots | None:
    """Return the positions to whose sums words may be added, if their results are neighbours."""
    dots, requantisation = dots_of(op), requantisation_of(op)
    if dots is None or requantisation is None:
        return None
    return dots if dots.dim in dims_of_lanes(op, requantisation) else None


def _dims_of_rows(op: ReduceOp, nest: LoopNest) -> frozenset[int]:
    """Return the dimensions that select a row of an operand whose rows lie anywhere."""
    found: set[int] = set()
    accesses = (*nest.inputs, *nest.outputs)
    for value, access in zip(mapped_operands_of(op), accesses, strict=True):
        rows = rows_of(value.type)
        for expression in access.index[: 0 if rows is None else rows.dims]:
            found |= expression.dimensions
    return frozenset(found)
