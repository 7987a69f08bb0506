from __future__ import annotations

from pathlib import Path

import pytest
from common.documents.memory_maps import memory_map

from forebay.formats.budget_report import BudgetReport, PoolBudgets, ReportedBudget
from forebay.formats.reading import DocumentError
from forebay.formats.writing import json_lines
from forebay.planning import Buffer, Pool, Problem, live, write_problem
from forebay.view.sources import ViewError, is_plan_file, read_plan_file, with_frontier


def test_a_directory_has_one_memory_map(tmp_path: Path) -> None:
    with pytest.raises(ViewError, match="one memory map; here: none"):
        read_plan_file(tmp_path, "auto")
    (tmp_path / "net.json").write_text(json_lines(memory_map()))
    (tmp_path / "other.json").write_text("{}")
    assert read_plan_file(tmp_path, "auto").name == "net"
    assert read_plan_file(tmp_path / "net.json", "auto").name == "net"
    (tmp_path / "more.json").write_text(json_lines(memory_map()))
    with pytest.raises(ViewError, match=r"here: more\.json, net\.json"):
        read_plan_file(tmp_path, "auto")


def test_an_old_map_is_refused(tmp_path: Path) -> None:
    text = json_lines(memory_map()).replace('"version": 3', '"version": 2')
    (tmp_path / "net.json").write_text(text)
    with pytest.raises(DocumentError, match=r"net\.json: \$\.version must be one of 3, not 2"):
        read_plan_file(tmp_path, "auto")


def test_references_to_nothing_are_refused(tmp_path: Path) -> None:
    text = json_lines(memory_map()).replace('"reads": [0, 2]', '"reads": [0, 3]')
    (tmp_path / "net.json").write_text(text)
    with pytest.raises(ViewError, match=r"net\.json: \$\.steps\[1\] refers to buffer 3 of 3"):
        read_plan_file(tmp_path, "auto")


@pytest.mark.parametrize("suffix", [".json", ".csv"])
def test_problems_are_planned(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"p{suffix}"
    write_problem(Problem((Pool("m"),), (Buffer("a", 8, live(0, 2), ("m",)),)), path)
    assert is_plan_file(path)
    assert read_plan_file(path, "greedy-by-size").pools[0].peak == 8
    assert not is_plan_file(tmp_path / "net.tflite")


def test_a_budget_report_is_the_frontier(tmp_path: Path) -> None:
    (tmp_path / "net.json").write_text(json_lines(memory_map()))
    plans = (ReportedBudget(64, 60, 0, 0, 0, 0), ReportedBudget(32, 30, 1, 3, 500, 9))
    report = BudgetReport("net", (PoolBudgets("ws", 60, 30, ("x",), plans),))
    data = with_frontier(read_plan_file(tmp_path, "auto"), report)
    assert [(each.bytes, each.added, each.step) for each in data.frontier] == [
        (64, 0, "whole tensors"),
        (32, 500, "1 loop over rows"),
    ]
