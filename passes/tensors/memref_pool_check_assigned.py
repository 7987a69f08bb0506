"""memref-pool-check-assigned: verify the memory spaces before bufferization."""

from collections.abc import Mapping
from typing import ClassVar

from mlir import ir
from mlir.dialects import func, tensor

from forebay.dialects.memref_pool import CopyOp, SpaceAttr
from forebay.ir.machine.pools import pools_in
from forebay.ir.memory.access_constraints import (
    AccessConstraint,
    AccessConstraints,
    AllowedPools,
)
from forebay.ir.memory.storage import (
    AliasConstraint,
    AliasSets,
    alias_constraints_of,
    is_tensor,
    last_op,
)
from forebay.ir.memory.underlying_buffers import is_private
from forebay.ir.nested import inner_blocks, memory_ops_in, ops_nested_in
from forebay.passes._pass import Pass, PassError
from forebay.pools import Pool, PoolKind


class MemrefPoolCheckAssigned(Pass):
    """Refuse tensors without a pool, and changes of pool that are not a copy.

    Every tensor must have a `#memref_pool.space` of pools in the module that suit all its users.
    Tensors of the caller of a public function are exempt: its arguments, its results, views of
    them, and arguments of private functions that get them. A `tensor.cast` must keep the space;
    only `memref_pool.copy` changes it. After this pass no pass on tensors may run except
    bufferization.
    """

    name: ClassVar[str] = "memref-pool-check-assigned"

    def run(self, op: ir.Operation) -> None:
        """Check every tensor once."""
        pools = pools_in(op)
        callers = _CallersTensors(op)
        constraints, allowed = AccessConstraints(op), AllowedPools(pools)
        for nested in ops_nested_in(op):
            if isinstance(nested, tensor.CastOp):
                _check_cast(nested)
            for constraint in constraints.of(nested):
                _check_constraint(constraint, pools, allowed)
            arguments = [a for block in inner_blocks(nested) for a in block.arguments]
            for value in (*nested.results, *arguments):
                if is_tensor(value):
                    _check_space(value, nested, set(pools), callers)


class _CallersTensors:
    """The tensors that live in the caller's memory."""

    def __init__(self, module: ir.Operation) -> None:
        functions = [
            f
            for f in module.regions[0].blocks[0].operations
            if isinstance(f, func.FuncOp) and not f.is_external
        ]
        operations = [op for function in functions for op in memory_ops_in(function)]
        ties = [
            tie
            for op in operations
            for tie in alias_constraints_of(op)
            if is_tensor(tie.value) and (tie.view or isinstance(op, CopyOp) or _is_handed_on(tie))
        ]
        self._classes = AliasSets(ties)
        self._ports = {
            self._classes.of(value)
            for function in functions
            if not is_private(function)
            for value in (
                *function.entry_block.arguments,
                *last_op(function.entry_block).operands,
            )
            if is_tensor(value)
        }

    def __contains__(self, value: ir.Value) -> bool:
        return self._classes.of(value) in self._ports


def _is_handed_on(tie: AliasConstraint) -> bool:
    """Return whether a private function gets a tensor that is in no pool."""
    operand = tie.op.operands[tie.operand]
    return isinstance(tie.op, func.CallOp) and ir.RankedTensorType(operand.type).encoding is None


def _check_constraint(
    constraint: AccessConstraint, pools: Mapping[str, Pool], allowed: AllowedPools
) -> None:
    """Check that a memory space still satisfies the access constraint of an operand.

    A pass may have changed the space since the assignment.
    """
    type_ = constraint.value.type
    space = type_.encoding if isinstance(type_, ir.RankedTensorType) else None
    if not isinstance(space, SpaceAttr):
        return
    names = allowed.of(constraint)
    wrong = [name for name in space.pools if _is_planned(name, pools) and name not in names]
    if wrong:
        listed = ", ".join(f"@{name}" for name in names) or "no pool"
        raise PassError(
            constraint.op.location,
            f"{constraint.what} may be in {listed}, but its tensor may come to live in "
            f"@{wrong[0]}; "
            "run memref-pool-assign again after the change",
        )


def _is_planned(name: str, pools: Mapping[str, Pool]) -> bool:
    """Return whether the assignment chooses candidates there; a state pool's are declared."""
    return name in pools and pools[name].kind is not PoolKind.state


def _check_space(value: ir.Value, op: ir.OpView, known: set[str], callers: _CallersTensors) -> None:
    space = ir.RankedTensorType(value.type).encoding
    if space is None:
        if value not in callers:
            raise PassError(
                op.location,
                f"a tensor of '{op.name}' has no memory space; run memref-pool-assign and no other "
                "pass on tensors after it",
            )
    elif not isinstance(space, SpaceAttr):
        raise PassError(
            op.location, f"the encoding {space} of a tensor of '{op.name}' is not a memory space"
        )
    elif unknown := [pool for pool in space.pools if pool not in known]:
        raise PassError(
            op.location,
            f"a tensor of '{op.name}' may live in @{unknown[0]}, which is not a pool of the module",
        )


def _check_cast(cast: tensor.CastOp) -> None:
    source, target = cast.operands[0].type, cast.results[0].type
    if not isinstance(source, ir.RankedTensorType) or not isinstance(target, ir.RankedTensorType):
        raise PassError(cast.location, "a tensor without a rank cannot be placed in a pool")
    if source.encoding != target.encoding:
        raise PassError(
            cast.location,
            f"a cast from {source} to {target} would move bytes between pools unasked; "
            "use memref_pool.copy",
        )
