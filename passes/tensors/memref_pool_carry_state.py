"""memref-pool-carry-state: turn variables into buffers in a state pool, and make `@reset`."""

from collections.abc import Mapping
from math import prod
from typing import ClassVar

from mlir import ir
from mlir.dialects import arith, bufferization, func, memref, tensor, tosa

from forebay.dialects import linalg, memref_pool
from forebay.ir.assign.shown_variables import shown_by
from forebay.ir.carried import is_in_place
from forebay.ir.machine.devices import host_of
from forebay.ir.machine.pools import pools_in
from forebay.ir.memory.storage import UnknownAliasError, last_op
from forebay.ir.memory.underlying_buffers import is_private
from forebay.ir.nested import ops_nested_in
from forebay.passes._pass import Pass, PassError


class MemrefPoolCarryState(Pass):
    """Give every `tosa.variable` a `memref.global` in the state pools.

    `@main` reads the globals, computes on tensors, and stores the new values directly before it
    returns, so that no read sees a new value too early. A value that is stored or returned is
    copied first if it may share bytes with a variable that changes. A variable may be overwritten
    earlier if its new value is computed in the place of the old one, for example by a loop over
    time. A public function `@reset` stores the initial values (zeros if the variable has none).
    Variables may be used only in the body of public functions, outside of loops and branches.
    """

    name: ClassVar[str] = "memref-pool-carry-state"
    dialects: ClassVar[tuple[str, ...]] = (
        "arith",
        "bufferization",
        "func",
        "linalg",
        "memref",
        "memref_pool",
        "tensor",
    )
    needs: ClassVar[tuple[str, ...]] = ("tosa.variable",)

    def run(self, op: ir.Operation) -> None:
        """Replace declarations, reads and writes."""
        block = op.regions[0].blocks[0]
        variables = {
            v.sym_name.value: v for v in block.operations if isinstance(v, tosa.VariableOp)
        }
        if not variables:
            return
        space = _state_space(op)
        types = {name: _declare(variable, space) for name, variable in variables.items()}
        for function in list(block.operations):
            if isinstance(function, func.FuncOp) and not function.is_external:
                _carry(function, types)
        with ir.InsertionPoint(block):
            _reset_function(variables, types)
        for variable in variables.values():
            variable.erase()


def _state_space(module: ir.Operation) -> memref_pool.SpaceAttr:
    host = host_of(module)
    pools = [
        pool.name
        for pool in pools_in(module).values()
        if pool.kind is memref_pool.PoolKind.state
        and pool.lets_read(host)
        and pool.lets_write(host)
    ]
    if not pools:
        raise PassError(
            module.location,
            "the program has variables, but no pool of kind state that "
            f"@{host} may read and write; attach a target that has one",
        )
    return memref_pool.SpaceAttr.get(pools)


def _declare(variable: tosa.VariableOp, space: memref_pool.SpaceAttr) -> ir.MemRefType:
    sizes = ir.DenseIntElementsAttr(variable.var_shape)
    shape = [sizes[axis] for axis in range(len(sizes))]
    if any(not 0 <= size < 2**63 for size in shape):  # a dynamic size comes as 2**64 - 1
        raise PassError(variable.location, "a variable needs a static shape to be planned")
    type_ = ir.MemRefType.get(shape, ir.TypeAttr(variable.type_).value, memory_space=space)
    with ir.InsertionPoint(variable), variable.location:
        memref.GlobalOp(
            f"{variable.sym_name.value}", ir.TypeAttr.get(type_), sym_visibility="private"
        )
    return type_


# ---- Reads and writes ----------------------------------------------------------------------------


def _carry(function: func.FuncOp, types: dict[str, ir.MemRefType]) -> None:
    """Follow the variables' values through the function's body, in order."""
    _refuse_nested_uses(function)
    body = function.entry_block
    values: dict[str, ir.Value] = {}
    loaded: dict[str, ir.Value] = {}
    written: dict[str, ir.Location] = {}
    for op in list(body.operations):
        if isinstance(op, tosa.VariableReadOp):
            name = ir.StringAttr(op.attributes["name"]).value
            if name not in values:
                values[name] = loaded[name] = _load(name, types[name], op)
            op.results[0].replace_all_uses_with(values[name])
            op.erase()
        elif isinstance(op, tosa.VariableWriteOp):
            name = ir.StringAttr(op.attributes["name"]).value
            values[name] = op.operands[0]
            written[name] = op.location
            op.erase()
    terminator = last_op(body)
    with ir.InsertionPoint(terminator):
        settled = {name: _settled(values[name], written, name) for name in written}
        for index, value in enumerate(terminator.operands):
            terminator.operands[index] = _settled(value, written)
        for name in written:
            if name in loaded and _is_in_place(settled[name], loaded[name]):
                loaded[name].owner.attributes["writable"] = ir.UnitAttr.get()
        for name, where in written.items():
            with where:
                _store(settled[name], name, types[name])


