"""The same plan byte for byte, whatever the interpreter's flags and hash seed."""

import os
import subprocess
import sys

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
problem = Problem((Pool("fast", capacity=1000), Pool("slow")), tuple(buffers))
for name in planner_names():
    if name in {"cp-sat", "omnimalloc"}:
        continue  # extras, and the former is slow on this
    print(name, sorted(plan(problem, name, Effort.LOW).placements.items()))
"""


def answer(*flags: str, **variables: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": "0", **variables}
    command = [sys.executable, *flags, "-c", SCRIPT]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout


def test_all_planners_answer_the_same_in_every_run():
    first = answer()
    assert first.count("\n") >= 11
    assert answer() == first
    assert answer("-O") == first
    for seed in ("1", "4294967295"):
        assert answer(PYTHONHASHSEED=seed) == first
    for threads in ("1", "8"):
        assert answer(OMP_NUM_THREADS=threads, OPENBLAS_NUM_THREADS=threads) == first
