"""Checks of signatures of entry functions and of declarations."""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import func

from forebay.ir.attributes import named_attributes
from forebay.ir.memory.storage import last_op
from forebay.ir.memory.underlying_buffers import is_private
from forebay.ir.supported.finding import Finding
from forebay.ir.supported.ports import port_findings


def function_findings(function: func.FuncOp) -> Iterator[Finding]:
    """Yield what is wrong with the function's signature, its terminator and its attributes."""
    if function.is_external:
        yield from _of_declaration(function)
        return
    end = last_op(function.entry_block) if list(function.entry_block.operations) else function
    if not isinstance(end, func.ReturnOp) and len(function.body.blocks) == 1:
        yield Finding(end.location, f"{_named(function)} ends without func.return; return from it")
    if not is_private(function):
        yield from _of_entry(function)


def _of_declaration(function: func.FuncOp) -> Iterator[Finding]:
    for index, type_ in enumerate(function.type.results):
        if isinstance(type_, ir.ShapedType):
            yield Finding(
                function.location,
                f"result {index} of {_named(function)}, which has no body, is {type_}: its "
                "memory is unknown; let the function write into an argument "
                '(bufferization.access = "write")',
            )


def _of_entry(function: func.FuncOp) -> Iterator[Finding]:
    for index, argument in enumerate(function.arguments):
        name = f"argument {index} of {_named(function)}"
        attributes = _attributes_of(function, "arg_attrs", index)
        yield from port_findings(name, argument.type, attributes, argument.location)
    for index, type_ in enumerate(function.type.results):
        name = f"result {index} of {_named(function)}"
        attributes = _attributes_of(function, "res_attrs", index)
        yield from port_findings(name, type_, attributes, function.location)


def _attributes_of(function: func.FuncOp, kind: str, index: int) -> dict[str, ir.Attribute]:
    if kind not in function.attributes:
        return {}
    return named_attributes(ir.ArrayAttr(function.attributes[kind])[index])


def _named(function: func.FuncOp) -> str:
    return f"@{function.sym_name.value}"
