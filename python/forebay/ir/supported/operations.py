"""Checks of operations: which some step of the compiler lowers, and which none does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from mlir import ir
from mlir.dialects import affine, arith, bufferization, func, memref, tensor, tosa

from forebay.ir.softmax import DOMAIN
from forebay.ir.supported.finding import Finding

_DIALECTS = (
    *("accel", "affine", "arith", "bufferization", "func", "linalg", "math", "memref"),
    *("memref_pool", "scf", "tensor", "tosa"),
)

_TO_LINALG = "write it as linalg.generic"
_SHAPES = "shapes are constants; use tosa.const_shape"
_BLOCK_SCALED = "block-scaled types are not compiled"
_IN_ORDER = "iterations run in order on the host; write scf.for"

_REFUSED: Mapping[str, str] = {
    "affine.parallel": _IN_ORDER,
    "bufferization.clone": "write memref.copy into a buffer",
    "bufferization.dealloc": "the plan ends a buffer's life; remove it",
    "func.call_indirect": "the function that it calls is unknown; call it by its symbol",
    "func.constant": "functions are no values; call them by their symbols",
    "linalg.pack": "write it as tensor.expand_shape and linalg.transpose",
    "linalg.softmax": "write it in its steps, or in TOSA",
    "linalg.unpack": "write it as linalg.transpose and tensor.collapse_shape",
    "linalg.winograd_filter_transform": _TO_LINALG,
    "linalg.winograd_input_transform": _TO_LINALG,
    "linalg.winograd_output_transform": _TO_LINALG,
    "scf.forall": _IN_ORDER,
    "scf.index_switch": "write it as scf.if",
    "scf.parallel": _IN_ORDER,
    "tensor.bitcast": "write it as linalg.generic with arith.bitcast",
    "tensor.concat": "insert the parts by tensor.insert_slice into a tensor.empty",
    "tensor.gather": _TO_LINALG,
    "tensor.generate": "write it as linalg.generic with linalg.index",
    "tensor.reshape": "write it as tensor.collapse_shape or tensor.expand_shape",
    "tensor.scatter": "write it as scf.for and tensor.insert",
    "tensor.splat": "write it as linalg.fill of a tensor.empty",
    "tosa.cast_from_block_scaled": _BLOCK_SCALED,
    "tosa.cast_to_block_scaled": _BLOCK_SCALED,
    "tosa.matmul_t_block_scaled": _BLOCK_SCALED,
}
"""Refused operations of the supported dialects, and what to write instead."""

_SYMBOLS = ("accel", "memref_pool")


def symbol_findings(op: ir.OpView) -> Iterator[Finding]:
    """Yield a finding for a top-level op of the module that is no supported declaration."""
    known = isinstance(op, func.FuncOp | memref.GlobalOp | tosa.VariableOp)
    if not known and _dialect_of(op) not in _SYMBOLS:
        yield Finding(
            op.location,
            f"'{op.operation.name}' stands in the module itself; a program consists of functions "
            "(func.func), memref.global, tosa.variable, and the symbols of accel and memref_pool",
        )


def operation_findings(op: ir.OpView) -> Iterator[Finding]:
    """Yield the reason why no step of the compiler supports the operation, if none does."""
    reason = _reason(op)
    if reason is not None:
        yield Finding(op.location, reason)


def _reason(op: ir.OpView) -> str | None:
    name = op.operation.name
    dialect = _dialect_of(op)
    if dialect == "cf" and op.operation.successors:
        return None  # a branch, which `block_findings` reports
    if dialect not in _DIALECTS:
        known = ", ".join(_DIALECTS)
        return f"no step of the compiler takes '{name}'; dialects that are compiled: {known}"
    if name in _REFUSED:
        return f"no step of the compiler takes '{name}': {_REFUSED[name]}"
    if dialect == "tosa" and name.endswith("_shape") and name != "tosa.const_shape":
        return f"no step of the compiler takes '{name}': {_SHAPES}"
    return _reason_of_form(op)


def _reason_of_form(op: ir.OpView) -> str | None:
    """Return why an operation that is supported in some forms is not supported in this one."""
    rule = _FORMS.get(type(op))
    if rule is not None:
        return rule(op)
    if _dialect_of(op) in ("arith", "math") and any(_is_tensor(r) for r in op.results):
        return (
            f"'{op.operation.name}' on tensors; write linalg.generic (upstream's pass "
            "convert-elementwise-to-linalg does so)"
        )
    return None


def _constant(op: ir.OpView) -> str | None:
    elements = op.attributes["values" if isinstance(op, tosa.ConstOp) else "value"]
    if not _is_tensor(op.results[0]) or isinstance(elements, ir.DenseElementsAttr):
        return None
    return "the elements of a constant must be in the text: dense<...>, no dense_resource or sparse"


def _custom(op: ir.OpView) -> str | None:
    assert isinstance(op, tosa.CustomOp)
    if op.domain_name.value == DOMAIN:
        return None
    return (
        f"tosa.custom '{op.operator_name.value}' of domain '{op.domain_name.value}': only a "
        "pass of your own knows what it computes; lower it there (--pass before-partition=...)"
    )


def _pad(op: ir.OpView) -> str | None:
    """Return a reason if the padded value is computed inside the region."""
    block = op.regions[0].blocks[0]
    value = block.operations[len(block.operations) - 1].operands[0]
    owner = value.owner
    if isinstance(owner, ir.Block):
        inside = owner == block
    else:
        inside = owner.operation.block == block and not isinstance(owner.opview, arith.ConstantOp)
    if not inside:
        return None
    return "the padding of 'tensor.pad' depends on the position; pad with one value"


def _alloc_tensor(op: ir.OpView) -> str | None:
    assert isinstance(op, bufferization.AllocTensorOp)
    if op.copy is None:
        return None
    return "'bufferization.alloc_tensor' with a copy; write linalg.copy into a tensor.empty"


def _slice(op: ir.OpView) -> str | None:
    """Return a reason if a size depends on data: it may exceed the tensor without a minimum."""
    assert isinstance(op, tensor.ExtractSliceOp | tensor.InsertSliceOp)
    if not any(_is_data(size) for size in op.sizes):
        return None
    return (
        f"the size of '{op.operation.name}' depends on the elements of a tensor without a bound; "
        "take the smaller of it and what is there (arith.minui, affine.min)"
    )


def _is_data(value: ir.Value) -> bool:
    """Return whether a number is computed from an element of a tensor without a minimum."""
    if isinstance(value.owner, ir.Block):
        return False
    op = value.owner.opview
    if isinstance(op, tensor.ExtractOp):
        return True
    if isinstance(op, arith.MinSIOp | arith.MinUIOp | affine.AffineMinOp):
        return False
    is_arithmetic = _dialect_of(op) in ("arith", "affine") and not op.regions
    return is_arithmetic and any(_is_data(operand) for operand in op.operands)


_FORMS: Mapping[type[ir.OpView], Callable[[ir.OpView], str | None]] = {
    arith.ConstantOp: _constant,
    bufferization.AllocTensorOp: _alloc_tensor,
    tensor.ExtractSliceOp: _slice,
    tensor.InsertSliceOp: _slice,
    tensor.PadOp: _pad,
    tosa.ConstOp: _constant,
    tosa.CustomOp: _custom,
}


def _is_tensor(value: ir.Value) -> bool:
    return isinstance(value.type, ir.RankedTensorType | ir.UnrankedTensorType)


def _dialect_of(op: ir.OpView) -> str:
    return op.operation.name.partition(".")[0]
