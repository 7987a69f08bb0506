"""Printing of a problem as MiniMalloc's CSV, with one pool and one lifetime interval per buffer."""

from __future__ import annotations

import csv
import io

from forebay.planning.formats.csv_format import NEEDED
from forebay.planning.model.buffer import Buffer
from forebay.planning.model.errors import FormatError
from forebay.planning.model.problem import Problem
from forebay.pools import Pool

OTHERWISE = "write .json or .mlir"


def print_csv_problem(problem: Problem) -> str:
    """Print one row per buffer of the only pool in which buffers can share bytes.

    Pools that hold only constants or state are omitted, and so is the capacity of the pool. Raises
    `FormatError` when the problem has features for which the format has no column.
    """
    pool = _shared_pool(problem)
    if problem.conflicts or problem.separations:
        raise FormatError(f"a .csv has no pairs of buffers; {OTHERWISE}")
    if pool.reserved or pool.start or pool.base or pool.unit > 1:
        raise FormatError(f"a .csv has plain bytes from 0, unlike pool '{pool.name}'; {OTHERWISE}")
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*NEEDED, "alignment", "offset"])
    for buffer in problem.buffers:
        if pool.name in buffer.pools:
            _check(buffer)
            start, end = buffer.lifetime[0]
            alignment, pin = problem.alignment_in(buffer, pool), problem.pin_of(buffer)
            writer.writerow([buffer.name, start, end, buffer.size, alignment, pin])
    return out.getvalue()


def _shared_pool(problem: Problem) -> Pool:
    used = {name for buffer in problem.buffers if not buffer.always_live for name in buffer.pools}
    if len(used) != 1:
        named = ", ".join(f"'{pool.name}'" for pool in problem.pools if pool.name in used)
        raise FormatError(
            f"a .csv has one pool in which bytes are shared, not {named or 'none'}; {OTHERWISE}"
        )
    return problem.pool_by_name[used.pop()]


def _check(buffer: Buffer) -> None:
    grouped = buffer.alias is not None or buffer.block is not None
    if len(buffer.lifetime) != 1 or buffer.always_live or grouped:
        raise FormatError(
            f"a .csv has one life per buffer, no aliases and no blocks, unlike '{buffer.name}'; "
            f"{OTHERWISE}"
        )
