import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from forebay.errors import Error
from forebay.sweep.study import read_study

pytest.importorskip("yaml", reason="the files of sweeps are YAML")
Study = Callable[[str], Path]

FULL = """
networks: [net.mlir, other.tflite]
targets:
  - target: host
  - {target: fetch_conv, parameters: {act_mem: [16K, 32K], stream: true}}
  - {target: npu.py, parameters: {size: 4}}
planners: [auto, greedy-by-size]
budgets: [null, min, 2048]
options: {slots: [1, 2], io: pool}
"""


def test_all_combinations_are_tried_in_order(study: Study, tmp_path: Path):
    (tmp_path / "other.tflite").touch()
    found = read_study(study(FULL))
    assert len(found) == 2 * (1 + 2 + 1) * 2 * 3 * 2
    assert len(set(map(repr, found))) == len(found)
    first, last = found[0], found[-1]
    assert (first.network, first.target_text, first.budget) == ("net.mlir", "host", None)
    assert first.options == {"slots": 1, "io": "pool"}
    assert first.model == str(tmp_path / "net.mlir")
    assert last.target_text == f"{tmp_path}/npu.py:size=4"
    assert (last.planner, last.budget) == ("greedy-by-size", "2048")
    texts = dict.fromkeys(it.target_text for it in found)
    assert "fetch_conv:act_mem=32K,stream=1" in texts


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("networks: [", "not YAML"),
        ("networks: [net.mlir]", "the document needs 'targets'"),
        ("networks: []\ntargets: [{target: host}]", r"\$\.networks"),
        ("networks: [a]\ntargets: [{target: host, tile: 3}]", r"unknown field 'tile'; known: tar"),
        ("networks: [a]\ntargets: [host]", r"\$\.targets\[0\] must be an object, not \"host\""),
        ("networks: [a]\ntargets: [{target: host}]\noptions: {slot: 3}", "no option 'slot'; opti"),
        ("networks: [a]\ntargets: [{target: host}]\noptions: {slots: []}", r"\$\.options"),
    ],
)
def test_a_wrong_file_is_refused_with_the_place(text: str, message: str, study: Study):
    with pytest.raises(Error, match=f"sweep.yaml:.*{message}"):
        read_study(study(text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("networks: [a\nb: {", ":2:2: not YAML: while parsing a flow sequence, expected ',' or"),
        ("networks: *a", ":1:11: not YAML: found undefined alias 'a'"),
        ("networks: \x01", ": not YAML: character 11 is #x01: special characters are not allowed"),
    ],
)
def test_the_place_of_what_is_no_yaml_has_the_name_of_the_file(
    text: str, message: str, study: Study
):
    with pytest.raises(Error) as caught:
        read_study(study(text))
    assert f"sweep.yaml{message}" in str(caught.value)
    assert "<unicode string>" not in str(caught.value)


def test_a_missing_file_is_refused(tmp_path: Path):
    with pytest.raises(Error, match=r"none\.yaml: No such file"):
        read_study(tmp_path / "none.yaml")


def test_a_missing_network_is_refused_with_its_place(study: Study):
    text = "networks: [net.mlir, gone.tflite]\ntargets: [{target: host}]\n"
    with pytest.raises(Error, match=r"\$\.networks\[1\]: there is no file 'gone\.tflite'"):
        read_study(study(text))


def test_the_study_of_memory_sizes_has_60_configurations(tmp_path: Path):
    example = Path(__file__).parents[3] / "examples" / "memory_sizes" / "sweep.yaml"
    path = Path(shutil.copy(example, tmp_path))
    (tmp_path / "models").mkdir()
    for name in re.findall(r"models/\S+\.tflite", path.read_text()):
        (tmp_path / name).touch()
    found = read_study(path)
    assert len(found) == 60
    targets = {(it.target, it.parameters.get("spad")) for it in found}
    assert {("gemmini", f"{size}K") for size in (16, 32, 64, 128, 256, 512)} <= targets
