from __future__ import annotations

import pytest
from common.model_file import Graph, Op, T, build, constant

from forebay.frontends.tflite.file.reader import read_model
from forebay.frontends.tflite.file.schema import Subgraph
from forebay.frontends.tflite.lowering.registry import lowerings
from forebay.frontends.tflite.row_updates import with_row_updates

ROWS, COLUMNS = 5, 3


def around(
    rows: int = 1, added: int = 1, axis: int = 0, behind: int = 0, other: int = 0
) -> Subgraph:
    """Slices of tensor `other` before, and of tensor 0 behind, `rows` new rows at `added`."""
    vector, none = T((2,), "int32"), T((1, COLUMNS), signature=(-1, COLUMNS))
    tensors = [
        T((ROWS, COLUMNS)),
        T((rows, COLUMNS)),
        T((1,), "int32"),
        constant([added]),
        constant([-1]),
        constant([behind]),
        constant([0, 0]),
        constant([-1, -1]),
        T((1,), "int32"),
        vector,
        vector,
        none,
        none,
        T((ROWS, COLUMNS)),
        T((ROWS, COLUMNS)),
    ]
    join, slice_ = "ConcatenationOptions", "SliceOptions"
    operators = [
        Op("ADD", [3, 2], [8], "AddOptions"),
        Op("CONCATENATION", [2, 4], [9], join),
        Op("CONCATENATION", [8, 5], [10], join),
        Op("SLICE", [other, 6, 9], [11], slice_),
        Op("SLICE", [0, 10, 7], [12], slice_),
        Op("CONCATENATION", [11, 1, 12], [13], join, {"Axis": axis}),
    ]
    file = build(Graph(tensors, [0, 1, 2, 14], [13], operators))
    return read_model(file, "net.tflite", lowerings().__contains__).subgraphs[0]


def names(graph: Subgraph) -> list[str]:
    return [operator.name for operator in with_row_updates(graph).operators]


@pytest.mark.parametrize("rows", [1, 2])
def test_rows_between_slices_are_an_update(rows: int) -> None:
    graph = with_row_updates(around(rows, added=rows))
    assert names(graph) == ["CONCATENATION", "DYNAMIC_UPDATE_SLICE"]
    assert graph.operators[-1].inputs == (0, 1, 9)


@pytest.mark.parametrize(
    "changed", [{"added": 2}, {"rows": 2}, {"axis": 1}, {"behind": 1}, {"other": 14}]
)
def test_other_slices_stay(changed: dict[str, int]) -> None:
    graph = around(**changed)
    assert with_row_updates(graph) is graph
