"""The report of a run as lines and tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from forebay.formats.mcu_report import (
    FunctionCost,
    McuReport,
    MemoryUse,
    OutputHash,
    PoolUse,
    StackUse,
)
from forebay.reports.table import ReportPart, TextTable

_WIDTH = 40  # characters of a tensor's name


def report_parts_of(report: McuReport) -> list[ReportPart]:
    """Return the lines and tables that `forebay mcu` prints."""
    return [
        f"{report.model} on {report.board}: {_count(report.outputs)} equal to the goldens",
        f"{report.compiler}: {' '.join(report.flags)}",
        report.emulator,
        "",
        _memories(report.memories),
        "",
        _pools(report.pools),
        "",
        *_functions(report),
        "",
        _stack(report.stack),
    ]


def _count(outputs: Sequence[OutputHash]) -> str:
    return f"{len(outputs)} output{'' if len(outputs) == 1 else 's'}"


def _memories(memories: Sequence[MemoryUse]) -> TextTable:
    rows = [
        [m.name, f"{m.address:#010x}", f"{m.size:,}", f"{m.used:,}", _listed(m.sections)]
        for m in memories
    ]
    return TextTable(["memory", "address", "size", "used", ""], rows, numbers=(1, 2, 3))


def _listed(sections: dict[str, int]) -> str:
    return ", ".join(f"{name} {size:,}" for name, size in sections.items())


def _pools(pools: Sequence[PoolUse]) -> TextTable:
    rows = [
        [
            *(p.name, p.kind, p.memory, f"{p.address:#010x}", f"{p.size:,}"),
            *("" if number is None else f"{number:,}" for number in (p.touched, p.guards)),
        ]
        for p in pools
    ]
    head = ["pool", "kind", "memory", "address", "size", "touched", "intact guards"]
    return TextTable(head, rows, numbers=(3, 4, 5, 6))


def _functions(report: McuReport) -> list[ReportPart]:
    """Return the instructions of the first inference, and the range if inferences differ."""
    total = report.instructions[0]
    first = {f.name: f for f in reversed(report.functions)}
    rows = [
        [
            _title(f),
            _code(f, first),
            f"{f.instructions[0]:,}",
            f"{f.instructions[0] / total:.1%}",
        ]
        for f in report.functions
    ]
    rows.append(["total", f"{report.code:,}", f"{total:,}", "100.0%"])
    costs = TextTable(["function", "code", "instructions", "share"], rows, numbers=(1, 2, 3))
    low, high = min(report.instructions), max(report.instructions)
    if low == high:
        return [costs]
    runs = len(report.instructions)
    return [costs, f"instructions over the {runs} inferences: {low:,} to {high:,}"]


def _code(function: FunctionCost, first: Mapping[str, FunctionCost]) -> str:
    """Return the bytes of code, or `as 2` if operator 2 is the first that calls the function."""
    owner = first[function.name]
    return f"{function.code:,}" if owner is function else f"as {owner.operator}"


def _title(function: FunctionCost) -> str:
    """Return index, kind and tensor of an operator; the JSON report has the whole names."""
    if function.operator is None:
        return function.name
    tensor = function.tensor
    short = tensor if len(tensor) <= _WIDTH else f"{tensor[: _WIDTH - 3]}..."
    return f"{function.operator} {function.kind} {short}"


def _stack(stack: StackUse) -> str:
    bound = f"bound {stack.bound:,}" if stack.bound is not None else f"no bound: {stack.reason}"
    return f"stack: {stack.used:,} used, {bound}"
