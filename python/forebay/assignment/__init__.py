"""Where copies are needed, and which pools every value may then live in. Imports no MLIR."""

from forebay.assignment.copies import CopyKind, PlannedCopy, copies_of
from forebay.assignment.problem import (
    AliasSet,
    AssignedValue,
    AssignmentProblem,
    EqualityConstraint,
    Kind,
    Pool,
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
    "Kind",
    "PlannedCopy",
    "Pool",
    "PoolOption",
    "Reader",
    "Solution",
    "copies_of",
    "solve",
]
