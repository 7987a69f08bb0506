"""memref-pool-read-rows: read the rows of inputs that the application hands in one by one."""

from typing import ClassVar

from mlir import ir
from mlir.dialects import func, memref

from forebay.dialects.memref_pool import AllocOp
from forebay.ir.attributes import named_attributes
from forebay.ir.memory.underlying_buffers import NAME_ATTRIBUTE, entry_functions
from forebay.ir.module import module_of
from forebay.ir.rows.layout import row_dims_of
from forebay.ir.rows.sources import row_sources
from forebay.passes._pass import Pass, PassError


class MemrefPoolReadRows(Pass):
    """Copy inputs with the attribute `memref_pool.row_source` into buffers of their pools.

    The argument itself is in no pool from here on: the application hands in its rows one by one,
    and nothing stores them for the program. The copy is in front of the first user. It is whole
    here; `memref-pool-cascade` computes it, and the operators that read the rows, row by row.
    """

    name: ClassVar[str] = "memref-pool-read-rows"
    dialects: ClassVar[tuple[str, ...]] = ("memref_pool", "memref")

    def run(self, op: ir.Operation) -> None:
        """Rewrite each such argument of each entry function."""
        for function in entry_functions(module_of(op)):
            for argument in row_sources(function):
                _read(function, argument)


def _read(function: func.FuncOp, argument: ir.BlockArgument) -> None:
    type_ = ir.MemRefType(argument.type)
    name = _name(function, argument)
    if type_.memory_space is None:
        raise PassError(function.location, f"input '{name}' has no pool for its rows")
    if row_dims_of(tuple(type_.shape)) is None:
        raise PassError(
            function.location,
            f"input '{name}' cannot be read row by row: its shape "
            f"{'x'.join(map(str, type_.shape)) or '()'} is a single row",
        )
    users = [_in_entry_block(function, use.owner) for use in argument.uses]
    argument.set_type(ir.MemRefType.get(type_.shape, type_.element_type))
    inputs = [value.type for value in function.arguments]
    function.attributes["function_type"] = ir.TypeAttr.get(
        ir.FunctionType.get(inputs, function.type.results)
    )
    if not users:
        return
    first = next(it for it in function.entry_block.operations if it.operation in users)
    with ir.InsertionPoint(first), ir.Location.name(name, function.location):
        alloc = AllocOp(type_)
        argument.replace_all_uses_with(alloc.memref)
        memref.CopyOp(argument, alloc.memref)


def _in_entry_block(function: func.FuncOp, op: ir.OpView | ir.Operation) -> ir.Operation:
    found = op.operation
    while found.parent != function.operation:
        assert found.parent is not None
        found = found.parent.operation
    return found


def _name(function: func.FuncOp, argument: ir.BlockArgument) -> str:
    found = named_attributes(function.arg_attrs[argument.arg_number]).get(NAME_ATTRIBUTE)
    return found.value if isinstance(found, ir.StringAttr) else f"arg{argument.arg_number}"
