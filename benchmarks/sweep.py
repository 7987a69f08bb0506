"""Sweeps of 200 configurations: one process, two, the cache, and a cluster that loses a worker.

python benchmarks/sweep.py [--configurations N] [--skip-cluster]

Prints the seconds of each run and the ratios. The exit code is 1 if a row is missing or twice, or
if a ratio misses its aim: two processes at least 1.7 times as fast as one, the cache at least 10
times as fast as two processes. The ratios need two idle processors. The cluster needs the extra
`forebay[dask]`.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measurement.table import figures

from forebay.formats.sweep_record import SweepRecord
from forebay.reports.table import show
from forebay.sweep.run import run_sweep
from forebay.sweep.study import Configuration, read_study

DIGITS = Path(__file__).parents[1] / "examples/digits/digits_int8.tflite"
PARALLEL, CACHED = 1.7, 10.0


def main() -> int:
    """Run all sweeps, print the table, and return whether an aim is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--configurations", type=int, default=200)
    parser.add_argument("--skip-cluster", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        study = configurations(folder, arguments.configurations)
        one = timed(lambda: run_sweep(study, jobs=1, cache=folder / "one"))
        two = timed(lambda: run_sweep(study, jobs=2, cache=folder / "two"))
        again = timed(lambda: run_sweep(study, jobs=2, cache=folder / "two"))
        runs = {"one process": one, "two processes": two, "from the cache": again}
        if not arguments.skip_cluster:
            runs["cluster, a worker killed"] = timed(lambda: on_cluster(study, folder / "three"))
    rows = [
        [name, str(len({it.key for it in records})), f"{seconds:.1f}"]
        for name, (records, seconds) in runs.items()
    ]
    show([figures(["run", "rows", "seconds"], rows)])
    ratios = {"two processes": one[1] / two[1], "cache": two[1] / again[1]}
    print(", ".join(f"{name}: {ratio:.1f} times as fast" for name, ratio in ratios.items()))
    complete = all(is_complete(records, study) for records, _ in runs.values())
    fast = ratios["two processes"] >= PARALLEL and ratios["cache"] >= CACHED
    return int(not (complete and fast))


def configurations(folder: Path, count: int) -> tuple[Configuration, ...]:
    """Return configurations of the digits network that all compile."""
    budgets = ", ".join(str(3072 + 16 * number) for number in range(count))
    path = folder / "sweep.yaml"
    path.write_text(f"networks: [{DIGITS}]\ntargets: [{{target: host}}]\nbudgets: [{budgets}]\n")
    return read_study(path)


def timed(run: Callable[[], tuple[SweepRecord, ...]]) -> tuple[tuple[SweepRecord, ...], float]:
    """Return what a run returns, and its seconds."""
    started = time.perf_counter()
    records = run()
    return records, time.perf_counter() - started


def on_cluster(study: tuple[Configuration, ...], cache: Path) -> tuple[SweepRecord, ...]:
    """Run on a cluster of two workers, of which one is killed after a quarter of the rows."""
    import distributed  # noqa: PLC0415

    settings: dict[str, Any] = {"threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(n_workers=2, **settings) as cluster:
        killed = threading.Event()

        def kill_one(done: int, total: int) -> None:
            if done * 4 >= total and not killed.is_set():
                killed.set()
                workers = list(cluster.workers.values())
                os.kill(workers[0].process.process.pid, signal.SIGKILL)

        return run_sweep(
            study, scheduler=cluster.scheduler_address, cache=cache, show_done=kill_one
        )


def is_complete(records: tuple[SweepRecord, ...], study: tuple[Configuration, ...]) -> bool:
    """Return whether every configuration is there once, and planned."""
    keys = [record.key for record in records]
    planned = all(record.outcome == "planned" for record in records)
    return planned and len(keys) == len(set(keys)) == len(study)


if __name__ == "__main__":
    sys.exit(main())
