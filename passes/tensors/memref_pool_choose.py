"""memref-pool-choose: give inputs, outputs and constants the places that the user names."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, func

from forebay.dialects.memref_pool import SpaceAttr
from forebay.ir.attributes import named_attributes
from forebay.ir.locations import name_hint, operator_of
from forebay.ir.machine.pools import pools_in
from forebay.ir.memory.access_constraints import CANDIDATES
from forebay.ir.memory.underlying_buffers import NAME_ATTRIBUTE, entry_functions
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in
from forebay.ir.rows.sources import ROW_SOURCE
from forebay.passes._pass import Pass, PassError, option
from forebay.support.records import record

_Choices = Mapping[str, SpaceAttr]
"""Candidate pools by the name of a tensor."""

REST = "*"
"""Stands for every constant that is not named."""


@record
class MemrefPoolChoose(Pass):
    """Record the pools that the user chose for single tensors, as `memref_pool.candidates`.

    Each entry is `NAME=POOL` or, in order of preference, `NAME=POOL+POOL`. Inputs and outputs are
    named as in the model (`accel.name`), constants by the name of the tensor in their location;
    `*=POOL` is for all other constants. An input or output without a choice is where `io` says.

    `rows` names inputs that the application hands in row by row (`memref_pool.row_source`). Their
    rows are in a workspace, also where `io` says that inputs are in the caller's memory.
    """

    name: ClassVar[str] = "memref-pool-choose"
    dialects: ClassVar[tuple[str, ...]] = ("memref_pool",)

    rows: tuple[str, ...] = option((), "inputs that the application hands in row by row")
    inputs: tuple[tuple[str, tuple[str, ...]], ...] = option((), "inputs, NAME=POOL")
    outputs: tuple[tuple[str, tuple[str, ...]], ...] = option((), "outputs, NAME=POOL")
    constants: tuple[tuple[str, tuple[str, ...]], ...] = option((), "constants, NAME=POOL")

    def run(self, op: ir.Operation) -> None:
        """Write the attributes; raise `PassError` for a choice whose tensor does not exist."""
        if not (self.rows or self.inputs or self.outputs or self.constants):
            return
        functions = entry_functions(module_of(op))
        _choose_rows(op, functions, self.rows)
        _choose_ports(op, "input", "arg_attrs", functions, _choices(op, "input", self.inputs))
        _choose_ports(op, "output", "res_attrs", functions, _choices(op, "output", self.outputs))
        _choose_constants(op, _choices(op, "constant", self.constants))


def _choices(
    op: ir.Operation, what: str, entries: Iterable[tuple[str, tuple[str, ...]]]
) -> _Choices:
    known = pools_in(op)
    found: dict[str, SpaceAttr] = {}
    for name, names in entries:
        for pool in names:
            if pool not in known:
                listed = ", ".join(known) or "none"
                raise PassError(
                    op.location,
                    f"{what} '{name}' cannot live in '{pool}', which is no pool; pools: {listed}",
                )
        if name in found or len(set(names)) < len(names):
            entry = f"{name}={'+'.join(names)}"
            raise PassError(op.location, f"'{entry}' repeats a tensor or a pool; name each once")
        found[name] = SpaceAttr.get(names)
    return found


def _choose_ports(
    op: ir.Operation, what: str, kind: str, functions: Iterable[func.FuncOp], choices: _Choices
) -> None:
    known: list[str] = []
    for function in functions:
        if kind not in function.attributes:
            continue
        ports = [named_attributes(port) for port in ir.ArrayAttr(function.attributes[kind])]
        for port in ports:
            name = port.get(NAME_ATTRIBUTE)
            if isinstance(name, ir.StringAttr):
                known.append(name.value)
                if name.value in choices:
                    port[CANDIDATES] = choices[name.value]
        function.attributes[kind] = ir.ArrayAttr.get([ir.DictAttr.get(port) for port in ports])
    _expect_known(op, what, choices, known)


def _choose_rows(
    op: ir.Operation, functions: Iterable[func.FuncOp], chosen: Collection[str]
) -> None:
    known: list[str] = []
    for function in functions:
        if "arg_attrs" not in function.attributes:
            continue
        ports = [named_attributes(port) for port in function.arg_attrs]
        for port in ports:
            name = port.get(NAME_ATTRIBUTE)
            if isinstance(name, ir.StringAttr):
                known.append(name.value)
                if name.value in chosen:
                    port[ROW_SOURCE] = ir.UnitAttr.get()
        function.attributes["arg_attrs"] = ir.ArrayAttr.get(list(map(ir.DictAttr.get, ports)))
    _expect_known(op, "input", chosen, known)


def _choose_constants(op: ir.Operation, choices: _Choices) -> None:
    known: list[str] = []
    for constant in ops_nested_in(op):
        if not isinstance(constant, arith.ConstantOp) or not _is_tensor(constant):
            continue
        name = _name_of(constant.location)
        known.append(name)
        chosen = choices.get(name, choices.get(REST))
        if chosen is not None:
            constant.attributes[CANDIDATES] = chosen
    _expect_known(op, "constant", choices, [*known, REST])


def _is_tensor(constant: arith.ConstantOp) -> bool:
    return isinstance(constant.results[0].type, ir.RankedTensorType)


def _name_of(location: ir.Location) -> str:
    operator = operator_of(location)
    return name_hint(location) or ("" if operator is None else operator.tensor)


def _expect_known(
    op: ir.Operation, what: str, choices: Iterable[str], known: Iterable[str]
) -> None:
    names = sorted({name for name in known if name and name != REST})
    for name in choices:
        if name not in names and name != REST:
            listed = ", ".join(f"'{other}'" for other in names) or "none has a name"
            raise PassError(op.location, f"there is no {what} '{name}'; {what}s: {listed}")
