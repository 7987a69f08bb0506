from __future__ import annotations

from pathlib import Path

import pytest

import forebay
from forebay.pipelines.printing import PassNameError, names_in_pipeline, printing


def test_the_names_of_nested_passes_are_found() -> None:
    text = "func.func(canonicalize{max-iterations=3 region-simplify=none},cse)"
    assert names_in_pipeline(text) == ["canonicalize", "cse"]
    assert names_in_pipeline("memref-pool-plan{planner=auto}") == ["memref-pool-plan"]


def test_the_module_is_printed_after_each_run(
    digits: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plain = forebay.compile(digits)
    capsys.readouterr()
    printed = forebay.compile(digits, print_after=("memref-pool-plan", "lower-affine"))
    text = capsys.readouterr().err
    assert text.count("// ----- after memref-pool-plan -----\n") == 1
    assert text.count("// ----- after lower-affine -----\n") == 1
    after_plan, after_loops = text.split("// ----- after lower-affine -----\n")
    assert "#memref_pool.placement" in after_plan and "accel.reduce" in after_plan
    assert "accel.reduce" not in after_loops and "affine.for" not in after_loops
    assert printed.ir == plain.ir


def test_an_unknown_pass_is_refused_with_the_nearest() -> None:
    with pytest.raises(PassNameError, match=r"no pass 'memref-pool-plam'.*'memref-pool-plan'"):
        printing(forebay.Options(print_after=("memref-pool-plam",)))
