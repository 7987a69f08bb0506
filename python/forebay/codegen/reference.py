"""`<m>_reference.c`: what the intrinsics compute, in portable C."""

from __future__ import annotations

from collections.abc import Sequence

from mlir.dialects import func
from mlir.ir import DictAttr, Module, StringAttr

from forebay.ir.intrinsics import add_references

from .c_printer.function import FunctionPrinter, Signature
from .c_printer.helpers import HELPERS, MATH_FUNCTIONS
from .c_printer.module import parameter_types, print_function, unit_text
from .c_printer.writes import Writes, writes_of
from .c_text import comment_text
from .constants import ConstantMemory
from .errors import EmissionError
from .intrinsics import Prototype
from .model import ModelInfo
from .names import Naming, Scope
from .ranges import Ranges
from .requirements import REQUIREMENTS


def write_reference(model: ModelInfo, naming: Naming, prototypes: Sequence[Prototype]) -> str:
    """Return the text of the file.

    Raises EmissionError at an operation of a reference that has no C, and where a reference writes
    to an operand that is read only.
    """
    known = [prototype for prototype in prototypes if prototype.has_reference]
    location = known[0].intrinsics[0].location
    with location.context, location:
        module = Module.create()
        functions = add_references([i for p in known for i in p.intrinsics], module.body)
        writes = writes_of(module)
        texts = [_function(functions[p.symbol], p, writes, prototypes) for p in known]
    unit = unit_text(texts)
    headers = sorted({"limits.h", "stdint.h", *unit.headers})
    parts = [
        f"/* What devices compute for {comment_text(model.name)}, for hosts without them. */\n"
        f'#include "{naming.prefix}_intrinsics.h"',
        "\n".join(f"#include <{header}>" for header in headers),
        REQUIREMENTS,
        *([unit.helpers.rstrip()] if unit.helpers else []),
        unit.functions.rstrip(),
    ]
    return "\n\n".join(parts) + "\n"


def _function(
    function: func.FuncOp, prototype: Prototype, writes: Writes, all_: Sequence[Prototype]
) -> str:
    for argument, parameter in zip(function.arguments, prototype.parameters, strict=True):
        if not parameter.is_pointer:
            continue
        if writes.through(argument) and not parameter.is_written:
            raise EmissionError(
                function.location,
                f"the reference of '{prototype.symbol}' writes to '{parameter.name}', which the "
                "intrinsic only reads",
            )
        writes.known[argument] = parameter.is_written
    function.arg_attrs = [
        DictAttr.get({"accel.name": StringAttr.get(parameter.name)})
        for parameter in prototype.parameters
    ]
    taken = {*HELPERS, *MATH_FUNCTIONS, *(p.symbol for p in all_)}
    signature = Signature(prototype.symbol, parameter_types(function, {}), is_static=False)
    printer = FunctionPrinter(
        Ranges(trusts_indices=True), writes, {}, Scope([taken, set()]), ConstantMemory((), {}), {}
    )
    return print_function(function, signature, printer).text
