"""MiniMalloc's CSV format: `id,lower,upper,size[,alignment][,offset]`.

It has one pool, and lifetimes are half-open. An offset in a problem is a pinned offset. A plan has
the same rows with all offsets filled in.
"""

from __future__ import annotations

import csv
import io

from forebay.planning.model.buffer import Buffer, live
from forebay.planning.model.errors import FormatError
from forebay.planning.model.plan import Plan
from forebay.planning.model.problem import Problem
from forebay.pools import Pool

POOL = "memory"
NAMES = {
    "id": "id",
    "buffer": "id",
    "lower": "lower",
    "start": "lower",
    "upper": "upper",
    "end": "upper",
    "size": "size",
    "alignment": "alignment",
    "align": "alignment",
    "offset": "offset",
}
NEEDED = ("id", "lower", "upper", "size")


def parse_csv(text: str, name: str) -> Problem:
    """Parse a problem from CSV text; raise `FormatError`, which names the wrong line."""
    lines = list(csv.reader(io.StringIO(text)))
    if not lines:
        raise FormatError("the file is empty")
    columns = [_column(title.strip()) for title in lines[0]]
    for needed in NEEDED:
        if columns.count(needed) != 1:
            raise FormatError(f"line 1: needs one column '{needed}', has {', '.join(lines[0])}")
    buffers: list[Buffer] = []
    for number, line in enumerate(lines[1:], 2):
        if line:
            buffers.append(_buffer(columns, line, number))
    return Problem((Pool(POOL),), tuple(buffers), name=name)


def print_csv(plan: Plan) -> str:
    """Print a plan as CSV: the rows of the problem with the offsets of the plan.

    A problem with several pools gets an additional column `pool`.
    """
    several = len(plan.problem.pools) > 1
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*NEEDED, "alignment", *(["pool"] if several else []), "offset"])
    for buffer in plan.problem.buffers:
        pool, offset = plan.placements[buffer.name]
        lower = buffer.lifetime[0].start if buffer.lifetime else ""
        upper = buffer.lifetime[-1].end if buffer.lifetime else ""
        alignment = plan.problem.alignment_in(buffer, plan.problem.pool_by_name[pool])
        where = [pool] if several else []
        writer.writerow([buffer.name, lower, upper, buffer.size, alignment, *where, offset])
    return out.getvalue()


def _column(title: str) -> str:
    if title not in NAMES:
        raise FormatError(f"line 1: unknown column '{title}'; known: {', '.join(NAMES)}")
    return NAMES[title]


def _buffer(columns: list[str], line: list[str], number: int) -> Buffer:
    if len(line) != len(columns):
        raise FormatError(f"line {number}: has {len(line)} fields, the header has {len(columns)}")
    fields = {column: text.strip() for column, text in zip(columns, line, strict=True)}
    values: dict[str, int | None] = {}
    for column, text in fields.items():
        if column == "id":
            continue
        try:
            values[column] = int(text) if text else None
        except ValueError:
            raise FormatError(f"line {number}: {column} '{text}' is no integer") from None
    lower, upper, size = values["lower"], values["upper"], values["size"]
    if lower is None or upper is None or size is None:
        raise FormatError(f"line {number}: lower, upper and size must be given")
    return Buffer(
        fields["id"],
        size,
        live(lower, upper),
        (POOL,),
        values.get("alignment"),
        pinned_offset=values.get("offset"),
    )
