"""memref-pool-plan: assign a pool and an offset to every buffer."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from mlir import ir

from forebay.dialects.memref_pool import AllocOp, PlacementAttr, RowPlacementAttr
from forebay.ir.machine.pools import pool_ops
from forebay.ir.memory.underlying_buffers import Argument, UnderlyingBuffer
from forebay.ir.module import module_of
from forebay.ir.problem.banks import with_separate_banks
from forebay.ir.problem.certificates import certificate_attribute
from forebay.ir.problem.groups import plan_groups
from forebay.ir.problem.problem import (
    LIFETIME,
    PLACEMENT,
    ProblemExtraction,
    extract_problem,
)
from forebay.ir.rows.layout import is_rows
from forebay.passes._pass import Pass, PassError, option
from forebay.planning import (
    Buffer,
    Interval,
    Placement,
    Plan,
    PlanInfeasibleError,
    PlannerFailedError,
    PlanningError,
    Problem,
    certify,
)
from forebay.support.files import printable
from forebay.support.records import record


@record
class MemrefPoolPlan(Pass):
    """Plan all buffers: extract the problem, solve it, write the solution back.

    Every `memref_pool.alloc`, pooled `memref.global` and pooled argument of an entry function gets
    a placement and its lifetime. Every pool gets a certificate. The lifetime of a buffer goes from
    its first access to its last, through all views, calls, loops and branches.
    """

    name: ClassVar[str] = "memref-pool-plan"
    dialects: ClassVar[tuple[str, ...]] = ("memref_pool",)

    planner: str = option("auto", "name of the planner")
    tokens: bool = option(
        True, "buffers of what is started live until the wait; without it plans are wrong"
    )
    problem: Path | None = option(None, "file to write the problem to first: .mlir, .json or .csv")

    def run(self, op: ir.Operation) -> None:
        """Write placements, lifetimes and certificates."""
        extraction = extract_problem(module_of(op), tokens=self.tokens)
        if self.problem is not None:
            _write_problem(extraction.problem, self.problem, op)
        solved = _solve(extraction, self.planner, op)
        for number, parts in enumerate(extraction.by_root()):
            places = [solved.placements[solved.problem.buffers[part].name] for part in parts]
            root, lifetime = (
                extraction.liveness.buffers[number],
                extraction.liveness.lifetimes[number],
            )
            _write(root, places, lifetime)
        for pool, certificate in zip(pool_ops(op), certify(solved), strict=True):
            pool.certificate = certificate_attribute(solved.planner, certificate)


def _write_problem(problem: Problem, path: Path, op: ir.Operation) -> None:
    steps = problem.steps if any(problem.steps) else ()
    try:
        from forebay.ir.problem.planning_problem_files import (  # noqa: PLC0415  (seldom used)
            write_problem_file,
        )

        write_problem_file(replace(problem, name=path.stem, steps=steps), path)
    except (PlanningError, OSError) as error:
        raise PassError(op.location, str(error)) from error


def _solve(extraction: ProblemExtraction, planner: str, op: ir.Operation) -> Plan:
    problem = with_separate_banks(extraction)
    try:
        solved = plan_groups(extraction, problem, planner)
    except PlanInfeasibleError as error:
        raise _shortage(extraction, error, op) from error
    except PlannerFailedError as error:
        where = _where(extraction, error, op)
        if error.place is not None:
            where = ir.Location.file(printable(error.place.file), error.place.line, 1)
        raise PassError(where, error.what) from error
    except PlanningError as error:
        raise PassError(_where(extraction, error, op), str(error)) from error
    return solved


def _shortage(
    extraction: ProblemExtraction, error: PlanInfeasibleError, op: ir.Operation
) -> PassError:
    """Return the error at the op where the pool is fullest, with a note at every live buffer."""
    problem, liveness = extraction.problem, extraction.liveness
    live = [problem.buffer_by_name[constraint.buffer] for constraint in error.live]
    starts = sorted(interval.start for buffer in live for interval in buffer.lifetime)
    peaks = [tick for tick in starts if all(_lives_at(b.lifetime, tick) for b in live)]
    inside = peaks and peaks[0] < len(liveness.steps)
    location = liveness.steps[peaks[0]] if inside else op.location
    notes = [_note(extraction, group) for group in _by_root(extraction, live)]
    return PassError(location, str(error), notes)


def _by_root(extraction: ProblemExtraction, live: Sequence[Buffer]) -> list[list[Buffer]]:
    """Return the buffers in groups of one root each: the rows of a tensor together."""
    names = {buffer.name: n for n, buffer in enumerate(extraction.problem.buffers)}
    groups: dict[int, list[Buffer]] = {}
    for buffer in live:
        groups.setdefault(extraction.parts[names[buffer.name]].root, []).append(buffer)
    return list(groups.values())


def _note(extraction: ProblemExtraction, group: Sequence[Buffer]) -> tuple[ir.Location, str]:
    where = extraction.root(group[0].name).location
    if len(group) == 1:
        (buffer,) = group
        over = _spelled(buffer.lifetime)
        return where, f"'{buffer.name}', {buffer.size:,} bytes, lives over {over}"
    total = sum(buffer.size for buffer in group)
    names = f"'{group[0].name}' to '{group[-1].name}'"
    return where, f"{names}, {total:,} bytes in {len(group)} rows, live here"


def _lives_at(lifetime: Sequence[Interval], tick: int) -> bool:
    return any(start <= tick < end for start, end in lifetime)


def _spelled(lifetime: Sequence[Interval]) -> str:
    return ", ".join(f"[{start}, {end})" for start, end in lifetime)


def _where(extraction: ProblemExtraction, error: PlanningError, op: ir.Operation) -> ir.Location:
    """Return the location of the first buffer of the error, else of its first pool."""
    for name in error.buffers:
        if name in extraction.problem.buffer_by_name:
            return extraction.root(name).location
    pools = {pool.sym_name.value: pool.location for pool in pool_ops(op)}
    return next((pools[name] for name in error.pools if name in pools), op.location)


def _write(
    root: UnderlyingBuffer, places: Sequence[Placement], lifetime: Sequence[Interval]
) -> None:
    """Write the placements of a buffer's parts, in their order."""
    span = ir.DenseI64ArrayAttr.get([lifetime[0].start, lifetime[-1].end])
    if isinstance(root.op, AllocOp) and is_rows(root.type):
        offsets = [place.offset for place in places]
        root.op.row_placement = RowPlacementAttr.get(places[0].pool, offsets)
        root.op.attributes[LIFETIME] = span
        return
    placement = PlacementAttr.get(*places[0])
    if isinstance(root.op, AllocOp):
        root.op.placement = placement
        root.op.attributes[LIFETIME] = span
    elif root.op is not None:
        root.op.attributes[PLACEMENT] = placement
        root.op.attributes[LIFETIME] = span
    for argument in root.arguments:
        _annotate(argument, {PLACEMENT: placement, LIFETIME: span})


def _annotate(argument: Argument, attributes: dict[str, ir.Attribute]) -> None:
    function = argument.function
    all_attributes = list(function.arg_attrs)
    all_attributes[argument.index] = ir.DictAttr.get({**argument.attributes, **attributes})
    function.arg_attrs = all_attributes
