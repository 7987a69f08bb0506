"""Updates of signatures after bodies and calls have changed."""

from __future__ import annotations

from mlir import ir
from mlir.dialects import func

from forebay.ir.attributes import named_attributes
from forebay.ir.memory.access_constraints import CANDIDATES
from forebay.ir.memory.storage import is_tensor, last_op
from forebay.ir.memory.underlying_buffers import is_private
from forebay.ir.module import symbol_around


def sync_signature(function: func.FuncOp) -> None:
    """Set the function's type from its block and its return; protect the inputs of callers."""
    block = function.entry_block
    inputs = [argument.type for argument in block.arguments]
    results = [value.type for value in last_op(block).operands]
    function.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(inputs, results))
    _drop_candidates(function, "arg_attrs")
    _drop_candidates(function, "res_attrs")
    if is_private(function):
        return
    given = _attributes(function, "arg_attrs") or [{} for _ in inputs]
    read_only = {"bufferization.writable": ir.BoolAttr.get(False)}
    function.attributes["arg_attrs"] = ir.ArrayAttr.get(
        [
            ir.DictAttr.get(attributes | (read_only if is_tensor(argument) else {}))
            for attributes, argument in zip(given, block.arguments, strict=True)
        ]
    )


def sync_declaration(
    inside: func.FuncOp, name: str, index: int, space: ir.Attribute | None
) -> None:
    """Set the space of an argument of a function without a body in the module of `inside`."""
    function = symbol_around(inside, name)
    assert isinstance(function, func.FuncOp)
    inputs = list(function.type.inputs)
    type_ = ir.RankedTensorType(inputs[index])
    inputs[index] = ir.RankedTensorType.get(type_.shape, type_.element_type, space)
    type_ = ir.FunctionType.get(inputs, list(function.type.results))
    function.attributes["function_type"] = ir.TypeAttr.get(type_)
    _drop_candidates(function, "arg_attrs")


def _attributes(function: func.FuncOp, kind: str) -> list[dict[str, ir.Attribute]]:
    if kind not in function.attributes:
        return []
    return [named_attributes(each) for each in ir.ArrayAttr(function.attributes[kind])]


def _drop_candidates(function: func.FuncOp, kind: str) -> None:
    """Remove the candidate pools, which have become part of the types."""
    given = _attributes(function, kind)
    if any(CANDIDATES in attributes for attributes in given):
        function.attributes[kind] = ir.ArrayAttr.get(
            [
                ir.DictAttr.get({k: v for k, v in attributes.items() if k != CANDIDATES})
                for attributes in given
            ]
        )
