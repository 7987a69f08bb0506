"""accel-outline-operators: give each operator of the model a private function."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, func, memref, scf
from msgspec import Struct, field

from forebay.dialects import accel, memref_pool
from forebay.dialects.memref_pool import RowOp
from forebay.ir.interfaces import is_view
from forebay.ir.locations import OperatorLocation, name_hint, operator_of
from forebay.ir.machine.devices import ON, host_of
from forebay.ir.machine.tokens import is_token, queue_of_token
from forebay.ir.memory.access_constraints import AccessConstraints
from forebay.ir.memory.c_symbols import c_symbols, rename_functions, unused_name
from forebay.ir.memory.storage import callee_of
from forebay.ir.memory.underlying_buffers import entry_functions, functions_in, is_private
from forebay.ir.module import module_of
from forebay.ir.nested import ops_in
from forebay.ir.views.queries import shares_base
from forebay.passes._pass import Pass

_CLONED = (memref.GetGlobalOp, memref_pool.AllocOp, arith.ConstantOp)


class AccelOutlineOperators(Pass):
    """Move the kernels of each operator from the public functions into a function of their own.

    The public function keeps the buffers and becomes a list of calls. The operator's function takes
    the buffers as arguments, so its code has a name in a profile, in counters and in the source
    text. The pass knows the operator of a kernel by its location. Code that runs on a device gets a
    function of its own with that device in `accel.on`, also if it comes from no operator. Code of
    the host that comes from no operator is not moved, nor is code that passes a scalar to other
    code or that takes a token as an argument, because the queue of the token would be unknown. A
    loop or a branch of the host that comes from no operator stays, and the operators inside it get
    functions, which take the values of the loop, such as the number of a row. A call of an existing
    function is not changed, but that function gets its device in `accel.on`, too. No function has
    the name of a C function of a device; the pass renames functions that have one.
    """

    name: ClassVar[str] = "accel-outline-operators"
    dialects: ClassVar[tuple[str, ...]] = ("func",)

    def run(self, op: ir.Operation) -> None:
        """Outline in every public function."""
        module = module_of(op)
        rename_functions(module)
        symbols, taken = ir.SymbolTable(op), c_symbols(op)
        machine = _Machine(host_of(op), AccessConstraints(op))
        for function in functions_in(module):
            if is_private(function) and not function.is_external:
                _mark(function, machine)
        for function in entry_functions(module):
            for part in list(_parts(function.entry_block, machine)):
                if not part.is_own or part.is_call or _has_outside_users(part.kernels):
                    continue
                captures = _captures_of(part.kernels)
                if any(is_token(value.type) for value in captures.arguments):
                    continue
                name = unused_name(_name_of(part), symbols, taken)
                _outline(part, captures, function, name, symbols)


class _Machine(Struct, frozen=True):
    """The name of the host, and the access constraints of the module's ops."""

    host: str
    constraints: AccessConstraints


class _Part(Struct, frozen=True):
    """A run of kernels of one operator on one device; the device None is the host."""

    operator: OperatorLocation | None
    device: str | None
    kernels: list[ir.OpView]

    @property
    def is_own(self) -> bool:
        """Return whether it comes from an operator or runs on a device."""
        return self.operator is not None or self.device is not None

    @property
    def is_call(self) -> bool:
        """Return whether it is a call of a function already."""
        return len(self.kernels) == 1 and isinstance(self.kernels[0], func.CallOp)


def _mark(function: func.FuncOp, machine: _Machine) -> None:
    """Mark an existing function with the device that runs it."""
    device = _device(function, machine)
    if device is not None:
        function.attributes[ON] = ir.FlatSymbolRefAttr.get(device)


def _parts(block: ir.Block, machine: _Machine) -> Iterator[_Part]:
    """Yield the parts of a block and of the loops and branches in it that stay, in order."""

    def key(op: ir.OpView) -> tuple[OperatorLocation | None, str | None]:
        return operator_of(op.location), _device(op, machine)

    body = list(block.operations)
    if isinstance(body[-1], (func.ReturnOp, scf.YieldOp)):
        body.pop()
    kernels = [op for op in body if not isinstance(op, _CLONED) and not is_view(op)]
    for (operator, device), run in groupby(kernels, key=key):
        part = _Part(operator, device, list(run))
        yield part
        if not part.is_own:
            for inner in _inner_blocks(part):
                yield from _parts(inner, machine)


def _inner_blocks(part: _Part) -> Iterator[ir.Block]:
    """Yield the blocks of the loops and branches of a part that stays where it is."""
    for op in part.kernels:
        if isinstance(op, (scf.ForOp, scf.IfOp)):
            for region in op.regions:
                yield from region.blocks


def _device(op: ir.OpView, machine: _Machine) -> str | None:
    """Return the one device that accesses or waits for memory in the op, or None.

    The op counts with all ops inside it. None also stands for the host.
    """
    if isinstance(op, accel.WaitOp) and len(op.tokens):
        return queue_of_token(op.tokens[0], op).device.value
    devices = _devices(op, machine)
    return devices.pop() if len(devices) == 1 and machine.host not in devices else None


