"""The parts of a network with separate code and instruction counts: operators, and the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from forebay.codegen.c.status import FAIL_FUNCTION
from forebay.driver.compiled import Compiled
from forebay.formats.mcu_report import FunctionCost
from forebay.ir.locations import OperatorLocation
from forebay.mcu.image.call_graph import CallGraph
from forebay.mcu.image.elf import Elf
from forebay.mcu.run.count import Owners
from forebay.network.names import Naming, identifier

ENTRY = "entry points"
SHARED = "shared functions"


@dataclass(frozen=True)
class NetworkFunctions:
    """Names in C: a group for each function of the program, and one for the entry points.

    `operators` has those of each function, in the order of their calls in the program.
    """

    groups: tuple[frozenset[str], ...]
    operators: tuple[tuple[OperatorLocation, ...], ...]
    entry: frozenset[str]
    owners: Owners

    @staticmethod
    def of(compiled: Compiled, naming: Naming, steps: int) -> NetworkFunctions:
        """Return the functions of a compiled network whose main.c runs `steps` inferences."""
        m = naming.prefix
        names = [identifier(name, "function") for name in compiled.functions]
        # a function called from another device's file is not static, so it has the prefix
        groups = tuple(frozenset({name, f"{m}_{name}"}) for name in names)
        entry = frozenset({f"{m}_run", "run_network", "check_pools", FAIL_FUNCTION})
        outside = frozenset({"main", *(f"run_step{step}" for step in range(steps))})
        operators = tuple(compiled.functions.values())
        calls = map(_owners_of_calls, operators, compiled.calls.values())
        owned = zip(groups, calls, strict=True)
        owners = Owners((*owned, (entry, (0,))), outside, f"{m}_run")
        return NetworkFunctions(groups, operators, entry, owners)


def _owners_of_calls(
    operators: Sequence[OperatorLocation], calls: Sequence[OperatorLocation]
) -> tuple[int, ...]:
    """Return the number of the operator that makes each call of a run."""
    if len(operators) < 2:
        return (0,)
    return tuple(operators.index(operator) for operator in calls)


def costs(
    functions: NetworkFunctions,
    elf: Elf,
    network: CallGraph,
    counts: Sequence[Sequence[int]],
) -> tuple[FunctionCost, ...]:
    """Return code and instructions of each function, then of the entry points and of the rest.

    `network` is the call graph of the network's own files; `counts` are by inference and owner.
    """
    code = _code_by_name(elf)
    per_owner = list(zip(*counts, strict=True))
    following = iter(per_owner)
    parts: list[FunctionCost] = []
    for group, operators in zip(functions.groups, functions.operators, strict=True):
        size = _size(group, code)
        for operator in operators or (None,):
            parts.append(_cost(sorted(group, key=len)[0], operator, size, next(following)))
            size = 0  # the code counts for the first operator
    parts.sort(key=lambda it: (it.operator is None, it.operator or 0))
    named = frozenset[str]().union(*functions.groups)
    others = network.names - named - functions.entry
    parts.append(_cost(ENTRY, None, _size(functions.entry, code), per_owner[-1]))
    nothing = tuple(0 for _ in counts)
    return (*parts, _cost(SHARED, None, _size(others, code), nothing))


def _cost(
    name: str, operator: OperatorLocation | None, code: int, instructions: tuple[int, ...]
) -> FunctionCost:
    if operator is None:
        return FunctionCost(name, None, "", "", code, instructions)
    return FunctionCost(name, operator.index, operator.kind, operator.tensor, code, instructions)


def _code_by_name(elf: Elf) -> dict[str, int]:
    """Return bytes by name in C; clones and parts of a function count for the function."""
    sizes: dict[str, int] = {}
    for function in elf.functions:
        name = function.name.partition(".")[0]
        sizes[name] = sizes.get(name, 0) + function.size
    return sizes


def _size(names: frozenset[str], code: dict[str, int]) -> int:
    return sum(code.get(name, 0) for name in names)
