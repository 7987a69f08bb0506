"""Sums of the second factors of an `accel.reduce`, outside of the loops over other positions.

    sum((x + z) * w)  =  z * sum(w) + sum(x * w)

The sums of the weights depend on the channel only. Where the loops over the channels are the
outermost ones, each is computed once for all pixels whose windows are inside.
"""

from __future__ import annotations

from mlir import ir

from forebay.cpus import schedule_of
from forebay.dialects.accel import ReduceOp
from forebay.ir.machine.cpu import cpu_of
from forebay.ir.memory.linear import Linear, linear_of_map
from forebay.ir.module import function_around
from forebay.ir.structured.reduce_box import box_of
from forebay.lowering.blocks.neighbours import uses_dim
from forebay.lowering.blocks.words import offset_of_words, words_of


def sums_factors(op: ReduceOp) -> bool:
    """Return whether the offset of an op's words is multiplied by the sum of the factors.

    With partial sums that is so where the processor of the function prefers it.
    """
    words = words_of(op)
    if words is None or words.dim < len(op.parallel) or not words.offset:
        return False
    return words.sums_factors or (words.sums > 1 and _has_sums_of_factors(op, words.sums))


def _has_sums_of_factors(op: ReduceOp, sums: int) -> bool:
    """Return whether the processor of the function multiplies offsets by the sums of factors."""
    function = function_around(op)
    name = None if function is None else cpu_of(function)
    units = () if name is None else schedule_of(name).vectors
    return any(unit.sums == sums and unit.sums_factors for unit in units)


def sums_elements(op: ReduceOp) -> bool:
    """Return whether an op without words has an offset that is multiplied by such a sum, too."""
    return words_of(op) is None and bool(offset_of_words(op))


def dims_of_factors(op: ReduceOp) -> tuple[int, ...] | None:
    """Return the parallel dimensions of the second operand if no loop is around theirs.

    None if there is such a loop, if none is inside, if `init` has parameters along others, or if a
    box cuts the reduction. A dimension of one position has no loop.
    """
    box, dims = box_of(op), range(len(op.parallel))
    found = tuple(d for d in dims if uses_dim(op, 1, d))
    others = [d for d in dims if d not in found and box.sizes[d] > 1]
    if not found or not others or others[0] < found[-1] or box.cuts_reduction:
        return None
    arguments = list(op.init.blocks[0].arguments)
    read = [number for number, argument in enumerate(arguments) if any(True for _ in argument.uses)]
    forms = [form for number in read for form in _forms(op, len(op.inputs) + number)]
    is_known = all(form is not None and form.terms.keys().isdisjoint(others) for form in forms)
    return found if is_known else None


def _forms(op: ReduceOp, number: int) -> list[Linear[int] | None]:
    return linear_of_map(ir.AffineMapAttr(op.maps[number]).value)
