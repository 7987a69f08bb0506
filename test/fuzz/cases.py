"""Many cases in several processes: what was counted, and which cases went wrong.

A case that kills its process or exceeds its time is a failure of that case, and a new process
takes over.
"""

from __future__ import annotations

import multiprocessing
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from time import monotonic

Check = Callable[[int], Mapping[str, int]]
SPAWN = multiprocessing.get_context("spawn")


class Wrong(Exception):  # noqa: N818
    """The case shows a defect; the message says which."""


@dataclass
class Result:
    """Counts of all cases together, and what went wrong by case number."""

    cases: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    failures: dict[int, str] = field(default_factory=dict)

    def __str__(self) -> str:
        counted = "".join(f"{value:>9,} {name}\n" for name, value in sorted(self.counts.items()))
        failed = "".join(f"case {seed}: {text}\n" for seed, text in sorted(self.failures.items()))
        return f"{counted}{failed}{self.cases:>9,} cases, {len(self.failures):,} failures"


def run(
    check: Check, count: int, seed: int, jobs: int, seconds: float, *, result: Result | None = None
) -> Result:
    """Cases `seed`, `seed + 1`, ...; each may take so many seconds.

    A `result` that is given holds what is known so far wherever the run is interrupted.
    """
    result = Result() if result is None else result
    seeds = iter(range(seed, seed + count))
    workers = [worker for _ in range(min(jobs, count)) if (worker := _start(check, seeds))]
    while workers:
        wait([worker.pipe for worker in workers], timeout=1)
        workers = [next_ for w in workers if (next_ := _advance(w, seeds, seconds, result))]
    return result


@dataclass
class _Worker:
    check: Check
    process: multiprocessing.process.BaseProcess
    pipe: Connection
    seed: int
    since: float


def _start(check: Check, seeds: Iterator[int]) -> _Worker | None:
    """A new process on the next case; None when there is none."""
    seed = next(seeds, None)
    if seed is None:
        return None
    here, there = SPAWN.Pipe()
    process = SPAWN.Process(target=_work, args=(check, there), daemon=True)
    process.start()
    there.close()
    here.recv()  # its imports take no time of the case
    here.send(seed)
    return _Worker(check, process, here, seed, monotonic())


def _advance(
    worker: _Worker, seeds: Iterator[int], seconds: float, result: Result
) -> _Worker | None:
    """The worker on its next case, another in its place, or None when all is done."""
    if not worker.pipe.poll():
        if monotonic() - worker.since < seconds:
            return worker
        return _replace(worker, f"no end after {seconds:g} s", seeds, result)
    try:
        counts, failure = worker.pipe.recv()
    except EOFError:
        worker.process.join()
        return _replace(worker, f"exit code {worker.process.exitcode}", seeds, result)
    result.cases += 1
    result.counts.update(counts)
    if failure is not None:
        result.failures[worker.seed] = failure
    following = next(seeds, None)
    if following is None:
        worker.pipe.close()
        worker.process.join()
        return None
    worker.seed, worker.since = following, monotonic()
    worker.pipe.send(following)
    return worker


def _replace(worker: _Worker, failure: str, seeds: Iterator[int], result: Result) -> _Worker | None:
    result.cases += 1
    result.failures[worker.seed] = failure
    worker.process.kill()
    worker.process.join()
    return _start(worker.check, seeds)


def _work(check: Check, pipe: Connection) -> None:
    pipe.send("ready")
    while True:
        try:
            seed = pipe.recv()
        except EOFError:
            return
        pipe.send(judged(check, seed))


def judged(check: Check, seed: int) -> tuple[Mapping[str, int], str | None]:
    """What one case counted, or how it failed."""
    try:
        return check(seed), None
    except Wrong as wrong:
        return {}, str(wrong)
    except Exception:  # whatever escapes is a defect of what is judged
        return {}, traceback.format_exc()
