"""Independent check of a plan: runs the program on shadow memory.

To be independent, this package shares no code with `ir.liveness` or `planning` and has its own
table of the operands that ops read and write. It may import `ir.machine` and the modules of `ir`.
Gives `placed_in`, `check_layout` and `execute`; docs/liveness.md describes the method.

Internal: may change without notice.
"""

from forebay.ir.plan_check.collect import placed_in
from forebay.ir.plan_check.execution import execute
from forebay.ir.plan_check.layout import check_layout

__all__ = ["check_layout", "execute", "placed_in"]
