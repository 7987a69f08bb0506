"""The program at each stage, as files that the pass driver continues from."""

from __future__ import annotations

from pathlib import Path

import pytest
from common import networks

from forebay.cli.main import main
from forebay.driver.ir_forms import IR_FORMS
from forebay.ir.locations import operator_of
from forebay.options import Options
from forebay.pipelines import run_pipeline, stages
from forebay.reports.offload_attribute import take_offload

SHOWS = {
    "tosa": "tosa.conv2d",
    "linalg": "accel.reduce",
    "planned": "#memref_pool.placement",
    "memref": "memref.view",
}


@pytest.mark.parametrize("form", IR_FORMS)
def test_each_stage_is_one_file(digits: Path, tmp_path: Path, form: str) -> None:
    networks.compiled(digits).write(tmp_path / "out", emit=form)
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {f"digits_int8.{form}.mlir", "forebay-manifest.json"}
    assert SHOWS[form] in (tmp_path / "out" / f"digits_int8.{form}.mlir").read_text()


def test_the_pipeline_continues_from_the_imported_program(digits: Path, tmp_path: Path) -> None:
    from mlir import ir

    assert main(["compile", str(digits), "--emit", "tosa", "-o", str(tmp_path / "out")]) == 0
    text = (tmp_path / "out" / "digits_int8.tosa.mlir").read_text()
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        ops = module.body.operations[0].regions[0].blocks[0].operations
        assert any(operator_of(op.location) is not None for op in ops)
        run_pipeline(module, stages.whole_pipeline(Options(target="host")))
        take_offload(module.operation)  # the driver's, which reports it
        assert str(module) == networks.compiled(digits).ir


def test_c_is_the_project(digits: Path, tmp_path: Path) -> None:
    networks.compiled(digits).write(tmp_path / "out", emit="c", golden=())
    assert (tmp_path / "out" / "digits_int8.c").exists()
