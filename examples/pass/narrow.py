"""An example of a pass: restrict small buffers to the first of their candidate pools.

    forebay compile model.tflite --pass after-bufferize=examples/pass/narrow.py

The pass runs between bufferization and planning, on the whole module, for all devices.
"""

from dataclasses import dataclass

from mlir import ir

from forebay.api.dialects import memref_pool
from forebay.api.passes import Pass, bytes_of, ops_nested_in, option


@dataclass(frozen=True)
class KeepSmallBuffersClose(Pass):
    """Restrict small buffers to their most preferred pool."""

    name = "keep-small-buffers-close"

    limit: int = option(256, "size in bytes up to which a buffer is narrowed")

    def run(self, op: ir.Operation) -> None:
        """Restrict the allocations of every function."""
        for buffer in ops_nested_in(op):
            if isinstance(buffer, memref_pool.AllocOp):
                narrow(buffer, self.limit)


def narrow(buffer: memref_pool.AllocOp, limit: int) -> None:
    """Restrict a buffer of up to `limit` bytes to the first of its candidate pools."""
    memref = ir.MemRefType(buffer.memref.type)
    space = memref.memory_space
    if isinstance(space, memref_pool.SpaceAttr) and bytes_of(memref) <= limit:
        first = memref_pool.SpaceAttr.get([space.pools[0]])
        buffer.memref.set_type(
            ir.MemRefType.get(memref.shape, memref.element_type, memref.layout, first)
        )
