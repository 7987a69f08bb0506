"""Problems as JSON, in the format of `forebay.formats.planning_problem`.

The reader also accepts the test dumps of TVM USMP (`usmp`).
"""

from __future__ import annotations

import msgspec

from forebay.formats.planning_problem import PlanningProblem, ProblemPool
from forebay.formats.reading import DocumentError, read_document
from forebay.formats.writing import json_lines
from forebay.planning.formats.usmp import from_usmp
from forebay.planning.model.errors import FormatError
from forebay.planning.model.problem import Problem


def parse_json_problem(text: str, name: str) -> Problem:
    """Parse a problem; `name` is its name if the document has none.

    Raises `FormatError`, which names the wrong field.
    """
    try:
        document = read_document(text, PlanningProblem, prepare=from_usmp)
    except DocumentError as error:
        raise FormatError(str(error)) from error
    named = msgspec.structs.replace(document, name=document.name or name)
    return msgspec.convert(named, Problem, from_attributes=True)


def print_json_problem(problem: Problem) -> str:
    """Print a problem with one line per pool, buffer, conflict and separation.

    Fields with default values are omitted, and the fields of a pool that planning does not use.
    """
    document = msgspec.to_builtins(problem)
    kept = ProblemPool.__struct_fields__
    document["pools"] = [{name: pool[name] for name in kept} for pool in document["pools"]]
    for pool, written in zip(problem.pools, document["pools"], strict=True):
        written["base"] = None if pool.base is None else pool.base_bytes
    return json_lines(msgspec.convert(document, PlanningProblem))
