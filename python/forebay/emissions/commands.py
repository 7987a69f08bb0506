"""The commands of a compiled program to its devices, in the order in which the host gives them.

All addresses of the program are constants, so that the list is complete before anything runs. A
started operation is a command at its start; a wait is none. Computation on the host has no place
among commands; copies between the caller's memory and pools are listed as copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mlir import ir
from mlir.dialects import arith, func, memref
from msgspec import Struct

from forebay.dialects.accel import CallOp, LaunchOp, MoveOp, StartOp, WaitOp
from forebay.dialects.memref_pool import AddressOp, CopyOp, PlacementAttr
from forebay.errors import Error
from forebay.ir.interfaces import is_view
from forebay.ir.locations import describe_location
from forebay.ir.machine.blocks import TransferBlock, transfer_block_of
from forebay.ir.machine.intrinsics import operands_in_order
from forebay.ir.machine.pools import candidates_of, element_bytes
from forebay.ir.views.layouts import is_contiguous, offset_of
from forebay.ir.views.queries import source_in_buffer

_PLACEMENT = "memref_pool.placement"


class HostOperatorError(Error):
    """A program whose host computes, where an emission has only commands of devices."""


class PlacedBytes(Struct, frozen=True):
    """Bytes of an operand: from `offset` in a pool, or in an argument of the caller (`port`)."""

    pool: str | None
    offset: int
    size: int
    port: int | None = None


class DeviceCommand(Struct, frozen=True):
    """A command: the intrinsic's or transfer's name with its device, operands in declared order.

    `block` is that of a transfer, whose operands are source and target.
    """

    name: str
    operands: tuple[PlacedBytes, ...]
    scalars: Mapping[str, int]
    block: TransferBlock | None = None


class HostCopy(Struct, frozen=True):
    """A copy of contiguous bytes that the host makes."""

    source: PlacedBytes
    target: PlacedBytes


EmittedCommand = DeviceCommand | HostCopy


@dataclass(frozen=True)
class _Base:
    """The beginning of a pool, of a buffer in one, or of the memory of a port."""

    pool: str | None
    offset: int = 0
    port: int | None = None


def commands_of(module: ir.Module) -> list[EmittedCommand]:
    """Return the commands and copies of `@main` of a program whose addresses are constants.

    Raises `HostOperatorError` with the operators that the host computes.
    """
    walk = _Walk(module)
    commands = list(walk.commands())
    if walk.host_operators:
        listed = "; ".join(dict.fromkeys(walk.host_operators))
        raise HostOperatorError(f"the host computes: {listed}")
    return commands


class _Walk:
    def __init__(self, module: ir.Module) -> None:
        self._module = module
        self._symbols = ir.SymbolTable(module.operation)
        self.host_operators: list[str] = []

    def commands(self) -> Iterator[EmittedCommand]:
        """Yield the commands of `@main`."""
        main = self._symbols["main"]
        assert isinstance(main, func.FuncOp)
        bases: dict[ir.Value, _Base] = {}
        ports = 0
        for argument in main.arguments:
            pools = candidates_of(argument.type)
            bases[argument] = _Base(pools[0]) if pools else _Base(None, port=ports)
            ports += not pools
        yield from self._of_function(main, bases)

    def _of_function(
        self, function: func.FuncOp, bases: dict[ir.Value, _Base]
    ) -> Iterator[EmittedCommand]:
        for op in function.entry_block.operations:
            match op:
                case func.CallOp() as call:
                    callee = self._symbols[call.callee.value]
                    assert isinstance(callee, func.FuncOp)
                    yield from self._of_function(callee, self._given(call, callee, bases))
                case CallOp() | LaunchOp() as call:
                    yield self._call(call, bases)
                case MoveOp() | StartOp() as move:
                    yield self._move(move, bases)
                case memref.CopyOp() | CopyOp() as copy:
                    yield from self._copy(copy, bases)
                case other:
                    self._check(other)

    def _given(
        self, call: func.CallOp, callee: func.FuncOp, bases: Mapping[ir.Value, _Base]
    ) -> dict[ir.Value, _Base]:
        """Return the bases of a function's arguments; offsets are in their types."""
        pairs = zip(callee.arguments, call.operands_, strict=True)
        return {
            argument: self._base(value, bases)
            for argument, value in pairs
            if isinstance(value.type, ir.MemRefType)
        }

    def _check(self, op: ir.OpView) -> None:
        """Note an op that is neither a command nor an address as one of the host's."""
        is_address = isinstance(op, (arith.ConstantOp, AddressOp, memref.GetGlobalOp)) or is_view(
            op
        )
        if not (is_address or isinstance(op, (WaitOp, func.ReturnOp))):
            self.host_operators.append(describe_location(op.location))

    # ---- Commands --------------------------------------------------------------------------------

    def _call(self, call: CallOp | LaunchOp, bases: Mapping[ir.Value, _Base]) -> DeviceCommand:
        values = [*call.inputs, *call.outputs]
        operands = tuple(self._bytes(values[i], bases) for i in operands_in_order(call))
        scalars: dict[str, int] = {}
        if call.config is not None:
            entries = ir.DictAttr(call.config)
            for index in range(len(entries)):
                scalars[entries[index].name] = ir.IntegerAttr(entries[index].attr).value
        return DeviceCommand(call.callee.value, operands, scalars)

    def _move(self, move: MoveOp | StartOp, bases: Mapping[ir.Value, _Base]) -> DeviceCommand:
        operands = self._bytes(move.source, bases), self._bytes(move.target, bases)
        types = ir.MemRefType(move.source.type), ir.MemRefType(move.target.type)
        return DeviceCommand(move.transfer.value, operands, {}, transfer_block_of(*types))

    def _copy(
        self, copy: memref.CopyOp | CopyOp, bases: Mapping[ir.Value, _Base]
    ) -> Iterator[HostCopy]:
        """Yield a copy between the caller and a pool; any other copy is the host's work."""
        source, target = self._bytes(copy.source, bases), self._bytes(copy.target, bases)
        types = ir.MemRefType(copy.source.type), ir.MemRefType(copy.target.type)
        if source == target and types[0] == types[1]:
            return
        is_port = (source.port is None) != (target.port is None)
        if is_port and all(map(is_contiguous, types)):
            yield HostCopy(source, target)
        else:
            self.host_operators.append(describe_location(copy.location))

    # ---- Addresses -------------------------------------------------------------------------------

    def _bytes(self, value: ir.Value, bases: Mapping[ir.Value, _Base]) -> PlacedBytes:
        type_ = ir.MemRefType(value.type)
        size = element_bytes(type_.element_type)
        base, first = self._base(value, bases), offset_of(type_)
        if first is None:
            raise HostOperatorError(
                f"{describe_location(value.location)}: an offset is known only at run time"
            )
        strides, _ = type_.get_strides_and_offset()
        pairs = zip(type_.shape, strides, strict=True)
        elements = 1 + sum((extent - 1) * stride for extent, stride in pairs)
        return PlacedBytes(base.pool, base.offset + first * size, elements * size, base.port)

    def _base(self, value: ir.Value, bases: Mapping[ir.Value, _Base]) -> _Base:
        """Return where the buffer begins that a memref is a view of."""
        while (source := source_in_buffer(value)) is not None:
            value = source
        if isinstance(value, ir.BlockArgument):
            return bases[value]
        match value.owner.opview:
            case memref.ViewOp() as view:
                base = self._base(view.source, bases)
                return _Base(base.pool, base.offset + _constant(view.byte_shift), base.port)
            case AddressOp() as address:
                return _Base(address.placement.pool, address.placement.offset)
            case memref.GetGlobalOp() as get:
                place = PlacementAttr(self._symbols[get.name_.value].attributes[_PLACEMENT])
                return _Base(place.pool, place.offset)
            case other:
                raise HostOperatorError(
                    f"{describe_location(other.location)}: {other.operation.name} makes an address "
                    "that is known only at run time"
                )


def _constant(value: ir.Value) -> int:
    constant = value.owner.opview
    assert isinstance(constant, arith.ConstantOp)
    return ir.IntegerAttr(constant.value).value
