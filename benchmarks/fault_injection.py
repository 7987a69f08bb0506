"""How many wrong plans and programs the emulator catches, and how many right ones it lets pass.

python benchmarks/fault_injection.py [--mutants 200] [--replans 200] [SUBJECT ...]

Subjects are networks with a target (`resnet8_int8@host`) and `token_machine`. Whether a mutant
matters is decided by the same machine without checks: 8 inputs, two poisons and, where operations
are started, four orders in which they may be done. The exit code is 1 if one that matters is
missed, if fewer than half matter, or if a right plan raises an alarm.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from mlir import ir
from networks import networks, shared_models
from table import lines_of

import forebay
from forebay.compiled import random_input

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test/python/emulator"))

from injection import token_program
from injection.score import Judge, Score

SUBJECTS = [
    "resnet8_int8@host",
    "kws_dscnn_int8@fetch_conv",
    "person_detect_int8@fetch_conv",
    "token_machine",
]
INPUTS = 8
HEAD = ["kind", "mutants", "matter", "caught"]


def main() -> int:
    """Print a table for each subject; 1 if the emulator misses or invents something."""
    parser = argparse.ArgumentParser(description="mutants of right plans and programs")
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--replans", type=int, default=200)
    parser.add_argument("subjects", nargs="*", default=SUBJECTS)
    arguments = parser.parse_args()
    failures = 0
    for subject in arguments.subjects:
        with _judge(subject) as judge:
            judge.try_mutants(arguments.mutants, tell=_tell)
            judge.try_replans(arguments.replans)
        print(_text(judge.score), flush=True)
        failures += not judge.score.is_perfect
    return int(failures > 0)


@contextmanager
def _judge(subject: str) -> Iterator[Judge]:
    """A judge in the context of its module."""
    dice = np.random.default_rng(0)
    if subject == "token_machine":
        shape = (token_program.TILES * token_program.ROWS, token_program.BLOCKS * 16)
        inputs = [[dice.integers(-128, 128, shape, np.int8)] for _ in range(INPUTS)]
        with ir.Context(), ir.Location.unknown():
            yield Judge(subject, token_program.placed().operation, inputs)
        return
    name, _, target = subject.partition("@")
    (network,) = networks([name])
    compiled = forebay.compile(network.path, target=target or "host")
    drawn = [[random_input(dice, port) for port in compiled.inputs] for _ in range(INPUTS)]
    with compiled.planned.context:
        yield Judge(subject, compiled.planned, (_golden(name) + drawn)[:INPUTS])


def _golden(name: str) -> list[list[np.ndarray]]:
    """Real inputs, where there are some."""
    path = shared_models() / "golden" / "tflm" / f"{name}.npz"
    if not path.exists():
        return []
    with np.load(path) as arrays:
        return [[arrays[key]] for key in sorted(arrays) if key.startswith("in")]


def _text(score: Score) -> str:
    kinds = [
        [kind, *(str(counter[kind]) for counter in (score.total, score.matter, score.caught))]
        for kind in score.total
    ]
    total = [sum(counter.values()) for counter in (score.total, score.matter, score.caught)]
    lines = [score.name, *lines_of(HEAD, [*kinds, ["all", *map(str, total)]])]
    faults = ", ".join(f"{name} {count}" for name, count in score.faults.most_common())
    lines.append(f"faults: {faults}")
    lines.append(f"{score.replans} right plans, {len(score.alarms)} alarms")
    lines += [f"alarm: {alarm}" for alarm in score.alarms]
    lines += [f"missed: {mutant.kind}: {mutant.what}" for mutant in score.missed]
    return "\n".join([*lines, f"missed and mattering: {len(score.missed)}", ""])


def _tell(done: int) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{done + 1} mutants ...", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