def _devices(op: ir.OpView, machine: _Machine) -> set[str]:
    """Return the devices that access memory in the op, also in functions that it calls."""
    found: set[str] = set()
    for inner in ops_in(op):
        found |= {constraint.device for constraint in machine.constraints.of(inner)}
        if isinstance(inner, func.CallOp) and not callee_of(inner).is_external:
            found |= _devices(callee_of(inner), machine)
    return found


def _has_outside_users(kernels: list[ir.OpView]) -> bool:
    inside = set(kernels)
    block = kernels[0].operation.block
    return any(
        _ancestor_in(block, use.owner) not in inside
        for op in kernels
        for result in op.results
        for use in result.uses
    )


def _ancestor_in(block: ir.Block, op: ir.Operation | ir.OpView) -> ir.OpView:
    current = op.operation
    while current.block != block:
        assert current.parent is not None
        current = current.parent.operation
    return current.opview


# ---- Moving --------------------------------------------------------------------------------------


class _Captures(Struct):
    """The values from outside that kernels use, and the ops to clone with the kernels.

    `arguments` become arguments of the function. `cloned` (constants, views) is cloned into the
    function, sources first.
    """

    arguments: list[ir.Value] = field(default_factory=list[ir.Value])
    cloned: list[ir.OpView] = field(default_factory=list[ir.OpView])

    def add(self, value: ir.Value) -> None:
        """Record that a kernel uses the value."""
        owner = value.owner
        op = None if isinstance(owner, ir.Block) else owner.opview
        if op is None or not (isinstance(op, (arith.ConstantOp, RowOp)) or shares_base(op)):
            if value not in self.arguments:
                self.arguments.append(value)
        elif op not in self.cloned:
            for operand in op.operands:
                self.add(operand)
            self.cloned.append(op)


def _captures_of(kernels: list[ir.OpView]) -> _Captures:
    captures = _Captures()
    inside = {result for op in kernels for result in op.results}
    around = _blocks_around(kernels[0])

    for operand in (value for op in _with_nested(kernels) for value in op.operands):
        owner = operand.owner
        defined_in = owner if isinstance(owner, ir.Block) else owner.operation.block
        if defined_in in around and operand not in inside:
            captures.add(operand)
    return captures


def _blocks_around(op: ir.OpView) -> list[ir.Block]:
    """Return the block of an op and those around it, up to the body of the function."""
    blocks = [op.operation.block]
    while not isinstance(blocks[-1].owner.opview, func.FuncOp):
        blocks.append(blocks[-1].owner.operation.block)
    return blocks


def _outline(
    part: _Part, captures: _Captures, caller: func.FuncOp, name: str, symbols: ir.SymbolTable
) -> None:
    kernels = part.kernels
    types = [value.type for value in captures.arguments]
    location = kernels[0].location
    with location, ir.InsertionPoint(caller):
        callee = func.FuncOp(name, ir.FunctionType.get(types, []), visibility="private")
        if part.device is not None:
            callee.attributes[ON] = ir.FlatSymbolRefAttr.get(part.device)
        body = callee.add_entry_block([_location_of(value) for value in captures.arguments])
    symbols.insert(callee.operation)
    with location, ir.InsertionPoint(kernels[-1]):
        func.CallOp([], callee.sym_name.value, captures.arguments)
    inside = dict(zip(captures.arguments, body.arguments, strict=True))
    with location, ir.InsertionPoint(body):
        end = func.ReturnOp([])
        for op in captures.cloned:
            clone = op.operation.clone(ir.InsertionPoint(end))
            for index, operand in enumerate(op.operands):
                clone.operands[index] = inside.get(operand, operand)
            inside |= dict(zip(op.results, clone.results, strict=True))
    for kernel in kernels:
        kernel.move_before(end)
        _replace_operands(kernel, inside)


def _location_of(value: ir.Value) -> ir.Location:
    if isinstance(value.type, ir.IndexType) and name_hint(value.location) is None:
        return ir.Location.name("row", value.location)
    return value.location


def _replace_operands(kernel: ir.OpView, inside: dict[ir.Value, ir.Value]) -> None:
    for op in _with_nested([kernel]):
        for index, operand in enumerate(op.operands):
            if operand in inside:
                op.operands[index] = inside[operand]


def _with_nested(kernels: list[ir.OpView]) -> list[ir.OpView]:
    return [op for kernel in kernels for op in ops_in(kernel)]


def _name_of(part: _Part) -> str:
    """Return `conv_2d_3` for operator 3, a CONV_2D, or a name after the device.

    The caller appends a number if an operator has several parts.
    """
    base = f"{part.device}_part"
    if part.operator is not None:
        base = f"{part.operator.kind.lower()}_{part.operator.index}"
    return re.sub(r"\W", "_", base)
