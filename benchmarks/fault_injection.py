"""Counts the wrong plans and programs that the emulator detects, and its false alarms.

python benchmarks/fault_injection.py [--mutants 200] [--replans 200] [--seed 0] [--network SUBJECT]

Subjects are networks with a target (`resnet8_int8@host`) and `token_machine`, a program on three
queues. `--network` may be given more than once, and a name without target means all of its
subjects. The same machine without checks decides whether a mutant matters: it runs 8 inputs, two
poisons and, if operations are started, four orders in which they may complete. Columns:

    drawn    mutants of the kind; none where the program has nothing of the kind
    matter   those that change an output
    memory   of these, caught by the checks of memory alone
    value    of these, caught only by comparing tensors with what the model computes
    missed   of these, not caught
    idle     do not matter, and were refused all the same

The exit code is 1 if a mutant that matters is missed, if fewer than half matter, if a kind occurs
nowhere, or if a right plan raises an alarm.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from measurement.networks import networks, shared_models
from measurement.table import figures
from mlir import ir

import forebay
from forebay.golden.steps import random_input
from forebay.reports.table import ReportPart, show

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))

from common.injection import token_program
from common.injection.mutants import DEMANDED, all_kinds
from common.injection.score import Judge, Score

SUBJECTS = [
    "resnet8_int8@host",
    "kws_dscnn_int8@fetch_conv",
    "person_detect_int8@fetch_conv",
    "resnet8_int8@fetch_conv:wei_mem=65536,stream=1",
    "token_machine",
]
INPUTS = 8
HEAD = ["kind", "drawn", "matter", "memory", "value", "missed", "idle"]


def main() -> int:
    """Print a table for each subject; return 1 for a missed mutant or a false alarm."""
    parser = argparse.ArgumentParser(description="mutants of right plans and programs")
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--replans", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--network", action="append", metavar="SUBJECT", default=[])
    arguments = parser.parse_args()
    scores: list[Score] = []
    for subject in _subjects(arguments.network):
        begin = time.perf_counter()
        with _judge(subject) as judge:
            judge.try_mutants(arguments.mutants, arguments.seed, _print_progress)
            judge.try_replans(arguments.replans, arguments.seed, _print_progress)
        scores.append(judge.score)
        _print_progress("")
        show(_parts(judge.score, time.perf_counter() - begin))
        sys.stdout.flush()
    return int(not _is_perfect(scores, whole=not arguments.network))


def _is_perfect(scores: list[Score], *, whole: bool) -> bool:
    """Return whether every subject is; with all subjects, each kind must occur in one of them."""
    kinds = sum((score.drawn for score in scores), Counter[str]())
    missing = [kind for kind in DEMANDED if not kinds[kind]] if whole else []
    if missing:
        print(f"no mutants anywhere: {', '.join(missing)}")
    return not missing and all(score.is_perfect for score in scores)


def _subjects(wanted: list[str]) -> list[str]:
    """Return the named subjects, with or without target; by default all."""
    subjects: list[str] = []
    for name in wanted:
        known = [subject for subject in SUBJECTS if name in (subject, subject.split("@")[0])]
        subjects += known or [name]
    return subjects or SUBJECTS


@contextmanager
def _judge(subject: str) -> Iterator[Judge]:
    """Return a judge in the context of its module."""
    rng = np.random.default_rng(0)
    if subject == "token_machine":
        shape = (token_program.TILES * token_program.ROWS, token_program.BLOCKS * 16)
        inputs = [[rng.integers(-128, 128, shape, np.int8)] for _ in range(INPUTS)]
        with ir.Context(), ir.Location.unknown():
            module = token_program.placed()
            yield Judge(subject, module.operation, inputs, token_program.Product(module))
        return
    name, _, target = subject.partition("@")
    (network,) = networks([name])
    compiled = forebay.compile(network.path, target=target or "host")
    drawn = [[random_input(rng, port) for port in compiled.inputs] for _ in range(INPUTS)]
    inputs = (_golden(name) + drawn)[:INPUTS]
    with compiled.planned.context:
        yield Judge(subject, compiled.planned, inputs, compiled.values())


def _golden(name: str) -> list[list[np.ndarray]]:
    """Return real inputs, if there are any."""
    path = shared_models() / "golden" / "tflm" / f"{name}.npz"
    if not path.exists():
        return []
    with np.load(path) as arrays:
        return [[arrays[key]] for key in sorted(arrays) if key.startswith("in")]


def _parts(score: Score, seconds: float) -> list[ReportPart]:
    missed = Counter(mutant.kind for mutant in score.missed)
    columns = (score.drawn, score.matter, score.by_memory, score.by_value, missed, score.idle)
    rows = [[kind, *(_count(column, kind, score) for column in columns)] for kind in all_kinds()]
    total = [str(column.total()) for column in columns]
    faults = ", ".join(f"{name} {count}" for name, count in score.faults.most_common())
    return [
        f"{score.name}, {seconds:.0f} s",
        figures(HEAD, [*rows, ["all", *total]]),
        f"faults: {faults}",
        f"{score.replans} right plans, {len(score.alarms)} alarms",
        *(f"alarm: {alarm}" for alarm in score.alarms),
        *(f"missed: {mutant.kind}: {mutant.what}" for mutant in score.missed),
        "",
    ]


def _count(column: Counter[str], kind: str, score: Score) -> str:
    return str(column[kind]) if score.drawn[kind] else "-"


def _print_progress(what: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{what}", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
