"""memref-pool-forward-results: let the last operator write into the caller's memory."""

from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

from mlir import ir
from mlir.dialects import func, memref
from msgspec import Struct

from forebay.device_stages.grants import granted
from forebay.dialects import accel, linalg, memref_pool
from forebay.ir.interfaces import viewed_by
from forebay.ir.liveness.memory_effects import MemoryEffects
from forebay.ir.machine.devices import host_of
from forebay.ir.machine.pools import candidates_of, pools_in
from forebay.ir.memory.access_constraints import (
    CANDIDATES,
    access_constraints_of,
    needs_transfer,
    pools_allowed,
)
from forebay.ir.memory.function_cache import function_name_of
from forebay.ir.memory.underlying_buffers import (
    entry_functions,
    is_private,
    named_attributes,
    result_arguments,
)
from forebay.ir.module import module_of
from forebay.ir.nested import ops_of
from forebay.ir.views.queries import is_inside_source, view_kind_of
from forebay.ir.views.rules import ViewKind
from forebay.passes._pass import Pass
from forebay.pools import Pool

_USERS = (
    accel.CallOp,
    accel.ReduceOp,
    linalg.FillOp,
    linalg.GenericOp,
    memref.CopyOp,
    memref.LoadOp,
    memref.StoreOp,
    memref_pool.CopyOp,
)


class MemrefPoolForwardResults(Pass):
    """Replace a buffer that is only copied into a result by the result itself.

    A public function returns a result by a `memref_pool.copy` into an argument. If the copied
    buffer is an allocation that operators fill, the pass replaces it by a view of that argument and
    erases the copy. The operators may be in a private function that takes the buffer as an
    argument, and in functions that this function calls. The argument is then in the new memory.
    Therefore such a function must have only one call, also counting calls of itself; else the pass
    keeps the buffer and its copy. The pass also keeps a buffer that a function made by a device's
    stage takes, unless the result is in the same pools, because the stage was given memory of these
    pools; a buffer that a loop carries; and a buffer with a user that cannot access the memory of
    the argument.
    """

    name: ClassVar[str] = "memref-pool-forward-results"
    dialects: ClassVar[tuple[str, ...]] = ("memref",)

    def run(self, op: ir.Operation) -> None:
        """Rewrite each copy into a result argument, in order."""
        program = _Program.of(op)
        effects = MemoryEffects(module_of(op))
        for function in entry_functions(module_of(op)):
            results = result_arguments(function)
            for nested in list(function.entry_block.operations):
                is_result = isinstance(nested, memref_pool.CopyOp) and nested.target in results
                if is_result:
                    _forward(nested, program, effects)


class _Program(Struct, frozen=True):
    """Facts about the module: pools, host, functions, and the number of calls of each."""

    pools: Mapping[str, Pool]
    host: str
    functions: Mapping[str, func.FuncOp]
    calls: Mapping[str, int]

    @staticmethod
    def of(module: ir.Operation) -> "_Program":
        functions, calls = ops_of(module, func.FuncOp), ops_of(module, func.CallOp)
        return _Program(
            pools_in(module),
            host_of(module),
            {op.sym_name.value: op for op in functions},
            Counter(op.callee.value for op in calls),
        )

    def argument_of(self, call: func.CallOp, operand: int, *, keeps_pools: bool) -> ir.Value | None:
        """Return the callee's argument for an operand if its memory may change, else None.

        With `keeps_pools`, the new memory is in the same pools.
        """
        callee = self.functions[call.callee.value]
        if callee.is_external or not is_private(callee) or self.calls[call.callee.value] > 1:
            return None
        if granted(callee) is not None and not keeps_pools:
            return None
        has_attributes = "arg_attrs" in callee.attributes
        if has_attributes and CANDIDATES in named_attributes(callee.arg_attrs[operand]):
            return None
        return callee.arguments[operand]


