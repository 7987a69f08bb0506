"""The variables of a function as rings: a position that each run moves, and views at it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import arith, func, memref
from msgspec import Struct

from forebay.ir.state.rewrite import stay_in_window
from forebay.ir.state.ring_order import POSITION, RingOrder, set_ring_order
from forebay.ir.views.layouts import DYNAMIC_OFFSET
from forebay.lowering.padding.constants import Constants
from forebay.lowering.rings.found import RingWindow, common_period

_NAME = "position"
"""The name of the variable that counts the runs of a function."""


class _Place(Struct, frozen=True):
    """Where the new rows of a ring are, and the first weight: indices along the axis."""

    new: ir.Value
    weights: ir.Value


def keep_in_rings(
    rings: Sequence[RingWindow], variables: Mapping[str, memref.GlobalOp], constants: Constants
) -> None:
    """Let the variables of windows in one function be rings.

    All of them have one position, the number of the run, which begins again where each of them
    does.
    """
    if not rings:
        return
    runs, function = common_period(rings), rings[0].function
    first = variables[rings[0].window.variable]
    space = ir.MemRefType(ir.TypeAttr(first.type_).value).memory_space
    type_ = ir.MemRefType.get([1], ir.IntegerType.get_signless(32), None, space)
    assert function.operation.parent is not None, "a function is in a module"
    symbols = ir.SymbolTable(function.operation.parent)
    with ir.InsertionPoint(first), ir.Location.name(_NAME, function.location):
        position = memref.GlobalOp(_NAME, ir.TypeAttr.get(type_), sym_visibility="private")
    name = symbols.insert(position.operation).value
    _begin(rings[0].reset, type_, name)
    places = _places(rings, type_, name, runs)
    for ring in rings:
        variable = variables[ring.window.variable]
        set_ring_order(variable, _order_of(ring, name))
        _keep(ring, variable, places[ring.rows, ring.new], constants)


def _order_of(ring: RingWindow, position: str) -> RingOrder:
    outer, inner = math.prod(ring.shape[: ring.axis]), math.prod(ring.shape[ring.axis + 1 :])
    return RingOrder(outer, ring.rows, inner, ring.new, position)


def _begin(reset: func.FuncOp, type_: ir.MemRefType, name: str) -> None:
    """Store position 0 at the end of the function that stores the initial values."""
    block = reset.entry_block
    end = block.operations[len(block.operations) - 1]
    with ir.InsertionPoint(end), ir.Location.name(name, reset.location):
        zero = arith.ConstantOp(type_.element_type, 0).result
        memory = memref.GetGlobalOp(type_, name).result
        memref.StoreOp(zero, memory, [arith.ConstantOp(ir.IndexType.get(), 0).result])


def _places(
    rings: Sequence[RingWindow], type_: ir.MemRefType, name: str, runs: int
) -> dict[tuple[int, int], _Place]:
    """Move the position at the beginning of a function; return where the rings of a form are.

    The position is a remainder of what is in memory, so that no content leads out of a ring.
    """
    number = type_.element_type
    function = rings[0].function
    start = ir.InsertionPoint.at_block_begin(function.entry_block)
    with start, ir.Location.name(name, function.location):
        memory = memref.GetGlobalOp(type_, name).result
        zero = arith.ConstantOp(ir.IndexType.get(), 0).result
        count, one = (arith.ConstantOp(number, n).result for n in (runs, 1))
        stored = memref.LoadOp(memory, [zero])
        stored.operation.attributes[POSITION] = ir.UnitAttr.get()
        position = arith.RemUIOp(stored.result, count).result
        following = arith.RemUIOp(arith.AddIOp(position, one).result, count).result
        memref.StoreOp(following, memory, [zero])
        forms = dict.fromkeys((ring.rows, ring.new) for ring in rings)
    with start, function.location:
        return {form: _place_of(position, runs, *form) for form in forms}


def _place_of(position: ir.Value, runs: int, rows: int, new: int) -> _Place:
    """Return the place in a ring of so many rows, of which each run replaces `new`."""
    index, where = ir.IndexType.get(), ir.Location.current
    own = position
    if rows // new != runs:
        own = arith.RemUIOp(position, arith.ConstantOp(position.type, rows // new).result).result
    with ir.Location.name("new_row", where):
        first = arith.IndexCastOp(index, own).result
        if new > 1:
            first = arith.MulIOp(first, arith.ConstantOp(index, new).result).result
    with ir.Location.name("first_weight", where):
        weights = arith.SubIOp(arith.ConstantOp(index, rows - new).result, first).result
    return _Place(first, weights)


def _keep(ring: RingWindow, variable: memref.GlobalOp, place: _Place, constants: Constants) -> None:
    """Let the memory of a variable be its window, of which the new rows are at the position."""
    whole = stay_in_window(ring.window, variable)
    shown = ring.copy.operands[1]
    with ir.InsertionPoint(ring.copy), ring.copy.location:
        ring.copy.operation.operands[1] = _part(whole, ring.axis, place.new, ring.new)
    _erase_if_unused(shown)
    for reader in ring.readers:
        kernel, number = reader.kernel, reader.weights
        old = kernel.inputs[number]
        shape = list(ir.MemRefType(old.type).shape)
        shape[reader.axis] += ring.rows - ring.new
        repeated = constants.repeated(kernel, old, shape)
        with ir.InsertionPoint(kernel), kernel.operation.location:
            part = _part(repeated, reader.axis, place.weights, ring.rows)
        kernel.operation.operands[number] = part
        _erase_if_unused(old)


def _erase_if_unused(value: ir.Value) -> None:
    if not any(True for _ in value.uses):
        value.owner.erase()


def _part(value: ir.Value, axis: int, first: ir.Value, count: int) -> ir.Value:
    """Return rows along an axis of a memref, from an index on that is not a constant."""
    type_ = ir.MemRefType(value.type)
    strides, _ = type_.get_strides_and_offset()
    sizes = [count if n == axis else size for n, size in enumerate(type_.shape)]
    offsets = [DYNAMIC_OFFSET if n == axis else 0 for n in range(type_.rank)]
    layout = ir.StridedLayoutAttr.get(ir.ShapedType.get_dynamic_stride_or_offset(), strides)
    part = ir.MemRefType.get(sizes, type_.element_type, layout, type_.memory_space)
    ones = [1] * type_.rank
    return memref.SubViewOp(part, value, [first], [], [], offsets, sizes, ones).result
