"""Check for structured control flow: each region has one block."""

from __future__ import annotations

from collections.abc import Iterator

from mlir import ir
from mlir.dialects import func

from forebay.ir.nested import inner_regions
from forebay.ir.supported.finding import Finding


def block_findings(op: ir.OpView) -> Iterator[Finding]:
    """Yield each region with several blocks, at the branch that ends the first one."""
    for region in inner_regions(op):
        blocks = list(region.blocks)
        if len(blocks) < 2:
            continue
        yield Finding(
            _end_of(blocks[0], op).location,
            f"branches between the {len(blocks)} blocks of {_named(op)}: only structured control "
            "flow is compiled; write scf.if, scf.for or scf.while (upstream's pass "
            "lift-cf-to-scf does so)",
        )


def _end_of(block: ir.Block, op: ir.OpView) -> ir.OpView:
    operations = list(block.operations)
    return operations[-1] if operations else op


def _named(op: ir.OpView) -> str:
    return f"@{op.sym_name.value}" if isinstance(op, func.FuncOp) else f"'{op.operation.name}'"
