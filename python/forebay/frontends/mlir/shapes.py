"""Fix inputs of dynamic shape at a bound."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import func, tensor

from forebay.frontends.errors import UnsupportedModel
from forebay.ir.attributes import named_attributes
from forebay.ir.memory.underlying_buffers import NAME_ATTRIBUTE
from forebay.pipelines import PipelineError, run_pipeline

BOUND_ATTRIBUTE = "accel.bound"
"""An attribute of an argument of dynamic shape: its bound, `array<i64: 1, 96, 96, 1>`."""


def fix_shapes(
    module: ir.Module, entry: func.FuncOp, bounds: Mapping[str, Sequence[int]], file: str
) -> None:
    """Give the inputs the shapes in `bounds`, by name, or else their bounds in the IR.

    All other shapes are inferred from these. Raises `UnsupportedModel` where a bound is missing or
    does not fit.
    """
    shapes = dict(bounds)
    changed = False
    for index, argument in enumerate(entry.arguments):
        name, bound = _bound_of(entry, index)
        wanted = shapes.pop(name, bound)
        type_ = argument.type
        if not isinstance(type_, ir.RankedTensorType):
            continue
        if wanted is None and not type_.has_static_shape:
            raise UnsupportedModel(
                f"{file}: argument '{name}' of @{entry.sym_name.value} is {type_}: its "
                f"dynamic shape needs a bound; give --shape {name}=<sizes> or the attribute "
                f"{BOUND_ATTRIBUTE}"
            )
        if wanted is not None:
            changed |= _fix_argument(entry, argument, name, tuple(wanted), file)
    if shapes:
        known = ", ".join(_bound_of(entry, index)[0] for index in range(len(entry.arguments)))
        raise UnsupportedModel(f"{file}: there is no input '{next(iter(shapes))}'; inputs: {known}")
    if changed:
        _propagate(module, entry, file)


def _bound_of(entry: func.FuncOp, index: int) -> tuple[str, tuple[int, ...] | None]:
    """Return the name of an argument, and the bound in the IR, None if it has none."""
    attributes = named_attributes(entry.arg_attrs[index])
    bound = attributes.get(BOUND_ATTRIBUTE)
    return (
        ir.StringAttr(attributes[NAME_ATTRIBUTE]).value,
        tuple(bound) if isinstance(bound, ir.DenseI64ArrayAttr) else None,
    )


def _fix_argument(
    entry: func.FuncOp, argument: ir.BlockArgument, name: str, wanted: tuple[int, ...], file: str
) -> bool:
    type_ = ir.RankedTensorType(argument.type)
    fits = len(wanted) == type_.rank and all(
        size > 0 and (type_.is_dynamic_dim(axis) or type_.get_dim_size(axis) == size)
        for axis, size in enumerate(wanted)
    )
    if not fits:
        shown = "x".join(map(str, wanted))
        raise UnsupportedModel(f"{file}: shape {shown} does not fit input '{name}', {type_}")
    fixed = ir.RankedTensorType.get(wanted, type_.element_type, type_.encoding)
    if fixed == type_:
        return False
    uses = [(use.owner, use.operand_number) for use in argument.uses]
    argument.set_type(fixed)
    with ir.InsertionPoint.at_block_begin(entry.entry_block), argument.location:
        cast = tensor.CastOp(type_, argument)
    for user, operand in uses:
        if not _infers_shapes(user):
            user.operation.operands[operand] = cast.result
    return True


def _infers_shapes(op: ir.Operation | ir.OpView) -> bool:
    """Return whether the op is TOSA: its shape inference needs operands without a cast."""
    return op.operation.name.startswith("tosa.")


def _propagate(module: ir.Module, entry: func.FuncOp, file: str) -> None:
    """Propagate the fixed shapes to all operations, and to the function's type."""
    _sync(entry)
    try:
        # TOSA infers shapes by its own rules; linalg gets them when casts are folded.
        run_pipeline(module, "builtin.module(func.func(tosa-infer-shapes,canonicalize))")
    except PipelineError as error:
        raise UnsupportedModel(f"{file}: {error}") from error
    terminator = entry.entry_block.operations[len(entry.entry_block.operations) - 1]
    for index, value in enumerate(terminator.operands):
        owner = value.owner
        if not isinstance(owner, ir.Block) and isinstance(owner.opview, tensor.CastOp):
            terminator.operands[index] = owner.opview.source
    _sync(entry)


def _sync(entry: func.FuncOp) -> None:
    block = entry.entry_block
    terminator = block.operations[len(block.operations) - 1]
    type_ = ir.FunctionType.get(
        [argument.type for argument in block.arguments],
        [value.type for value in terminator.operands],
    )
    entry.attributes["function_type"] = ir.TypeAttr.get(type_)
