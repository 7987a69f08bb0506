"""What a variable held before it was assigned can be a result, as it is and behind views."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build, constant

import forebay

NAME = {"SharedName": "cell", "Container": ""}


def network() -> bytes:
    """`old` and its reshape are returned, `x` is stored."""
    handle = T((), "resource", name="handle")
    main = Graph(
        [
            T((4,), "int8", 0.5, name="x"),
            handle,
            T((4,), "int8", 0.5, name="old"),
            constant([2, 2]),
            T((2, 2), "int8", 0.5, name="square"),
        ],
        [0],
        [2, 4],
        [
            Op("CALL_ONCE", [], [], "CallOnceOptions", {"InitSubgraphIndex": 1}),
            Op("VAR_HANDLE", [], [1], "VarHandleOptions", NAME),
            Op("READ_VARIABLE", [1], [2], "ReadVariableOptions"),
            Op("RESHAPE", [2, 3], [4], "ReshapeOptions"),
            Op("ASSIGN_VARIABLE", [1, 0], [], "AssignVariableOptions"),
        ],
    )
    initial = T((4,), "int8", 0.5, data=np.array([1, 2, 3, 4]))
    operators = [
        Op("VAR_HANDLE", [], [0], "VarHandleOptions", NAME),
        Op("ASSIGN_VARIABLE", [0, 1], [], "AssignVariableOptions"),
    ]
    return build(main, Graph([handle, initial], [], [], operators))


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
@pytest.mark.parametrize("io", ["caller", "pool"])
def test_a_result_shows_the_value_before_the_assignment(engine, io, tmp_path: Path) -> None:
    (tmp_path / "net.tflite").write_bytes(network())
    compiled = forebay.compile(tmp_path / "net.tflite", io=io)
    compiled.reset(engine)
    for x, held in (([9, 8, 7, 6], [1, 2, 3, 4]), ([5, 5, 5, 5], [9, 8, 7, 6])):
        old, square = compiled.run(np.array(x, np.int8), engine=engine)
        assert (old.tolist(), square.ravel().tolist()) == (held, held)
