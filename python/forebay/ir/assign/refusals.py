"""Diagnostics of unsolvable assignments: the tensor, both requirements, their ops, a way out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from mlir import ir

from forebay.assignment import CopyKind, PlannedCopy, Solution
from forebay.ir.assign.extract import AssignedTensor, AssignmentExtraction
from forebay.ir.assign.origins import CALLER
from forebay.ir.assign.requirements import Requirement
from forebay.ir.locations import name_hint, operator_of
from forebay.ir.refused import RefusedError
from forebay.pools import PoolKind

_Pair = tuple[Requirement, Requirement]


def check_slots(extraction: AssignmentExtraction) -> None:
    """Raise `RefusedError` for an alias set whose requirements allow no place."""
    for number, slot in enumerate(extraction.problem.slots):
        if slot.places:
            continue
        tensors = [key for key, of in extraction.slot_of.items() if of == number]
        requirements = extraction.requirements[number]
        _check_origin(tensors[0], requirements[0])
        raise _refusal(
            tensors[0],
            _contradiction(requirements, requirements[::-1]),
            "No copy can part them: they are about the same bytes. Widen one of the two",
        )


def _check_origin(value: ir.Value | tuple[str, int], origin: Requirement) -> None:
    if not origin.pools:
        raise RefusedError(
            origin.location,
            f"{_named(value)} has nowhere to live: {origin.description}, and the module has no "
            "pool for that. Attach a target first, or declare one",
        )


def check_solution(extraction: AssignmentExtraction, solution: Solution, *, strict: bool) -> None:
    """Raise `RefusedError` for impossible copies, and with `strict` for every copy of contents."""
    for number, (tensor, copies) in enumerate(
        zip(extraction.tensors, solution.copies, strict=True)
    ):
        class_ = solution.classes[extraction.slot_of[tensor.value]]
        for index, copy in enumerate(copies):
            unwanted = strict and copy.kind is not CopyKind.FRESH
            if copy.possible and not unwanted:
                continue
            has = list(_requirements_in(extraction, solution, class_))
            target = solution.copy_class(number, index)
            needs = list(_requirements_in(extraction, solution, target))
            way_out = (
                _no_right(extraction, solution.pools[class_], copy)
                if not copy.possible
                else f"A copy of {solution.problem.values[number].size} bytes is needed, which "
                "strict forbids. Widen one of the two, or leave out strict"
            )
            if not solution.proven:
                way_out += ". The search was cut short: there may be an assignment that needs less"
            first = _in_front(needs, _used_by(tensor, copy))
            raise _refusal(tensor.value, _contradiction(has, first), way_out)


def _requirements_in(
    extraction: AssignmentExtraction, solution: Solution, number: int
) -> Iterator[Requirement]:
    """Yield all requirements on the members of a class, those of origins last."""
    found: list[Requirement] = []
    for slot, requirements in enumerate(extraction.requirements):
        if solution.classes[slot] == number:
            found += requirements
    for value, tensor in enumerate(extraction.tensors):
        elsewhere = {r for copy in solution.copies[value] for r in copy.readers}
        if solution.classes[extraction.slot_of[tensor.value]] == number:
            found += (r for i, r in enumerate(tensor.required) if i not in elsewhere)
        for index, copy in enumerate(solution.copies[value]):
            if solution.copy_class(value, index) == number:
                found += (tensor.required[reader] for reader in copy.readers)
    distinct = [r for index, r in enumerate(found) if r not in found[:index]]
    yield from sorted(distinct, key=lambda requirement: requirement.is_origin)


def _used_by(tensor: AssignedTensor, copy: PlannedCopy) -> list[ir.Location]:
    uses = [tensor.readers[i] for i in copy.readers] + [tensor.ties[i] for i in copy.ties]
    return [use.op.location for use in uses]


def _in_front(
    requirements: Iterable[Requirement], places: Sequence[ir.Location]
) -> list[Requirement]:
    return sorted(requirements, key=lambda requirement: requirement.location not in places)


def _contradiction(has: Sequence[Requirement], needs: Sequence[Requirement]) -> _Pair:
    """Return two requirements without a common pool, or the first two if the cause is another."""
    pairs = [(one, other) for other in needs for one in has if one != other]
    apart = (pair for pair in pairs if set(pair[0].pools).isdisjoint(pair[1].pools))
    return next(apart, (pairs or [(has[0], needs[0])])[0])


def _refusal(value: ir.Value | tuple[str, int], pair: _Pair, way_out: str) -> RefusedError:
    one, other = pair
    notes = [(one.location, f"{one.description}, here")]
    if isinstance(value, ir.Value):
        notes.append((value.location, "the tensor comes from here"))
    return RefusedError(
        other.location,
        f"{_named(value)} cannot be where all need it: {_described(other)}, "
        f"but {_described(one)}. {way_out}",
        notes,
    )


def _named(value: ir.Value | tuple[str, int]) -> str:
    if isinstance(value, tuple):
        return f"argument {value[1]} of @{value[0]}"
    operator = operator_of(value.location)
    name = name_hint(value.location) if operator is None else operator.tensor
    return f"{value.type}" if name is None else f"'{name}', {value.type},"


def _described(requirement: Requirement) -> str:
    where = "and so in" if requirement.is_origin else "must be in"
    return f"{requirement.description} {where} {_listed(requirement.pools)}"


def _no_right(extraction: AssignmentExtraction, source: Sequence[str], copy: PlannedCopy) -> str:
    """Return why the host cannot make the copy."""
    host, pools = extraction.machine.host, extraction.machine.pools
    unread = [name for name in source if name in pools and not pools[name].lets_read(host)]
    target = pools.get(copy.pool)
    reasons: list[str] = []
    if unread:
        reasons.append(f"it may not read {_listed(unread)}")
    if target is None or target.kind is not PoolKind.workspace:
        reasons.append(f"{_listed([copy.pool])} takes no copies")
    elif not target.lets_write(host):
        reasons.append(f"it may not write {_listed([copy.pool])}")
    return (
        f"@{host} cannot copy it over: {' and '.join(reasons)}. Widen one of the two, or give "
        f"@{host} the right"
    )


def _listed(names: Iterable[str]) -> str:
    described = [f"@{name}" if name != CALLER else "the caller's memory" for name in names]
    return " or ".join(described) or "no pool"
