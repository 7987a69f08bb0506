"""Requirements on the places of tensors: from ops, from listed candidates, from the application."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mlir import ir
from mlir.dialects import func
from msgspec import Struct

from forebay.dialects.memref_pool import SpaceAttr
from forebay.ir.assign.machine import ModuleMemory
from forebay.ir.assign.origins import CALLER, StorageOrigin, storage_origin_of
from forebay.ir.assign.ports import FunctionPort, arguments_of, results_of
from forebay.ir.assign.uses import Use
from forebay.ir.machine.transfers import pools_of, transfers_in
from forebay.ir.memory.access_constraints import (
    CANDIDATES,
    AccessConstraint,
    needs_transfer,
    other_side_pools,
    pools_allowed,
)
from forebay.ir.memory.fitting import list_pools
from forebay.ir.memory.storage import is_tensor, last_op
from forebay.ir.memory.underlying_buffers import is_private
from forebay.ir.module import module_around
from forebay.ir.nested import memory_ops_in
from forebay.ir.refused import RefusedError
from forebay.pools import PoolKind


class Requirement(Struct, frozen=True):
    """The tensor must be in one of `pools`; `description` names the source of this, at `location`.

    If `ordered`, the order of the pools is a preference. If `overwrites`, the tensor must be in
    storage that may be overwritten. If `is_origin`, the requirement is the tensor's origin, not a
    user's.
    """

    pools: tuple[str, ...]
    description: str
    location: ir.Location
    ordered: bool = False
    overwrites: bool = False
    is_origin: bool = False


def requirements_of(
    machine: ModuleMemory, functions: Sequence[func.FuncOp], uses: Sequence[Use]
) -> Iterator[tuple[ir.Value | tuple[str, int], Requirement]]:
    """Yield all requirements on tensors or parameters that share storage with others.

    The requirements of readers are not included; `requirement_of` gives them.
    """
    for use in uses:
        if use.constraint is not None and use.parameter is not None:
            yield use.parameter, requirement_of(use.constraint, machine)
        elif use.constraint is not None and use.tied:
            yield use.tied[0], requirement_of(use.constraint, machine)
    constraints = machine.constraints
    for op in dict.fromkeys(op for function in functions for op in _ops_with_tensors(function)):
        for constraint in constraints.of(op):
            if constraint.operand is None:
                yield constraint.value, requirement_of(constraint, machine)
        if CANDIDATES in op.operation.attributes and len(op.results) == 1:
            space = op.operation.attributes[CANDIDATES]
            yield op.results[0], _listed(space, f"'{op.operation.name}'", op.location, machine)
    for function in functions:
        yield from _of_ports(machine, function, uses)


def requirement_of(constraint: AccessConstraint, machine: ModuleMemory) -> Requirement:
    """Return what a constraint requires; the host can also access the caller's memory.

    Raises `RefusedError` when no pool is allowed.
    """
    allowed = pools_allowed(constraint, machine.pools)
    if not allowed and needs_transfer(constraint, machine.pools):
        raise _nothing_moves(constraint)
    if constraint.pools is None:
        _check_rights(constraint, machine, allowed)
        if constraint.device == machine.host and not needs_transfer(constraint, machine.pools):
            allowed = (*allowed, CALLER)
    return Requirement(
        allowed, constraint.what, constraint.op.location, overwrites=constraint.writes
    )


def _nothing_moves(constraint: AccessConstraint) -> RefusedError:
    """Return the error for a copy into or out of a device that no transfer can make."""
    word, side = ("to", "from") if constraint.reads else ("from", "to")
    found = ", ".join(
        f"@{transfer.sym_name.value} {side} {list_pools(pools_of(names))}"
        for transfer in transfers_in(module_around(constraint.op))
        for names in [transfer.sources if constraint.reads else transfer.targets]
    )
    across = list_pools(other_side_pools(constraint))
    return RefusedError(
        constraint.op.location,
        f"no transfer moves {word} {across}, inside a device, and nothing else can; there are "
        f"{found or 'none'}. Declare one that does",
    )


def _check_rights(
    constraint: AccessConstraint, machine: ModuleMemory, allowed: tuple[str, ...]
) -> None:
    """Raise `RefusedError` if the device can use no pool of the kind and no copy can help."""
    origin = storage_origin_of(constraint.value)
    reached = allowed or constraint.device == machine.host
    if reached and origin not in (StorageOrigin.CONSTANT, StorageOrigin.COMPUTED):
        return
    constant = origin is StorageOrigin.CONSTANT and not constraint.writes
    kind = PoolKind.constant if constant else PoolKind.workspace
    if any(machine.pools[name].kind is kind for name in allowed):
        return
    if constant and allowed and machine.reads(PoolKind.constant):
        return
    there = [f"@{pool.name}" for pool in machine.pools.values() if pool.kind is kind]
    right = " and ".join(["read"] * constraint.reads + ["write"] * constraint.writes)
    raise RefusedError(
        constraint.value.location,
        f"no {kind.name} pool that @{constraint.device} may {right} for {constraint.value.type}; "
        f"{kind.name} pools in the module: {', '.join(there) or 'none'}. Attach a target first, or "
        f"give @{constraint.device} the right",
        [(constraint.op.location, f"{constraint.what} needs it")],
    )


# ---- Ports ---------------------------------------------------------------------------------------


def _of_ports(
    machine: ModuleMemory, function: func.FuncOp, uses: Sequence[Use]
) -> Iterator[tuple[ir.Value, Requirement]]:
    for port in (*arguments_of(function), *results_of(function)):
        value = _tensor_of(port, uses)
        if value is None:
            continue
        if port.candidates is not None:
            yield value, _listed(port.candidates, port.description, function.location, machine)
        elif (machine.pooled or port.by_rows) and not is_private(function):
            yield value, _of_application(machine, port)


def _tensor_of(port: FunctionPort, uses: Sequence[Use]) -> ir.Value | None:
    """Return an argument, a value that a public function returns, or a private call's result."""
    block = port.function.entry_block
    terminator = last_op(block)
    value = (terminator.operands if port.is_result else block.arguments)[port.index]
    if not is_tensor(value):
        return None
    if not port.is_result or not is_private(port.function):
        return value
    returned = (u for u in uses if u.op == terminator and u.operand == port.index)
    return next((tied for use in returned for tied in use.tied), None)


def _of_application(machine: ModuleMemory, port: FunctionPort) -> Requirement:
    """Return the requirement of the application, which fills inputs and fetches outputs."""
    names = tuple(
        pool.name
        for pool in machine.pools.values()
        if (pool.lets_read(machine.host) if port.is_result else pool.lets_write(machine.host))
    )
    verb = "fetches" if port.is_result else "fills"
    return Requirement(names, f"the application, which {verb} it", port.function.location)


def _listed(
    space: ir.Attribute | tuple[str, ...],
    description: str,
    where: ir.Location,
    machine: ModuleMemory,
) -> Requirement:
    names = space.pools if isinstance(space, SpaceAttr) else space
    assert isinstance(names, tuple)
    unknown = [name for name in names if name not in machine.pools]
    if unknown:
        known = ", ".join(f"@{name}" for name in machine.pools) or "none"
        raise RefusedError(
            where,
            f"{CANDIDATES} of {description} names @{unknown[0]}, which is no pool of the module; "
            f"it has {known}",
        )
    return Requirement(names, f"{CANDIDATES} of {description}", where, ordered=True)


def _ops_with_tensors(function: func.FuncOp) -> Iterator[ir.OpView]:
    for op in memory_ops_in(function):
        if any(is_tensor(result) for result in op.results):
            yield op
