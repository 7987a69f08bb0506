"""`<m>_intrinsics.h`: the driver functions that the application must provide."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mlir.ir import Module

from forebay.codegen.c.syntax.text import comment_text
from forebay.codegen.c.syntax.wrap import wrap_line
from forebay.codegen.project.devices.intrinsics import CDeclaration, Prototype
from forebay.codegen.project.devices.transfers import (
    QueueFunctions,
    TransferPrototype,
    queue_functions_of,
    transfer_prototypes_of,
)
from forebay.codegen.project.devices.wrappers import wrapped_functions
from forebay.dialects.accel import IntrinsicOp, OperandAttr, TransferOp
from forebay.ir.machine.pools import pools_in
from forebay.ir.machine.transfers import pools_of
from forebay.ir.memory.access_constraints import may_access
from forebay.network.model import ModelInfo
from forebay.network.names import Naming
from forebay.pools import Pool

ACCESSES = {"in": "read", "out": "written", "inout": "read and written"}


def write_intrinsics_header(
    module: Module, model: ModelInfo, naming: Naming, prototypes: Sequence[Prototype]
) -> str:
    """Return the text of the header."""
    m, macro = naming.prefix, naming.macro
    pools = list(pools_in(module.operation).values())
    transfers, queues = transfer_prototypes_of(module), queue_functions_of(module)
    has_reference = _has_reference(prototypes) or bool(transfers)
    reference = f"\n   {m}_reference.c defines them in portable C." if has_reference else ""
    wrapped = wrapped_functions(prototypes)
    if wrapped:
        which = "them" if len(wrapped) == len(prototypes) and not transfers else "some"
        reference += f"\n   {m}_wrappers.c defines {which} as calls of a library."
    parts = [
        f"/* The functions of devices that {comment_text(model.name)} calls: link a driver that "
        f"defines them.{reference} */\n"
        f"#ifndef {macro}_INTRINSICS_H\n#define {macro}_INTRINSICS_H\n\n#include <stdbool.h>\n"
        '#include <stdint.h>\n\n#ifdef __cplusplus\nextern "C" {\n#endif',
        *_structs((*prototypes, *transfers, *queues)),
        *(_declaration(prototype, pools) for prototype in prototypes),
        *(_transfer(transfer, pools_in(module.operation)) for transfer in transfers),
        *map(_queue, queues),
        f"#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {macro}_INTRINSICS_H */",
    ]
    return "\n\n".join(parts) + "\n"


def _structs(functions: Sequence[Prototype | TransferPrototype | QueueFunctions]) -> list[str]:
    """Return the declarations of the structures behind handles, which the driver defines."""
    given = [p for f in functions for d in f.declarations for p in d.parameters]
    structs = sorted({p.ctype for p in given if p.ctype.startswith("struct ")})
    lines = "\n".join(f"{struct};" for struct in structs)
    return [f"/* A device; the driver defines the structure. */\n{lines}"] if structs else []


def _has_reference(prototypes: Sequence[Prototype]) -> bool:
    return any(prototype.has_reference for prototype in prototypes)


def _declaration(prototype: Prototype, pools: Sequence[Pool]) -> str:
    comments = [
        f"/* @{intrinsic.sym_name.value} of {intrinsic.device.value}:\n   "
        + "\n   ".join(_operands(intrinsic, pools))
        + " */"
        for intrinsic in prototype.intrinsics
    ]
    return _with_comments(comments, prototype.declarations)


def _transfer(prototype: TransferPrototype, pools: Mapping[str, Pool]) -> str:
    comments = [
        f"/* @{transfer.sym_name.value} of {transfer.device.value}:\n   "
        + "\n   ".join(_moved(transfer, pools))
        + " */"
        for transfer in prototype.transfers
    ]
    return _with_comments(comments, prototype.declarations)


def _moved(transfer: TransferOp, pools: Mapping[str, Pool]) -> Iterator[str]:
    for side, names in (("source", transfer.sources), ("target", transfer.targets)):
        where = pools_of(names)
        rows = {pools[name].unit for name in where} - {1}
        counted = "".join(f", in rows of {unit} bytes, and so its stride" for unit in sorted(rows))
        yield f"{side}: in {', '.join(where)}{counted}"


def _queue(functions: QueueFunctions) -> str:
    names = ", ".join(
        f"@{queue.sym_name.value} of {queue.device.value}, of depth {queue.depth.value}"
        for queue in functions.queues
    )
    after = (
        "; its next operation waits for a ticket of another queue" if functions.takes_order else ""
    )
    return _with_comments([f"/* {names}{after} */"], functions.declarations)


def _with_comments(comments: Sequence[str], declarations: Sequence[CDeclaration]) -> str:
    lines = [line for declaration in declarations for line in wrap_line(f"{declaration.text};")]
    return "\n".join([*comments, *lines])


def _operands(intrinsic: IntrinsicOp, pools: Sequence[Pool]) -> Iterator[str]:
    for operand in map(OperandAttr, intrinsic.signature):
        where = ", ".join(_pools(operand, intrinsic.device.value, pools)) or "no pool"
        aligned = f", aligned to {operand.align}" if operand.align > 1 else ""
        yield f"{operand.name}: {ACCESSES[operand.access]}, in {where}{aligned}"


def _pools(operand: OperandAttr, device: str, pools: Sequence[Pool]) -> Iterator[str]:
    """Yield the pools an operand may lie in: the intrinsic's, else those the device may access."""
    reads, writes = operand.access != "out", operand.access != "in"
    for pool in pools:
        if may_access(device, pool, operand.pools or None, reads=reads, writes=writes):
            yield pool.name
