"""The steps of a planned module: op, device and operator of each, and the buffers that it uses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlir import ir
from mlir.dialects.builtin import ModuleOp
from msgspec import structs

from forebay.dialects.accel import CallOp, LaunchOp, MoveOp, StartOp
from forebay.ir.identity import identity_of
from forebay.ir.liveness.schedule_step import OperandBuffers, ScheduleStep
from forebay.ir.locations import (
    UNKNOWN_LOCATION,
    describe_location,
    name_hint,
    operator_of,
)
from forebay.ir.machine.devices import device_of, host_of
from forebay.ir.memory.access_constraints import AccessConstraint, AccessConstraints
from forebay.ir.memory.underlying import UnderlyingObjects
from forebay.ir.memory.underlying_buffers import Argument, entry_functions
from forebay.ir.problem.parts import BufferPart
from forebay.ir.problem.ports import ports_of
from forebay.ir.problem.problem import ProblemExtraction
from forebay.network.schedule import OperatorInfo, StepInfo
from forebay.pipelines.modelled_cycles import ModelledCycles
from forebay.reports.offload import OffloadReport


def scheduled_operators(
    extraction: ProblemExtraction, offload: OffloadReport | None, host: str
) -> tuple[OperatorInfo, ...]:
    """Return the operators of the report, then those that only steps name, such as stores."""
    found = {
        _key(o.index, o.name): OperatorInfo(
            o.index, o.kind, o.name, o.device, o.pattern, o.reasons, o.macs, o.bytes
        )
        for o in (() if offload is None else offload.operators)
    }
    for step in extraction.liveness.program:
        key = _key_of(step.op.location)
        if key is not None and key not in found:
            found[key] = _operator_of_step(step.op, device_of(step.op, host))
    return tuple(found.values())


def steps_of(
    module: ModuleOp, extraction: ProblemExtraction, operators: Sequence[OperatorInfo]
) -> tuple[StepInfo, ...]:
    """Return the steps of a planned module, in the order of the problem's ticks."""
    reader = _StepReader(module, extraction, operators)
    return tuple(reader.step(tick, step) for tick, step in enumerate(extraction.liveness.program))


def alias_groups(extraction: ProblemExtraction) -> dict[int, int]:
    """Return the first buffer of the group of each buffer that one value shows besides others.

    Buffers are numbers of the problem's buffers.
    """
    group: dict[int, int] = {}
    for roots in extraction.liveness.aliases.values():
        if len(roots) > 1:
            merged = {group.get(root, root) for root in roots}
            group.update(dict.fromkeys(roots, min(merged)))
            group.update({root: min(merged) for root, first in group.items() if first in merged})
    by_root = extraction.by_root()
    return {part: by_root[first][0] for root, first in group.items() for part in by_root[root]}