def _refuse_nested_uses(function: func.FuncOp) -> None:
    for op in ops_nested_in(function):
        if not isinstance(op, (tosa.VariableReadOp, tosa.VariableWriteOp)):
            continue
        if op.operation.parent != function.operation:
            raise PassError(
                op.location,
                "a variable is used inside a loop or branch; read it before and write it after",
            )
        if is_private(function):
            raise PassError(
                op.location,
                f"a variable is used in the private function @{function.sym_name.value}; "
                "pass its value as an argument and return the new one",
            )


def _load(name: str, type_: ir.MemRefType, user: ir.OpView) -> ir.Value:
    with ir.InsertionPoint(user), user.location:
        buffer = _buffer(name, type_)
        return bufferization.ToTensorOp(_tensor_of(type_), buffer, restrict=True).result


def _settled(
    value: ir.Value, written: Mapping[str, ir.Location], target: str | None = None
) -> ir.Value:
    """Return the value, or a copy of it if it may share bytes with a variable that changes.

    A whole variable that is stored to itself is not copied.
    """
    changing = [tensor_ for tensor_ in shown_by(value) if _name_of(tensor_) in written]
    if all(_name_of(t) == target and _elements(t.result) == _elements(value) for t in changing):
        return value
    with written[_name_of(changing[0])]:
        type_ = ir.RankedTensorType(value.type)
        copied = tensor.EmptyOp(type_.shape, type_.element_type)
        return memref_pool.CopyOp(value.type, value, copied.result).results[0]


def _is_in_place(value: ir.Value, loaded: ir.Value) -> bool:
    """Return whether the new value of a variable is computed where the old one is."""
    if value == loaded:
        return False
    try:
        return is_in_place(value, loaded)
    except UnknownAliasError:  # of an op that is lowered later, to a new tensor
        return False


def _name_of(variable: bufferization.ToTensorOp) -> str:
    buffer = variable.buffer.owner.opview
    return buffer.name.value if isinstance(buffer, memref.GetGlobalOp) else ""


def _elements(value: ir.Value) -> int:
    return prod(ir.RankedTensorType(value.type).shape)


def _store(value: ir.Value, name: str, type_: ir.MemRefType) -> None:
    buffer = _buffer(name, type_)
    target = bufferization.ToTensorOp(_tensor_of(type_), buffer, restrict=True, writable=True)
    copy = memref_pool.CopyOp(target.result.type, value, target.result).results[0]
    bufferization.MaterializeInDestinationOp(None, copy, buffer, restrict=True, writable=True)


def _buffer(name: str, type_: ir.MemRefType) -> ir.Value:
    """Return the variable's buffer; its location has the variable's name for generated code."""
    with ir.Location.name(name, ir.Location.current):
        return memref.GetGlobalOp(type_, name).result


def _tensor_of(type_: ir.MemRefType) -> ir.RankedTensorType:
    return ir.RankedTensorType.get(type_.shape, type_.element_type)


# ---- Reset ---------------------------------------------------------------------------------------


def _reset_function(variables: dict[str, tosa.VariableOp], types: dict[str, ir.MemRefType]) -> None:
    with next(iter(variables.values())).location:
        function = func.FuncOp("reset", ir.FunctionType.get([], []), visibility="public")
    with ir.InsertionPoint(function.add_entry_block()), function.location:
        for name, variable in variables.items():
            with variable.location:
                _reset(name, types[name], variable)
        func.ReturnOp([])


def _reset(name: str, type_: ir.MemRefType, variable: tosa.VariableOp) -> None:
    initial, element = variable.initial_value, type_.element_type
    if initial is not None and not initial.is_splat:
        _store(arith.ConstantOp(_tensor_of(type_), initial).result, name, type_)
        return
    zero = 0 if isinstance(element, ir.IntegerType) else 0.0
    value = zero if initial is None else initial.get_splat_value()
    filled = arith.ConstantOp(element, value).result
    linalg.add_body(linalg.FillOp((), [filled], [_buffer(name, type_)]))
