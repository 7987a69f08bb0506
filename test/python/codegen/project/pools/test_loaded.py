"""What is done once: `<m>_init`, and runs that see that it was not done."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path

import numpy as np
import pytest
from common.models.gated_filter import MODEL, SAMPLES, gated_filter, sums
from mlir import ir

from forebay.codegen.project.pools.loaded import Sample, sample_of
from forebay.codegen.project.project import project_files, write_project
from forebay.network.model import ModelInfo
from forebay.network.packaging import with_internal_pools, with_weights_blob

FLAGS = ["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wcast-qual", "-pedantic", "-Werror"]


def runs(project: Path, main: str) -> int:
    """The exit code of a program around the network."""
    (project / "main.c").write_text(main)
    sources = sorted(path.name for path in project.glob("*.c") if "_selftest" not in path.name)
    subprocess.run(["cc", *FLAGS, *sources, "-o", "main"], cwd=project, check=True)
    return subprocess.run(["./main"], cwd=project, check=False).returncode


def statuses(calls: list[tuple[str, str]]) -> str:
    """A main that returns the number of the first call with another status, or 0."""
    lines = [
        f"    if ({call} != GATED_FILTER_{status}) {{ return {number}; }}"
        for number, (call, status) in enumerate(calls, 1)
    ]
    samples = ", ".join(map(str, SAMPLES[0].tolist()))
    return "\n".join(
        [
            '#include "gated_filter.h"',
            "int main(void) {",
            f"    const int8_t samples[4] = {{{samples}}};",
            "    int32_t sum = 0;",
            *lines,
            f"    return sum == {sums(SAMPLES[:1])[0]} ? 0 : 100;",
            "}",
        ]
    )


def test_a_run_tells_what_was_not_done_before(context: ir.Context, tmp_path: Path) -> None:
    project = write_project(gated_filter(), MODEL, tmp_path / "out")
    pools = "&gated_filter_default_pools"
    run = f"gated_filter_run({pools}, samples, &sum)"
    calls = [
        (run, "ERROR_NOT_LOADED"),
        (f"gated_filter_reset({pools})", "OK"),
        (run, "ERROR_NOT_LOADED"),
        (f"gated_filter_load_tables({pools})", "OK"),
        (run, "OK"),
        ("gated_filter_init(NULL)", "ERROR_NULL"),
        (f"gated_filter_init({pools})", "OK"),
        (run, "OK"),
    ]
    assert runs(project, statuses(calls)) == 0


def test_loaded_constants_alone_are_not_enough(context: ir.Context, tmp_path: Path) -> None:
    project = write_project(gated_filter(), with_internal_pools(MODEL), tmp_path / "out")
    run = "gated_filter_run(samples, &sum)"
    calls = [
        ("gated_filter_load_tables()", "OK"),
        (run, "ERROR_NOT_RESET"),
        ("gated_filter_init()", "OK"),
        (run, "OK"),
    ]
    assert runs(project, statuses(calls)) == 0


def test_memory_that_the_host_cannot_read_is_not_asked(context: ir.Context) -> None:
    pools = [dataclasses.replace(p, is_host_readable=False) for p in MODEL.pools]
    hidden = project_files(gated_filter(), dataclasses.replace(MODEL, pools=tuple(pools)))
    assert "return GATED_FILTER_ERROR_NOT_LOADED" not in hidden["gated_filter.c"]
    seen = project_files(gated_filter(), MODEL)
    assert "return GATED_FILTER_ERROR_NOT_LOADED" in seen["gated_filter.c"]


def test_nothing_to_do_once_is_no_function(
    fully_connected: tuple[ir.Module, ModelInfo],
) -> None:
    files = project_files(*fully_connected)
    assert "tiny_net_init" not in files["tiny_net.h"] + files["tiny_net.c"]


@pytest.mark.parametrize(
    ("image", "sample"),
    [
        ([0] * 8 + [1, 2, 3, 4, 5, 6, 7, 8] + [9] * 8, Sample(8, 8)),
        ([7] * 24, Sample(0, 8)),
        ([1, 2, 3], Sample(0, 3)),
        ([0] * 8 + [1, 2, 3], Sample(0, 8)),
    ],
)
def test_the_bytes_that_are_looked_at_differ_most(image: list[int], sample: Sample) -> None:
    assert sample_of(np.array(image, np.uint8)) == sample


def test_what_the_host_fills_may_be_read_only(context: ir.Context, tmp_path: Path) -> None:
    """A pool's file in flash that the processor sees: no cast, no copy."""
    model = with_weights_blob(MODEL)
    project = write_project(gated_filter(), model, tmp_path / "out")
    tables, flash = (
        ", ".join(map(str, (project / f"gated_filter_{name}.bin").read_bytes()))
        for name in ("tables", "flash")
    )
    main = statuses([("gated_filter_init(&pools)", "OK")])
    own = f"""
    static _Alignas(16) const uint8_t tables[] = {{{tables}}};
    static _Alignas(16) const uint8_t flash[] = {{{flash}}};
    gated_filter_pools pools = gated_filter_default_pools;
    pools.tables = tables;
    pools.flash = flash;
"""
    main = main.replace("    int32_t sum = 0;", f"{own}    int32_t sum = 0;")
    main = main.replace(
        "    return sum", "    gated_filter_run(&pools, samples, &sum);\n    return sum"
    )
    (project / "gated_filter_selftest.c").unlink()
    (project / "main.c").write_text(main)
    sources = sorted(path.name for path in project.glob("*.c"))
    flags = ["-std=c11", *FLAGS[1:]]
    subprocess.run(["cc", *flags, *sources, "-o", "main"], cwd=project, check=True)
    assert subprocess.run(["./main"], cwd=project, check=False).returncode == 0
