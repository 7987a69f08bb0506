"""The check of a plan: a run of the program on shadow memory that remembers who owns which bytes.

Nothing here uses the planner or the liveness analysis, so that a mistake of theirs is not repeated.
"""

from forebay.ir.shadow.collect import placed_in
from forebay.ir.shadow.execution import execute
from forebay.ir.shadow.layout import check_layout

__all__ = ["check_layout", "execute", "placed_in"]
