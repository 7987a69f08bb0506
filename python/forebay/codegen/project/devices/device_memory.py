"""Models of device memories for `<m>_reference.c`, and its functions that take addresses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mlir.ir import Module
from msgspec import Struct

from forebay.codegen.c.syntax.wrap import wrap_line
from forebay.codegen.project.devices.intrinsics import Parameter, Prototype
from forebay.codegen.project.devices.transfers import QueueFunctions, TransferPrototype
from forebay.dialects.accel import IntrinsicOp, OperandAttr, TransferOp
from forebay.ir.machine.pools import pool_ops, pools_in
from forebay.ir.machine.transfers import pools_of
from forebay.network.errors import EmissionError
from forebay.network.model import ModelInfo
from forebay.network.names import Naming, identifier, struct_of
from forebay.pools import Pool

BODY = "_body"
"""The suffix of a function that takes pointers where the C function takes addresses."""


_Choices = tuple[tuple[str, tuple[str, ...]], ...]
"""The pools that an address may lie in, by device; the key is "" if it is the same for all."""


class PrintedReference(Struct, frozen=True):
    """A C function whose parameters address memories inside devices.

    `inside` has, per parameter after the handle, the pools of its address; it is empty for a
    parameter that is no such address.
    """

    prototype: Prototype | TransferPrototype
    inside: tuple[_Choices, ...]

    @property
    def takes_handle(self) -> bool:
        """Return whether the first parameter is the device."""
        return len(self.inside) < len(self.prototype.parameters)

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """Return the parameters after the handle."""
        return self.prototype.parameters[1 if self.takes_handle else 0 :]

    @property
    def pools(self) -> tuple[tuple[str, ...], ...]:
        """Return all groups of pools that one address may lie in."""
        return tuple(pools for choices in self.inside for _, pools in choices)

    @property
    def is_needed(self) -> bool:
        """Return whether the function differs from the one that takes pointers."""
        is_plain = isinstance(self.prototype, Prototype) and not self.prototype.is_started
        return not is_plain or bool(self.pools) or self.takes_handle

    @property
    def body(self) -> str:
        """Return the name of the function that takes pointers."""
        return f"{self.prototype.symbol}{BODY}" if self.is_needed else self.prototype.symbol

    @property
    def text(self) -> str:
        """Return the C text of the functions that the program calls."""
        arguments = ", ".join(
            _pointer(parameter, choices) if choices else _plain(parameter)
            for parameter, choices in zip(self.parameters, self.inside, strict=True)
        )
        asks = any(len(choices) > 1 for choices in self.inside)
        unused = ["    (void)device;"] if self.takes_handle and not asks else []
        functions: list[str] = []
        for declaration in self.prototype.declarations:
            lines = [*wrap_line(declaration.text), "{", *unused]
            lines += wrap_line(f"    {self.body}({arguments});")
            given = "++tickets" if declaration.gives_ticket else "0"
            functions.append("\n".join([*lines, f"    return {given};", "}"]))
        return "\n\n".join(functions)


def reference_function_of(
    prototype: Prototype | TransferPrototype, pools: Mapping[str, Pool]
) -> PrintedReference:
    """Return how a function addresses device memories.

    Raises EmissionError when an address may lie in two memories.
    """
    instances: tuple[IntrinsicOp | TransferOp, ...] = (
        prototype.transfers if isinstance(prototype, TransferPrototype) else prototype.intrinsics
    )
    sides = {op.device.value: _sides(op, pools) for op in instances}
    parameters = prototype.parameters[len(prototype.handle) :]
    inside: list[_Choices] = []
    for number, parameter in enumerate(parameters):
        addressed = number < len(next(iter(sides.values()))) and not parameter.is_pointer
        own = {device: side[number] for device, side in sides.items()} if addressed else {}
        inside.append(_choices(own, bool(prototype.handle), pools, instances[0]))
    return PrintedReference(prototype, tuple(inside))


def _sides(op: IntrinsicOp | TransferOp, pools: Mapping[str, Pool]) -> list[tuple[str, ...]]:
    """Return, per address parameter of a function, the pools inside devices."""
    if isinstance(op, TransferOp):
        sides = [pools_of(op.sources), pools_of(op.targets)]
    else:
        sides = [tuple(operand.pools or pools) for operand in map(OperandAttr, op.signature)]
    return [tuple(name for name in side if pools[name].local) for side in sides]


def _choices(
    own: Mapping[str, tuple[str, ...]],
    takes_handle: bool,
    pools: Mapping[str, Pool],
    op: IntrinsicOp | TransferOp,
) -> _Choices:
    if not own:
        return ()
    if len(set(own.values())) == 1:
        return (("", next(iter(own.values()))),)
    if takes_handle:
        return tuple(own.items())
    union = tuple(dict.fromkeys(name for side in own.values() for name in side))
    if len({pools[name].base or 0 for name in union}) < len(union):
        raise EmissionError(
            op.location,
            f"'{op.symbol.value}' gets addresses that several devices have, in pools "
            f"{', '.join(union)}, but not the device that is meant; give the devices handles",
        )
    return (("", union),)


def handle_objects(model: ModelInfo, naming: Naming) -> list[str]:
    """Return the objects behind the handles, and the structure of handles for the self-test."""
    if not model.handles:
        return []
    m = naming.prefix
    structs = sorted({struct_of(device.kind) for device in model.handles})
    objects = [
        f"static {struct_of(device.kind)} {_object(device.name)} = {{{number}}};"
        for number, device in enumerate(model.handles)
    ]
    handles = ", ".join(f"&{_object(device.name)}" for device in model.handles)
    return [
        *(f"{struct} {{\n    uint8_t number;\n}};" for struct in structs),
        "\n".join(objects),
        f"const {m}_devices {m}_default_devices = {{{handles}}};",
    ]


def _object(device: str) -> str:
    return f"device_{identifier(device, 'device').lower()}"


def _pointer(parameter: Parameter, choices: _Choices) -> str:
    """Return the C pointer for an address parameter, by the device that the handle names."""
    *others, (_, last) = choices
    address = "0u" if parameter.in_register else parameter.name
    if parameter.flags:
        address = f"{parameter.name} & 0x{~parameter.flags & 0xFFFFFFFF:08x}u"
    found = f"{_accessor(last)}({address})"
    for device, pools in reversed(others):
        own = f"{_accessor(pools)}({address})"
        found = f"device == &{_object(device)} ? {own} : {found}"
    return found


def memories(module: Module, functions: Iterable[PrintedReference]) -> Iterator[str]:
    """Yield the device memories, and the functions that map their addresses to pointers."""
    wanted = dict.fromkeys(pools for function in functions for pools in function.pools if pools)
    declared = pools_in(module.operation)
    single = [name for name in declared if any(name in pools for pools in wanted)]
    for name in single:
        yield _memory(declared[name], _size(module, name))
    for pools in wanted:
        if len(pools) > 1:
            yield _dispatch(pools, declared, module)


def ticket_functions(queues: Sequence[QueueFunctions]) -> Iterator[str]:
    """Yield the queue functions, which return 0, since here every start completes at once."""
    for queue in queues:
        for declaration in queue.declarations:
            unused = "".join(f"    (void){p.name};\n" for p in declaration.parameters)
            yield f"{declaration.text}\n{{\n{unused}    return 0;\n}}"


TICKETS = "static uint32_t tickets;"


def _memory(pool: Pool, size: int) -> str:
    name = identifier(pool.name, "pool").lower()
    scaled = "" if pool.unit == 1 else f" * {pool.unit}u"
    offset = "address" if not pool.base else f"(address - 0x{pool.base:08x}u)"
    return "\n".join(
        [
            f"/* {size:,} bytes inside of a device, which this file defines. */",
            f"static uint64_t {name}[{-(-size // 8)}];",
            "",
            f"static void *{_accessor((pool.name,))}(uint32_t address)",
            "{",
            f"    return (uint8_t *){name} + {offset}{scaled};",
            "}",
        ]
    )


def _dispatch(pools: tuple[str, ...], declared: Mapping[str, Pool], module: Module) -> str:
    """Return the function that maps an address of a space with several memories to a pointer."""
    lines = [f"static void *{_accessor(pools)}(uint32_t address)", "{"]
    for name in pools[:-1]:
        rows = -(-_size(module, name) // declared[name].unit)
        base = declared[name].base or 0
        lines += [
            f"    if (address - 0x{base:08x}u < {rows}u) {{",
            f"        return {_accessor((name,))}(address);",
            "    }",
        ]
    return "\n".join([*lines, f"    return {_accessor(pools[-1:])}(address);", "}"])


def _plain(parameter: Parameter) -> str:
    """Return an argument that is no address; references count in int32_t."""
    return f"(int32_t){parameter.name}" if parameter.ctype == "uint32_t" else parameter.name


def _accessor(pools: Sequence[str]) -> str:
    return "_".join(["at", *(identifier(name, "pool").lower() for name in pools)])


def _size(module: Module, name: str) -> int:
    op = next(op for op in pool_ops(module.operation) if op.sym_name.value == name)
    if op.capacity is not None:
        return op.capacity.value
    return 0 if op.certificate is None else op.certificate.peak
