"""Names of constants, from the operators that read them: `conv_2d_3_bias`."""

from __future__ import annotations

from collections.abc import Iterator

from mlir.dialects import func
from mlir.ir import BlockArgument, MemRefType, Module, Value

from forebay.codegen.c.naming.roles import buffer_name
from forebay.ir.locations import operator_of
from forebay.network.constants import Constant, ConstantMemory
from forebay.network.names import NameScope, identifier
from forebay.network.pool_arguments import pool_name


def constant_names(module: Module, memory: ConstantMemory) -> dict[Constant, str]:
    """Return a unique name per constant: its first reader and its role there, else its symbol."""
    wanted: dict[Constant, str] = {}
    for function in module.body.operations:
        if not isinstance(function, func.FuncOp) or function.is_external:
            continue
        for argument in function.arguments:
            if not isinstance(argument.type, MemRefType) or pool_name(argument) is not None:
                continue
            read = [
                (constant, reader)
                for reader, value in _readers(function, argument, memory)
                for constant in memory.behind(value) or ()
            ]
            role = buffer_name(argument, is_written=False, is_constant=True) if read else ""
            for constant, reader in read:
                wanted.setdefault(constant, f"{reader}_{role}")
    scope = NameScope()
    return {
        constant: scope.unique(identifier(wanted.get(constant, constant.name).lower(), "constant"))
        for constant in memory.constants
    }


def _readers(
    function: func.FuncOp, argument: BlockArgument, memory: ConstantMemory
) -> Iterator[tuple[str, Value]]:
    """Yield the function and its argument or, if several operators call it, each with its own."""
    calls = memory.calls.get(function.name.value, ())
    own = operator_of(function.location)
    if len(calls) < 2 or own is None:
        yield function.name.value, argument
        return
    for call in calls:
        operator = operator_of(call.location)
        reader = function.name.value
        if operator is not None and operator != own:
            reader = f"{operator.kind}_{operator.index}"
        yield reader, call.operands_[argument.arg_number]
