from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build, constant
from common.tflite_engines import assert_all_equal_micro, assert_all_give
from common.tflite_reference import micro, ours, random_int8
from mlir import ir

from forebay.frontends.tflite import MalformedModel, UnsupportedModel, import_model

SCALE = 0.05


def value(*shape: int) -> T:
    return T(shape, "int8", SCALE, 3)


STEPS, DEPTH, UNITS = 4, 6, 5


def counter_below(limit: T) -> Graph:
    tensors = [T((), "int32"), value(1, UNITS), value(STEPS, 1, UNITS), limit, T((), "bool")]
    return Graph(tensors, [0, 1, 2], [4], [Op("LESS", [0, 3], [4], "LessOptions")])


UPDATE = [
    Op("CONCATENATION", [16, 15], [17], "ConcatenationOptions", {"Axis": 0}),
    Op("DYNAMIC_UPDATE_SLICE", [2, 18, 17], [19], "DynamicUpdateSliceOptions"),
]


def between_slices(next_step: str) -> list[Op]:
    """The update as the rows before it, the new one and the rows behind; `next_step` adds 1."""
    return [
        Op("CONCATENATION", [16, 21], [22], "ConcatenationOptions", {"Axis": 0}),
        Op("SLICE", [2, 27, 22], [23], "SliceOptions"),
        Op(next_step, [0, 29 if next_step == "SUB" else 10], [30], f"{next_step.title()}Options"),
        Op("RESHAPE", [30, 12], [24], "ReshapeOptions", {"NewShape": [1]}),
        Op("CONCATENATION", [24, 15], [25], "ConcatenationOptions", {"Axis": 0}),
        Op("SLICE", [2, 25, 28], [26], "SliceOptions"),
        Op("CONCATENATION", [23, 18, 26], [19], "ConcatenationOptions", {"Axis": 0}),
    ]


def recurrent(limit: T, update: list[Op] = UPDATE) -> bytes:
    """A recurrent layer as a loop: h = relu(W x[t] + R h), with the steps collected."""
    rng = np.random.default_rng(5)

    def weights(units: int, depth: int) -> T:
        data = rng.integers(-127, 128, (units, depth), dtype=np.int8)
        return T((units, depth), "int8", 0.01, data=data)

    inputs = weights(STEPS, DEPTH)
    body = Graph(
        [
            T((), "int32"),
            value(1, UNITS),
            value(STEPS, 1, UNITS),
            T((STEPS, DEPTH), "int8", SCALE, 3, inputs.data),
            value(DEPTH),
            weights(UNITS, UNITS),
            weights(UNITS, DEPTH),
            value(1, UNITS),
            value(1, UNITS),
            value(1, UNITS),
            constant(1),
            T((), "int32"),
            constant([1]),
            value(1, DEPTH),
            value(1, UNITS),
            constant([0, 0]),
            T((1,), "int32"),
            T((3,), "int32"),
            value(1, 1, UNITS),
            value(STEPS, 1, UNITS),
            constant([1, 1, UNITS]),
            constant([-1, -1]),
            T((3,), "int32"),
            replace(value(1, 1, UNITS), signature=(-1, 1, UNITS)),
            T((1,), "int32"),
            T((3,), "int32"),
            replace(value(1, 1, UNITS), signature=(-1, 1, UNITS)),
            constant([0, 0, 0]),
            constant([-1, -1, -1]),
            constant(-1),
            T((), "int32"),
        ],
        [0, 1, 2],
        [11, 9, 19],
        [
            Op("GATHER", [3, 0], [4], "GatherOptions", {"Axis": 0}),
            Op("FULLY_CONNECTED", [1, 5], [7], "FullyConnectedOptions"),
            Op("FULLY_CONNECTED", [4, 6], [8], "FullyConnectedOptions"),
            Op("ADD", [7, 8], [9], "AddOptions", {"FusedActivationFunction": 1}),
            Op("ADD", [0, 10], [11], "AddOptions"),
            Op("RESHAPE", [0, 12], [16], "ReshapeOptions", {"NewShape": [1]}),
            Op("RESHAPE", [9, 20], [18], "ReshapeOptions", {"NewShape": [1, 1, UNITS]}),
            *update,
        ],
    )
    start = T((STEPS, 1, UNITS), "int8", SCALE, 3, np.full((STEPS, 1, UNITS), 3, np.int8))
    tensors = [
        constant(0),
        value(1, UNITS),
        start,
        T((), "int32"),
        value(1, UNITS),
        value(STEPS, 1, UNITS),
    ]
    fields = {"CondSubgraphIndex": 1, "BodySubgraphIndex": 2}
    loop = Op("WHILE", [0, 1, 2], [3, 4, 5], "WhileOptions", fields)
    return build(Graph(tensors, [1], [3, 4, 5], [loop]), counter_below(limit), body)


def test_a_loop_over_time(tmp_path: Path) -> None:
    _, hidden, steps = assert_all_equal_micro(
        recurrent(constant(STEPS)), tmp_path, random_int8(7, 1, UNITS)
    )
    np.testing.assert_array_equal(steps[-1], hidden)
    assert len(np.unique(steps)) > STEPS


@pytest.fixture
def never_unrolled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("forebay.frontends.tflite.operators.control_flow.loop._UNROLLED", -1)


