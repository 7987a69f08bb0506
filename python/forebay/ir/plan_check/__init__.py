"""The independent check of a plan: a run of the program on shadow memory.

On purpose this package shares no code with `ir.liveness` or `planning`, and keeps its own table of
what ops read and write. Gives `verify`; docs/liveness.md describes the method.
"""

from forebay.ir.plan_check.collect import placed_in
from forebay.ir.plan_check.execution import execute
from forebay.ir.plan_check.layout import check_layout

__all__ = ["check_layout", "execute", "placed_in"]
