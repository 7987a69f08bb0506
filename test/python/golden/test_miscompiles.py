"""What computes something else than the model is not written, and the operator is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from mlir import ir
from mlir.dialects import func, memref

import forebay
from forebay.cli import main as cli
from forebay.dialects import memref_pool
from forebay.golden import DifferentValuesError
from forebay.ir.epilogue import Epilogue
from forebay.ir.locations import operator_of
from forebay.ir.nested import ops_nested_in
from forebay.lowering.kernels import convolution, scalar
from forebay.passes._pass import Pass
from forebay.passes.buffers.accel_lower_copies import AccelLowerCopies
from forebay.passes.buffers.memref_pool_adopt import MemrefPoolAdopt
from forebay.passes.buffers.memref_pool_forward_results import MemrefPoolForwardResults
from forebay.passes.buffers.memref_pool_hoist_stores import MemrefPoolHoistStores
from forebay.passes.code.memref_pool_materialize import MemrefPoolMaterialize


def operators_of(op: ir.OpView, kind: type[Any], operator: int) -> Iterator[ir.OpView]:
    """The ops of that class that work for an operator of the model."""
    for inner in ops_nested_in(op):
        place = operator_of(inner.location)
        if isinstance(inner, kind) and place is not None and place.index == operator:
            yield inner


def behind(
    monkeypatch: pytest.MonkeyPatch, pass_: type[Pass], damage: Callable[[ir.OpView], None]
) -> None:
    """Damage the module behind a pass."""
    original: Any = pass_.run

    def run(self: Any, op: ir.Operation) -> None:
        original(self, op)
        damage(op.opview)

    monkeypatch.setattr(pass_, "run", run)


def round_too_high(monkeypatch: pytest.MonkeyPatch, operator: int) -> None:
    """Every result of a convolution's kernel is one more."""
    original = convolution.finish

    def finish(epilogue: Epilogue, value: ir.Value, factors: Sequence[ir.Value]) -> ir.Value:
        result = original(epilogue, value, factors)
        place = None if epilogue.rescale is None else operator_of(epilogue.rescale.op.location)
        is_it = place is not None and place.index == operator
        return scalar.add_constant(result, 1) if is_it else result

    monkeypatch.setattr(convolution, "finish", finish)


def test_a_right_program_is_written(digits: Path, tmp_path: Path) -> None:
    compiled = forebay.compile(digits)
    compiled.write(tmp_path / "out")
    assert compiled.golden is not None
    assert compiled.golden.is_independent
    text = (tmp_path / "out" / "digits_int8_selftest.c").read_text()
    assert "by an interpreter that shares no code" in text


def test_a_wrong_rounding(
    digits: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Of one operator only, so that another than the first is to be named."""
    round_too_high(monkeypatch, 1)
    assert cli.main(["compile", str(digits), "-o", str(tmp_path / "out")]) == 1
    message = capsys.readouterr().err
    name = operator_names(digits)[1]
    assert f"forebay: error: {name}: the program leaves" in message
    assert "where the model has" in message
    assert "--golden-from program" in message
    assert not (tmp_path / "out").exists()


def operator_names(model: Path) -> dict[int, str]:
    values = forebay.compile(model).values()
    return {tensor.origin.line: tensor.operator for tensor in values.tensors.all}


MOVING = [
    MemrefPoolAdopt,
    MemrefPoolForwardResults,
    MemrefPoolHoistStores,
    AccelLowerCopies,
]
"""Passes that run on this program; those of transfers do not, since it has none."""


@pytest.mark.parametrize("pass_", MOVING)
def test_a_pass_that_drops_a_copy(
    pass_: type[Pass], digits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The image as the device wants it: its bytes are there, from a fill before the copy."""
    dropped: list[ir.OpView] = []

    def drop(op: ir.OpView) -> None:
        copies = (*operators_of(op, memref.CopyOp, 0), *operators_of(op, memref_pool.CopyOp, 0))
        dropped.extend(copies)
        for copy in copies:
            copy.operation.erase()

    behind(monkeypatch, pass_, drop)
    compiled = forebay.compile(digits, target="fetch_conv")
    monkeypatch.undo()
    assert dropped
    with pytest.raises(DifferentValuesError) as caught:
        compiled.write(tmp_path / "out")
    assert caught.value.operator == "CONV_2D #0 (stem)"
    assert not (tmp_path / "out").exists()


def test_code_that_is_not_the_planned_program(
    digits: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Behind the plan the emulator sees nothing; tensors are compared where the code puts them."""

    def drop(op: ir.OpView) -> None:
        for store in list(operators_of(op, memref.StoreOp, 1)):
            store.operation.erase()

    behind(monkeypatch, MemrefPoolMaterialize, drop)
    compiled = forebay.compile(digits)
    monkeypatch.undo()
    with pytest.raises(
        DifferentValuesError, match="the code made of the planned program"
    ) as caught:
        compiled.write(tmp_path / "out")
    assert caught.value.operator == operator_names(digits)[1]


def test_the_program_s_own_outputs_are_called_so(
    digits: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    round_too_high(monkeypatch, 0)
    out = tmp_path / "out"
    arguments = ["compile", str(digits), "-o", str(out), "--golden-from", "program"]
    assert cli.main(arguments) == 0
    said = "its expected outputs are the program's own (as asked for)"
    assert f"self-test: {said}" in capsys.readouterr().out
    assert "the program's own (as asked for)" in (out / "digits_int8_selftest.c").read_text()
    assert "the program's own (as asked for)" in (out / "digits_int8.json").read_text()


def test_unknown_ops_are_compiled_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from forebay.reference import program

    known = program.rule_of
    monkeypatch.setattr(
        program, "rule_of", lambda op: None if isinstance(op, func.CallOp) else known(op)
    )
    path = tmp_path / "twice.mlir"
    path.write_text(
        """
        func.func private @double(%x: tensor<4xi32>) -> tensor<4xi32> {
          %y = tosa.add %x, %x : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
          return %y : tensor<4xi32>
        }
        func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
          %y = func.call @double(%x) : (tensor<4xi32>) -> tensor<4xi32>
          return %y : tensor<4xi32>
        }
        """
    )
    assert cli.main(["compile", str(path), "-o", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().out
    assert "self-test: its expected outputs are the program's own (" in said
    assert "'func.call' has no rule in the interpreter)" in said
