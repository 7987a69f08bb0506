"""Make a model return all of its tensors."""

from __future__ import annotations

import io
from collections.abc import Iterator

from mlir import ir
from mlir.dialects import arith, func, tensor, tosa
from msgspec import Struct

from forebay.ir.locations import ModelLocation, describe_location, model_location_of, operator_name
from forebay.ir.memory.underlying_buffers import NAME_ATTRIBUTE, entry_functions
from forebay.ir.module import module_of
from forebay.ir.problem.ports import numpy_name_of
from forebay.values.tensors import Tensor

_Found = tuple[Tensor, ir.Value]
_NOT_COMPUTED = (arith.ConstantOp, tensor.EmptyOp, tosa.ConstOp)


class Observed(Struct, frozen=True):
    """A model that returns all of its tensors after the `outputs` results of its own.

    `results[i]` is the number of the result that is tensor `i`.
    """

    module: ir.Module
    tensors: tuple[Tensor, ...]
    results: tuple[int, ...]
    outputs: int

    @property
    def returned(self) -> list[ir.Value]:
        """Return the value of each tensor in the current module, which passes may have changed."""
        operands = list(_return_of(_main(self.module)).operands)
        return [operands[number] for number in self.results]


def observed(module: ir.Operation) -> Observed:
    """Return a copy of a model whose `@main` also returns the tensors between operators.

    The model is on tensors. An operator with several results has no tensor here, because its
    results cannot be distinguished.
    """
    copy = _copy(module)
    main, found = _main(copy), tensors_in(copy.operation)
    returned = _return_of(main)
    values = list(returned.operands)
    outputs = len(values)
    values += [value for _, value in found if value not in values]
    with copy.context:
        _return(main, returned, values)
    tensors = tuple(tensor for tensor, _ in found)
    numbers = tuple(values.index(value) for _, value in found)
    return Observed(copy, tensors, numbers, outputs)


def tensors_in(module: ir.Operation) -> list[tuple[Tensor, ir.Value]]:
    """Return the tensors that operators of `@main` pass to each other or to the caller."""
    return _single(list(_tensors_in(_main(module))))


def _main(module: ir.Module | ir.Operation) -> func.FuncOp:
    entries = entry_functions(module_of(module.operation))
    return next(function for function in entries if function.sym_name.value == "main")


def _copy(module: ir.Operation) -> ir.Module:
    bytecode = io.BytesIO()
    module.write_bytecode(bytecode)
    with module.context, module.location:
        return ir.Module.parse(bytecode.getvalue())


def _tensors_in(main: func.FuncOp) -> Iterator[_Found]:
    for op in main.body.blocks[0].operations:
        origin = model_location_of(op.location)
        if origin is None or isinstance(op, _NOT_COMPUTED):
            continue
        for result in op.results:
            if _has_elements(result) and any(_is_outside(use.owner, origin) for use in result.uses):
                type_ = ir.RankedTensorType(result.type)
                shape, dtype = tuple(type_.shape), numpy_name_of(type_.element_type)
                name, operator = describe_location(op.location), operator_name(op.location)
                yield Tensor(origin, name, shape, dtype, operator), result


def _has_elements(value: ir.Value) -> bool:
    type_ = value.type
    return isinstance(type_, ir.RankedTensorType) and type_.has_static_shape


def _is_outside(user: ir.OpView | ir.Operation, origin: ModelLocation) -> bool:
    return (
        isinstance(user.operation.opview, func.ReturnOp)
        or model_location_of(user.location) != origin
    )


def _single(found: list[_Found]) -> list[_Found]:
    origins = [tensor.origin for tensor, _ in found]
    return [one for one in found if origins.count(one[0].origin) == 1]


def _return_of(main: func.FuncOp) -> func.ReturnOp:
    *_, last = main.body.blocks[0].operations
    assert isinstance(last, func.ReturnOp)
    return last


def _return(main: func.FuncOp, old: func.ReturnOp, values: list[ir.Value]) -> None:
    """Return other values from `@main`; the new results are named by their numbers."""
    known = list(main.attributes["res_attrs"]) if "res_attrs" in main.attributes else []
    known += [ir.DictAttr.get({})] * (len(old.operands) - len(known))
    added = [
        ir.DictAttr.get({NAME_ATTRIBUTE: ir.StringAttr.get(f"tensor {number}")})
        for number in range(len(known), len(values))
    ]
    with ir.InsertionPoint(old), old.location:
        func.ReturnOp(values)
    old.operation.erase()
    type_ = ir.FunctionType.get(main.type.inputs, [value.type for value in values])
    main.attributes["function_type"] = ir.TypeAttr.get(type_)
    main.attributes["res_attrs"] = ir.ArrayAttr.get([*known, *added])
