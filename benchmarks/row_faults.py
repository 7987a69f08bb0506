"""Counts the wrong loops over rows that the checks refuse, and their false alarms.

python benchmarks/row_faults.py [--mutants 200] [--replans 200] [--seed 0] [NETWORK ...]

Each network is compiled with `--budget min --io pool` and made wrong: rings that are one row short,
skews that are off by one, writes that are skipped, rows in the slots of others, and entries of
tables that are swapped. A mutant matters if outputs differ without checks. Columns:

    drawn    mutants of the kind
    matter   those that change an output
    plan     of these, refused by the plan check
    memory   of these, only caught by the emulator's checks of memory
    value    of these, only caught by comparing tensors with what the model computes
    missed   of these, not caught
    idle     do not matter, and were refused all the same

The exit code is 1 if a mutant that matters is missed or if a right plan raises an alarm.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from measurement.networks import networks, shared_models
from measurement.table import figures

import forebay
from forebay.reports.table import show

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test"))

from common.mutants.row_mutants import RowJudge, Score

SUBJECTS = ["kws_dscnn_int8", "resnet8_int8", "person_detect_int8"]
HEAD = ["kind", "drawn", "matter", "plan", "memory", "value", "missed", "idle"]


def main() -> int:
    """Print a table for each network; return 1 for a missed mutant or a false alarm."""
    parser = argparse.ArgumentParser(description="mutants of loops over rows")
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--replans", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("networks", nargs="*", default=SUBJECTS)
    arguments = parser.parse_args()
    failures = 0
    for network in networks(arguments.networks):
        compiled = forebay.compile(network.path, budget="min", io="pool")
        inputs = [np.zeros(port.shape, port.dtype) for port in compiled.inputs]
        golden = shared_models() / "golden" / "tflm" / f"{network.name}.npz"
        if golden.exists():
            with np.load(golden) as arrays:
                inputs = [arrays[f"in0_{number}"] for number in range(len(inputs))]
        with compiled.planned.context:
            judge = RowJudge(compiled.planned, [inputs], compiled.values())
            judge.try_mutants(arguments.mutants, arguments.seed)
            judge.try_replans(arguments.replans, arguments.seed)
        score = judge.score
        show([network.name, figures(HEAD, _rows(score))])
        print(f"right plans: {score.right} without an alarm, {len(score.alarms)} with one", "\n")
        print(*score.alarms, sep="\n", flush=True)
        failures += len(score.missed) + len(score.alarms)
    return int(failures > 0)


def _rows(score: Score) -> list[list[str]]:
    counters = (
        *(score.drawn, score.matter, score.by_plan_check, score.by_emulator, score.by_value),
    )
    rows = [
        [
            kind,
            *(str(c[kind]) for c in counters),
            str(score.missed.count(kind)),
            str(score.idle[kind]),
        ]
        for kind in score.drawn
    ]
    totals = (*(c.total() for c in counters), len(score.missed), score.idle.total())
    return [*rows, ["all", *map(str, totals)]]


if __name__ == "__main__":
    sys.exit(main())
