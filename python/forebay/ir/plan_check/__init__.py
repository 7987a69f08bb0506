"""Independent check of a plan: runs the program on shadow memory.

To be independent, this package shares no code with `ir.liveness` or `planning` and has its own
table of the operands that ops read and write. It may import `ir.machine` and the modules of `ir`.
`buffers` has the placed buffers and the checks without a run, `program` the run, `accesses` what
each op does, on the state in `memory`, with the `integers` and the `rows` that decide places.
Gives `placed_in`, `check_layout` and `execute`; docs/liveness.md describes the method.

Internal: may change without notice.
"""

from forebay.ir.plan_check.buffers.collect import placed_in
from forebay.ir.plan_check.buffers.layout import check_layout
from forebay.ir.plan_check.program.execution import execute

__all__ = ["check_layout", "execute", "placed_in"]
