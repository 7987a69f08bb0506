"""The planning problem of a module, and the plan that the module carries."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from mlir import ir
from mlir.dialects.builtin import ModuleOp
from msgspec import Struct, structs

from forebay.dialects.memref_pool import AllocOp, PlacementAttr, RowPlacementAttr
from forebay.ir.liveness.accessed_rows import row_count
from forebay.ir.liveness.liveness import Liveness, liveness_of
from forebay.ir.locations import operator_of
from forebay.ir.machine.pools import bytes_of, natural_alignment, pool_ops, pools_in
from forebay.ir.memory.underlying_buffers import UnderlyingBuffer
from forebay.ir.problem.candidate_pools import CandidatePools, candidate_pools_of
from forebay.ir.problem.parts import BufferPart, buffer_parts_of, whole_buffers_of
from forebay.ir.problem.unique_names import unique_names
from forebay.ir.refused import RefusedError
from forebay.ir.rows.layout import is_rows
from forebay.planning import Buffer, Interval, Placement, Plan, Problem
from forebay.planning.model.plan import ProvedBound
from forebay.pools import Pool

PLACEMENT = "memref_pool.placement"
LIFETIME = "memref_pool.lifetime"


class ProblemExtraction(Struct, frozen=True):
    """A problem and its IR: `problem.buffers[i]` is `parts[i]` of one of `liveness.buffers`.

    It is valid until the module changes.
    """

    problem: Problem
    liveness: Liveness
    parts: tuple[BufferPart, ...]

    def root(self, buffer: str) -> UnderlyingBuffer:
        """Return the root of a buffer by the buffer's name."""
        names = [known.name for known in self.problem.buffers]
        return self.liveness.buffers[self.parts[names.index(buffer)].root]

    def by_root(self) -> list[list[int]]:
        """Return the numbers of the parts of each root, by its number."""
        found: list[list[int]] = [[] for _ in self.liveness.buffers]
        for number, part in enumerate(self.parts):
            found[part.root].append(number)
        return found


def extract_problem(
    module: ModuleOp, *, tokens: bool = True, by_rows: bool = True
) -> ProblemExtraction:
    """Return the problem of a module with its IR; `tokens` as in `liveness_of`.

    With `by_rows` false, `problem.buffers[i]` is all of `liveness.buffers[i]`.

    Raises `RefusedError` when the module cannot be understood.
    """
    liveness = liveness_of(module, tokens=tokens)
    pools = pools_in(module.operation)
    parts = buffer_parts_of(liveness, pools) if by_rows else whole_buffers_of(liveness)
    roots = unique_names(root.name for root in liveness.buffers)
    names = unique_names(roots[part.root] + part.suffix for part in parts)
    reach = candidate_pools_of(liveness, module, pools)
    whole = [
        _buffer(*known, pools)
        for known in zip(liveness.buffers, roots, liveness.lifetimes, reach, strict=True)
    ]
    buffers = tuple(
        _part(whole[part.root], part, name, liveness.buffers[part.root])
        for part, name in zip(parts, names, strict=True)
    )
    steps = tuple(_operator(step) for step in liveness.steps)
    problem = Problem(tuple(pools.values()), buffers, (), steps)
    extraction = ProblemExtraction(problem, liveness, parts)
    return structs.replace(
        extraction, problem=replace(problem, conflicts=tuple(_conflicts(extraction)))
    )


def _conflicts(extraction: ProblemExtraction) -> Iterator[tuple[str, str]]:
    if not extraction.liveness.conflicts:
        return
    buffers, by_root = extraction.problem.buffers, extraction.by_root()
    for first, second in extraction.liveness.conflicts:
        for one in by_root[first]:
            yield from ((buffers[one].name, buffers[other].name) for other in by_root[second])


def problem_of(module: ModuleOp) -> Problem:
    """Return the planning problem of a module; raises `RefusedError`."""
    return extract_problem(module).problem


def plan_of(module: ModuleOp, *, extraction: ProblemExtraction | None = None) -> Plan:
    """Return the plan that a module carries between planning and materialising, unverified.

    `extraction` is the module's, if it is known. Raises `RefusedError` when a buffer has no
    placement.
    """
    extraction = extraction or extract_problem(module)
    placements = {
        buffer.name: _placement_of_part(extraction.liveness.buffers[part.root], part)
        for buffer, part in zip(extraction.problem.buffers, extraction.parts, strict=True)
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
    """Return the placement of a buffer, for rows that of the lowest one.

    Raises `RefusedError` when there is no plan.
    """
    attribute = _placement_attribute(root)
    if attribute is None:
        raise RefusedError(
            root.location, f"buffer '{root.name}' has no place yet; run memref-pool-plan first"
        )
    if isinstance(attribute, RowPlacementAttr):
        return Placement(attribute.pool, min(attribute.offsets))
    return Placement(attribute.pool, attribute.offset)


def _placement_of_part(root: UnderlyingBuffer, part: BufferPart) -> Placement:
    place = planned_placement(root)
    attribute = _placement_attribute(root)
    if part.first is None:
        return place
    if isinstance(attribute, RowPlacementAttr):
        return Placement(place.pool, attribute.offsets[part.first])
    return Placement(place.pool, place.offset + part.first * _row_bytes(root))


def _placement_attribute(root: UnderlyingBuffer) -> PlacementAttr | RowPlacementAttr | None:
    if isinstance(root.op, AllocOp):
        return root.op.row_placement if is_rows(root.type) else root.op.placement
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


def _part(whole: Buffer, part: BufferPart, name: str, root: UnderlyingBuffer) -> Buffer:
    """Return a part of a buffer: a row anywhere, or a member of the block of all rows."""
    if part.first is None:
        return replace(whole, name=name)
    size = _row_bytes(root)
    buffer = replace(whole, name=name, size=size * part.count, lifetime=part.lifetime)
    if not is_rows(root.type):
        return _member(buffer, whole, part.first * size)
    pinned = root.op.pinned_rows if isinstance(root.op, AllocOp) else None
    if pinned is None:
        return buffer
    return replace(
        buffer,
        pinned_pool=pinned.pool,
        pinned_offset=pinned.offsets[part.first],
        pinned_by=(_operator(root.location) or whole.name,),
    )


def _member(buffer: Buffer, whole: Buffer, offset: int) -> Buffer:
    """Return a member of the block of a contiguous buffer, as aligned as its offset allows.

    The first member has the alignment and the pin of the whole.
    """
    if not offset:
        return replace(buffer, block=whole.name)
    pinned = None if whole.pinned_offset is None else whole.pinned_offset + offset
    return replace(
        buffer,
        block=whole.name,
        block_offset=offset,
        alignment=min(offset & -offset, whole.alignment or 1),
        pinned_offset=pinned,
    )


def _row_bytes(root: UnderlyingBuffer) -> int:
    return bytes_of(root.type) // row_count(root.type)


def _operator(location: ir.Location) -> str:
    """Return the operator of the model that an op came from, or "" for any IR not imported."""
    operator = operator_of(location)
    return "" if operator is None else str(operator)


def _alignment(root: UnderlyingBuffer, asked: int, of_pools: Iterable[int]) -> int | None:
    """Return the buffer's own alignment, or None for its pool's; at least what its users need.

    A row has no alignment of its pool's.
    """
    attribute: ir.IntegerAttr | None = None if root.op is None else root.op.alignment
    needed = max(natural_alignment(root.type.element_type), asked)
    if attribute is None and is_rows(root.type):
        return needed
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
