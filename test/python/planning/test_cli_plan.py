import argparse
from pathlib import Path

import pytest

from forebay import cli_plan

CSV = "id,lower,upper,size\na,0,2,10\nb,1,3,20\nc,2,4,30\n"


def command(*arguments: object) -> int:
    parser = argparse.ArgumentParser()
    cli_plan.add_arguments(parser)
    return cli_plan.run(parser.parse_args([str(a) for a in arguments]))


@pytest.fixture
def problem(tmp_path: Path) -> Path:
    file = tmp_path / "net.csv"
    file.write_text(CSV)
    return file


def test_it_prints_peak_bound_and_proof(problem: Path, capsys: pytest.CaptureFixture[str]):
    assert command(problem) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("net: 3 buffers by 'auto' in ")
    assert lines[2].split() == ["memory", "3", "unlimited", "50", "50", "0.00%"]
    assert lines[3] == "memory: optimal, proved by live bytes; buffers: b, c"


def test_it_writes_the_rows_with_offsets_and_a_picture(problem: Path, tmp_path: Path):
    out, plot = tmp_path / "out.csv", tmp_path / "out.svg"
    assert command(problem, "--planner", "first-fit", "--out", out, "--plot", plot) == 0
    assert out.read_text().splitlines()[1:] == ["a,0,2,10,1,0", "b,1,3,20,1,10", "c,2,4,30,1,30"]
    assert plot.read_text().startswith("<svg")


def test_what_does_not_fit_exits_with_the_explanation(
    problem: Path, capsys: pytest.CaptureFixture[str]
):
    assert command(problem, "--capacity", "memory=49") == 1
    assert capsys.readouterr().err == (
        "error: pool 'memory' needs 50 bytes but has 49; live: 'b' (20), 'c' (30). "
        "Give the pool 1 byte more, or let a buffer live in another pool.\n"
    )


def test_wrong_arguments_are_explained(problem: Path, capsys: pytest.CaptureFixture[str]):
    assert command(problem, "--capacity", "ram=49") == 1
    assert capsys.readouterr().err == (
        "error: --capacity ram=49: there is no pool 'ram'; pools: memory\n"
    )
    assert command(problem.with_name("absent.csv")) == 1
    assert capsys.readouterr().err.endswith("absent.csv: No such file or directory\n")
    assert command(problem, "--planner", "tetris") == 1
    assert capsys.readouterr().err.startswith("error: there is no planner 'tetris'; known")
