"""LSTM, GRU and RNN, compared with ONNX's reference evaluator."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from common.onnx_networks import OnnxNetwork, reference
from common.sweep import sweep

import forebay
from forebay.errors import Error

GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
STEPS, BATCH, INPUTS, UNITS = 5, 2, 6, 4
FORMS: dict[str, dict[str, Any]] = {
    "LSTM": {},
    "GRU": {"linear_before_reset": 1},
    "RNN": {},
    "GRU reset before": {},
    "LSTM bidirectional": {"direction": "bidirectional"},
    "GRU bidirectional": {"direction": "bidirectional", "linear_before_reset": 1},
    "RNN bidirectional": {"direction": "bidirectional"},
    "LSTM reverse": {"direction": "reverse"},
    "GRU reverse": {"direction": "reverse"},
    "RNN reverse": {"direction": "reverse"},
    "LSTM layout": {"layout": 1, "direction": "bidirectional"},
    "GRU layout": {"layout": 1},
    "RNN layout": {"layout": 1, "direction": "bidirectional"},
}


def _f32(*shape: int, seed: int = 5) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _weights(net: OnnxNetwork, kind: str, count: int) -> list[str]:
    rows = GATES[kind] * UNITS
    shapes = [(count, rows, INPUTS), (count, rows, UNITS), (count, 2 * rows)]
    return [net.constant(_f32(*shape, seed=i)) for i, shape in enumerate(shapes)]


def _assert_close(found: Any, golden: Any) -> None:
    assert len(found) == len(golden)
    for y, expected in zip(found, golden, strict=True):
        assert (y.shape, y.dtype) == (expected.shape, expected.dtype)
        assert np.abs(y - expected).max() <= 1e-6


def _compiled(net: OnnxNetwork, tmp_path: Path, data: list[Any]) -> tuple[Any, Path]:
    path = net.save(tmp_path / "net.onnx")
    found = forebay.compile(path).run(*data)
    return found if isinstance(found, tuple) else (found,), path


@pytest.mark.parametrize("stateful", [False, True], ids=["zeros", "initial states"])
@pytest.mark.parametrize("form", sweep(FORMS, fast=5))
def test_all_results_equal_the_reference(form: str, stateful: bool, tmp_path: Path) -> None:
    kind, attributes = form.split(maxsplit=1)[0], FORMS[form]
    count = 2 if attributes.get("direction") == "bidirectional" else 1
    by_batch = attributes.get("layout", 0)
    shape = [BATCH, STEPS, INPUTS] if by_batch else [STEPS, BATCH, INPUTS]
    net, data = OnnxNetwork(), [_f32(*shape)]
    operands = [net.input("x", shape), *_weights(net, kind, count)]
    number = 2 if kind == "LSTM" else 1
    if stateful:
        size = [BATCH, count, UNITS] if by_batch else [count, BATCH, UNITS]
        operands += ["", *(net.input(f"state{i}", size) for i in range(number))]
        data += [_f32(*size, seed=9 + i) for i in range(number)]
    results = net.op(kind, *operands, outputs=1 + number, hidden_size=UNITS, **attributes)
    for i, name in enumerate(results):
        net.output_of(name, "float32", 4 if i == 0 else 3)
    found, path = _compiled(net, tmp_path, data)
    _assert_close(found, reference(path, data))


def test_peepholes_equal_the_reference(tmp_path: Path) -> None:
    net, data = OnnxNetwork(), [_f32(STEPS, BATCH, INPUTS)]
    operands = [net.input("x", [STEPS, BATCH, INPUTS]), *_weights(net, "LSTM", 1)]
    peepholes = net.constant(_f32(1, 3 * UNITS, seed=8))
    y = net.op("LSTM", *operands, "", "", "", peepholes, hidden_size=UNITS)
    net.output_of(y, "float32", 4)
    found, path = _compiled(net, tmp_path, data)
    _assert_close(found, reference(path, data))


def _exported(net: OnnxNetwork) -> None:
    """Add what PyTorch exports for two layers of LSTM and a linear one on the last step."""
    x = net.op("Transpose", net.input("x", [BATCH, STEPS, INPUTS]), perm=[1, 0, 2])
    zeros = net.constant(np.zeros((2, BATCH, UNITS), np.float32))
    settings: Any = {"hidden_size": UNITS, "direction": "bidirectional"}
    lengths = net.constant(np.full(BATCH, STEPS, np.int32))
    first = net.op(
        "LSTM", x, *_weights(net, "LSTM", 2), lengths, zeros, zeros, outputs=3, **settings
    )
    y = net.op("Transpose", first[0], perm=[0, 2, 1, 3])
    y = net.op("Reshape", y, net.constant(np.array([0, 0, -1], np.int64)))
    rows = [net.constant(_f32(2, 16, n, seed=n)) for n in (8, 4)]
    second = net.op("LSTM", y, *rows, "", "", zeros, zeros, outputs=3, **settings)
    y = net.op("Concat", *net.op("Split", second[1], outputs=2, axis=0, num_outputs=2), axis=2)
    y = net.op("Squeeze", y, net.constant(np.array([0], np.int64)))
    y = net.op("Gemm", y, net.constant(_f32(3, 8)), net.constant(_f32(3)), transB=1)
    net.output_of(y, "float32", 2)


def test_stacked_layers_equal_the_reference(tmp_path: Path) -> None:
    net, data = OnnxNetwork(), [_f32(BATCH, STEPS, INPUTS)]
    _exported(net)
    found, path = _compiled(net, tmp_path, data)
    _assert_close(found, reference(path, data))


def test_one_step_and_one_sequence_equal_the_reference(tmp_path: Path) -> None:
    net, data = OnnxNetwork(), [_f32(1, 1, INPUTS)]
    y = net.op("GRU", net.input("x", [1, 1, INPUTS]), *_weights(net, "GRU", 1), hidden_size=UNITS)
    net.output_of(y, "float32", 4)
    found, path = _compiled(net, tmp_path, data)
    _assert_close(found, reference(path, data))


def test_relu_is_another_activation(tmp_path: Path) -> None:
    net, x = OnnxNetwork(), _f32(STEPS, BATCH, INPUTS)
    settings: Any = {"hidden_size": UNITS, "activations": ["Relu"]}
    y = net.op("RNN", net.input("x", list(x.shape)), *_weights(net, "RNN", 1), **settings)
    net.output_of(y, "float32", 4)
    found, _ = _compiled(net, tmp_path, [x])
    w, r, b = (_f32(*s, seed=i)[0] for i, s in enumerate([(1, 4, 6), (1, 4, 4), (1, 8)]))
    hidden, rows = np.zeros((BATCH, UNITS), np.float32), []
    for row in x:
        hidden = np.maximum(row @ w.T + hidden @ r.T + b[:4] + b[4:], 0)
        rows.append(hidden[None])
    golden = np.stack(rows)
    assert np.abs(found[0] - golden).max() <= 1e-6 * np.abs(golden).max()


@pytest.mark.parametrize(
    ("attributes", "lengths", "error"),
    [
        ({"clip": 3.0}, [], "the attribute clip"),
        ({"input_forget": 1}, [], "the attribute input_forget"),
        ({"activations": ["Sigmoid", "Softsign", "Tanh"]}, [], "the activations softsign"),
        ({}, [STEPS, STEPS - 1], "sequences of several lengths"),
        ({"direction": "bidirectional"}, [], r"weights of shapes \[1, 16, 6\]"),
    ],
)
def test_other_layers_are_refused(
    attributes: Any, lengths: list[int], error: str, tmp_path: Path
) -> None:
    net = OnnxNetwork()
    operands = [net.input("x", [STEPS, BATCH, INPUTS]), *_weights(net, "LSTM", 1)]
    operands += [net.constant(np.array(lengths, np.int32))] if lengths else []
    y = net.op("LSTM", *operands, hidden_size=UNITS, **attributes)
    net.output_of(y, "float32", 4)
    with pytest.raises(Error, match=rf"operator 0 \(LSTM\): .*{error}"):
        forebay.compile(net.save(tmp_path / "net.onnx"))