class _StepReader:
    """Reads steps; looks every fact about the module up once."""

    def __init__(
        self, module: ModuleOp, extraction: ProblemExtraction, operators: Sequence[OperatorInfo]
    ) -> None:
        self._extraction = extraction
        self._host = host_of(module.operation)
        self._of_module = AccessConstraints(module)
        self._cycles = ModelledCycles()
        self._numbers = {_key(each.index, each.name): n for n, each in enumerate(operators)}
        self._by_root = extraction.by_root()
        self._objects = UnderlyingObjects(module)
        self._inputs, self._outputs = _caller_ports(module)
        self._constraints: dict[int, tuple[AccessConstraint, ...]] = {}
        self._infos: dict[int, StepInfo] = {}

    def step(self, tick: int, step: ScheduleStep) -> StepInfo:
        reads: set[int] = set()
        writes: set[int] = set()
        inputs: set[int] = set()
        outputs: set[int] = set()
        for operand in step.operands:
            for constraint in self._constraints_of(operand.op):
                if constraint.value != operand.value:
                    continue
                parts, ports = self._parts(operand, step.iteration), self._ports(operand)
                if constraint.reads:
                    reads |= parts
                    inputs |= {self._inputs[port] for port in ports if port in self._inputs}
                if constraint.writes:
                    writes |= parts
                    outputs |= {self._outputs[port] for port in ports if port in self._outputs}
        waits = {part for root in step.waits_for for part in self._by_root[root]}
        return structs.replace(
            self._info_of(step.op),
            entry=self._entry_at(tick),
            reads=_sorted(reads),
            writes=_sorted(writes),
            waits_for=_sorted(waits),
            inputs=_sorted(inputs),
            outputs=_sorted(outputs),
        )

    def _constraints_of(self, op: ir.OpView) -> tuple[AccessConstraint, ...]:
        key = identity_of(op)
        if key not in self._constraints:
            self._constraints[key] = tuple(self._of_module.of(op))
        return self._constraints[key]

    def _info_of(self, op: ir.OpView) -> StepInfo:
        """Return what is the same in all steps of an op."""
        identity = identity_of(op)
        if identity not in self._infos:
            key = _key_of(op.location)
            self._infos[identity] = StepInfo(
                op=_name_of(op),
                device=device_of(op, self._host),
                entry="",
                location=describe_location(op.location),
                operator=None if key is None else self._numbers[key],
                cycles=self._cycles.of(op),
            )
        return self._infos[identity]

    def _entry_at(self, tick: int) -> str:
        entries = self._extraction.liveness.entries
        return next(name for name, (start, end) in entries.items() if start <= tick < end)

    def _parts(self, operand: OperandBuffers, iteration: int) -> set[int]:
        """Return the numbers of the problem's buffers that an operand shows."""
        found: set[int] = set()
        for root in operand.buffers:
            parts = self._by_root[root]
            if operand.rows is None:
                found.update(parts)
                continue
            column = operand.rows[:, iteration if operand.rows.shape[1] > 1 else 0]
            rows = {int(row) for row in column if row >= 0}
            is_whole = len(parts) == 1 and rows
            found.update(n for n in parts if is_whole or _has_row(self._extraction.parts[n], rows))
        return found

    def _ports(self, operand: OperandBuffers) -> list[ir.Value]:
        """Return the arguments of entry functions in memory of the caller that it may show."""
        if operand.buffers:
            return []
        objects = self._objects.objects_of(operand.value) or ()
        return [value for value in objects if isinstance(value, ir.Value)]


def _key_of(location: ir.Location) -> int | str | None:
    """Return the index of the model's operator, or the name or place of an op of other IR."""
    operator = operator_of(location)
    if operator is not None:
        return operator.index
    name = name_hint(location) or describe_location(location)
    return None if name == UNKNOWN_LOCATION else name


def _key(index: int | None, name: str) -> int | str:
    return name if index is None else index


def _operator_of_step(op: ir.OpView, device: str) -> OperatorInfo:
    operator = operator_of(op.location)
    if operator is not None:
        return OperatorInfo(operator.index, operator.kind, operator.tensor, device)
    return OperatorInfo(None, op.operation.name, str(_key_of(op.location)), device)


def _caller_ports(module: ModuleOp) -> tuple[dict[ir.Value, int], dict[ir.Value, int]]:
    """Return the arguments of `@main` in memory of the caller, with their numbers as ports."""
    inputs: dict[ir.Value, int] = {}
    outputs: dict[ir.Value, int] = {}
    ports = [port for port in ports_of(module) if port.function == "main"]
    function = next((f for f in entry_functions(module) if f.sym_name.value == "main"), None)
    if function is None:
        return inputs, outputs
    for of_kind, is_result in ((inputs, False), (outputs, True)):
        for number, port in enumerate(p for p in ports if p.is_result == is_result):
            if port.placement is None:
                of_kind[Argument(function, port.index).value] = number
    return inputs, outputs


def _has_row(part: BufferPart, rows: set[int]) -> bool:
    first = part.first or 0
    return any(first <= row < first + part.count for row in rows)


def _name_of(op: ir.OpView) -> str:
    name = op.operation.name
    if isinstance(op, (CallOp, LaunchOp)):
        return f"{name} @{op.callee.value}"
    if isinstance(op, (MoveOp, StartOp)):
        return f"{name} @{op.transfer.value}"
    return name


def _sorted(numbers: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(numbers))
