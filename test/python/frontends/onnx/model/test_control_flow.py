"""If, Loop and Scan, compared with ONNX's reference evaluator."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from common.onnx_networks import reference
from onnx import TensorProto, helper, numpy_helper

import forebay
from forebay.errors import Error

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
X = np.random.default_rng(3).normal(size=(4, 3)).astype(np.float32)


def value(name: str, kind: int = FLOAT, shape: Any = (4, 3)) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def network(tmp_path: Path, nodes: Any, outputs: Any, constants: Any = None, **inputs: Any) -> Path:
    """Write a network of `x` and other inputs."""
    graph = helper.make_graph(
        nodes,
        "net",
        [value("x"), *(value(n, *of) for n, of in inputs.items())],
        outputs,
        [numpy_helper.from_array(np.asarray(a), n) for n, a in (constants or {}).items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    path = tmp_path / "net.onnx"
    onnx.save(model, path)
    return path


def assert_equals_reference(path: Path, *arrays: Any) -> None:
    found = forebay.compile(path).run(*arrays)
    given = found if isinstance(found, tuple) else (found,)
    for y, golden in zip(given, reference(path, list(arrays)), strict=True):
        assert y.shape == golden.shape
        np.testing.assert_allclose(y, golden, rtol=1e-5, atol=1e-6)


def branch(kind: str, name: str) -> Any:
    """Return a graph of one operator on `x`, which is outside of it."""
    return helper.make_graph([helper.make_node(kind, ["x"], [name])], kind, [], [value(name)])


def choice(condition: str) -> Any:
    return helper.make_node(
        "If",
        [condition],
        ["y"],
        then_branch=branch("Relu", "a"),
        else_branch=branch("Neg", "b"),
    )


@pytest.mark.parametrize("known", [True, False])
def test_a_known_condition_takes_one_branch(known: bool, tmp_path: Path) -> None:
    path = network(tmp_path, [choice("c")], [value("y")], {"c": known})
    assert_equals_reference(path, X)


@pytest.mark.parametrize(("kind", "number"), [("Shape", [4]), ("Size", 12)])
def test_a_condition_may_follow_from_a_shape(kind: str, number: Any, tmp_path: Path) -> None:
    attributes = {"start": 0, "end": 1} if kind == "Shape" else {}
    wrong = helper.make_node("Split", ["x", "parts"], ["a", "b"], axis=1)  # of 3 elements, 5
    other = helper.make_graph([wrong], "other", [], [value("a")])
    nodes = [
        helper.make_node(kind, ["x"], ["s"], **attributes),
        helper.make_node("Equal", ["s", "number"], ["c"]),
        helper.make_node("If", ["c"], ["y"], then_branch=branch("Relu", "r"), else_branch=other),
    ]
    constants = {"number": np.array(number), "parts": np.array([2, 3])}
    path = network(tmp_path, nodes, [value("y")], constants)
    np.testing.assert_array_equal(forebay.compile(path).run(X), np.maximum(X, 0))


@pytest.mark.parametrize("given", [True, False])
def test_a_condition_on_data_chooses_between_both(given: bool, tmp_path: Path) -> None:
    path = network(tmp_path, [choice("c")], [value("y")], c=(BOOL, ()))
    assert_equals_reference(path, X, np.array(given))


def test_branches_of_several_shapes_are_refused(tmp_path: Path) -> None:
    total = helper.make_node("ReduceSum", ["x"], ["b"])
    other = helper.make_graph([total], "sum", [], [value("b", FLOAT, (1, 1))])
    node = helper.make_node("If", ["c"], ["y"], then_branch=branch("Relu", "a"), else_branch=other)
    path = network(tmp_path, [node], [value("y", FLOAT, ("n", "m"))], c=(BOOL, ()))
    with pytest.raises(Error, match=r"branches with results of \[4, 3\] and \[1, 1\]"):
        forebay.compile(path)


def body(condition: Any) -> Any:
    """Return `v = v * x + i`, with all values of v as a second result."""
    nodes = [
        helper.make_node("Cast", ["i"], ["step"], to=FLOAT),
        helper.make_node("Mul", ["v", "x"], ["product"]),
        helper.make_node("Add", ["product", "step"], ["next"]),
        helper.make_node("Identity", ["next"], ["seen"]),
        condition,
    ]
    inputs = [value("i", INT64, ()), value("go_on", BOOL, ()), value("v")]
    outputs = [value("again", BOOL, ()), value("next"), value("seen")]
    constants = [numpy_helper.from_array(np.array(2), "two")]
    return helper.make_graph(nodes, "body", inputs, outputs, constants)


LOOP_RESULTS = [value("y"), value("all", FLOAT, ("n", 4, 3))]


@pytest.mark.parametrize(("count", "iterations"), [(5, 5), (9, 3)])
def test_a_loop_runs_until_its_condition_is_false(
    count: int, iterations: int, tmp_path: Path
) -> None:
    """Either after all iterations, or when `i < 2` is false after the third one."""
    condition = (
        helper.make_node("Identity", ["go_on"], ["again"])
        if count == iterations
        else helper.make_node("Less", ["i", "two"], ["again"])
    )
    node = helper.make_node("Loop", ["count", "c", "x"], ["y", "all"], body=body(condition))
    constants = {"count": np.array(count), "c": np.array(True)}
    path = network(tmp_path, [node], LOOP_RESULTS, constants)
    y, seen = forebay.compile(path).run(X)
    golden, rows = reference(path, [X])  # which it puts below each other, without a new axis
    np.testing.assert_allclose(y, golden, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(seen, rows.reshape(iterations, 4, 3), rtol=1e-5, atol=1e-6)


def test_a_condition_alone_ends_a_loop(tmp_path: Path) -> None:
    node = helper.make_node(
        "Loop",
        ["", "", "x"],
        ["y", "all"],
        body=body(helper.make_node("Less", ["i", "two"], ["again"])),
    )
    path = network(tmp_path, [node], LOOP_RESULTS)
    assert forebay.compile(path).run(X)[1].shape == (3, 4, 3)


def test_a_loop_whose_iterations_depend_on_data_is_refused(tmp_path: Path) -> None:
    node = helper.make_node(
        "Loop",
        ["n", "", "x"],
        ["y", "all"],
        body=body(helper.make_node("Identity", ["go_on"], ["again"])),
    )
    path = network(tmp_path, [node], LOOP_RESULTS, n=(INT64, ()))
    with pytest.raises(Error, match="iterations whose number is computed; make it a constant"):
        forebay.compile(path)


@pytest.mark.parametrize("backwards", [0, 1])
def test_a_scan_runs_for_each_row(backwards: int, tmp_path: Path) -> None:
    step = helper.make_graph(
        [
            helper.make_node("Add", ["total", "row"], ["sum"]),
            helper.make_node("Tanh", ["sum"], ["shown"]),
        ],
        "step",
        [value("total", FLOAT, (3,)), value("row", FLOAT, (3,))],
        [value("sum", FLOAT, (3,)), value("shown", FLOAT, (3,))],
    )
    node = helper.make_node(
        "Scan",
        ["start", "x"],
        ["y", "all"],
        body=step,
        num_scan_inputs=1,
        scan_input_directions=[backwards],
        scan_output_axes=[1],
    )
    start = np.array([1, -1, 0], np.float32)
    results = [value("y", FLOAT, (3,)), value("all", FLOAT, (3, 4))]
    path = network(tmp_path, [node], results, {"start": start})
    y, shown = forebay.compile(path).run(X)
    totals = start + np.cumsum(X[::-1] if backwards else X, axis=0)
    np.testing.assert_allclose(y, totals[-1], rtol=1e-5)
    np.testing.assert_allclose(shown, np.tanh(totals).T, rtol=1e-5)


def test_control_flow_may_be_nested(tmp_path: Path) -> None:
    """The inner choice reads what is around the loop, and what the loop computes."""
    inner = helper.make_node(
        "If",
        ["is_first"],
        ["chosen"],
        then_branch=helper.make_graph(
            [helper.make_node("Mul", ["v", "x"], ["a"])], "then", [], [value("a")]
        ),
        else_branch=helper.make_graph(
            [helper.make_node("Sub", ["v", "x"], ["b"])], "else", [], [value("b")]
        ),
    )
    nodes = [helper.make_node("Less", ["i", "one"], ["is_first"]), inner]
    nodes.append(helper.make_node("Identity", ["go_on"], ["again"]))
    loop_body = helper.make_graph(
        nodes,
        "body",
        [value("i", INT64, ()), value("go_on", BOOL, ()), value("v")],
        [value("again", BOOL, ()), value("chosen")],
        [numpy_helper.from_array(np.array(1), "one")],
    )
    node = helper.make_node("Loop", ["count", "", "x"], ["y"], body=loop_body)
    path = network(tmp_path, [node], [value("y")], {"count": np.array(3)})
    y = forebay.compile(path).run(X)
    np.testing.assert_allclose(y, X * X - 2 * X, rtol=1e-5, atol=1e-6)
