"""The table of a sweep as a file: Parquet, CSV, or JSON with a record per line."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from forebay.formats.sweep_record import SweepRecord
from forebay.support.extras import require_extra
from forebay.support.files import replaced_when_done, require_writable, write_whole
from forebay.sweep.study import SweepError

SUFFIXES = (".parquet", ".csv", ".jsonl")


def require_table_file(path: Path) -> None:
    """Raise an error if the table cannot be written to this file."""
    if path.suffix not in SUFFIXES:
        raise SweepError(f"{path}: needs one of the suffixes {', '.join(SUFFIXES)}")
    require_writable(path)
    if path.suffix == ".parquet":
        require_extra("pyarrow", "sweep", "Parquet is written by pyarrow")


def write_table(records: Sequence[SweepRecord], path: Path) -> None:
    """Write the table; a column per parameter, option, and peak of a pool.

    A JSON line is the record itself.
    """
    if path.suffix == ".jsonl":
        write_whole(path, b"".join(msgspec.json.encode(it) + b"\n" for it in records).decode())
        return
    rows = table_rows(records)
    if path.suffix == ".csv":
        write_whole(path, _csv(rows))
        return
    pyarrow = require_extra("pyarrow", "sweep", "Parquet is written by pyarrow")
    parquet = require_extra("pyarrow.parquet", "sweep", "Parquet is written by pyarrow")
    columns = {name: _column([row[name] for row in rows]) for name in (rows[0] if rows else {})}
    with replaced_when_done(path) as file:
        parquet.write_table(pyarrow.table(columns), file)


def table_rows(records: Sequence[SweepRecord]) -> list[dict[str, Any]]:
    """Return the records as rows with the same columns; what a row does not have is None."""
    names = _column_names(records)
    return [dict(zip(names, (_values(it).get(n) for n in names), strict=True)) for it in records]


def _column_names(records: Sequence[SweepRecord]) -> list[str]:
    """Return the columns: the configuration, the results, the pools."""
    parameters = dict.fromkeys(f"parameter.{name}" for it in records for name in it.parameters)
    options = dict.fromkeys(f"option.{name}" for it in records for name in it.options)
    pools = dict.fromkeys(name for it in records for name in _pools(it))
    first = ("network", "target", *parameters, "planner", "budget", *options)
    return [*first, *_MEASURED, *pools]


def _values(record: SweepRecord) -> dict[str, Any]:
    values = {name: getattr(record, name) for name in (*_CONFIGURED, *_MEASURED)}
    values |= {f"parameter.{name}": value for name, value in record.parameters.items()}
    values |= {f"option.{name}": value for name, value in record.options.items()}
    return values | _pools(record)


def _pools(record: SweepRecord) -> dict[str, int]:
    return {f"peak.{pool.name}": pool.peak for pool in record.pools} | {
        f"lower_bound.{pool.name}": pool.lower_bound for pool in record.pools
    }


_CONFIGURED = ("network", "target", "planner", "budget")
_MEASURED = (
    "outcome",
    "reason",
    "workspace",
    "workspace_bound",
    "constants",
    "state",
    "cycles",
    "bytes_moved",
    "instructions",
    "code",
    "seconds",
    "key",
)


def _column(values: list[Any]) -> list[Any]:
    """Return values of one type: texts, if several kinds of scalars are mixed."""
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) < 2 or kinds == {int, float}:
        return values
    return [None if value is None else str(value) for value in values]


def _csv(rows: list[dict[str, Any]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
