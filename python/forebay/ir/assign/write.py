"""Writer of the solution into the module: copies, types of all tensors, and dependent types."""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir
from mlir.dialects import arith, bufferization, func, scf

from forebay._libs import _forebay
from forebay.assignment import CopyKind, PlannedCopy, Solution
from forebay.dialects import memref_pool
from forebay.ir.assign.extract import AssignedTensor, AssignmentExtraction, slot_key
from forebay.ir.assign.held_regions import is_held
from forebay.ir.assign.insertion_points import insertion_point
from forebay.ir.assign.origins import CALLER, StorageOrigin, held_by, storage_origin_of
from forebay.ir.assign.ports import empty_like
from forebay.ir.assign.signatures import sync_declaration, sync_signature
from forebay.ir.assign.uses import Use
from forebay.ir.machine.devices import ON, device_of
from forebay.ir.memory.access_constraints import CANDIDATES, TO_CALLER
from forebay.ir.memory.storage import is_tensor
from forebay.ir.nested import ops_nested_in, ops_of
from forebay.ir.refused import RefusedError

Spaces = Mapping[int, ir.Attribute | None]
"""The encoding of each class of storage; None for the caller's memory."""


def write_assignment(extraction: AssignmentExtraction, solution: Solution) -> None:
    """Create the copies, encode every tensor, and update constants and signatures."""
    spaces = _spaces(extraction, solution)
    for value, slot in extraction.slot_of.items():
        if isinstance(value, ir.Value):
            _encode(value, spaces[solution.classes[slot]])
    for tensor in extraction.undefined:
        _share_out(tensor, extraction, solution, spaces)
    for number, tensor in enumerate(extraction.tensors):
        for index, copy in enumerate(solution.copies[number]):
            space = spaces[solution.copy_class(number, index)]
            _copy(tensor, copy, space, extraction)
    for function in extraction.functions:
        for op in ops_nested_in(function):
            _update(op)
        _open_regions(function)
        sync_signature(function)
    parameters = {key: at for key, at in extraction.slot_of.items() if isinstance(key, tuple)}
    for (name, index), slot in parameters.items():
        sync_declaration(extraction.functions[0], name, index, spaces[solution.classes[slot]])


def _spaces(extraction: AssignmentExtraction, solution: Solution) -> Spaces:
    """Return the encoding of each class; an existing buffer retains its own."""
    found: dict[int, ir.Attribute | None] = {
        number: None if CALLER in names else memref_pool.SpaceAttr.get(names)
        for number, names in enumerate(solution.pools)
    }
    for value, slot in extraction.slot_of.items():
        if isinstance(value, ir.Value) and storage_origin_of(value) is StorageOrigin.HELD:
            found[solution.classes[slot]] = held_by(value).space
    return found


def _encode(value: ir.Value, space: ir.Attribute | None) -> None:
    type_ = ir.RankedTensorType(value.type)
    value.set_type(ir.RankedTensorType.get(type_.shape, type_.element_type, space))


def _space_of(value: ir.Value) -> ir.Attribute | None:
    return ir.RankedTensorType(value.type).encoding


def _is_same(one: ir.Attribute | None, other: ir.Attribute | None) -> bool:
    """Return whether two spaces are equal; the bindings cannot compare an attribute with None."""
    return one is other if one is None or other is None else one == other


# ---- Copies --------------------------------------------------------------------------------------


def _copy(
    tensor: AssignedTensor,
    copy: PlannedCopy,
    space: ir.Attribute | None,
    extraction: AssignmentExtraction,
) -> None:
    """Create one copy for some uses of a tensor."""
    uses = [tensor.readers[i] for i in copy.readers] + [tensor.ties[i] for i in copy.ties]
    overwritten = any(use.overwrites for use in uses)
    first, point = insertion_point(tensor.value, uses, hoist=not overwritten)
    with point, first.op.location:
        made = _made(tensor.value, copy, space, first, extraction)
    for use in uses:
        use.op.operands[use.operand] = made


def _made(
    value: ir.Value,
    copy: PlannedCopy,
    space: ir.Attribute | None,
    use: Use,
    extraction: AssignmentExtraction,
) -> ir.Value:
    if copy.kind is CopyKind.DOUBLED:
        assert not isinstance(value.owner, ir.Block)
        constant = value.owner.opview.operation.clone(ir.InsertionPoint(value.owner))
        _encode(constant.results[0], space)
        return constant.results[0]
    target = empty_like(value)
    _encode(target, space)
    if copy.kind is CopyKind.FRESH:
        return target
    description = (
        use.constraint.what if use.constraint is not None else f"'{use.op.operation.name}'"
    )
    with ir.Location.name(f"copy for {description}", use.op.location):
        moved = memref_pool.CopyOp(target.type, value, target)
    host = extraction.machine.host
    if device_of(moved) != host:
        moved.operation.attributes[ON] = ir.FlatSymbolRefAttr.get(host)
    return moved.results[0]


def _share_out(
    tensor: AssignedTensor, extraction: AssignmentExtraction, solution: Solution, spaces: Spaces
) -> None:
    """Give every use of a tensor without contents such a tensor in the space that it needs."""
    wanted: list[tuple[Use, ir.Attribute | None]] = [
        (use, spaces[solution.classes[extraction.slot_of[slot_key(use)]]]) for use in tensor.ties
    ]
    for use, required in zip(tensor.readers, tensor.required, strict=True):
        slot = extraction.problem.slots[extraction.slot_of[tensor.value]]
        names = [place.pool for place in slot.places if place.pool in required.pools]
        wanted.append((use, memref_pool.SpaceAttr.get(names)))
    if wanted:
        _encode(tensor.value, wanted[0][1])
    for use, space in wanted:
        if _is_same(space, _space_of(tensor.value)):
            continue
        with ir.InsertionPoint(use.op), use.op.location:
            other = empty_like(tensor.value)
            _encode(other, space)
        use.op.operands[use.operand] = other


# ---- Updates that depend on types ----------------------------------------------------------------


def _update(op: ir.OpView) -> None:
    for name in (CANDIDATES, TO_CALLER):
        if name in op.operation.attributes:
            del op.operation.attributes[name]
    if isinstance(op, arith.ConstantOp) and is_tensor(op.results[0]):
        op.attributes["value"] = _retyped(op)
    elif isinstance(op, bufferization.MaterializeInDestinationOp) and len(op.results):
        _copy_between_spaces(op)


def _open_regions(function: func.FuncOp) -> None:
    """Remove the regions that preserved candidate pools; copies in them move out."""
    for op in ops_of(function, scf.ExecuteRegionOp):
        if not is_held(op):
            continue
        body = op.region.blocks[0]
        *inside, end = body.operations
        for inner in inside:
            inner.operation.move_before(op.operation)
        op.results[0].replace_all_uses_with(end.operands[0])
        op.operation.erase()


def _retyped(constant: arith.ConstantOp) -> ir.Attribute:
    elements = constant.attributes["value"]
    if not isinstance(elements, ir.DenseElementsAttr):
        raise RefusedError(
            constant.location,
            "a constant tensor needs dense elements to be placed in a pool; write it as dense<...>",
        )
    return _forebay.retype(elements, constant.results[0].type)


def _copy_between_spaces(op: bufferization.MaterializeInDestinationOp) -> None:
    """Replace a store of a tensor into one of another space by an explicit copy between pools."""
    source, target = op.operands
    if _is_same(_space_of(source), _space_of(target)):
        return
    with ir.InsertionPoint(op), op.location:
        copy = memref_pool.CopyOp(target.type, source, target)
    op.results[0].replace_all_uses_with(copy.results[0])
    op.erase()
