"""memref-pool-check-printable: verify that every op has C before emission."""

from __future__ import annotations

from typing import Any, ClassVar

from mlir import ir
from mlir.dialects import func

from forebay.codegen.c import Refusals, is_printable
from forebay.codegen.c.registry import printers
from forebay.ir.nested import distinct_ops_in
from forebay.ir.rows.sources import not_read_by_rows, row_sources
from forebay.passes._pass import Pass, PassError


class MemrefPoolCheckPrintable(Pass):
    """Refuse an operation that the C printer does not support.

    Checks every operation inside of functions, and that inputs which the application hands in row
    by row are read row by row. It changes nothing. After this pass the C printer
    cannot fail in the middle of a file.
    """

    name: ClassVar[str] = "memref-pool-check-printable"
    dialects: ClassVar[tuple[str, ...]] = ("accel",)

    def run(self, op: ir.Operation) -> None:
        """Raise `PassError` at the first unsupported operation, in program order."""
        module: Any = op.opview
        refusals = Refusals()
        for symbol in module.body.operations:
            if isinstance(symbol, func.FuncOp):
                _check(symbol, refusals)


def _check(function: func.FuncOp, refusals: Refusals) -> None:
    for argument in row_sources(function):
        found = not_read_by_rows(argument)
        if found is not None:
            raise PassError(
                found.location,
                "the application hands in the rows of this input one by one, so that only a copy "
                f"of one row may read it, not '{found.operation.name}'",
            )
    checked = (kind for kind in printers().checks if kind is not ir.OpView)
    for operation in distinct_ops_in(function, *checked):
        reason = is_printable(operation, refusals)
        if reason is not None:
            raise PassError(operation.location, reason)