def _forward(copy: memref_pool.CopyOp, program: _Program, effects: MemoryEffects) -> None:
    """Remove the copy and its buffer if possible."""
    alloc = _allocation_behind(copy.source)
    target = copy.target
    if alloc is None or alloc.operation.block != copy.operation.block:
        return
    if any(use.owner.opview != copy for use in target.uses) or _is_written_behind(copy, effects):
        return
    keeps_pools = candidates_of(alloc.memref.type) == candidates_of(target.type)
    views = _views_of(alloc.memref, program, keeps_pools=keeps_pools)
    if views and not _is_dense(ir.MemRefType(target.type)):
        return  # the views of the buffer rely on its layout
    if views is None or not _candidates([alloc.memref, *views], target, program):
        return
    space = ir.MemRefType(target.type).memory_space
    with ir.InsertionPoint(alloc), alloc.location:
        replacement = _reshaped(target, ir.MemRefType(alloc.memref.type))
    copy.erase()
    alloc.memref.replace_all_uses_with(replacement)
    alloc.erase()
    for view in views:
        view.set_type(_in_space(ir.MemRefType(view.type), space))
        if isinstance(view.owner, ir.Block):
            _retype(view.owner.owner)
    for name in {function_name_of(value) for value in (target, *views)}:
        effects.invalidate(program.functions[name])


def _is_written_behind(copy: memref_pool.CopyOp, effects: MemoryEffects) -> bool:
    """Return whether a later op writes the copied buffer."""
    read, _ = effects.own_effects_of(copy)
    body = list(copy.operation.block.operations)
    behind = effects.effects_in(body[body.index(copy) + 1 :])
    return any(effect.writes and effect.may_alias(read) for effect in behind)


def _retype(operation: ir.Operation | ir.OpView) -> None:
    """Set the function's type from the types of its arguments."""
    function = operation.opview if isinstance(operation, ir.Operation) else operation
    assert isinstance(function, func.FuncOp)
    inputs = [argument.type for argument in function.arguments]
    type_ = ir.FunctionType.get(inputs, function.type.results)
    function.attributes["function_type"] = ir.TypeAttr.get(type_)


def _allocation_behind(value: ir.Value) -> memref_pool.AllocOp | None:
    """Return the allocation of which the value shows all bytes in their order, or None."""
    while not isinstance(value.owner, ir.Block):
        op = value.owner.opview
        if isinstance(op, memref_pool.AllocOp):
            return None if op.pinned is not None else op
        source = viewed_by(op)
        if source is None or view_kind_of(op) is not ViewKind.RESHAPED:
            return None
        value = source
    return None


def _candidates(values: list[ir.Value], target: ir.Value, program: _Program) -> bool:
    """Return whether all users of the values, and the application, can access the target's memory.

    Only the host accesses the caller's memory, and only where the operand has no constraint.
    """
    pools, host = program.pools, program.host
    users = (use.owner.opview for value in values for use in value.uses)
    constraints = [
        d for user in users for d in access_constraints_of(user, host) if d.value in values
    ]
    candidates = candidates_of(target.type)
    if not candidates:
        return all(
            constraint.device == host
            and constraint.pools is None
            and not needs_transfer(constraint, pools)
            for constraint in constraints
        )
    return any(
        pools[pool].lets_read(host) and all(pool in pools_allowed(d, pools) for d in constraints)
        for pool in candidates
    )


def _views_of(buffer: ir.Value, program: _Program, *, keeps_pools: bool) -> list[ir.Value] | None:
    """Return all views of the buffer, also in functions that take it as an argument.

    Returns None if an op other than the known operators uses it.
    """
    found: list[ir.Value] = []
    pending = [buffer]
    while pending:
        for use in pending.pop().uses:
            user = use.owner.opview
            if is_inside_source(user):
                found.append(user.results[0])
                pending.append(user.results[0])
            elif isinstance(user, func.CallOp):
                argument = program.argument_of(user, use.operand_number, keeps_pools=keeps_pools)
                if argument is None:
                    return None
                found.append(argument)
                pending.append(argument)
            elif not isinstance(user, _USERS):
                return None
    return found


def _reshaped(target: ir.Value, wanted: ir.MemRefType) -> ir.Value:
    """Return the target's bytes in the shape of `wanted`."""
    given = ir.MemRefType(target.type)
    if list(given.shape) == list(wanted.shape):
        return target
    type_ = _in_space(wanted, given.memory_space)
    strides, _ = wanted.get_strides_and_offset()
    return memref.ReinterpretCastOp(
        type_, target, [], [], [], [0], list(wanted.shape), strides
    ).result


def _is_dense(type_: ir.MemRefType) -> bool:
    return type_.layout == ir.AffineMapAttr.get(ir.AffineMap.get_identity(type_.rank))


def _in_space(type_: ir.MemRefType, space: ir.Attribute | None) -> ir.MemRefType:
    return ir.MemRefType.get(type_.shape, type_.element_type, type_.layout, space)
