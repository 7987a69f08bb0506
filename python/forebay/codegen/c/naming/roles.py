"""Names from the use of a value, where no pass has given it a name.

TensorFlow Lite's tensors are [batch][height][width][channel]. So the counter of a loop over the
second dimension of a stored tensor is called y, and one that only the loads of a window use is ky.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mlir.dialects import arith, func, memref, scf, tosa
from mlir.ir import IndexType, MemRefType, Operation, Value
from msgspec import Struct

from forebay.dialects.accel import CallOp, LaunchOp, MoveOp, OperandAttr, StartOp
from forebay.dialects.memref_pool import CopyOp
from forebay.ir.locations import name_hint, operator_of
from forebay.ir.machine.devices import intrinsic_of
from forebay.ir.machine.intrinsics import operands_in_order
from forebay.ir.module import symbol_around
from forebay.ir.nested import defining_op
from forebay.ir.rows.row_offsets import BY_ROWS, ROW_OF
from forebay.ir.rows.tables import is_row_table
from forebay.ir.views.queries import is_inside_source
from forebay.network.names import identifier

STORED = {4: "nyxc", 3: "yxc", 2: "nc", 1: "i"}
WINDOW = {4: ("n", "ky", "kx", "k"), 3: ("ky", "kx", "k"), 2: ("n", "k"), 1: ("i",)}
STORED_IN_ROW = {3: "yxc", 2: "xc", 1: "c"}
WINDOW_IN_ROW = {3: ("ky", "kx", "k"), 2: ("kx", "k"), 1: ("k",)}
LONGEST_COUNTER = 4  # a longer hint is the name of a tensor that the loop produces
LETTERS = "ijklmnopq"
INDEX_ARITHMETIC = (arith.AddIOp, arith.SubIOp, arith.MulIOp, arith.IndexCastOp)
_ACCESSES = (memref.LoadOp, memref.StoreOp)
COPIES = (CopyOp, memref.CopyOp, MoveOp, StartOp)
RESULTS: dict[type[Any], str] = {
    arith.AddIOp: "sum",
    arith.AddFOp: "sum",
    arith.SubIOp: "difference",
    arith.SubFOp: "difference",
    arith.MulIOp: "product",
    arith.MulFOp: "product",
    arith.CmpIOp: "condition",
    arith.CmpFOp: "condition",
    arith.SelectOp: "chosen",
    arith.MinSIOp: "clamped",
    arith.MaxSIOp: "clamped",
    tosa.ApplyScaleOp: "scaled",
    func.CallOp: "result",
}


class Subscript(Struct, frozen=True):
    """A use of an index as a subscript of a buffer, directly or as a term of a sum."""

    buffer: Value
    position: int
    is_store: bool
    is_direct: bool

    @property
    def letter(self) -> str:
        """Return the letter of the dimension."""
        rank, position, is_in_row = self._dimension
        letters = (STORED_IN_ROW if is_in_row else STORED).get(rank, LETTERS)
        return letters[min(position, len(letters) - 1)]

    @property
    def window_letter(self) -> str | None:
        """Return the letter of the dimension where it is that of a window."""
        rank, position, is_in_row = self._dimension
        letters = (WINDOW_IN_ROW if is_in_row else WINDOW).get(rank)
        return None if letters is None else letters[position]

    @property
    def _dimension(self) -> tuple[int, int, bool]:
        """The rank of the buffer, the position of the dimension, and whether it is in a row."""
        made_by = defining_op(self.buffer)
        if is_row_table(self.buffer):
            # The entry of a table that places the rows of a tensor: the index is that of a row.
            return 3, 0, True
        is_in_row = made_by is not None and ROW_OF in made_by.operation.attributes
        return MemRefType(self.buffer.type).rank, self.position, is_in_row


def counter_name(loop: scf.ForOp, depth: int) -> str:
    """Return a name for a loop's counter."""
    hint = name_hint(loop.location)
    if hint is not None and len(hint) <= LONGEST_COUNTER:
        return identifier(hint)
    if BY_ROWS in loop.attributes:
        return "tick"
    found = list(_subscripts(loop.induction_variable, is_direct=True))
    for subscript in (s for s in found if s.is_store):
        return subscript.letter
    # The counter of a window is a term of a sum where the input is read: y + ky.
    for subscript in sorted(found, key=lambda s: s.is_direct):
        letter = subscript.window_letter
        if letter:
            return letter
    return LETTERS[min(depth, len(LETTERS) - 1)]


def value_name(value: Value, depth: int) -> str:
    """Return a name for the result of an op."""
    owner = _view(value.owner)
    hint = name_hint(owner.location)
    if hint is not None:
        return hint
    if isinstance(value.type, IndexType):
        return _index_name(value, depth)
    return RESULTS.get(type(owner), "value")


