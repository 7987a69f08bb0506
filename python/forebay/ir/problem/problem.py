"""The planning problem of a module, and the plan that the module carries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mlir import ir
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct

from forebay.dialects.memref_pool import AllocOp, PlacementAttr
from forebay.ir.liveness.liveness import Liveness, liveness_of
from forebay.ir.locations import operator_of
from forebay.ir.machine.pools import bytes_of, natural_alignment, pool_ops, pools_in
from forebay.ir.memory.underlying_buffers import UnderlyingBuffer
from forebay.ir.problem.candidate_pools import CandidatePools, candidate_pools_of
from forebay.ir.problem.unique_names import unique_names
from forebay.ir.refused import RefusedError
from forebay.planning import Buffer, Interval, Placement, Plan, Problem
from forebay.planning.model.plan import ProvedBound
from forebay.pools import Pool

PLACEMENT = "memref_pool.placement"
LIFETIME = "memref_pool.lifetime"


class ProblemExtraction(Struct, frozen=True):
    """A problem and its IR: `problem.buffers[i]` is `liveness.buffers[i]`.

    It is valid only during the pass that made it.
    """

    problem: Problem
    liveness: Liveness

    def root(self, buffer: str) -> UnderlyingBuffer:
        """Return the root of a buffer by the buffer's name."""
        names = [known.name for known in self.problem.buffers]
        return self.liveness.buffers[names.index(buffer)]


def extract_problem(module: ModuleOp, *, tokens: bool = True) -> ProblemExtraction:
    """Return the problem of a module with its IR; `tokens` as in `liveness_of`.

    Raises `RefusedError` when the module cannot be understood.
    """
    liveness = liveness_of(module, tokens=tokens)
    pools = pools_in(module.operation)
    names = unique_names(root.name for root in liveness.buffers)
    buffers = tuple(
        _buffer(root, name, lifetime, reach, pools)
        for root, name, lifetime, reach in zip(
            liveness.buffers,
            names,
            liveness.lifetimes,
            candidate_pools_of(liveness, module, pools),
            strict=True,
        )
    )
    conflicts = tuple((names[one], names[other]) for one, other in liveness.conflicts)
    steps = tuple(_operator(step) for step in liveness.steps)
    return ProblemExtraction(Problem(tuple(pools.values()), buffers, conflicts, steps), liveness)


def problem_of(module: ModuleOp) -> Problem:
    """Return the planning problem of a module; raises `RefusedError`."""
    return extract_problem(module).problem


def plan_of(module: ModuleOp) -> Plan:
    """Return the plan that a module carries between planning and materialising, unverified.

    Raises `RefusedError` when a buffer has no placement.
    """
    extraction = extract_problem(module)
    placements = {
        buffer.name: planned_placement(root)
        for buffer, root in zip(
            extraction.problem.buffers, extraction.liveness.buffers, strict=True
        )
    }
    certificates = {op.sym_name.value: op.certificate for op in pool_ops(module.operation)}
    known = {pool: found for pool, found in certificates.items() if found is not None}
    planner = next((found.planner for found in known.values()), "")
    proved = tuple(
        ProvedBound(pool, found.lower_bound, found.proof or "search")
        for pool, found in known.items()
    )
    return Plan(extraction.problem, placements, planner, proved)


def planned_placement(root: UnderlyingBuffer) -> Placement:
    """Return the placement of a buffer; raises `RefusedError` when there is no plan."""
    attribute = _placement_attribute(root)
    if attribute is None:
        raise RefusedError(
            root.location, f"buffer '{root.name}' has no place yet; run memref-pool-plan first"
        )
    return Placement(attribute.pool, attribute.offset)


def _placement_attribute(root: UnderlyingBuffer) -> PlacementAttr | None:
    if isinstance(root.op, AllocOp):
        return root.op.placement
    attributes = root.arguments[0].attributes if root.op is None else root.op.attributes
    found = attributes.get(PLACEMENT)
    return found if isinstance(found, PlacementAttr) else None


def _buffer(
    root: UnderlyingBuffer,
    name: str,
    lifetime: tuple[Interval, ...],
    reach: CandidatePools,
    pools: Mapping[str, Pool],
) -> Buffer:
    alloc = root.op if isinstance(root.op, AllocOp) else None
    pinned: PlacementAttr | None = None if alloc is None else alloc.pinned
    return Buffer(
        name,
        _size(root, name),
        lifetime,
        reach.pools,
        alignment=_alignment(root, reach.alignment, [pools[p].alignment for p in reach.pools]),
        kind=root.kind,
        pinned_pool=None if pinned is None else pinned.pool,
        pinned_offset=None if pinned is None else pinned.offset,
        pinned_by=reach.pinned_by if pinned is None else (_operator(root.location) or name,),
        origin=_operator(root.location),
    )


def _operator(location: ir.Location) -> str:
    """Return the operator of the model that an op came from, or "" for any IR not imported."""
    operator = operator_of(location)
    return "" if operator is None else str(operator)


def _alignment(root: UnderlyingBuffer, asked: int, of_pools: Iterable[int]) -> int | None:
    """Return the buffer's own alignment, or None for its pool's; at least what its users need."""
    attribute: ir.IntegerAttr | None = None if root.op is None else root.op.alignment
    needed = max(natural_alignment(root.type.element_type), asked)
    if attribute is not None:
        return max(attribute.value, needed)
    return None if needed <= min(of_pools) else max(needed, *of_pools)


def _size(root: UnderlyingBuffer, name: str) -> int:
    if not root.type.has_static_shape:
        raise RefusedError(
            root.location, f"buffer '{name}' is {root.type}: its dynamic shape needs a bound"
        )
    try:
        size = bytes_of(root.type)
    except TypeError as error:
        raise RefusedError(root.location, f"buffer '{name}' is {root.type}: {error}") from error
    if size == 0:
        raise RefusedError(
            root.location, f"buffer '{name}' is {root.type}, which has no bytes; remove it"
        )
    return size
