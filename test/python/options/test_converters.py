"""`forebay.compile` takes objects where the command takes names, and refuses what it refuses."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from mlir import ir

import forebay
from forebay import targets
from forebay.passes import Pass, option
from forebay.planning import Pool, find_planner
from forebay.planning.user import UserBuffer

NET = """
func.func @main(%x: tensor<1x64xf32> {accel.name = "the input, {x}"}) -> tensor<1x64xf32> {
  %y = tosa.abs %x : (tensor<1x64xf32>) -> tensor<1x64xf32>
  %z = tosa.exp %y : (tensor<1x64xf32>) -> tensor<1x64xf32>
  return %z : tensor<1x64xf32>
}
"""
OWN = (
    """
accel.device @cpu kind "cpu" host
memref_pool.pool @ram workspace
"""
    + NET
)


@pytest.fixture
def net(tmp_path: Path) -> Path:
    path = tmp_path / "net.mlir"
    path.write_text(NET)
    return path


def small(size: int) -> targets.Target:
    """A host with one pool of its own."""
    return targets.Target(
        "small",
        devices=(targets.Device("cpu", kind="cpu", host=True),),
        pools=(
            targets.Pool("dtcm", "workspace", capacity=size),
            targets.Pool("sram", "workspace"),
            targets.Pool("rom", "constant"),
        ),
    )


def stacked(buffers: Sequence[UserBuffer], pools: Sequence[Pool]) -> Mapping[str, tuple[str, int]]:
    """Every buffer above the one before it."""
    placed, end = {}, 0
    for buffer in buffers:
        end = -(-end // buffer.alignment) * buffer.alignment
        placed[buffer.name] = (buffer.candidates[0], end)
        end += buffer.size
    return placed


def test_a_target_may_be_an_object(net: Path) -> None:
    compiled = forebay.compile(net, target=small(4096), io="pool")
    assert compiled.plan.peak("dtcm") > 0
    x = np.linspace(-1, 1, 64, dtype=np.float32).reshape(1, 64)
    np.testing.assert_allclose(compiled.run(x), np.exp(np.abs(x)), rtol=1e-6)


def test_an_object_outlives_the_call(net: Path) -> None:
    values = forebay.compile(net, target=small(4096)).values()  # attaches the target once more
    assert len(values.tensors.all) == 2


def test_a_target_may_be_a_path_of_any_name(net: Path, tmp_path: Path) -> None:
    file = tmp_path / "my 'own', {target}.py"
    file.write_text(
        "from forebay.targets import Device, Pool, Target\n"
        "TARGET = Target('own', (Device('cpu', 'cpu', host=True),), (Pool('ram', 'workspace'),))\n"
    )
    assert forebay.compile(net, target=file, io="pool").plan.peak("ram") > 0


def test_a_planner_may_be_a_function_a_file_or_an_object(net: Path, tmp_path: Path) -> None:
    file = tmp_path / "my planner.py"
    file.write_text(
        "def plan(buffers, pools):\n"
        "    from test_objects_planner import stacked\n"
        "    return stacked(buffers, pools)\n"
    )
    assert forebay.compile(net, io="pool", planner=stacked).plan.plan.planner == "stacked"
    assert forebay.compile(net, planner=find_planner("first-fit")).plan.plan.planner == "first-fit"
    sys.modules["test_objects_planner"] = sys.modules[__name__]
    try:
        assert forebay.compile(net, io="pool", planner=file).plan.plan.planner == "my planner"
    finally:
        del sys.modules["test_objects_planner"]


def test_an_object_s_options_are_checked(net: Path) -> None:
    note = Note(number="many")  # pyright: ignore[reportArgumentType]
    message = "option 'number' of pass 'test-note' is a number, not 'many'"
    with pytest.raises(forebay.Error, match=message):
        forebay.compile(net, passes={"after-plan": note})


def test_pools_of_single_tensors_may_be_a_mapping(net: Path) -> None:
    choice = {"the input, {x}": ["sram", "dtcm"]}
    compiled = forebay.compile(net, target=small(4096), input_pools=choice)
    assert [port.pool for port in compiled.inputs] == ["sram"]


def test_devices_of_operators_may_be_a_mapping(digits: Path) -> None:
    by_text = forebay.compile(digits, target="fetch_conv", place=["0=cpu"])
    by_name = forebay.compile(digits, target="fetch_conv", place={"0": "cpu"})
    assert by_text.offload == by_name.offload
    assert by_name.offload is not None and by_name.offload.operators[0].device == "cpu"


@dataclass(frozen=True)
class Note(Pass):
    """Write a text into the module."""

    name: ClassVar[str] = "test-note"
    text: str = option("default", "what to write")
    number: int = option(1, "what to write behind it")
    words: tuple[str, ...] = option((), "more")

    def run(self, op: ir.Operation) -> None:
        op.attributes["test.note"] = ir.StringAttr.get(f"{self.text}|{self.number}|{self.words}")


def test_passes_may_be_classes_objects_and_functions(net: Path) -> None:
    seen: list[str] = []

    def look(op: ir.Operation) -> None:
        seen.append(str(ir.StringAttr(op.attributes["test.note"]).value))

    note = Note(text="it's {here}, now", number=3, words=("a b", "c,d"))
    forebay.compile(net, passes={"before-assign": [Note, look, note, look], "after-plan": look})
    last = "it's {here}, now|3|('a b', 'c,d')"
    assert seen == ["default|1|()", last, last]


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"slots": 0}, "slots is a number of 1 or more, not 0"),
        ({"slots": True}, "slots is a number of 1 or more, not True"),
        ({"io": "stack"}, "io is 'caller' or 'pool', not 'stack'"),
        ({"place": ["conv"]}, "'conv' is not OPERATOR=DEVICE"),
        ({"place": "0=cpu"}, "place is a list of OPERATOR=DEVICE, or a mapping, not '0=cpu'"),
        ({"place": {"0": 3}}, "3 in place is no name; entries are OPERATOR=DEVICE"),
        ({"input_pools": ["x="]}, "'x=' is not NAME=POOL or, in order of preference, NAME=POOL"),
        ({"input_pools": ["x=a+"]}, "'x=a+' is not NAME=POOL or, in order of preference"),
        ({"order": "npu,cpu"}, "order is a list of names, not 'npu,cpu'"),
        ({"planner": "tetris"}, "there is no planner 'tetris'; known planners: "),
        ({"planner": 3}, "3 is no planner: give a name, a file, a Planner or a function"),
        ({"target": 3}, "3 is no target: give a name, a file or a forebay.api.target.Target"),
        ({"target": "tpu"}, "there is no target 'tpu'; known targets: "),
        ({"passes": {"after-lunch": "cse"}}, "'after-lunch' is no phase; phases are before-part"),
        ({"passes": {"after-plan": 3}}, "3 is no pass: give a file, a text, a class derived"),
        ({"passes": ["cse"]}, "'cse' is not PHASE=PASS with a phase of before-partition, "),
        ({"shapes": {"x": (1, 0)}}, "the shape of 'x' is positive numbers, not (1, 0)"),
    ],
)
def test_choices_that_are_none_are_refused(
    choices: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(forebay.Error) as caught:
        forebay.compile(tmp_path / "missing.mlir", **choices)  # before the model is read
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "choice", [{"place": {"0": "cpu"}}, {"order": ["npu"]}, {"placement": "placement.json"}]
)
def test_a_module_with_devices_takes_no_placement(choice: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "own.mlir"
    path.write_text(OWN)
    with pytest.raises(forebay.Error, match="but the module declares its devices itself"):
        forebay.compile(path, **choice)


def test_a_name_that_is_no_utf_8_is_one_as_any(digits: Path, tmp_path: Path) -> None:
    model = tmp_path / "caf\udce9.tflite"
    model.write_bytes(digits.read_bytes())
    command = [str(Path(sys.executable).with_name("forebay")), "compile", model]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"wrote caf\xe9: " in done.stdout
    assert (tmp_path / "caf\udce9" / "forebay-manifest.json").exists()
