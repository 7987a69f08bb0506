from pathlib import Path

import pytest

from forebay.errors import Error
from forebay.formats.sweep_record import SweepRecord
from forebay.sweep import search as search_module
from forebay.sweep.evaluate import record_of
from forebay.sweep.search import search
from forebay.sweep.study import read_study

pytest.importorskip("yaml", reason="the files of sweeps are YAML")

STUDY = """
networks: [net.mlir]
targets: [{target: host}, {target: fetch_conv, parameters: {act_mem: [1, 2, 3, 4, 5, 6, 7, 8]}}]
"""


def modelled(configurations, **_: object) -> tuple[SweepRecord, ...]:
    """The bytes are the parameter, and the fewest cycles are at 3."""
    (it,) = configurations
    size = it.parameters.get("act_mem", 100)
    outcome = {"outcome": "planned", "workspace": size, "cycles": (size - 3) ** 2}
    return (record_of(it, f"{it.target_text}", **outcome),)


def test_a_search_finds_the_fewest_cycles(study, monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("optuna", reason="the extra forebay[optuna] is not installed")
    monkeypatch.setattr(search_module, "run_sweep", modelled)
    found = search(read_study(study(STUDY)), ["workspace", "cycles"], 60)
    assert min(record.cycles or 0 for record in found) == 0
    assert len({record.key for record in found}) == len(found) <= 9


def test_an_unknown_objective_and_two_networks_are_refused(study, tmp_path: Path):
    configurations = read_study(study(STUDY))
    with pytest.raises(Error, match="there is no objective 'speed'; objectives: workspace,"):
        search(configurations, ["speed"], 1)
    (tmp_path / "b.mlir").touch()
    two = read_study(study(STUDY.replace("[net.mlir]", "[net.mlir, b.mlir]")))
    with pytest.raises(Error, match="a search is for one network, but the file lists 2"):
        search(two, ["cycles"], 1)
