"""Where copies are needed, and which pools every value may then live in. Imports no MLIR."""

from forebay.assignment.copies import Copy, CopyKind, copies_of
from forebay.assignment.problem import Kind, Place, Pool, Problem, Reader, Slot, Tie, Value
from forebay.assignment.solution import Solution
from forebay.assignment.solve import solve

__all__ = [
    "Copy",
    "CopyKind",
    "Kind",
    "Place",
    "Pool",
    "Problem",
    "Reader",
    "Slot",
    "Solution",
    "Tie",
    "Value",
    "copies_of",
    "solve",
]
