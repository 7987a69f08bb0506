"""An example of a pass: restrict small buffers to the first of their candidate pools.

    forebay compile model.tflite --pass after-bufferize=examples/pass/narrow.py

The pass runs between bufferization and planning, on the whole module, for all devices.
"""

from dataclasses import dataclass

from mlir import ir

from forebay.dialects.memref_pool import AllocOp, SpaceAttr
from forebay.passes import Pass, option


@dataclass(frozen=True)
class KeepSmallBuffersClose(Pass):
    """Restrict small buffers to their most preferred pool."""

    name = "keep-small-buffers-close"

    limit: int = option(256, "size in bytes up to which a buffer is narrowed")

    def run(self, op: ir.Operation) -> None:
        """Restrict the allocations of every function."""
        for function in op.regions[0].blocks[0].operations:
            for buffer in allocations_in(function):
                narrow(buffer, self.limit)


def allocations_in(function: ir.OpView) -> list[AllocOp]:
    """Return the allocations of a function, at any depth."""
    found: list[AllocOp] = []

    def visit(inner: ir.Operation) -> ir.WalkResult:
        if isinstance(inner.opview, AllocOp):
            found.append(inner.opview)
        return ir.WalkResult.ADVANCE

    function.operation.walk(visit)
    return found


def narrow(buffer: AllocOp, limit: int) -> None:
    """Restrict a buffer of up to `limit` bytes to the first of its candidate pools."""
    memref = ir.MemRefType(buffer.memref.type)
    space = memref.memory_space
    size = memref.element_type.width // 8
    for extent in memref.shape:
        size *= extent
    if isinstance(space, SpaceAttr) and size <= limit:
        first = SpaceAttr.get([space.pools[0]])
        buffer.memref.set_type(
            ir.MemRefType.get(memref.shape, memref.element_type, memref.layout, first)
        )
