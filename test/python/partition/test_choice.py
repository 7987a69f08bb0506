"""Overlapping patterns and placement requests: the choice, the report, files of requests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from common.partitioned import calls_in, partitioned, run
from mlir import ir

from forebay import targets
from forebay.ir.refused import RefusedError
from forebay.partition import PlacementRequestError
from forebay.reports.offload import OffloadReport

MACHINES = Path(__file__).parents[2] / "common" / "machines" / "two_machines.py"

# 8, 8, 64 and 2048 elements: the third is too large for the small machine, the last for both.
TEXT = """
func.func @main(%x: tensor<8xi8>, %y: tensor<64xi8>, %z: tensor<2048xi8>)
    -> (tensor<8xi8>, tensor<64xi8>, tensor<2048xi8>) {
  %0 = tosa.add %x, %x : (tensor<8xi8>, tensor<8xi8>) -> tensor<8xi8> loc("first")
  %1 = tosa.add %0, %x : (tensor<8xi8>, tensor<8xi8>) -> tensor<8xi8> loc("second")
  %2 = tosa.add %y, %y : (tensor<64xi8>, tensor<64xi8>) -> tensor<64xi8> loc("third")
  %3 = tosa.add %z, %z : (tensor<2048xi8>, tensor<2048xi8>) -> tensor<2048xi8> loc("fourth")
  return %1, %2, %3 : tensor<8xi8>, tensor<64xi8>, tensor<2048xi8>
}
"""


def report_of(
    parameters: str = "", place: Iterable[tuple[str, str]] = (), placement: Path | None = None
) -> OffloadReport:
    with ir.Context(), ir.Location.unknown():
        target = targets.load(f"{MACHINES}{parameters}")
        return partitioned(TEXT, target, place=place, placement=placement)[1]


def devices(report: OffloadReport) -> list[str]:
    return [operator.device for operator in report.operators]


def test_the_higher_priority_wins() -> None:
    assert devices(report_of()) == ["small", "small", "big", "cpu"]
    assert devices(report_of(":big_priority=2")) == ["big", "big", "big", "cpu"]


def test_of_equal_priorities_the_first_pattern_wins() -> None:
    assert devices(report_of(":small_priority=0")) == ["big", "big", "big", "cpu"]


def test_every_pattern_that_was_tried_has_its_reason() -> None:
    reasons = {operator.name: operator.reasons for operator in report_of().operators}
    assert reasons == {
        "first": (),
        "second": (),
        "third": ("small.sum needs at most 10 elements",),
        "fourth": (
            "small.sum needs at most 10 elements",
            "big.sum needs at most 1000 elements",
        ),
    }


def test_a_device_that_takes_an_operator_has_no_reason() -> None:
    """The reason of a device's other pattern does not say why it is not on the device."""
    with ir.Context(), ir.Location.unknown():
        machine = targets.load(str(MACHINES))
        both = next(pattern for pattern in machine.patterns if pattern.device == "big")
        never = replace(both, name="never", conditions=(("much more", lambda _: False),))
        machine = replace(machine, patterns=(never, *machine.patterns))
        _, report = partitioned(TEXT, machine)
    reasons = {operator.name: operator.reasons for operator in report.operators}
    assert devices(report) == ["small", "small", "big", "cpu"]
    assert reasons["third"] == ("small.sum needs at most 10 elements",)
    assert "big.never needs much more" in reasons["fourth"]


def test_both_machines_compute_what_the_host_would() -> None:
    arrays = [np.arange(n).astype(np.int8) for n in (8, 64, 2048)]
    with ir.Context(), ir.Location.unknown():
        module, _ = partitioned(TEXT, targets.load(str(MACHINES)))
        assert [c.callee.value for c in calls_in(module)] == ["small.add", "small.add", "big.add"]
        results = run(module, *arrays)
    for result, array, factor in zip(results, arrays, (3, 2, 2), strict=True):
        np.testing.assert_array_equal(result, (array.astype(int) * factor).astype(np.int8))


def test_a_request_overrides_priorities() -> None:
    report = report_of(place=[("first", "big"), ("third", "cpu")])
    assert devices(report) == ["big", "small", "cpu", "cpu"]
    assert report.operators[2].reasons == ("placed on 'cpu' by the user",)


