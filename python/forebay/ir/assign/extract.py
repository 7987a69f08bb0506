"""The assignment problem of the tensors of a module, with the IR of each of its parts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import func
from msgspec import Struct

from forebay.assignment import (
    AssignedValue,
    AssignmentProblem,
    EqualityConstraint,
    Memory,
    Reader,
)
from forebay.ir.assign.machine import ModuleMemory, module_memory_of
from forebay.ir.assign.origins import (
    CALLER,
    StorageOrigin,
    is_undefined,
    pools_in_order,
    storage_origin_of,
)
from forebay.ir.assign.requirements import Requirement, requirement_of
from forebay.ir.assign.slots import SlotKey, alias_sets_of, tensor_values_in
from forebay.ir.assign.uses import Use, calls_of, uses_in
from forebay.ir.machine.pools import element_bytes
from forebay.ir.machine.transfers import moves_in


class AssignedTensor(Struct, frozen=True):
    """A tensor and its uses: `readers[i]` and `ties[i]` are those of the problem's value."""

    value: ir.Value
    readers: tuple[Use, ...]
    ties: tuple[Use, ...]
    required: tuple[Requirement, ...]
    """The requirement of each reader."""


class AssignmentExtraction(Struct, frozen=True):
    """The problem and its IR: `problem.values[i]` is `tensors[i]`, slots are `slot_of` a tensor.

    Tensors without contents need no copies. They are not values of the problem, but are listed in
    `undefined`. The extraction is valid only during the pass that made it.
    """

    machine: ModuleMemory
    functions: tuple[func.FuncOp, ...]
    problem: AssignmentProblem
    tensors: tuple[AssignedTensor, ...]
    undefined: tuple[AssignedTensor, ...]
    slot_of: Mapping[SlotKey, int]
    requirements: tuple[tuple[Requirement, ...], ...]
    """The requirements of each slot."""


def extract_assignment(
    module: ir.Operation, functions: Sequence[func.FuncOp], *, pooled: bool
) -> AssignmentExtraction:
    """Return the problem of all functions together; raises `RefusedError` where no pool suits."""
    machine = module_memory_of(module, pooled=pooled)
    uses = uses_in(machine, functions)
    slots = alias_sets_of(machine, functions, uses)
    by_value = _by_value(functions, uses)
    tensors = [_tensor(value, of_value, machine) for value, of_value in by_value.items()]
    defined = tuple(tensor for tensor in tensors if not is_undefined(tensor.value))
    runs = calls_of(functions)
    values = tuple(_value(tensor, slots.of, runs) for tensor in defined)
    return AssignmentExtraction(
        machine,
        tuple(functions),
        AssignmentProblem(_pools(machine), slots.slots, values, moves_in(module)),
        defined,
        tuple(tensor for tensor in tensors if is_undefined(tensor.value)),
        slots.of,
        slots.requirements,
    )


def _pools(machine: ModuleMemory) -> tuple[Memory, ...]:
    """Return the pools by preference, then the caller's memory; rights are those of the host."""
    host = machine.host
    pools = (
        Memory(pool.name, pool.kind, pool.lets_read(host), pool.lets_write(host))
        for pool in pools_in_order(machine.pools.values())
    )
    return (*pools, Memory(CALLER, None))


def _by_value(functions: Sequence[func.FuncOp], uses: Sequence[Use]) -> dict[ir.Value, list[Use]]:
    found: dict[ir.Value, list[Use]] = {value: [] for value in tensor_values_in(functions)}
    for use in uses:
        found[use.value].append(use)
    return found


def _tensor(value: ir.Value, uses: Sequence[Use], machine: ModuleMemory) -> AssignedTensor:
    ties = tuple(use for use in uses if use.tied or use.parameter is not None)
    readers = [use for use in uses if not use.tied and use.parameter is None]
    constraints = [(use, use.constraint) for use in readers if use.constraint is not None]
    return AssignedTensor(
        value,
        tuple(use for use, _ in constraints),
        ties,
        tuple(requirement_of(constraint, machine) for _, constraint in constraints),
    )


def _value(
    tensor: AssignedTensor, slot_of: Mapping[SlotKey, int], runs: Mapping[str, int]
) -> AssignedValue:
    value = tensor.value
    return AssignedValue(
        slot_of[value],
        _size(value) * runs[_function_around(value).sym_name.value],
        tuple(
            Reader(required.pools, use.needs_own_bytes, use.position)
            for use, required in zip(tensor.readers, tensor.required, strict=True)
        ),
        tuple(
            EqualityConstraint(
                slot_of[slot_key(use)], use.needs_contents, use.needs_own_bytes, use.position
            )
            for use in tensor.ties
        ),
        constant=storage_origin_of(value) is StorageOrigin.CONSTANT,
    )


def slot_key(use: Use) -> SlotKey:
    """Return the tensor or parameter that represents the storage that a use is tied to."""
    return use.tied[0] if use.parameter is None else use.parameter


def _function_around(value: ir.Value) -> func.FuncOp:
    """Return the function in which a tensor is defined."""
    owner = value.owner
    around = owner.owner if isinstance(owner, ir.Block) else owner.opview
    while not isinstance(around, func.FuncOp):
        assert around.operation.parent is not None
        around = around.operation.parent.opview
    return around


def _size(value: ir.Value) -> int:
    """Return the bytes of a tensor; a dynamic extent counts as one element, an index as 8 bytes."""
    type_ = ir.RankedTensorType(value.type)
    extents = (1 if type_.is_dynamic_dim(axis) else size for axis, size in enumerate(type_.shape))
    element = type_.element_type
    width = 8 if isinstance(element, ir.IndexType) else element_bytes(element)
    return math.prod(extents) * width
