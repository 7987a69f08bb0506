"""What a program may consist of: checked before anything is lowered, and listed as a whole."""

from forebay.ir.supported.finding import Finding, in_order
from forebay.ir.supported.program import findings_in

__all__ = ["Finding", "findings_in", "in_order"]
