"""Runs a sweep: what is in the cache is not evaluated again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from forebay.formats.sweep_record import SweepRecord
from forebay.sweep.cache import RecordCache, cache_folder, key_of
from forebay.sweep.evaluate import record_of
from forebay.sweep.schedulers import SweepTask, evaluated
from forebay.sweep.study import Configuration

Done = Callable[[int, int], None]
"""Called with the number of records that are there, and of all."""


def run_sweep(
    configurations: Sequence[Configuration],
    *,
    scheduler: str = "processes",
    jobs: int = 1,
    cache: Path | None = None,
    show_done: Done | None = None,
) -> tuple[SweepRecord, ...]:
    """Return a record for each configuration, in their order.

    Every record is in the cache as soon as it is known, so that a sweep that was interrupted goes
    on where it was. Configurations with the same key are evaluated once.
    """
    folder = RecordCache(cache or cache_folder())
    keys = [key_of(it) for it in configurations]
    tasks = {key: SweepTask(it, key) for key, it in zip(keys, configurations, strict=True)}
    records = {key: it for key in tasks if (it := folder.load(key)) is not None}
    report = show_done or _report_nothing
    report(len(records), len(tasks))
    missing = [task for key, task in tasks.items() if key not in records]
    if missing:
        for record in evaluated(missing, scheduler, jobs, folder):
            records[record.key] = record
            report(len(records), len(tasks))
    return tuple(_named(records[key], it) for key, it in zip(keys, configurations, strict=True))


def _report_nothing(done: int, total: int) -> None:
    """Report nothing."""


def _named(record: SweepRecord, configuration: Configuration) -> SweepRecord:
    """Return a record with the names of this sweep's file; a cached one may have others."""
    found = {
        name: getattr(record, name)
        for name in SweepRecord.__struct_fields__
        if name not in _OF_CONFIGURATION
    }
    return record_of(configuration, **found)


_OF_CONFIGURATION = ("network", "target", "parameters", "planner", "budget", "options")
