"""Two threads run one network at once, each with pools of its own, under ThreadSanitizer."""

from __future__ import annotations

import subprocess
from pathlib import Path

from common.models.gated_filter import MODEL, SAMPLES, gated_filter, sums
from mlir import ir

from forebay.codegen.project.project import write_project

ROUNDS = 2000
MAIN = """
#include "gated_filter.h"

#include <pthread.h>
#include <stdio.h>

typedef struct job {
    gated_filter_pools pools;
    int8_t samples[GATED_FILTER_SAMPLES_ELEMENTS];
    int32_t step;
    int failed;
} job;

static uint8_t memory[2][4][64] __attribute__((aligned(16)));
static pthread_barrier_t start;

static void *run(void *argument)
{
    job *own = argument;
    pthread_barrier_wait(&start);
    own->failed = gated_filter_init(&own->pools) != GATED_FILTER_OK;
    for (int32_t round = 1; round <= %(rounds)d; ++round) {
        int32_t sum = 0;
        own->failed |= gated_filter_run(&own->pools, own->samples, &sum) != GATED_FILTER_OK;
        own->failed |= sum != round * own->step;
    }
    return NULL;
}

int main(void)
{
    job jobs[2] = {
        {{%(first)s}, {%(samples0)s}, %(step0)d, 0},
        {{%(second)s}, {%(samples1)s}, %(step1)d, 0},
    };
    pthread_t threads[2];
    pthread_barrier_init(&start, NULL, 2);
    for (int i = 0; i < 2; ++i) {
        pthread_create(&threads[i], NULL, run, &jobs[i]);
    }
    for (int i = 0; i < 2; ++i) {
        pthread_join(threads[i], NULL);
    }
    return jobs[0].failed || jobs[1].failed;
}
"""


def test_two_threads_with_their_own_pools_run_at_once(context: ir.Context, tmp_path: Path) -> None:
    directory = write_project(gated_filter(), MODEL, tmp_path / "out")
    values = {"rounds": ROUNDS, "first": _pools(0), "second": _pools(1)}
    for index in range(2):
        values[f"samples{index}"] = ", ".join(map(str, SAMPLES[index].tolist()))
        values[f"step{index}"] = sums(SAMPLES[index : index + 1])[0]
    (directory / "main.c").write_text(MAIN % values)
    sources = ["main.c", "gated_filter.c", "gated_filter_weights.c"]
    flags = ["-std=gnu99", "-O1", "-g", "-fsanitize=thread", "-pthread"]
    subprocess.run(["gcc", *flags, *sources, "-o", "main"], cwd=directory, check=True)
    done = subprocess.run(["./main"], cwd=directory, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def _pools(thread: int) -> str:
    """The structure's members in their order, in a thread's own memory."""
    return ", ".join(f"memory[{thread}][{index}], 64" for index in range(4))
