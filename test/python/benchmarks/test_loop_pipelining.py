"""The work of pipelining loops grows with the number of loops, not with its square."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from mlir import ir

from forebay.dialects.accel import LaunchOp
from forebay.ir.nested import ops_nested_in
from forebay.pipelines import run_pipeline

BENCHMARKS = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(BENCHMARKS)
    import loop_pipelining

    yield loop_pipelining
    for name in ("loop_pipelining", "assignment", "measurement.counting"):
        monkeypatch.delitem(sys.modules, name)


def test_twice_the_loops_are_twice_the_calls(
    benchmark: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert benchmark.main(["--loops", "8", "16"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [row[0] for row in rows[-2:]] == ["8", "16"]
    assert [len(row) for row in rows[-2:]] == [5, 5]


@pytest.mark.parametrize(("shape", "launches"), [(0, 24), (1, 24), (2, 24), (3, 0)])
def test_the_loops_are_pipelined_where_there_is_room(
    benchmark: ModuleType, shape: int, launches: int
) -> None:
    """Six launches a loop: two before the rounds, two in a round, two behind them."""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(benchmark.shapes(4)[shape].text)
        run_pipeline(module, "builtin.module(accel-pipeline-loops)")
        ops = ops_nested_in(module.operation)
        assert sum(isinstance(op, LaunchOp) for op in ops) == launches
        reasons = [op for op in ops if "accel.unpipelined" in op.operation.attributes]
        assert len(reasons) == (4 if launches == 0 else 0)
