from pathlib import Path

from forebay.frontends.onnx.lowering.registry import onnx_documented, onnx_lowerings
from forebay.frontends.onnx.table import with_onnx_table

PAGE = Path(__file__).parents[4] / "docs" / "ways-in.md"


def test_the_page_has_the_operators_of_the_registry() -> None:
    assert with_onnx_table(PAGE.read_text()) == PAGE.read_text()


def test_every_operator_has_a_row() -> None:
    named = {name for row in onnx_documented() for name in row.operators}
    assert set(onnx_lowerings()) - {"Table"} <= named
