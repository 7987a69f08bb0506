"""Sweeps: what is evaluated, what is taken from the cache, and what a killed worker costs."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from forebay.cli.main import main
from forebay.support.extras import MissingExtraError
from forebay.sweep import run as run_module
from forebay.sweep.run import run_sweep
from forebay.sweep.study import read_study

pytest.importorskip("yaml", reason="the files of sweeps are YAML")
pytest.importorskip("joblib", reason="sweeps run in processes by joblib")
Study = Callable[[str], Path]

SMALL = """
networks: [net.mlir]
targets: [{target: host}]
planners: [auto, greedy-by-size]
budgets: [null, 16]
measure: {cycles: true, host_rate: 1}
"""


def test_results_and_refusals_are_rows(study: Study, tmp_path: Path):
    output = tmp_path / "r.csv"
    arguments = ["--cache", str(tmp_path / "cache"), "--jobs", "1"]
    assert main(["sweep", str(study(SMALL)), "-o", str(output), *arguments]) == 0
    rows = list(csv.DictReader(output.read_text().splitlines()))
    assert [row["outcome"] for row in rows] == ["planned", "refused"] * 2
    assert rows[0]["workspace"] == rows[0]["peak.workspace"] == rows[0]["workspace_bound"] == "256"
    assert int(rows[0]["cycles"]) >= 2 * 8 * 8 * 8
    assert "the smallest budget that works" in rows[1]["reason"]
    assert rows[1]["workspace"] == ""


def test_a_second_run_evaluates_nothing(study: Study, tmp_path: Path, monkeypatch):
    configurations, seen = read_study(study(SMALL)), []
    first = run_sweep(configurations, cache=tmp_path / "cache")

    def refused(*_: object) -> None:
        raise AssertionError("was evaluated again")

    monkeypatch.setattr(run_module, "evaluated", refused)
    again = run_sweep(
        configurations, cache=tmp_path / "cache", show_done=lambda *it: seen.append(it)
    )
    assert again == first
    assert seen == [(4, 4)]


def test_an_interrupted_run_goes_on_where_it_was(study: Study, tmp_path: Path, monkeypatch):
    configurations = read_study(study(SMALL))

    def interrupted(done: int, _: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_sweep(configurations, cache=tmp_path / "cache", show_done=interrupted)
    counts: list[int] = []
    original = run_module.evaluated

    def counted(tasks, *rest):
        counts.append(len(tasks))
        return original(tasks, *rest)

    monkeypatch.setattr(run_module, "evaluated", counted)
    assert len(run_sweep(configurations, cache=tmp_path / "cache")) == 4
    assert counts[0] <= 2


def test_a_changed_model_is_evaluated_again(study: Study, tmp_path: Path):
    text = "networks: [net.mlir]\ntargets: [{target: host}]\n"
    (before,) = run_sweep(read_study(study(text)), cache=tmp_path / "cache")
    model = tmp_path / "net.mlir"
    model.write_text(model.read_text().replace("tosa.matmul", "tosa.none"))
    from forebay.sweep import cache

    cache._file_digest.cache_clear()
    (after,) = run_sweep(read_study(study(text)), cache=tmp_path / "cache")
    assert before.outcome == "planned"
    assert after.outcome == "refused"
    assert before.key != after.key


def test_a_killed_worker_costs_its_task_s_time_only(
    study: Study, killing: Callable[..., str], tmp_path: Path
):
    configurations = read_study(study(killing(always=False)))
    records = run_sweep(configurations, jobs=2, cache=tmp_path / "cache")
    assert [record.outcome for record in records] == ["planned"] * 5
    assert [record.parameters["number"] for record in records] == [0, 1, 2, 3, 4]


@pytest.mark.slow
def test_a_task_that_kills_its_worker_each_time_is_given_up(
    study: Study, killing: Callable[..., str], tmp_path: Path
):
    configurations = read_study(study(killing(always=True)))
    records = run_sweep(configurations, jobs=2, cache=tmp_path / "cache")
    outcomes = [record.outcome for record in records]
    assert outcomes == ["planned", "planned", "failed", "planned", "planned"]
    assert "was killed 3 times" in records[2].reason


@pytest.mark.slow
@pytest.mark.parametrize("always", [False, True])
def test_a_cluster_gives_every_row_once_though_a_worker_is_killed(
    always: bool, study: Study, killing: Callable[..., str], tmp_path: Path
):
    pytest.importorskip("distributed", reason="the extra forebay[dask] is not installed")
    configurations = read_study(study(killing(always=always)))
    records = run_sweep(configurations, scheduler="dask", jobs=2, cache=tmp_path / "cache")
    assert [record.parameters["number"] for record in records] == [0, 1, 2, 3, 4]
    expected = ["planned"] * 5
    if always:
        expected[2] = "failed"
    assert [record.outcome for record in records] == expected


def test_why_a_target_has_no_plan_is_printed(
    study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    path = study("networks: [net.mlir]\ntargets: [{target: host}, {target: nowhere}]\n")
    arguments = ["--cache", str(tmp_path / "cache"), "--jobs", "1"]
    assert main(["sweep", str(path), "-o", str(tmp_path / "r.csv"), *arguments]) == 0
    lines = capsys.readouterr().out.splitlines()
    found = [line for line in lines if line.startswith("refused: ")]
    assert len(found) == 1
    assert found[0].startswith("refused: net.mlir on nowhere: there is no target 'nowhere'")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--jobs", "0"], "--jobs 0: give a number of at least 1"),
        (["--scheduler", "slurm"], "there is no scheduler 'slurm': name processes, dask, or"),
        (["--cache", "net.mlir"], "--cache net.mlir: is a file; name a directory"),
    ],
)
def test_wrong_arguments_are_refused(
    arguments: list[str],
    message: str,
    study: Study,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    path = study("networks: [net.mlir]\ntargets: [{target: host}]\n")
    monkeypatch.chdir(path.parent)
    monkeypatch.setenv("XDG_CACHE_HOME", "home")
    assert main(["sweep", path.name, "-o", "r.csv", *arguments]) == 1
    assert message in capsys.readouterr().err
    assert not Path("r.csv").exists()


def test_a_package_that_is_not_installed_is_named(
    study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setitem(sys.modules, "joblib.externals.loky", None)
    with pytest.raises(MissingExtraError, match=r"by joblib.*pip install 'forebay\[sweep\]'"):
        run_sweep(read_study(study(SMALL)), cache=tmp_path / "cache")