def _index_name(value: Value, depth: int) -> str:
    for use in value.uses:
        loop = _view(use.owner)
        if isinstance(loop, scf.ForOp) and use.operand_number < 2:
            end = ("begin", "end")[use.operand_number]
            return f"{counter_name(loop, depth)}_{end}"
    for subscript in _subscripts(value, is_direct=True):
        return f"{'out' if subscript.is_store else 'in'}_{subscript.letter}"
    return "index_"


def _subscripts(value: Value, *, is_direct: bool) -> Iterator[Subscript]:
    for use in value.uses:
        op = _view(use.owner)
        if isinstance(op, _ACCESSES):
            is_store = isinstance(op, memref.StoreOp)
            position = use.operand_number - (2 if is_store else 1)
            if position >= 0:
                yield Subscript(op.memref, position, is_store, is_direct)
        elif isinstance(op, INDEX_ARITHMETIC):
            yield from _subscripts(op.operation.results[0], is_direct=False)


def buffer_name(value: Value, *, is_written: bool, is_constant: bool) -> str:
    """Return a name for a buffer: bias, multiplier, shift, weights, table, in, out.

    A constant that an intrinsic reads has the operand's name, and so does a buffer into which the
    constant is copied for the intrinsic.
    """
    if is_written:
        return fetched_name(value) or "out"
    if not is_constant:
        return "in"
    called = next(_operand_names(value), None)
    if called is not None:
        return called
    for op, operand in _loaded_uses(value):
        if isinstance(op, tosa.ApplyScaleOp) and operand > 0:
            return "multiplier" if operand == 1 else "shift"
        if isinstance(op, scf.ForOp):
            return "bias"
    return "weights" if MemRefType(value.type).rank > 1 else "table"


def fetched_name(buffer: Value) -> str | None:
    """Return the operand's name for a buffer that only copies fill and an intrinsic reads."""
    uses = list(_uses_through_calls(buffer))
    is_filled = any(isinstance(op, COPIES) and operand == 1 for op, operand in uses)
    if is_filled and all(_is_fetching(op, operand) for op, operand in uses):
        return next(_operand_names(buffer), None)
    return None


def _is_fetching(op: Any, operand: int) -> bool:
    """Return whether a use is a copy, or an intrinsic that reads the buffer."""
    reads = isinstance(op, (CallOp, LaunchOp)) and operand < len(op.inputs)
    return reads or isinstance(op, COPIES)


def _uses_through_calls(buffer: Value) -> Iterator[tuple[Any, int]]:
    """Yield the ops that use a buffer, also in callees, and the operand number of each use."""
    for use in buffer.uses:
        op = _view(use.owner)
        if isinstance(op, func.CallOp):
            for argument in _same_bytes(op, use.operand_number):
                yield from _uses_through_calls(argument)
        else:
            yield op, use.operand_number


def _operand_names(buffer: Value) -> Iterator[str]:
    """Yield the intrinsics' operand names for a buffer, its views and its copies."""
    pending, seen = [buffer], set[Value]()
    while pending:
        value = pending.pop(0)
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            op = _view(use.owner)
            if isinstance(op, (CallOp, LaunchOp)):
                declared = operands_in_order(op).index(use.operand_number)
                yield identifier(OperandAttr(intrinsic_of(op).signature[declared]).name).lower()
            elif not isinstance(op, memref.LoadOp):
                pending += _same_bytes(op, use.operand_number)


def _same_bytes(op: Any, operand: int) -> list[Value]:
    """Return the values with the same bytes as an operand: a view, a copy, an argument."""
    if is_inside_source(op):
        return [op.operation.results[0]]
    if isinstance(op, COPIES) and operand == 0:
        return [op.operation.operands[1]]
    if isinstance(op, func.CallOp):
        callee = symbol_around(op, op.callee.value)
        if isinstance(callee, func.FuncOp) and not callee.is_external:
            return [callee.arguments[operand]]
    return []


def _loaded_uses(buffer: Value) -> Iterator[tuple[Any, int]]:
    """Yield the ops that use a value loaded from a buffer, and the operand number of each use."""
    for use in buffer.uses:
        op = _view(use.owner)
        if isinstance(op, memref.LoadOp):
            for inner in op.result.uses:
                yield _view(inner.owner), inner.operand_number
        elif is_inside_source(op):
            yield from _loaded_uses(op.operation.results[0])


def operator_role(value: Value) -> str | None:
    """Return `conv_2d_3` for a value that operator 3 of the model produces, else None."""
    operator = operator_of(_view(value.owner).location)
    return identifier(f"{operator.kind.lower()}_{operator.index}") if operator is not None else None


def _view(op: Any) -> Any:
    return op.opview if isinstance(op, Operation) else op