@pytest.mark.usefixtures("never_unrolled")
def test_a_loop_over_time_is_one_loop(tmp_path: Path) -> None:
    file = recurrent(constant(STEPS))
    assert_all_equal_micro(file, tmp_path, random_int8(7, 1, UNITS))
    with ir.Context():
        text = str(import_model(file))
    assert text.count("scf.for") == 1
    assert "scf.while" not in text


@pytest.mark.usefixtures("never_unrolled")
@pytest.mark.parametrize(("next_step", "loops"), [("ADD", 1), ("SUB", 0)])
def test_rows_between_slices_are_stored_in_place(
    next_step: str, loops: int, tmp_path: Path
) -> None:
    """Where the slices are not recognised, their sizes are constant if the loop is unrolled."""
    file, hidden = recurrent(constant(STEPS), between_slices(next_step)), random_int8(7, 1, UNITS)
    assert_all_give(file, tmp_path, [hidden], micro(recurrent(constant(STEPS)), [hidden]))
    with ir.Context():
        assert str(import_model(file)).count("scf.for") == loops


def test_a_loop_without_an_iteration_gives_its_operands() -> None:
    hidden = random_int8(7, 1, UNITS)
    counter, result, _ = ours(recurrent(constant(0)), [hidden])
    assert counter == 0
    np.testing.assert_array_equal(result, hidden)


def loop(body: Graph, condition: Graph, operand: T) -> bytes:
    fields = {"CondSubgraphIndex": 1, "BodySubgraphIndex": 2}
    inputs = [] if operand.data is not None else [0]
    result = T(operand.shape, operand.dtype)
    main = Graph([operand, result], inputs, [1], [Op("WHILE", [0], [1], "WhileOptions", fields)])
    return build(main, condition, body)


COUNTED = Graph(
    [T((), "int32"), constant(1), T((), "int32")], [0], [2], [Op("ADD", [0, 1], [2], "AddOptions")]
)
POSITIVE = Graph(
    [T((), "int32"), constant(0), T((), "bool")],
    [0],
    [2],
    [Op("GREATER_EQUAL", [0, 1], [2], "GreaterEqualOptions")],
)


BELOW = Graph(
    [T((), "int32"), constant(5), T((), "bool")],
    [0],
    [2],
    [Op("LESS", [0, 1], [2], "LessOptions")],
)


@pytest.mark.parametrize("start", [2, 5])
def test_a_condition_of_data(start: int, tmp_path: Path) -> None:
    file = loop(COUNTED, BELOW, T((), "int32"))
    (found,) = assert_all_equal_micro(file, tmp_path, np.array(start, np.int32))
    assert found == 5


def test_a_shape_that_changes_is_refused(context: ir.Context) -> None:
    longer = T((4,), "int32", signature=(-1,))
    join = Op("CONCATENATION", [0, 0], [1], "ConcatenationOptions")
    body = Graph([T((2,), "int32"), longer], [0], [1], [join])
    pick = Op("REDUCE_ANY", [1, 2], [3], "ReducerOptions")
    zero = Op("GREATER", [0, 4], [1], "GreaterOptions")
    tensors = [T((2,), "int32"), T((2,), "bool"), constant([0]), T((), "bool"), constant([0])]
    condition = Graph(tensors, [0], [3], [zero, pick])
    with pytest.raises(UnsupportedModel, match=r"shape \[2\] before an iteration and \[4\]"):
        import_model(loop(body, condition, T((2,), "int32")))


def test_a_loop_without_end_is_refused(
    context: ir.Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forebay.frontends.tflite.subgraphs.MOST_OPERATORS", 50)
    with pytest.raises(UnsupportedModel, match="more than 50 operators"):
        import_model(loop(COUNTED, POSITIVE, constant(0)))


def test_a_subgraph_that_names_itself_is_malformed(context: ir.Context) -> None:
    fields = {"CondSubgraphIndex": 1, "BodySubgraphIndex": 2}
    inside = [Op("WHILE", [0], [1], "WhileOptions", fields)]
    body = Graph([T((), "int32"), T((), "int32")], [0], [1], inside)
    with pytest.raises(MalformedModel, match="subgraph 2 names itself"):
        import_model(loop(body, POSITIVE, constant(0)))


def test_state_inside_is_refused(context: ir.Context) -> None:
    state = T((1,), "int8", is_variable=True)
    body = Graph([*COUNTED.tensors, state], [0], [2], COUNTED.operators)
    with pytest.raises(UnsupportedModel, match="state in its subgraph 2"):
        import_model(loop(body, POSITIVE, constant(0)))


def test_a_subgraph_that_does_not_exist_is_malformed(context: ir.Context) -> None:
    fields = {"CondSubgraphIndex": 7, "BodySubgraphIndex": 2}
    tensors = [constant(0), T((), "int32")]
    main = Graph(tensors, [], [1], [Op("WHILE", [0], [1], "WhileOptions", fields)])
    with pytest.raises(MalformedModel, match="names subgraph 7 of 3"):
        import_model(build(main, COUNTED, COUNTED))


def test_inputs_of_other_types_are_refused(context: ir.Context) -> None:
    with pytest.raises(UnsupportedModel, match="'t0' of INT64 for the input 't0' of INT32"):
        import_model(loop(COUNTED, POSITIVE, constant(0, "int64")))
