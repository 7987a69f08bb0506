"""memref-pool-lower-to-llvm: what upstream's conversions to LLVM cannot read is removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from forebay.codegen.walk import operations_in
from forebay.dialects import accel, memref_pool
from forebay.passes._pass import Pass, PassError
from mlir import ir
from mlir.dialects import func, memref

_ATTRIBUTES = ("memref_pool.base", "memref_pool.placement", "memref_pool.lifetime")


@dataclass(frozen=True)
class MemrefPoolLowerToLlvm(Pass):
    """Strip memory spaces, pools and placements from a materialised module.

    Needs every buffer to be a `memref.view` of a pool's base. Leaves upstream operations on
    memrefs without a space, which upstream's conversions take to LLVM; `memref_pool.copy` becomes
    `memref.copy`, and constants, which the pool's base holds, are erased.
    """

    name: ClassVar[str] = "memref-pool-lower-to-llvm"
    dialects: ClassVar[tuple[str, ...]] = ("memref",)

    def run(self, op: ir.Operation) -> None:
        """Rewrite the whole module at once: types of calls and callees change together."""
        module: Any = op.opview
        for symbol in list(module.body.operations):
            if isinstance(symbol, func.FuncOp):
                _strip_function(symbol)
            elif _is_about_pools(symbol):
                symbol.operation.erase()


def _is_about_pools(symbol: ir.OpView) -> bool:
    if isinstance(symbol, memref.GlobalOp):
        return "memref_pool.placement" in symbol.attributes
    return isinstance(symbol, memref_pool.PoolOp | accel.DeviceOp)


def _strip_function(function: func.FuncOp) -> None:
    type_ = ir.FunctionType(function.type)
    inputs, results = map(_stripped, type_.inputs), map(_stripped, type_.results)
    stripped = ir.FunctionType.get(list(inputs), list(results))
    function.attributes["function_type"] = ir.TypeAttr.get(stripped)
    if function.arg_attrs:
        function.arg_attrs = [_without_places(ir.DictAttr(a)) for a in function.arg_attrs]
    for operation in operations_in(function.operation):
        _refuse_unplanned(operation)
        for region in operation.regions:
            for block in region.blocks:
                for argument in block.arguments:
                    argument.set_type(_stripped(argument.type))
        for result in operation.results:
            result.set_type(_stripped(result.type))
        _replace_copy(operation)


def _refuse_unplanned(operation: ir.Operation) -> None:
    if isinstance(operation.opview, memref_pool.AllocOp):
        raise PassError(
            operation.location,
            "a buffer is left that is no view of a pool; run memref-pool-materialize first",
        )


def _replace_copy(operation: ir.Operation) -> None:
    view = operation.opview
    if isinstance(view, memref_pool.CopyOp):
        with ir.InsertionPoint(operation), operation.location:
            memref.CopyOp(view.source, view.target)
        operation.erase()


def _without_places(attributes: ir.DictAttr) -> ir.DictAttr:
    kept = {named.name: named.attr for named in attributes if named.name not in _ATTRIBUTES}
    return ir.DictAttr.get(kept)


def _stripped(type_: ir.Type) -> ir.Type:
    if not isinstance(type_, ir.MemRefType):
        return type_
    if not isinstance(type_.memory_space, memref_pool.SpaceAttr):
        return type_
    return ir.MemRefType.get(type_.shape, type_.element_type, type_.layout, None)
