"""Copies through intermediate pools, where no single copy connects two memories.

For example, only the host can read an input of the program, and only a transfer can write an
accelerator's operand. Then the host copies the input to a workspace that both can access, and the
transfer moves it from there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from mlir import ir

from forebay.assignment import AssignmentProblem, PlannedCopy, Solution
from forebay.dialects import memref_pool
from forebay.ir.assign.extract import AssignedTensor, AssignmentExtraction
from forebay.ir.assign.insertion_points import insertion_point
from forebay.ir.assign.ports import empty_like
from forebay.ir.machine.devices import ON, device_of
from forebay.ir.memory.access_constraints import CANDIDATES
from forebay.pools import PoolKind


def make_routes(extraction: AssignmentExtraction, solution: Solution) -> bool:
    """Create the first copies of every route that replaces an impossible copy.

    Returns whether there was a route. The last copy of a route is not created: the next solution of
    the problem contains it, because it is possible then.
    """
    made = False
    problem = extraction.problem
    for number, tensor in enumerate(extraction.tensors):
        source = solution.places[problem.values[number].slot].pool
        for copy in solution.copies[number]:
            between = () if copy.possible else _between(problem, source, copy.pool)
            if between:
                _insert_copies(tensor, copy, between, extraction)
                made = True
    return made


def _between(problem: AssignmentProblem, source: str, target: str) -> tuple[str, ...]:
    """Return the workspaces on a shortest route, in order, or () where there is no route."""
    names = [pool.name for pool in problem.pools if pool.kind is PoolKind.workspace]
    came_from: dict[str, str] = {source: source}
    waiting = deque([source])
    while waiting and target not in came_from:
        at = waiting.popleft()
        for name in names:
            if name not in came_from and _is_step(problem, at, name):
                came_from[name] = at
                waiting.append(name)
    if target not in came_from:
        return ()
    route = [target]
    while route[-1] != source:
        route.append(came_from[route[-1]])
    return tuple(reversed(route[1:-1]))


def _is_step(problem: AssignmentProblem, source: str, target: str) -> bool:
    return problem.copies(source, target) or (source, target) in problem.moves


def _insert_copies(
    tensor: AssignedTensor,
    copy: PlannedCopy,
    pools: Sequence[str],
    extraction: AssignmentExtraction,
) -> None:
    uses = [tensor.readers[i] for i in copy.readers] + [tensor.ties[i] for i in copy.ties]
    overwritten = any(use.overwrites for use in uses)
    first, point = insertion_point(tensor.value, uses, hoist=not overwritten)
    host = extraction.machine.host
    what = first.constraint.what if first.constraint is not None else f"'{first.op.operation.name}'"
    value = tensor.value
    with point, ir.Location.name(f"copy for {what}", first.op.location):
        for pool in pools:
            made = memref_pool.CopyOp(value.type, value, empty_like(value))
            made.operation.attributes[CANDIDATES] = memref_pool.SpaceAttr.get([pool])
            if device_of(made) != host:
                made.operation.attributes[ON] = ir.FlatSymbolRefAttr.get(host)
            value = made.results[0]
    for use in uses:
        use.op.operands[use.operand] = value
