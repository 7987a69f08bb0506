"""An `accel.reduce` with blocks on buffers, for tests of the parts of its lowering."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from mlir import ir

from common.host_jit import BUFFERS, HOST_LOWERING, lower
from common.reduce_cases import Case, source
from forebay.dialects.accel import ReduceOp
from forebay.ir.nested import ops_of
from forebay.lowering.blocks.blocked_op import BlockedOp

PIXELS = Case(
    (4, 3),
    (5,),
    ((8,), (3, 5)),
    ((((1, 0, 1), 0),), (((0, 1, 0), 0), ((0, 0, 1), 0))),
)
"""Windows of 5 elements at 4 positions, with 3 filters; all of them are inside."""


@contextmanager
def blocked_op(
    case: Case, blocks: Sequence[int], words: Sequence[int] = ()
) -> Generator[BlockedOp]:
    """Yield the only op of a module; new ops are inserted in front of it."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(source(case, blocks, words))
        lower(module, HOST_LOWERING, BUFFERS)
        (op,) = ops_of(module.operation, ReduceOp)
        with ir.InsertionPoint(op):
            yield BlockedOp(op)


def names_before(blocked: BlockedOp) -> list[str]:
    """Return the names of the ops in front of the op, in its block."""
    names = [op.operation.name for op in blocked.op.operation.block.operations]
    return names[: names.index("accel.reduce")]
