"""The C functions of devices that a network calls, with their prototypes."""

from __future__ import annotations

from collections.abc import Sequence

from mlir.ir import MemRefType, Module, OpView, StringAttr
from msgspec import Struct

from forebay.codegen.c.syntax.types import refusal, scalar_type
from forebay.dialects.accel import CallOp, IntrinsicOp, LaunchOp, OperandAttr
from forebay.ir.machine.devices import devices_with_handles
from forebay.ir.machine.intrinsics import (
    called_intrinsics,
    has_reference,
    operands_in_order,
    register_of,
)
from forebay.ir.memory.addresses import buffer_inside
from forebay.ir.module import module_around
from forebay.ir.nested import ops_of
from forebay.network.errors import EmissionError
from forebay.network.names import NameScope, port_identifier, struct_of


class Parameter(Struct, frozen=True):
    """A parameter of a prototype: a pointer to elements of `ctype`, or a number of that type.

    An operand in a register is a parameter of the reference only: the C function does not get it.
    `flags` are the bits that an address inside a device has beside the address.
    """

    name: str
    ctype: str
    is_pointer: bool
    is_written: bool = False
    in_register: bool = False
    flags: int = 0

    @property
    def declaration(self) -> str:
        """Return the declaration, such as `const int8_t *x`."""
        if not self.is_pointer:
            return f"{self.ctype} {self.name}"
        return f"{'' if self.is_written else 'const '}{self.ctype} *{self.name}"


class CDeclaration(Struct, frozen=True):
    """A C function of a device.

    If it starts an operation it returns a ticket, otherwise a status, which is 0 for success.
    """

    name: str
    parameters: tuple[Parameter, ...]
    gives_ticket: bool = False

    @property
    def text(self) -> str:
        """Return the head of the function, without a semicolon."""
        given = ", ".join(parameter.declaration for parameter in self.parameters) or "void"
        return f"{'uint32_t' if self.gives_ticket else 'int32_t'} {self.name}({given})"


def takes_handle(parameters: Sequence[Parameter]) -> bool:
    """Return whether the first parameter of a function is the device's handle."""
    return bool(parameters) and parameters[0].ctype.startswith("struct ")


def handle_parameter(device: str, module: Module) -> tuple[Parameter, ...]:
    """Return the first parameter of a device's functions if the device has a handle, else none."""
    found = devices_with_handles(module.operation).get(device)
    if found is None:
        return ()
    return (Parameter("device", struct_of(found.kind.value), is_pointer=True, is_written=True),)


def declarations_of(
    symbol: str, parameters: tuple[Parameter, ...], *, is_called: bool, is_started: bool
) -> tuple[CDeclaration, ...]:
    """Return the functions of a symbol that the program uses: the call, the start, or both."""
    passed = tuple(parameter for parameter in parameters if not parameter.in_register)
    called = [CDeclaration(symbol, passed)] if is_called else []
    started = [CDeclaration(f"{symbol}_start", passed, gives_ticket=True)] if is_started else []
    return (*called, *started)


class Prototype(Struct, frozen=True):
    """A C function and the intrinsics that call it, one per instance of the device.

    `is_called` and `is_started` say how the program uses it.
    """

    symbol: str
    parameters: tuple[Parameter, ...]
    intrinsics: tuple[IntrinsicOp, ...]
    is_called: bool = True
    is_started: bool = False

    @property
    def declaration(self) -> str:
        """Return the prototype without a semicolon."""
        (called,) = declarations_of(self.symbol, self.parameters, is_called=True, is_started=False)
        return called.text

    @property
    def declarations(self) -> tuple[CDeclaration, ...]:
        """Return the functions that the program uses."""
        return declarations_of(
            self.symbol, self.parameters, is_called=self.is_called, is_started=self.is_started
        )

    @property
    def handle(self) -> tuple[Parameter, ...]:
        """Return the first parameter if it is the device's handle, else nothing."""
        return self.parameters[:1] if takes_handle(self.parameters) else ()

    @property
    def has_reference(self) -> bool:
        """Return whether an instance has a reference that defines what the function computes."""
        return any(has_reference(intrinsic) for intrinsic in self.intrinsics)


def prototypes_of(module: Module) -> tuple[Prototype, ...]:
    """Return the prototypes of all functions that are called, in the order of the intrinsics.

    Raises EmissionError when two uses of one C symbol need different prototypes.
    """
    calls = ops_of(module.operation, CallOp, LaunchOp)
    found: dict[str, Prototype] = {}
    for intrinsic in called_intrinsics(module.operation):
        callers = [c for c in calls if c.callee.value == intrinsic.sym_name.value]
        symbol = intrinsic.symbol.value
        for call in callers:
            handle = handle_parameter(intrinsic.device.value, module)
            parameters = (*handle, *_parameters(intrinsic, call))
            known = found.setdefault(symbol, Prototype(symbol, parameters, ()))
            if known.parameters != parameters:
                _refuse_flags(known.parameters, parameters, call, symbol)
                wanted = Prototype(symbol, parameters, ()).declaration
                raise EmissionError(
                    call.location,
                    f"this calls '{wanted}', but elsewhere the function is "
                    f"'{known.declaration}'; give one of them a symbol of its own",
                )
        known = found[symbol]
        users = (*known.intrinsics, intrinsic)
        names = {user.sym_name.value for user in users}
        found[symbol] = Prototype(
            symbol,
            known.parameters,
            users,
            any(isinstance(c, CallOp) and c.callee.value in names for c in calls),
            any(isinstance(c, LaunchOp) and c.callee.value in names for c in calls),
        )
    return tuple(found.values())


def _refuse_flags(
    known: Sequence[Parameter], parameters: Sequence[Parameter], op: OpView, symbol: str
) -> None:
    """Raise EmissionError for two uses of a function with different flags of an address."""
    for one, other in zip(known, parameters, strict=False):
        if one.flags != other.flags:
            raise EmissionError(
                op.location,
                f"'{symbol}' gets '{other.name}' with the flags {other.flags:#x} here, and with "
                f"{one.flags:#x} elsewhere; give one of the two a symbol of its own",
            )


def _parameters(intrinsic: IntrinsicOp, call: CallOp | LaunchOp) -> tuple[Parameter, ...]:
    scope = NameScope([{"device"}])
    pointers = [
        _address(scope.unique(port_identifier(operand.name)), operand, call, index)
        for operand, index in zip(
            map(OperandAttr, intrinsic.signature), operands_in_order(call), strict=True
        )
    ]
    scalars = [
        Parameter(scope.unique(port_identifier(StringAttr(name).value)), "int32_t", False)
        for name in intrinsic.scalars
    ]
    return (*pointers, *scalars)


def _address(name: str, operand: OperandAttr, call: CallOp | LaunchOp, index: int) -> Parameter:
    """Return the parameter of an operand: a pointer, or a number for memory inside a device."""
    if register_of(operand, module_around(call)) is not None:
        return Parameter(name, "uint32_t", is_pointer=False, in_register=True)
    if buffer_inside(call.operands[index]) is not None:
        return Parameter(name, "uint32_t", is_pointer=False, flags=operand.flags)
    is_written = operand.access != "in"
    return Parameter(name, _element(call, index), is_pointer=True, is_written=is_written)


def _element(call: CallOp | LaunchOp, index: int) -> str:
    type_ = call.operands[index].type
    reason = refusal(type_)
    if reason is not None or not isinstance(type_, MemRefType):
        raise EmissionError(call.location, reason or f"{type_} is no memref; bufferize first")
    return scalar_type(type_.element_type)
