"""accel-check-supported: the wall before the lowering."""

from dataclasses import dataclass
from typing import ClassVar

from mlir import ir

from forebay._libs import _forebay
from forebay.ir.supported import findings_in
from forebay.passes._pass import Pass, PassError


@dataclass(frozen=True)
class AccelCheckSupported(Pass):
    """Refuse what no step of the compiler takes, and list all of it.

    Signatures of entry functions, types of elements, sizes, branches between blocks, recursion,
    operations without a lowering. Changes nothing. Passes of the user's own that run before it may
    lower what it would refuse.
    """

    name: ClassVar[str] = "accel-check-supported"

    def run(self, op: ir.Operation) -> None:
        """Look at the whole module."""
        findings = findings_in(op)
        for finding in findings[:-1]:
            _forebay.emit_error(finding.location, finding.message, [])
        for finding in findings[-1:]:
            raise PassError(finding.location, finding.message)
