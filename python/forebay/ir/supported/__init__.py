"""Checks of what a program may contain, before anything is lowered; all findings in one list.

May import the modules of `ir`, and `ir.memory`. Gives `findings_in` and `Finding`.

Internal: may change without notice.
"""

from forebay.ir.supported.finding import Finding, findings_in_order
from forebay.ir.supported.program import findings_in

__all__ = ["Finding", "findings_in", "findings_in_order"]
