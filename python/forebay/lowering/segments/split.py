"""Move the segments of blocks that write tensors many times into functions.

    func @op(%x, %y0)                     func @op(%x, %y0)
      %y1 = insert .. into %y0              %y12 = call @op_segment_1(%x, %y0)
      ...                            ->     %y24 = call @op_segment_2(%x, %y12)
      %y24 = insert .. into %y23

The analysis of upstream's bufferization compares each read of a tensor with each write, and walks
the chain of writes each time, so its time grows with the cube of the number of writes in a block.
Slices of tensors that the block does not write, and constants, are copied into each segment.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence

from mlir import ir
from mlir.dialects import arith, func, scf, tensor
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.ir.identity import identity_of
from forebay.ir.interfaces import destinations_of
from forebay.ir.memory.c_symbols import c_symbols, unused_name
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.nested import ops_in, ops_of

SEGMENT = "memref_pool.segment"
"""Attribute of a function that holds a segment; there is one call of it, with the attribute."""

WRITES = 12
"""The writes of tensors in one segment; blocks with at most twice as many stay whole."""

_CLONED = (arith.ConstantOp, tensor.EmptyOp)
"""Ops that each segment gets a copy of, instead of an argument."""

_SLICES = (tensor.ExtractSliceOp, tensor.CollapseShapeOp, tensor.ExpandShapeOp)
"""Ops whose results are views: as arguments, which have no layout, they would be copied."""


def split_blocks(module: ModuleOp) -> None:
    """Move segments of long blocks of functions and loops into private functions."""
    names = _Names(module)
    for function in list(functions_in(module)):
        for block in list(_blocks_of(function)):
            while _is_long(block):
                _split(block, function, names)


class _Names:
    """Unused names of functions."""

    def __init__(self, module: ModuleOp) -> None:
        self._symbols = ir.SymbolTable(module.operation)
        self._taken = c_symbols(module)
        self._next: dict[str, int] = {}

    def name(self, function: func.FuncOp) -> str:
        stem = f"{function.sym_name.value}_segment"
        self._next[stem] = self._next.get(stem, 0) + 1
        return unused_name(f"{stem}_{self._next[stem]}", self._symbols, self._taken)

    def insert(self, function: func.FuncOp) -> None:
        self._symbols.insert(function.operation)


def _blocks_of(function: func.FuncOp) -> Iterator[ir.Block]:
    if function.is_external:
        return
    yield function.entry_block
    for loop in ops_of(function, scf.ForOp):
        yield loop.body


def _writes(op: ir.OpView) -> bool:
    """Return whether the op makes a new version of a tensor that other ops have written."""
    return SEGMENT in op.attributes or bool(_written_by(op))


def _written_by(op: ir.OpView) -> list[ir.Value]:
    """Return the destinations of an op that are neither new tensors nor slices."""
    return [
        value
        for value in (op.operands[number] for number in destinations_of(op) or ())
        if isinstance(value.type, ir.RankedTensorType)
        and (
            isinstance(value.owner, ir.Block)
            or not isinstance(value.owner.opview, (*_CLONED, *_SLICES))
        )
    ]


def _is_long(block: ir.Block) -> bool:
    return sum(map(_writes, block.operations)) > 2 * WRITES


def _split(block: ir.Block, function: func.FuncOp, names: _Names) -> None:
    """Move all ops of the block but the terminator into functions."""
    first, *_ = block.operations
    *ops, _ = block.operations
    roots = _shared_tensors(block, _segments(ops))
    for root in roots.values():
        if root != first:
            root.operation.move_before(first.operation)
    ops = [op for op in ops if identity_of(op) not in roots]
    written = {value for op in ops for value in _written_by(op)}
    for segment in _segments(ops):
        _outline(segment, written, roots, function, names)


def _shared_tensors(
    block: ir.Block, segments: Iterable[Sequence[ir.OpView]]
) -> dict[int, tensor.EmptyOp]:
    """Return the new tensors whose content several segments use, or are written in a chain.

    They stay in front of the segments. Inside of the first one, that segment would return a new
    buffer, with undefined bytes or with a copy of them.
    """
    number_of = {identity_of(op): number for number, ops in enumerate(segments) for op in ops}

    def is_shared(op: tensor.EmptyOp) -> bool:
        users = [ancestor_in(block, use.owner) for use in op.result.uses]
        uses = [use.owner for user in users for result in user.results for use in result.uses]
        home = number_of.get(identity_of(op))
        return len(users) == 1 and any(
            number_of.get(identity_of(ancestor_in(block, use))) != home for use in uses
        )

    return {
        identity_of(op): op
        for op in block.operations
        if isinstance(op, tensor.EmptyOp) and (_begins_chain(op) or is_shared(op))
    }


def _begins_chain(op: tensor.EmptyOp) -> bool:
    """Return whether the op is a new tensor that ops write one after the other."""
    users = [use.owner.opview for use in op.result.uses]
    return len(users) == 1 and any(
        result in _written_by(use.owner.opview)
        for result in users[0].results
        for use in result.uses
    )


def _segments(ops: Sequence[ir.OpView]) -> Iterator[list[ir.OpView]]:
    """Yield runs of ops that end with a write; what follows the last one stays."""
    run: list[ir.OpView] = []
    writes = 0
    for op in ops:
        run.append(op)
        writes += _writes(op)
        if writes == WRITES:
            yield run
            run, writes = [], 0
    if writes:
        last = max(number for number, op in enumerate(run) if _writes(op))
        yield run[: last + 1]


def _repeat_slices_behind(segment: Sequence[ir.OpView], written: Container[ir.Value]) -> None:
    """Give the ops after the segment slices of their own, of tensors that nothing overwrites.

    A slice is a view; as a result of the segment, which has no layout, it would be copied.
    """
    block = segment[0].operation.block
    inside = set(map(identity_of, segment))
    for op in reversed(segment):
        if not isinstance(op, _SLICES) or op.operands[0] in written:
            continue
        uses = [
            use
            for use in op.results[0].uses
            if identity_of(ancestor_in(block, use.owner)) not in inside
        ]
        if uses:
            copy = op.operation.clone(ir.InsertionPoint(segment[-1]))
            copy.move_after(segment[-1].operation)
            for use in uses:
                use.owner.operands[use.operand_number] = copy.results[0]


class _Boundary(Struct, frozen=True, eq=False):
    """The values that a segment uses of the ops before it, and those that the ops after it use."""

    arguments: list[ir.Value]
    clones: list[ir.OpView]
    results: Sequence[ir.Value]


def _outline(
    segment: list[ir.OpView],
    written: set[ir.Value],
    roots: Container[int],
    function: func.FuncOp,
    names: _Names,
) -> None:
    block = segment[0].operation.block
    _repeat_slices_behind(segment, written)
    boundary = _boundary_of(segment, written, roots)
    type_ = ir.FunctionType.get(
        [value.type for value in boundary.arguments], [value.type for value in boundary.results]
    )
    location = segment[0].location
    with location, ir.InsertionPoint(function):
        created = func.FuncOp(names.name(function), type_, visibility="private")
    names.insert(created)
    created.attributes[SEGMENT] = ir.UnitAttr.get()
    with location, ir.InsertionPoint(segment[0]):
        call = func.CallOp(created, boundary.arguments)
    call.attributes[SEGMENT] = ir.UnitAttr.get()
    inside = set(map(identity_of, segment))
    for value, result in zip(boundary.results, call.results, strict=True):
        for use in list(value.uses):
            if identity_of(ancestor_in(block, use.owner)) not in inside:
                use.owner.operands[use.operand_number] = result
    body = created.add_entry_block([location] * len(boundary.arguments))
    with location, ir.InsertionPoint(body):
        func.ReturnOp(boundary.results)
    end = body.operations[0]
    for op in segment:
        op.operation.move_before(end.operation)
    _replace_captures(segment, boundary, body)


def _boundary_of(
    segment: list[ir.OpView], written: set[ir.Value], roots: Container[int]
) -> _Boundary:
    """Return the boundary.

    `written` are the tensors that the block writes, `roots` the new tensors in front of it.
    """
    block = segment[0].operation.block
    inside = {identity_of(inner) for op in segment for inner in ops_in(op)}
    clones: dict[int, ir.OpView] = {}
    arguments: dict[ir.Value, None] = {}

    def capture(value: ir.Value) -> None:
        owner = value.owner
        if isinstance(owner, ir.Block):
            if not _is_in(owner, inside):
                arguments[value] = None
            return
        op = owner.opview
        if identity_of(op) in inside or identity_of(op) in clones:
            return
        is_cloned = isinstance(op, _CLONED) and identity_of(op) not in roots
        if is_cloned or (isinstance(op, _SLICES) and op.operands[0] not in written):
            for operand in op.operands:
                capture(operand)
            clones[identity_of(op)] = op
        else:
            arguments[value] = None

    for op in segment:
        for inner in ops_in(op):
            for operand in inner.operands:
                capture(operand)
    results = [
        result
        for op in segment
        for result in op.results
        if any(identity_of(ancestor_in(block, use.owner)) not in inside for use in result.uses)
    ]
    return _Boundary(list(arguments), list(clones.values()), results)


def _replace_captures(segment: Iterable[ir.OpView], boundary: _Boundary, body: ir.Block) -> None:
    """Let the ops of the segment use arguments and clones instead of values outside."""
    known: dict[ir.Value, ir.Value] = dict(zip(boundary.arguments, body.arguments, strict=True))
    with ir.InsertionPoint.at_block_begin(body):
        for op in boundary.clones:
            clone = op.operation.clone()
            _use(clone.opview, known)
            known.update(zip(op.results, clone.results, strict=True))
    for op in segment:
        for inner in ops_in(op):
            _use(inner, known)


def _use(op: ir.OpView, known: dict[ir.Value, ir.Value]) -> None:
    for number, operand in enumerate(op.operands):
        if operand in known:
            op.operands[number] = known[operand]


def _is_in(block: ir.Block, inside: set[int]) -> bool:
    return identity_of(block.owner) in inside


def ancestor_in(block: ir.Block, op: ir.Operation | ir.OpView) -> ir.OpView:
    """Return the op of the block that is, or contains, an op."""
    current = op.operation
    while current.block != block:
        assert current.parent is not None
        current = current.parent.operation
    return current.opview
