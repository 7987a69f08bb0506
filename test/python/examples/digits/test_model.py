"""What the shipped .tflite is, read by the schema package."""

import subprocess
import sys
from pathlib import Path

import pytest
import tflite

OPERATORS = [
    "CONV_2D",
    "DEPTHWISE_CONV_2D",
    "CONV_2D",
    "ADD",
    "CONV_2D",
    "DEPTHWISE_CONV_2D",
    "CONV_2D",
    "MAX_POOL_2D",
    "CONV_2D",
    "ADD",
    "AVERAGE_POOL_2D",
    "RESHAPE",
    "FULLY_CONNECTED",
    "SOFTMAX",
]
DATA_ALIGNMENT = 16


@pytest.fixture(scope="module")
def parsed(model: Path) -> tflite.Model:
    return tflite.Model.GetRootAs(model.read_bytes())


@pytest.fixture(scope="module")
def graph(parsed: tflite.Model) -> tflite.SubGraph:
    assert parsed.SubgraphsLength() == 1
    return parsed.Subgraphs(0)


def test_file_has_the_identifier_of_tflite(model: Path) -> None:
    assert model.read_bytes()[4:8] == b"TFL3"


def test_operators_are_the_core_set_in_order(parsed: tflite.Model, graph: tflite.SubGraph) -> None:
    codes = [
        parsed.OperatorCodes(graph.Operators(i).OpcodeIndex()).BuiltinCode()
        for i in range(graph.OperatorsLength())
    ]
    assert codes == [getattr(tflite.BuiltinOperator, name) for name in OPERATORS]


def test_input_and_output_are_int8_with_the_documented_scale(graph: tflite.SubGraph) -> None:
    image, scores = graph.Tensors(graph.Inputs(0)), graph.Tensors(graph.Outputs(0))
    assert (graph.InputsLength(), graph.OutputsLength()) == (1, 1)
    assert (image.Name(), image.ShapeAsNumpy().tolist()) == (b"image", [1, 8, 8, 1])
    assert (scores.Name(), scores.ShapeAsNumpy().tolist()) == (b"scores", [1, 10])
    assert {image.Type(), scores.Type()} == {tflite.TensorType.INT8}
    assert image.Quantization().Scale(0) == pytest.approx(1 / 255)
    assert image.Quantization().ZeroPoint(0) == -128
    assert (scores.Quantization().Scale(0), scores.Quantization().ZeroPoint(0)) == (1 / 256, -128)


def test_convolutions_are_quantised_per_output_channel(graph: tflite.SubGraph) -> None:
    stem, near = graph.Operators(0), graph.Operators(1)
    for operator, axis in ((stem, 0), (near, 3)):
        quantisation = graph.Tensors(operator.Inputs(1)).Quantization()
        assert (quantisation.ScaleLength(), quantisation.QuantizedDimension()) == (16, axis)


def test_constant_bytes_are_aligned_in_the_file(parsed: tflite.Model) -> None:
    file_bytes = parsed._tab.Bytes
    starts = [parsed.Buffers(i)._tab.Vector(4) for i in range(1, parsed.BuffersLength())]
    assert len(starts) == 9 * 2 - 1
    assert all(start % DATA_ALIGNMENT == 0 for start in starts)
    assert all(0 < start < len(file_bytes) for start in starts)


def test_exporting_again_gives_the_same_bytes(digits: Path, model: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.tflite"
    subprocess.run([sys.executable, digits / "export.py", again], check=True)
    assert again.read_bytes() == model.read_bytes()


def test_the_folder_stays_small(digits: Path) -> None:
    assert sum(x.stat().st_size for x in digits.iterdir() if x.is_file()) < 1 << 20
