"""The memory map says of every buffer what the model's own file says of its tensor."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tflite
from numpy.typing import NDArray

import forebay

TYPES = {tflite.TensorType.INT8: "int8", tflite.TensorType.INT32: "int32"}


@dataclass(frozen=True)
class Tensor:
    """A tensor as the schema's own reader has it."""

    dtype: str
    shape: tuple[int, ...]
    scales: NDArray[np.float32]
    zero_points: list[int]
    dimension: int
    data: bytes

    @property
    def real(self) -> NDArray[np.float64]:
        """The numbers that a constant stands for, in the order of the file."""
        stored = np.frombuffer(self.data, self.dtype).reshape(self.shape).astype(np.float64)
        shape = [1] * len(self.shape)
        shape[self.dimension] = -1 if len(self.scales) > 1 else 1
        return (stored * self.scales.astype(np.float64).reshape(shape)).reshape(-1)


def tensors(path: Path) -> dict[str, Tensor]:
    model = tflite.Model.GetRootAsModel(path.read_bytes(), 0)
    graph = model.Subgraphs(0)
    found: dict[str, Tensor] = {}
    for index in range(graph.TensorsLength()):
        tensor = graph.Tensors(index)
        quantization, buffer = tensor.Quantization(), model.Buffers(tensor.Buffer())
        if tensor.Type() not in TYPES or quantization is None or not quantization.ScaleLength():
            continue
        found[tensor.Name().decode()] = Tensor(
            TYPES[tensor.Type()],
            tuple(tensor.ShapeAsNumpy()),
            quantization.ScaleAsNumpy(),
            quantization.ZeroPointAsNumpy().tolist(),
            quantization.QuantizedDimension(),
            buffer.DataAsNumpy().tobytes() if buffer.DataLength() else b"",
        )
    return found


def written(path: Path, directory: Path, **options: Any) -> tuple[dict[str, Any], bytes]:
    """The memory map, and the bytes of the weights."""
    project = forebay.compile(path, **options).write(directory, golden=(), weights_blob=True)
    content = json.loads((project / f"{path.stem}.json").read_text())
    return content, (project / f"{path.stem}_weights.bin").read_bytes()


def real(row: dict[str, Any], data: bytes) -> NDArray[np.float64]:
    """What a constant stands for, by the map alone."""
    stored = np.frombuffer(data, row["type"], math.prod(row["shape"]), row["offset"])
    if not isinstance(row["scale"], list):
        return (stored.astype(np.float64) - row["zero_point"]) * row["scale"]
    which = np.arange(stored.size) // row["scale_stride"] % len(row["scale"])
    scales, zeros = (np.array(row[key], np.float64)[which] for key in ("scale", "zero_point"))
    return (stored.astype(np.float64) - zeros) * scales


@pytest.fixture(params=["digits_int8", "resnet8_int8", "kws_dscnn_int8"])
def network(request: pytest.FixtureRequest, digits: Path) -> Path:
    if request.param == "digits_int8":
        return digits
    return request.getfixturevalue("shared_models") / f"{request.param}.tflite"


def results(path: Path) -> dict[int, str]:
    """The tensor that each operator computes."""
    graph = tflite.Model.GetRootAsModel(path.read_bytes(), 0).Subgraphs(0)
    outputs = [graph.Operators(index).Outputs(0) for index in range(graph.OperatorsLength())]
    return {k: graph.Tensors(output).Name().decode() for k, output in enumerate(outputs)}


def test_activations_have_the_scales_of_the_file(network: Path, tmp_path: Path) -> None:
    # with padded sources, results of several operators may have one buffer
    content, _ = written(network, tmp_path / "out", optimize="size")
    model, names = tensors(network), results(network)
    rows = [row for row in content["buffers"] if row["pool"] == "workspace" and row["scale"]]
    for row in rows:
        maker = content["steps"][row["lifetime"][0]]
        tensor = model[names[content["operators"][maker["operator"]]["index"]]]
        assert (row["scale"], row["zero_point"]) == (tensor.scales[0], tensor.zero_points[0])
        assert (row["type"], math.prod(row["shape"])) == (tensor.dtype, math.prod(tensor.shape))
    # a softmax writes into the caller's memory, what it computes before is its own
    steps = [step for step in content["steps"] if "SOFTMAX" not in step["location"]]
    assert len(rows) == len({step["operator"] for step in steps})


def test_constants_stand_for_the_numbers_of_the_file(network: Path, tmp_path: Path) -> None:
    content, data = written(network, tmp_path / "out")
    model = tensors(network).values()
    known = [tensor.real for tensor in model if tensor.data]
    rows = [row for row in content["buffers"] if row.get("member", "").endswith("_weights")]
    assert len(rows) > 3
    for row in rows:
        own = real(row, data)
        assert any(own.size == other.size and np.array_equal(own, other) for other in known)
    made = {"multiplier", "shift", "table"}
    for row in content["buffers"]:
        if "member" in row:
            is_made = row["member"].rpartition("_")[2] in made
            assert (row["scale"] is None) is is_made, row["name"]


def test_state_and_ports_in_pools_have_theirs(shared_models: Path, tmp_path: Path) -> None:
    path = shared_models / "mww_vad_int8.tflite"
    content, _ = written(path, tmp_path / "out", io="pool")
    rows = {row["name"]: row for row in content["buffers"]}
    model = tensors(path)
    concat = model["model/stream/concat"]  # of the state and the input: all have one scale
    for name in ("stream/states", "serving_default_input_audio:0"):
        assert rows[name]["scale"] == concat.scales[0]
        assert rows[name]["zero_point"] == concat.zero_points[0]
    output = rows["StatefulPartitionedCall:0"]
    assert (output["type"], output["scale"], output["zero_point"]) == ("uint8", 1 / 256, 0)


def test_what_a_device_s_stage_made_has_no_scale(shared_models: Path, tmp_path: Path) -> None:
    """A fetched, padded input is no tensor of the model, though it is made at its operator."""
    path = shared_models / "kws_dscnn_int8.tflite"
    project = forebay.compile(path, target="fetch_conv").write(tmp_path / "out", golden=())
    content = json.loads((project / "kws_dscnn_int8.json").read_text())
    made = [row for row in content["buffers"] if row["lifetime"][1] <= 8 and "member" not in row]
    *fetched, first = sorted(made, key=lambda row: row["lifetime"])
    assert len(fetched) == 4
    assert [row["scale"] for row in fetched] == [None] * 4
    assert first["shape"] == [4, 25, 5, 16]
    rows = [row for row in content["buffers"] if row["scale"] and row["size"] == 8000]
    assert len({row["scale"] for row in rows}) == 9  # each convolution's, one of them rearranged


def test_lifetimes_count_the_steps(digits: Path, tmp_path: Path) -> None:
    content, _ = written(digits, tmp_path / "out")
    (block,) = [row for row in content["buffers"] if row["name"] == "block"]
    start, end = block["lifetime"]
    first, last = (content["operators"][content["steps"][n]["operator"]] for n in (start, end - 1))
    assert (first["index"], first["kind"], first["name"]) == (3, "ADD", "block")
    assert (last["index"], last["kind"], last["name"]) == (7, "MAX_POOL_2D", "short_pool")
    assert (block["producer"], block["consumers"][-1]) == (start, end - 1)
    assert content["stack_bound"]["32"] < content["stack_bound"]["64"]
