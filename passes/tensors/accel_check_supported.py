"""accel-check-supported: verify before the lowering that every op is supported."""

from typing import ClassVar

from mlir import ir

from forebay._libs import _forebay
from forebay.ir.supported import findings_in
from forebay.passes._pass import Pass, PassError


class AccelCheckSupported(Pass):
    """Refuse everything that no step of the compiler supports, and list all of it.

    Checks signatures of entry functions, element types, sizes, branches between blocks, recursion,
    and operations without a lowering. Changes nothing. A user's pass that runs before it may lower
    an unsupported operation.
    """

    name: ClassVar[str] = "accel-check-supported"

    def run(self, op: ir.Operation) -> None:
        """Check the whole module."""
        findings = findings_in(op)
        for finding in findings[:-1]:
            _forebay.emit_error(finding.location, finding.message, [])
        for finding in findings[-1:]:
            raise PassError(finding.location, finding.message)
