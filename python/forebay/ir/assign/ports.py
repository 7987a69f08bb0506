"""Inputs and outputs of public functions: their candidate pools, and the copies of results."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import arith, func, tensor
from msgspec import Struct

from forebay.dialects import memref_pool
from forebay.ir.attributes import named_attributes
from forebay.ir.memory.access_constraints import CANDIDATES, TO_CALLER
from forebay.ir.memory.storage import is_tensor, last_op
from forebay.ir.rows.sources import row_sources


class FunctionPort(Struct, frozen=True):
    """An argument or a result of a function; `candidates` is None where none are listed.

    The application hands in the rows of an argument `by_rows`, which are in a pool then.
    """

    function: func.FuncOp
    index: int
    is_result: bool
    candidates: tuple[str, ...] | None
    by_rows: bool = False

    @property
    def description(self) -> str:
        """Return the name of the port in messages."""
        kind = "result" if self.is_result else "argument"
        return f"{kind} {self.index} of @{self.function.sym_name.value}"


def arguments_of(function: func.FuncOp) -> list[FunctionPort]:
    """Return all arguments, including those that are not tensors."""
    by_rows = set(row_sources(function))
    return [
        FunctionPort(
            function,
            index,
            False,
            candidates_in(function, "arg_attrs", index),
            function.arguments[index] in by_rows,
        )
        for index in range(len(function.type.inputs))
    ]


def results_of(function: func.FuncOp) -> list[FunctionPort]:
    """Return all results, including those that are not tensors."""
    return [
        FunctionPort(function, index, True, candidates_in(function, "res_attrs", index))
        for index in range(len(function.type.results))
    ]


def candidates_in(function: func.FuncOp, kind: str, index: int) -> tuple[str, ...] | None:
    """Return the pools that `memref_pool.candidates` lists in the function's `kind` attribute."""
    if kind not in function.attributes:
        return None
    space = named_attributes(ir.ArrayAttr(function.attributes[kind])[index]).get(CANDIDATES)
    return space.pools if isinstance(space, memref_pool.SpaceAttr) else None


def copy_results_out(function: func.FuncOp, *, pooled: bool) -> None:
    """Copy every tensor that a public function returns, so that the caller can keep the copy.

    A copy into the caller's memory is marked, because no transfer can access that memory.
    """
    terminator = last_op(function.entry_block)
    ports = results_of(function)
    for index, value in enumerate(list(terminator.operands)):
        if is_tensor(value):
            with ir.InsertionPoint(terminator), terminator.location:
                target = empty_like(value)
                copy = memref_pool.CopyOp(value.type, value, target)
            if not pooled and ports[index].candidates is None:
                copy.operation.attributes[TO_CALLER] = ir.UnitAttr.get()
            terminator.operands[index] = copy.results[0]


def empty_like(value: ir.Value) -> ir.Value:
    """Create a tensor of the value's shape and element type, without contents."""
    type_ = ir.RankedTensorType(value.type)
    sizes: list[int | ir.Value] = [
        tensor.DimOp(value, _index(axis)).result if type_.is_dynamic_dim(axis) else size
        for axis, size in enumerate(type_.shape)
    ]
    return tensor.EmptyOp(sizes, type_.element_type).result


def _index(axis: int) -> ir.Value:
    return arith.ConstantOp(ir.IndexType.get(), axis).result
