"""memref-pool-hold-candidates: keep an op's candidate pools while lowerings replace the op."""

from collections.abc import Iterator
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, func, scf, tensor, tosa

from forebay.dialects.accel import CallOp
from forebay.dialects.memref_pool import CopyOp, SpaceAttr
from forebay.ir.assign.held_regions import mark
from forebay.ir.memory.access_constraints import CANDIDATES
from forebay.ir.memory.storage import UnknownAliasError, alias_constraints_of, is_tensor
from forebay.ir.memory.tensor_copies import tensor_copy_of
from forebay.ir.nested import ops_nested_in
from forebay.passes._pass import Pass, PassError


class MemrefPoolHoldCandidates(Pass):
    """Move `memref_pool.candidates` from an op to a region around its result, until assignment.

    A lowering replaces an op, and the attributes of the op are lost. No lowering replaces an
    `scf.execute_region` with `no_inline` that yields the tensor, and no pass fuses across it. The
    assignment of pools removes it again. The list of a `tensor.empty` applies to the values that
    ops compute into it. Copies and calls of intrinsics keep the attribute themselves. The pass
    refuses an op whose attribute cannot be kept.
    """

    name: ClassVar[str] = "memref-pool-hold-candidates"
    dialects: ClassVar[tuple[str, ...]] = ("scf", "memref_pool")

    def run(self, op: ir.Operation) -> None:
        """Visit all ops that list pools."""
        held: list[scf.ExecuteRegionOp] = []
        for inner in ops_nested_in(op):
            if isinstance(inner, func.FuncOp) or CANDIDATES not in inner.operation.attributes:
                continue
            space = inner.operation.attributes[CANDIDATES]
            if not isinstance(space, SpaceAttr):
                raise _refused(inner, f"it is {space}, no #memref_pool.space")
            if isinstance(inner, tensor.EmptyOp):
                held += _hold_what_fills(inner, space)
            elif not _keeps_it(inner):
                held.append(_hold(inner, space))
                del inner.operation.attributes[CANDIDATES]
        mark(op, held)


def _keeps_it(op: ir.OpView) -> bool:
    """Return whether the attribute stays on the op until the assignment.

    Either no pass before the assignment replaces the op, or the pass that does reads the attribute.
    """
    return isinstance(op, CallOp | CopyOp) or tensor_copy_of(op) is not None


def _hold_what_fills(empty: tensor.EmptyOp, space: SpaceAttr) -> list[scf.ExecuteRegionOp]:
    """Hold the list of a `tensor.empty` at the ops that compute its content."""
    fillers = list(dict.fromkeys(_fillers_of(empty)))
    if not fillers:
        raise _refused(empty, "nothing is computed into the tensor; say it at the op that does")
    silent = [op for op in fillers if not _keeps_candidates(op)]
    held = [_hold(op, space) for op in silent]
    if len(silent) == len(fillers):
        del empty.operation.attributes[CANDIDATES]
    return held


def _fillers_of(empty: tensor.EmptyOp) -> Iterator[ir.OpView]:
    """Yield the ops whose results take over the storage of the tensor."""
    for use in list(empty.result.uses):
        user = use.owner.operation.opview
        try:
            taken = any(tie.operand == use.operand_number for tie in alias_constraints_of(user))
        except UnknownAliasError:
            continue
        if taken and user.results:
            yield user


def _keeps_candidates(op: ir.OpView) -> bool:
    return CANDIDATES in op.operation.attributes or _keeps_it(op)


def _hold(op: ir.OpView, space: SpaceAttr) -> scf.ExecuteRegionOp:
    """Move the op into a region that stands for its result."""
    if isinstance(op, arith.ConstantOp | tosa.ConstOp):
        raise _refused(op, "pools of constants are given by name when compiling (constant_pools)")
    if len(op.results) != 1 or not is_tensor(op.results[0]):
        raise _refused(op, "it does not make one tensor; say it at an op that does")
    result = op.results[0]
    uses = [(use.owner, use.operand_number) for use in result.uses]
    with ir.InsertionPoint(op), op.location:
        region = scf.ExecuteRegionOp([result.type], no_inline=True)
        region.operation.attributes[CANDIDATES] = space
        with ir.InsertionPoint(region.region.blocks.append()):
            end = scf.YieldOp([result])
    op.operation.move_before(end.operation)
    for user, operand in uses:
        user.operation.operands[operand] = region.results[0]
    return region


def _refused(op: ir.OpView, reason: str) -> PassError:
    return PassError(op.location, f"{CANDIDATES} of '{op.operation.name}' cannot hold: {reason}")
