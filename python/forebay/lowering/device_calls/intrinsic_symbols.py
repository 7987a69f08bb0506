"""The C functions of devices in LLVM: declared for the linker, or defined by references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import arith, func, memref
from msgspec import Struct

from forebay.dialects.accel import (
    IntrinsicOp,
    LaunchOp,
    OperandAttr,
    QueueOp,
    StartOp,
    TransferOp,
    WaitOp,
)
from forebay.ir.hot_functions import mark_hot
from forebay.ir.machine.device_commands import STATUS
from forebay.ir.machine.devices import devices_with_handles
from forebay.ir.machine.intrinsics import add_references, called_intrinsics
from forebay.ir.machine.move_arguments import add_reference, parameter_names_of
from forebay.ir.machine.pools import pools_in
from forebay.ir.machine.tokens import queue_of_token
from forebay.ir.machine.transfers import (
    pools_of,
    queue_of,
    transfers_in,
    used_transfers,
)
from forebay.ir.nested import ops_of
from forebay.ir.refused import RefusedError
from forebay.lowering.device_calls.device_memory import DeviceMemory
from forebay.lowering.device_calls.memref_at import memref_at
from forebay.pools import Pool


class DeviceFunction(Struct, frozen=True):
    """A C function of a device: operands, which are pointers or addresses, then 32-bit numbers.

    `inside` lists, per device and operand, the pools inside devices that the operand may be in; the
    list is empty for a pointer. `in_register` says which operands are in registers: the reference
    has them, the C function does not. `flags` are the bits that come with each address.
    `is_started` says that the program also issues it to a queue. With `takes_handle`, the first
    parameter is a pointer that selects the device.
    """

    name: str
    inside: Mapping[str, tuple[tuple[str, ...], ...]]
    in_register: tuple[bool, ...]
    flags: tuple[int, ...]
    numbers: int
    origin: IntrinsicOp | TransferOp
    is_started: bool
    takes_handle: bool

    @property
    def operands(self) -> tuple[tuple[str, ...], ...]:
        """The pools inside devices per operand, of all devices together."""
        sides = zip(*self.inside.values(), strict=True)
        return tuple(tuple(dict.fromkeys(name for side in s for name in side)) for s in sides)

    @property
    def inputs(self) -> list[ir.Type]:
        """The parameter types of the C function."""
        pointer, i32 = ir.Type.parse("!llvm.ptr"), ir.IntegerType.get_signless(32)
        passed = zip(self.operands, self.in_register, strict=True)
        operands = [i32 if pools else pointer for pools, is_hidden in passed if not is_hidden]
        return [pointer] * self.takes_handle + operands + [i32] * self.numbers


def declare(module: ir.Operation, block: ir.Block) -> None:
    """Declare the C functions; the environment that runs the program provides them."""
    i32 = ir.IntegerType.get_signless(32)
    with ir.InsertionPoint.at_block_begin(block), ir.Location.unknown(module.context):
        for symbol in _symbols_in(module):
            _marked(func.FuncOp(symbol.name, (symbol.inputs, [i32]), visibility="private"))
            if symbol.is_started:
                func.FuncOp(f"{symbol.name}_start", (symbol.inputs, [i32]), visibility="private")
        for name, inputs in _queue_functions(module):
            _marked(func.FuncOp(name, (inputs, [i32]), visibility="private"))


def _marked(function: func.FuncOp) -> func.FuncOp:
    function.attributes[STATUS] = ir.UnitAttr.get()
    return function


def define(module: ir.Operation, block: ir.Block) -> None:
    """Define the C functions by the references; an operation ends before its start returns.

    Raises `RefusedError` for an intrinsic without a reference, or with one that asks for a size.
    """
    pools, symbols = pools_in(module), _symbols_in(module)
    memory = DeviceMemory(module, block)
    functions = add_references(called_intrinsics(module), block)
    for transfer in used_transfers(module):
        if transfer.symbol.value not in functions:
            functions[transfer.symbol.value] = add_reference(transfer, block, pools)
    for symbol in symbols:
        if symbol.name not in functions:
            raise RefusedError(
                symbol.origin.location,
                f"intrinsic @{symbol.origin.sym_name.value} has no reference, so nothing on this "
                "host can run it; give it one, or link its symbol with intrinsics=extern",
            )
        _take_addresses(functions[symbol.name], symbol, memory)
        if symbol.is_started:
            _define_start(symbol, block)
    i32 = ir.IntegerType.get_signless(32)
    for name, inputs in _queue_functions(module):
        with ir.InsertionPoint(block), ir.Location.unknown(module.context):
            empty = _marked(func.FuncOp(name, (inputs, [i32])))
            with ir.InsertionPoint(empty.add_entry_block()):
                func.ReturnOp([arith.constant(i32, 0)])


def _symbols_in(module: ir.Operation) -> list[DeviceFunction]:
    """Return the C functions that the program calls, each once."""
    pools = pools_in(module)
    handles = devices_with_handles(module)
    launched = {op.callee.value for op in ops_of(module, LaunchOp)}
    started = {op.transfer.value for op in ops_of(module, StartOp)}
    found: dict[str, DeviceFunction] = {}

    def add(
        origin: IntrinsicOp | TransferOp,
        sides: Sequence[tuple[str, ...]],
        flags: tuple[int, ...],
        count: int,
    ) -> None:
        name = origin.symbol.value
        known = found.get(name)
        is_started = origin.sym_name.value in launched | started
        device = origin.device.value
        inside = {device: tuple(_inside(names, pools) for names in sides)}
        if known is not None and known.flags != flags:
            raise RefusedError(
                origin.location,
                f"@{origin.sym_name.value} and @{known.origin.sym_name.value} both are '{name}' in "
                "C, but get addresses with different flags; give one a symbol of its own",
            )
        if known is not None:
            is_started, inside = is_started or known.is_started, {**known.inside, **inside}
        in_register = tuple(any(pools[name].is_register for name in names) for names in sides)
        found[name] = DeviceFunction(
            name, inside, in_register, flags, count, origin, is_started, device in handles
        )

    for intrinsic in called_intrinsics(module):
        operands = [tuple(OperandAttr(o).pools or ()) for o in intrinsic.signature]
        flags = tuple(OperandAttr(o).flags for o in intrinsic.signature)
        add(intrinsic, operands, flags, len(intrinsic.scalars))
    for transfer in used_transfers(module):
        sides = [pools_of(transfer.sources), pools_of(transfer.targets)]
        own = (transfer.source_flags, transfer.target_flags)
        flags = tuple(0 if one is None else one.value for one in own)
        add(transfer, sides, flags, len(parameter_names_of(transfer)))
    return list(found.values())


def _inside(names: Sequence[str], pools: Mapping[str, Pool]) -> tuple[str, ...]:
    return tuple(name for name in names if pools[name].local)


def _queue_functions(module: ir.Operation) -> list[tuple[str, list[ir.Type]]]:
    """Return the C functions that wait for tokens and order queues, with their parameter types."""
    handles = devices_with_handles(module)
    offered = {op.sym_name.value: op for op in (*called_intrinsics(module), *transfers_in(module))}
    found: dict[str, list[ir.Type]] = {}
    for op in ops_of(module, WaitOp, StartOp, LaunchOp):
        used: list[tuple[QueueOp, str]] = []
        if isinstance(op, WaitOp):
            used = [(queue_of_token(token, op), "wait") for token in op.tokens]
        elif len(op.after):
            name = op.transfer if isinstance(op, StartOp) else op.callee
            queue = queue_of(offered[name.value])
            assert queue is not None
            used = [(queue, "after")]
        for queue, what in used:
            is_handed = queue.device.value in handles
            handle = [ir.Type.parse("!llvm.ptr", module.context)] if is_handed else []
            i32 = ir.IntegerType.get_signless(32, module.context)
            found[f"{queue.symbol.value}_{what}"] = [*handle, i32]
    return list(found.items())


def _define_start(symbol: DeviceFunction, block: ir.Block) -> None:
    i32 = ir.IntegerType.get_signless(32)
    with ir.InsertionPoint(block), symbol.origin.location:
        function = func.FuncOp(f"{symbol.name}_start", (symbol.inputs, [i32]))
        body = function.add_entry_block()
        with ir.InsertionPoint(body):
            func.CallOp([i32], symbol.name, list(body.arguments))
            func.ReturnOp([arith.constant(i32, 0)])


def _take_addresses(reference: func.FuncOp, symbol: DeviceFunction, memory: DeviceMemory) -> None:
    """Replace a reference by a function with the C signature, which builds memrefs of addresses."""
    old, i32 = reference.entry_block, ir.IntegerType.get_signless(32)
    with ir.InsertionPoint(reference), reference.location:
        function = _marked(func.FuncOp(symbol.name, (symbol.inputs, [i32])))
        mark_hot(function)
    block = function.add_entry_block()
    handles = list(block.arguments)[: int(symbol.takes_handle)]
    own = iter(list(block.arguments)[len(handles) :])
    for number, before in enumerate(old.arguments):
        _refuse_sizes(before)
        is_operand = number < len(symbol.operands)
        if is_operand and symbol.in_register[number]:
            with ir.InsertionPoint(block), reference.location:
                given: ir.Value = arith.constant(i32, 0)
        else:
            given = next(own)
        if is_operand and symbol.flags[number]:
            with ir.InsertionPoint(block), reference.location:
                given = arith.andi(given, arith.constant(i32, ~symbol.flags[number]))
        after: ir.Value = given
        if is_operand:
            with ir.InsertionPoint(block), reference.location:
                pointer = _pointer(number, given, handles, symbol, memory)
                after = memref_at(pointer, before.type)
        before.replace_all_uses_with(after)
    for op in list(old.operations):
        block.append(op)
    end = block.operations[len(block.operations) - 1]
    with ir.InsertionPoint(end), reference.location:
        func.ReturnOp([arith.constant(i32, 0)])
    end.operation.erase()
    reference.erase()


def _pointer(
    number: int,
    given: ir.Value,
    handles: Sequence[ir.Value],
    symbol: DeviceFunction,
    memory: DeviceMemory,
) -> ir.Value:
    """Return the pointer of an operand: given, or for an address in memory of the device meant."""
    sides = {device: inside[number] for device, inside in symbol.inside.items()}
    if not any(sides.values()):
        return given
    if len(set(sides.values())) == 1 or not handles:
        memory.refuse_shared(symbol.operands[number], symbol.origin)
        return memory.pointer(given, symbol.operands[number])
    *others, last = sides
    found = memory.pointer(given, sides[last])
    for device in others:
        found = memory.select(device, handles[0], memory.pointer(given, sides[device]), found)
    return found


def _refuse_sizes(argument: ir.Value) -> None:
    for use in argument.uses:
        if isinstance(use.owner.opview, memref.DimOp | memref.CopyOp):
            raise RefusedError(
                use.owner.location,
                "a reference gets pointers, which have no size; take it from a scalar",
            )
