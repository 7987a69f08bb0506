"""accel-raise-copies: turn a program's own copies of tensors into `memref_pool.copy`."""

from typing import ClassVar

from mlir import ir
from mlir.dialects import tensor

from forebay.dialects import memref_pool
from forebay.ir.machine.pools import pools_in
from forebay.ir.memory.access_constraints import CANDIDATES
from forebay.ir.memory.tensor_copies import TensorCopy, tensor_copies_in, tensor_copy_of
from forebay.passes._pass import Pass


class AccelRaiseCopies(Pass):
    """Turn each copy of a tensor into a `memref_pool.copy`, which no fusion and no folding removes.

    A copy is a `linalg.copy`, a `bufferization.materialize_in_destination`, a `linalg.generic`
    whose body yields its input unchanged, or a nest of loops around a `tensor.extract` and the
    `tensor.insert` of the extracted value. If the copy reads a part of the source, with steps, the
    pass takes a slice of the source. The copied bytes must be in the pools that the copy or its
    destination lists (`memref_pool.candidates`). In a module without memory inside of devices the
    pass only raises copies with such a list.
    """

    name: ClassVar[str] = "accel-raise-copies"
    dialects: ClassVar[tuple[str, ...]] = ("memref_pool", "tensor")

    def run(self, op: ir.Operation) -> None:
        """Raise every copy, in order."""
        has_local = any(pool.local for pool in pools_in(op).values())
        for found in [copy.op for copy in tensor_copies_in(op)]:
            # Match again, because the source of the copy may have been replaced in this loop.
            copy = tensor_copy_of(found)
            assert copy is not None
            listed = _listed(copy)
            if has_local or listed is not None:
                _raise(copy, listed)


def _raise(copy: TensorCopy, listed: ir.Attribute | None) -> None:
    result = copy.op.results[0]
    with ir.InsertionPoint(copy.op), copy.op.location:
        source = copy.source if copy.is_whole else _slice(copy)
        raised = memref_pool.CopyOp(result.type, source, copy.target)
    if listed is not None:
        raised.operation.attributes[CANDIDATES] = listed
    result.replace_all_uses_with(raised.results[0])
    copy.op.operation.erase()


def _slice(copy: TensorCopy) -> ir.Value:
    type_ = ir.RankedTensorType(copy.target.type)
    given = ir.RankedTensorType(copy.source.type)
    sliced = ir.RankedTensorType.get(type_.shape, type_.element_type, given.encoding)
    return tensor.ExtractSliceOp(
        sliced, copy.source, [], [], [], copy.starts, list(type_.shape), copy.steps
    ).result


def _listed(copy: TensorCopy) -> ir.Attribute | None:
    """Return the pools that the copy, or the op that makes its destination, lists, or None."""
    owner = copy.target.owner
    for op in (copy.op.operation, *(() if isinstance(owner, ir.Block) else (owner.operation,))):
        if CANDIDATES in op.attributes:
            return op.attributes[CANDIDATES]
    return None
