"""Names of constants, from the operators that read them: `conv_2d_3_bias`."""

from __future__ import annotations

from mlir.dialects import func
from mlir.ir import MemRefType, Module

from forebay.codegen.c.naming.roles import buffer_name
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
            role = buffer_name(argument, is_written=False, is_constant=True)
            for constant in memory.behind(argument) or ():
                wanted.setdefault(constant, f"{function.name.value}_{role}")
    scope = NameScope()
    return {
        constant: scope.unique(identifier(wanted.get(constant, constant.name).lower(), "constant"))
        for constant in memory.constants
    }
