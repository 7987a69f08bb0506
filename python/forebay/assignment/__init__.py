"""Pool assignment: decides where copies are needed and finds each value's candidate pools.

May import `forebay.pools`; imports no MLIR.
Gives the problem and solution data types and the solver, which minimises the bytes copied.

Internal: may change without notice.
"""

from forebay.assignment.copies import CopyKind, PlannedCopy, copies_of
from forebay.assignment.problem import (
    AliasSet,
    AssignedValue,
    AssignmentProblem,
    EqualityConstraint,
    Memory,
    PoolOption,
    Reader,
)
from forebay.assignment.solution import Solution
from forebay.assignment.solve import solve

__all__ = [
    "AliasSet",
    "AssignedValue",
    "AssignmentProblem",
    "CopyKind",
    "EqualityConstraint",
    "Memory",
    "PlannedCopy",
    "PoolOption",
    "Reader",
    "Solution",
    "copies_of",
    "solve",
]
