from __future__ import annotations

from forebay.frontends.tflite.dependencies import inputs_for, operators_for
from forebay.frontends.tflite.file.schema import Subgraph, TfliteOperator


def operator(index: int, inputs: tuple[int, ...], output: int) -> TfliteOperator:
    return TfliteOperator(index, "ADD", 1, inputs, (output,), None)


GRAPH = Subgraph(
    (),
    (0, 1, 2),
    (4, 5, 2),
    (operator(0, (0, 1), 3), operator(1, (3, 0), 4), operator(2, (2, -1), 5)),
)


def test_operators_are_those_before_a_result() -> None:
    assert [op.index for op in operators_for(GRAPH, [4])] == [0, 1]
    assert [op.index for op in operators_for(GRAPH, [5])] == [2]
    assert operators_for(GRAPH, [2]) == ()


def test_inputs_are_those_that_a_result_depends_on() -> None:
    assert inputs_for(GRAPH, [4]) == (0, 1)
    assert inputs_for(GRAPH, [2]) == (2,)