def test_a_request_with_a_failing_condition_names_it() -> None:
    with pytest.raises(RefusedError) as caught:
        report_of(place=[("third", "small")])
    assert str(caught.value) == (
        "ADD 'third' is placed on 'small', which does not take it: "
        "small.sum needs at most 10 elements"
    )


def test_a_saved_placement_can_be_edited_and_given_back(tmp_path: Path) -> None:
    path = tmp_path / "placement.json"
    path.write_text(report_of().placement(), encoding="utf-8")
    assert devices(report_of(placement=path)) == ["small", "small", "big", "cpu"]
    data = json.loads(path.read_text("utf-8"))
    data["operators"][1]["device"] = "big"
    path.write_text(json.dumps(data), encoding="utf-8")
    assert devices(report_of(placement=path)) == ["small", "big", "big", "cpu"]
    assert devices(report_of(placement=path, place=[("second", "cpu")]))[1] == "cpu"


def test_an_unknown_operator_of_a_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "placement.json"
    path.write_text('{"operators": [{"name": "fifth", "device": "big"}]}', encoding="utf-8")
    with pytest.raises(PlacementRequestError) as caught:
        report_of(placement=path)
    assert str(caught.value) == (
        "$.operators[0]: there is no operator 'fifth'; the operators are first, second, third, "
        "fourth"
    )


MISTAKES = {
    'emit.call("sum", view.source, out=view.result.type)': (
        "device 'small' has no intrinsic 'sum'; it has add"
    ),
    'emit.call("add", view.source, out=view.result.type, count=3)': (
        "intrinsic 'add' takes 2 inputs and 1 outputs, but is given 1 and 1"
    ),
    'emit.call("add", view.source, view.other, out=view.result.type)': (
        "intrinsic 'add' takes the scalars count, but is given none"
    ),
    "view.nothing": "pattern 'sum' fails: AttributeError: 'Add' object has no attribute 'nothing'",
}


@pytest.mark.parametrize("result", MISTAKES)
def test_a_mistake_in_a_pattern_is_reported_at_its_line(result: str, tmp_path: Path) -> None:
    source = MACHINES.read_text("utf-8")
    right = 'emit.call("add", view.source, view.other, out=view.result.type, count=_size(view))'
    before, found, after = source.partition(right)
    assert found
    path = tmp_path / "machines.py"
    path.write_text(before + result + after, encoding="utf-8")
    with ir.Context(), ir.Location.unknown(), pytest.raises(targets.TargetError) as caught:
        partitioned(TEXT, targets.load(str(path)))
    line = before.count("\n") + 1
    assert str(caught.value) == f"{path}:{line}: {MISTAKES[result]}"


FAIL = """

def _fail():
    from mlir import ir
    from forebay.ir.refused import RefusedError

    raise RefusedError(ir.Location.unknown(), "not this op")
"""


def test_an_error_about_ir_in_a_pattern_is_reported_at_its_line(tmp_path: Path) -> None:
    failing = "return _fail() or emit.call("
    source = MACHINES.read_text("utf-8").rstrip().replace("return emit.call(", failing)
    path = tmp_path / "machines.py"
    path.write_text(source + FAIL, encoding="utf-8")
    line = len((source + FAIL).splitlines())
    with ir.Context(), ir.Location.unknown(), pytest.raises(targets.TargetError) as caught:
        partitioned(TEXT, targets.load(str(path)))
    message = "pattern 'sum' fails: RefusedError: not this op"
    assert str(caught.value) == f"{path}:{line}: {message}"


def test_a_result_of_another_type_is_refused(tmp_path: Path) -> None:
    source = MACHINES.read_text("utf-8")
    reshaped = "return emit.reshape(view.source, (1, _size(view)))\n        return emit.call("
    path = tmp_path / "machines.py"
    path.write_text(source.replace("return emit.call(", reshaped), encoding="utf-8")
    with ir.Context(), ir.Location.unknown(), pytest.raises(RefusedError) as caught:
        partitioned(TEXT, targets.load(str(path)))
    assert str(caught.value) == (
        "pattern 'sum' of 'small' gives tensor<1x8xi8> for an operator of tensor<8xi8>"
    )
