"""Schedulers of configurations: processes of this machine, or a Dask cluster.

A worker that is killed costs the time of the tasks that it ran: these are started again. A task
that kills its worker each time is given up, and its record says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from typing import Any

from msgspec import Struct

from forebay.formats.sweep_record import SweepRecord
from forebay.support.extras import require_extra
from forebay.sweep.cache import RecordCache
from forebay.sweep.evaluate import evaluate, record_of
from forebay.sweep.study import Configuration, SweepError

MOST_STARTS = 3
"""Starts of a task whose worker is killed each time."""

_ADDRESS = re.compile(r"[a-z]+://.+")

_GIVEN_UP = f"the worker was killed {MOST_STARTS} times, as systems do when memory runs out"


class SweepTask(Struct, frozen=True):
    """A configuration and its key."""

    configuration: Configuration
    key: str


def evaluated(
    tasks: Sequence[SweepTask], scheduler: str, jobs: int, cache: RecordCache
) -> Iterator[SweepRecord]:
    """Yield the record of each task once, in any order, after it was stored in the cache.

    `scheduler` is "processes", "dask" for a cluster of `jobs` workers on this machine, or the
    address of a running one (tcp://...). Raises `SweepError` for anything else.
    """
    if scheduler == "processes":
        return _in_processes(tasks, jobs, cache)
    if scheduler != "dask" and not _ADDRESS.fullmatch(scheduler):
        raise SweepError(
            f"there is no scheduler '{scheduler}': name processes, dask, or the address of a "
            "running cluster, tcp://HOST:8786"
        )
    return _on_cluster(tasks, scheduler, jobs, cache)


def given_up(task: SweepTask) -> SweepRecord:
    """Return the record of a task whose worker is killed each time."""
    return record_of(task.configuration, task.key, outcome="failed", reason=_GIVEN_UP)


def _run(task: SweepTask) -> SweepRecord:
    return evaluate(task.configuration, task.key)


def _stored(task: SweepTask, folder: RecordCache) -> str:
    """Evaluate in a worker, and store the record there: it outlives a crash of another worker."""
    folder.mark_started(task.key)
    folder.store(_run(task))
    return task.key


def _in_processes(
    tasks: Sequence[SweepTask], jobs: int, cache: RecordCache
) -> Iterator[SweepRecord]:
    """Evaluate by joblib's process pool, which ends all workers when one of them is killed.

    The tasks that ran then are started again alone, after all others, so that the one that kills
    its worker is known.
    """
    loky = require_extra("joblib.externals.loky", "sweep", "a sweep runs in processes by joblib")
    left = {task.key: task for task in tasks}
    starts: Counter[str] = Counter()
    while left:
        together = [task for key, task in left.items() if not starts[key]]
        batch = together or [next(iter(left.values()))]
        done: set[str] = set()
        try:
            for key in _in_pool(loky, batch, jobs if together else 1, cache):
                done.add(key)
                yield _loaded(cache, key)
        except loky.process_executor.TerminatedWorkerError:
            for task in batch:
                if task.key not in done and (record := cache.load(task.key)) is not None:
                    done.add(task.key)
                    yield record
            for key in cache.take_started(task.key for task in batch if task.key not in done):
                starts[key] += 1
                if starts[key] >= MOST_STARTS:
                    done.add(key)
                    yield given_up(left[key])
        left = {key: task for key, task in left.items() if key not in done}


def _in_pool(loky: Any, tasks: Sequence[SweepTask], jobs: int, cache: RecordCache) -> Iterator[str]:
    """Yield the key of each task when its record is stored."""
    pool = loky.get_reusable_executor(max_workers=jobs)
    try:
        for future in as_completed([pool.submit(_stored, task, cache) for task in tasks]):
            yield future.result()
    finally:
        pool.shutdown(wait=True, kill_workers=True)


def _loaded(cache: RecordCache, key: str) -> SweepRecord:
    record = cache.load(key)
    if record is None:
        raise OSError(f"the record {key} has disappeared from the cache {cache.folder}")
    return record


def _on_cluster(
    tasks: Sequence[SweepTask], address: str, jobs: int, cache: RecordCache
) -> Iterator[SweepRecord]:
    """Evaluate by Dask, which starts tasks of a lost worker again."""
    distributed = require_extra("distributed", "dask", "this scheduler is a Dask cluster")
    settings: dict[str, Any] = {"address": address}
    if address == "dask":
        settings = {"n_workers": jobs, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.Client(**settings) as client:
        submit: Callable[..., Any] = client.submit
        futures = {submit(_run, task, key=f"forebay-{task.key}"): task for task in tasks}
        for future in distributed.as_completed(list(futures)):
            try:
                record = future.result()
            except distributed.KilledWorker:
                record = given_up(futures[future])
            else:
                cache.store(record)
            yield record
