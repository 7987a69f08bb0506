"""The same plan byte for byte, whatever the interpreter's flags and hash seed."""

import os
import subprocess
import sys

import pytest

SCRIPT = """
import random
from forebay.planning import Buffer, Effort, Pool, Problem, live, plan, planner_names
rng = random.Random(5)
buffers = []
for i in range(40):
    start = rng.randrange(20)
    pools = rng.choice([("fast", "slow"), ("slow",), ("fast",)])
    life = live(start, start + rng.randrange(1, 9))
    buffers.append(Buffer(f"b{i}", rng.randrange(1, 90), life, pools, rng.choice([1, 4, 16])))
problem = Problem((Pool("fast", 1000), Pool("slow")), tuple(buffers))
for name in planner_names():
    if name in {"cp-sat", "omnimalloc"}:
        continue  # extras, and the former is slow on this
    print(name, sorted(plan(problem, name, Effort.LOW).placements.items()))
"""


def answer(*flags: str, seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    command = [sys.executable, *flags, "-c", SCRIPT]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize(("flags", "seed"), [((), "1"), (("-O",), "0"), ((), "4294967295")])
def test_all_planners_answer_the_same(flags: tuple[str, ...], seed: str):
    assert answer(*flags, seed=seed) == answer(seed="0")
