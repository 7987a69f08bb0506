"""docs/misra.md names every rule that generated code breaks, as far as cppcheck's addon can see."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from common import networks
from common.models.gated_filter import MODEL, gated_filter
from common.toolchain import CPPCHECK
from mlir import ir

from forebay.codegen.project.project import write_project

ROOT = Path(__file__).parents[3]
DIGITS = ROOT / "examples" / "digits" / "digits_int8.tflite"
REVIEW = (ROOT / "docs" / "misra.md").read_text("utf-8")
ADDONS = (
    *Path("/usr/lib").glob("*/cppcheck/addons/misra.py"),
    *Path("/usr/share").glob("cppcheck/addons/misra.py"),
)


def broken(project: Path) -> set[str]:
    """The rules of which the addon reports a breach in the network's own files."""
    if shutil.which("cppcheck") is None or not ADDONS:
        pytest.skip("cppcheck or its addon for MISRA is not installed")
    sources = [p for p in sorted(project.glob("*.c")) if not p.stem.endswith("_selftest")]
    known = "-DUINTPTR_MAX=0xffffffff"  # of stdint.h, which cppcheck does not read
    subprocess.run(["cppcheck", *CPPCHECK, known, "--dump", "--quiet", *sources], check=True)
    dumps = sorted(project.glob("*.dump"))
    assert len(dumps) == len(sources)
    command = [sys.executable, str(ADDONS[0]), *map(str, dumps)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return set(re.findall(r"misra-c2012-(\d+\.\d+)", done.stdout + done.stderr))


def deviations() -> set[str]:
    rows = REVIEW.partition("## Not met")[2].splitlines()
    return {match[1] for row in rows if (match := re.match(r"\| (\d+\.\d+) \|", row))}


@pytest.mark.slow
def test_rules_broken_by_a_network_are_in_the_review(tmp_path: Path) -> None:
    found = broken(networks.compiled(DIGITS).write(tmp_path / "out"))
    assert {"11.5", "15.5", "18.4"} <= found  # the addon did see the code
    assert found <= deviations()


def test_rules_broken_by_any_kind_of_pool_are_in_the_review(
    context: ir.Context, tmp_path: Path
) -> None:
    found = broken(write_project(gated_filter(), MODEL, tmp_path / "out"))
    assert {"11.5", "15.5", "18.4"} <= found
    assert "17.7" not in found  # what memcpy returns is cast to void
    assert found <= deviations()


def test_rules_broken_by_pools_at_bases_are_in_the_review(
    context: ir.Context, tmp_path: Path
) -> None:
    mapped = (
        dataclasses.replace(p, base=0x2000_0000 + 0x1000 * i) for i, p in enumerate(MODEL.pools)
    )
    model = dataclasses.replace(MODEL, pools=tuple(mapped))
    found = broken(write_project(gated_filter(), model, tmp_path / "out"))
    assert "11.4" in found
    assert found <= deviations()
