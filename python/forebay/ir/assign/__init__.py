"""The assignment problem of a module on tensors: extraction, diagnostics, and solution.

May import `assignment`, `ir.machine` and `ir.memory`. Gives `extract_assignment`, the checks of
slots and solutions with their diagnostics, and `write`.

Internal: may change without notice.
"""

from forebay.ir.assign.extract import AssignmentExtraction, extract_assignment
from forebay.ir.assign.ports import copy_results_out
from forebay.ir.assign.refusals import check_slots, check_solution
from forebay.ir.assign.routes import make_routes
from forebay.ir.assign.write import write_assignment

__all__ = [
    "AssignmentExtraction",
    "check_slots",
    "check_solution",
    "copy_results_out",
    "extract_assignment",
    "make_routes",
    "write_assignment",
]
