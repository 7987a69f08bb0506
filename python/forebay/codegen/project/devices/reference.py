"""`<m>_reference.c`: the computations and transfers of devices in portable C."""

from __future__ import annotations

from collections.abc import Sequence

from mlir.dialects import func
from mlir.ir import DictAttr, Module, StringAttr

from forebay.codegen.c.analysis.ranges import Ranges
from forebay.codegen.c.analysis.writes import Writes, writes_of
from forebay.codegen.c.function import FunctionPrinter, Signature
from forebay.codegen.c.function_text import FunctionText, print_function
from forebay.codegen.c.live_uses import LiveUses
from forebay.codegen.c.module import unit_text
from forebay.codegen.c.parameters import parameter_types
from forebay.codegen.c.syntax.helpers import HELPERS, MATH_FUNCTIONS
from forebay.codegen.c.syntax.text import comment_text
from forebay.codegen.project.devices.device_memory import (
    TICKETS,
    PrintedReference,
    handle_objects,
    memories,
    reference_function_of,
    ticket_functions,
)
from forebay.codegen.project.devices.intrinsics import Parameter, Prototype
from forebay.codegen.project.devices.transfers import queue_functions_of, transfer_prototypes_of
from forebay.codegen.project.interface.requirements import REQUIREMENTS
from forebay.ir.machine.intrinsics import add_references
from forebay.ir.machine.move_arguments import add_reference
from forebay.ir.machine.pools import pools_in
from forebay.network.constants import ConstantMemory
from forebay.network.errors import EmissionError
from forebay.network.model import ModelInfo
from forebay.network.names import NameScope, Naming


def write_reference(
    module: Module, model: ModelInfo, naming: Naming, prototypes: Sequence[Prototype]
) -> str:
    """Return the text of the file.

    Raises EmissionError at an operation of a reference that has no C form, and when a reference
    writes to an operand that is read-only.
    """
    known = [prototype for prototype in prototypes if prototype.has_reference]
    transfers = transfer_prototypes_of(module)
    pools = pools_in(module.operation)
    references = [reference_function_of(prototype, pools) for prototype in (*known, *transfers)]
    with module.context, module.operation.location:
        scratch = Module.create()
        functions = add_references([i for p in known for i in p.intrinsics], scratch.body)
        for transfer in transfers:
            made = add_reference(transfer.transfers[0], scratch.body, pools)
            functions[transfer.symbol] = made
        writes = writes_of(scratch)
        taken = {*HELPERS, *MATH_FUNCTIONS, *functions, *(p.symbol for p in prototypes)}
        texts = [
            _function(functions[reference.prototype.symbol], reference, writes, taken)
            for reference in references
        ]
    unit = unit_text(texts)
    headers = sorted({"limits.h", "stdint.h", *unit.headers})
    starts = any(prototype.is_started for prototype in (*known, *transfers))
    parts = [
        f"/* The functions of devices that {comment_text(model.name)} calls, in portable C. */\n"
        + (f'#include "{naming.prefix}.h"\n' if model.handles else "")
        + f'#include "{naming.prefix}_intrinsics.h"',
        "\n".join(f"#include <{header}>" for header in headers),
        REQUIREMENTS,
        *([unit.helpers.rstrip()] if unit.helpers else []),
        unit.functions.rstrip(),
        *handle_objects(model, naming),
        *memories(module, references),
        *([TICKETS] if starts else []),
        *(reference.text for reference in references if reference.is_needed),
        *ticket_functions(queue_functions_of(module)),
    ]
    return "\n\n".join(parts) + "\n"


def _function(
    function: func.FuncOp, reference: PrintedReference, writes: Writes, taken: set[str]
) -> FunctionText:
    """Return the function that takes pointers, with the parameter names of the prototype."""
    parameters = reference.parameters
    for argument, parameter, inside in zip(
        function.arguments, parameters, reference.inside, strict=True
    ):
        if parameter.is_pointer:
            _check_access(function, writes.through(argument), parameter, reference)
            writes.known[argument] = parameter.is_written
        elif inside:
            writes.known[argument] = True
    function.arg_attrs = [
        DictAttr.get({"accel.name": StringAttr.get(parameter.name)}) for parameter in parameters
    ]
    types = parameter_types(function, {})
    is_inner = reference.is_needed
    signature = Signature(reference.body, types, is_static=is_inner, returns_status=not is_inner)
    printer = FunctionPrinter(
        Ranges(trusts_indices=True),
        writes,
        {},
        NameScope([taken, set()]),
        ConstantMemory((), {}),
        {},
        LiveUses(function),
    )
    return print_function(function, signature, printer)


def _check_access(
    function: func.FuncOp, writes: bool, parameter: Parameter, reference: PrintedReference
) -> None:
    if writes and not parameter.is_written:
        raise EmissionError(
            function.location,
            f"the reference of '{reference.prototype.symbol}' writes to '{parameter.name}', which "
            "the intrinsic only reads",
        )
