"""Lower TOSA variables to memory that is read and written in program order."""

from __future__ import annotations

from collections.abc import Mapping

from mlir import ir
from mlir.dialects import bufferization, func, memref, tosa

from forebay.ir.nested import ops_nested_in

_RESET = "reset"


def lower_variables(module: ir.Module) -> None:
    """Make each read copy a global, each write copy into it, and `@reset` store initial values."""
    declared = [op for op in module.body.operations if isinstance(op, tosa.VariableOp)]
    types = {variable.sym_name.value: _type_of(variable) for variable in declared}
    for op in ops_nested_in(module.operation):
        if isinstance(op, tosa.VariableReadOp):
            _read(op, types)
        elif isinstance(op, tosa.VariableWriteOp):
            _write(op, types)
    for variable in declared:
        type_ = ir.TypeAttr.get(types[variable.sym_name.value])
        with ir.InsertionPoint(variable), variable.location:
            memref.GlobalOp(variable.sym_name.value, type_, sym_visibility="private")
    if declared:
        _reset(module, declared, types)
    for variable in declared:
        variable.operation.erase()


def _type_of(variable: tosa.VariableOp) -> ir.MemRefType:
    sizes = ir.DenseIntElementsAttr(variable.var_shape)
    shape = [sizes[axis] for axis in range(len(sizes))]
    return ir.MemRefType.get(shape, ir.TypeAttr(variable.type_).value)


def _read(op: tosa.VariableReadOp, types: Mapping[str, ir.MemRefType]) -> None:
    name = ir.StringAttr(op.attributes["name"]).value
    with ir.InsertionPoint(op), op.location:
        copy = memref.AllocOp(types[name], [], [])
        memref.CopyOp(memref.GetGlobalOp(types[name], name), copy)
        tensor = bufferization.ToTensorOp(op.results[0].type, copy, restrict=True)
    op.results[0].replace_all_uses_with(tensor.result)
    op.operation.erase()


def _write(op: tosa.VariableWriteOp, types: Mapping[str, ir.MemRefType]) -> None:
    name = ir.StringAttr(op.attributes["name"]).value
    with ir.InsertionPoint(op), op.location:
        value = bufferization.ToBufferOp(types[name], op.operands[0], read_only=True)
        memref.CopyOp(value, memref.GetGlobalOp(types[name], name))
    op.operation.erase()


def _reset(
    module: ir.Module, declared: list[tosa.VariableOp], types: Mapping[str, ir.MemRefType]
) -> None:
    with module.operation.location, ir.InsertionPoint(module.body):
        function = func.FuncOp(_RESET, ir.FunctionType.get([], []), visibility="public")
    with function.location, ir.InsertionPoint(function.add_entry_block()):
        for number, variable in enumerate(declared):
            _initialise(f"initial_{number}", variable, types[variable.sym_name.value])
        func.ReturnOp([])


def _initialise(name: str, variable: tosa.VariableOp, type_: ir.MemRefType) -> None:
    value = variable.initial_value
    if value is None:
        zero = ir.IntegerAttr if isinstance(type_.element_type, ir.IntegerType) else ir.FloatAttr
        tensor = ir.RankedTensorType.get(type_.shape, type_.element_type)
        value = ir.DenseElementsAttr.get_splat(tensor, zero.get(type_.element_type, 0))
    with ir.InsertionPoint(variable), variable.location:
        memref.GlobalOp(
            name,
            ir.TypeAttr.get(type_),
            sym_visibility="private",
            initial_value=value,
            constant=True,
        )
    memref.CopyOp(
        memref.GetGlobalOp(type_, name), memref.GetGlobalOp(type_, variable.sym_name.value)
    )
