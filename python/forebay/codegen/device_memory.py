"""Memories inside devices as `<m>_reference.c` has them, and the functions that take addresses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mlir.ir import Module

from forebay.dialects.accel import OperandAttr
from forebay.ir.pools import DeclaredPool, pool_ops, pools_in
from forebay.ir.transfers import pools_of

from .c_printer.wrap import wrapped
from .intrinsics import Parameter, Prototype
from .names import identifier
from .transfers import QueueFunctions, TransferPrototype

BODY = "_body"
"""Behind the symbol of what takes pointers where the C function takes addresses."""


@dataclass(frozen=True)
class Door:
    """A C function through whose parameters the program reaches memories inside devices.

    `inside` lists, per parameter, the pools in which its address is; none for any other.
    """

    prototype: Prototype | TransferPrototype
    inside: tuple[tuple[str, ...], ...]

    @property
    def is_needed(self) -> bool:
        """Whether the function is another than the one that takes pointers."""
        is_plain = isinstance(self.prototype, Prototype) and not self.prototype.is_started
        return not is_plain or any(self.inside)

    @property
    def body(self) -> str:
        """The function that takes pointers."""
        return f"{self.prototype.symbol}{BODY}" if self.is_needed else self.prototype.symbol

    @property
    def text(self) -> str:
        """The functions that the program calls."""
        arguments = ", ".join(
            f"{_accessor(pools)}({parameter.name})" if pools else _plain(parameter)
            for parameter, pools in zip(self.prototype.parameters, self.inside, strict=True)
        )
        functions: list[str] = []
        for declaration in self.prototype.declarations:
            lines = [*wrapped(declaration.text), "{", *wrapped(f"    {self.body}({arguments});")]
            given = "++tickets" if declaration.gives_ticket else "0"
            functions.append("\n".join([*lines, f"    return {given};", "}"]))
        return "\n\n".join(functions)


def door_of(prototype: Prototype | TransferPrototype, pools: Mapping[str, DeclaredPool]) -> Door:
    """The way into a function."""
    if isinstance(prototype, TransferPrototype):
        transfer = prototype.transfers[0]
        sides = [pools_of(transfer.sources), pools_of(transfer.targets)]
    else:
        signature = map(OperandAttr, prototype.intrinsics[0].signature)
        sides = [tuple(operand.pools or pools) for operand in signature]
    inside = [tuple(name for name in side if pools[name].local) for side in sides]
    inside += [()] * (len(prototype.parameters) - len(inside))
    return Door(
        prototype,
        tuple(
            () if parameter.is_pointer else where
            for parameter, where in zip(prototype.parameters, inside, strict=True)
        ),
    )


def memories(module: Module, doors: Iterable[Door]) -> Iterator[str]:
    """The memories that the doors lead to, and how an address becomes a pointer."""
    wanted = dict.fromkeys(pools for door in doors for pools in door.inside if pools)
    declared = pools_in(module.operation)
    single = [name for name in declared if any(name in pools for pools in wanted)]
    for name in single:
        yield _memory(declared[name], _size(module, name))
    for pools in wanted:
        if len(pools) > 1:
            yield _dispatch(pools, declared, module)


def ticket_functions(queues: Sequence[QueueFunctions]) -> Iterator[str]:
    """Here, what is started has ended when it returns."""
    for queue in queues:
        for declaration in queue.declarations:
            yield f"{declaration.text}\n{{\n    (void)ticket;\n    return 0;\n}}"


TICKETS = "static uint32_t tickets;"


def _memory(pool: DeclaredPool, size: int) -> str:
    name = identifier(pool.name, "pool").lower()
    scaled = "" if pool.unit == 1 else f" * {pool.unit}u"
    offset = "address" if not pool.base else f"(address - 0x{pool.base:08x}u)"
    return "\n".join(
        [
            f"/* {size:,} bytes inside of a device, as this file has them. */",
            f"static uint64_t {name}[{-(-size // 8)}];",
            "",
            f"static void *{_accessor((pool.name,))}(uint32_t address)",
            "{",
            f"    return (uint8_t *){name} + {offset}{scaled};",
            "}",
        ]
    )


def _dispatch(pools: tuple[str, ...], declared: Mapping[str, DeclaredPool], module: Module) -> str:
    """One address space with several memories."""
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
    """References count in int32_t."""
    return f"(int32_t){parameter.name}" if parameter.ctype == "uint32_t" else parameter.name


def _accessor(pools: Sequence[str]) -> str:
    return "_".join(["at", *(identifier(name, "pool").lower() for name in pools)])


def _size(module: Module, name: str) -> int:
    op = next(op for op in pool_ops(module.operation) if op.sym_name.value == name)
    if op.capacity is not None:
        return op.capacity.value
    return 0 if op.certificate is None else op.certificate.peak
