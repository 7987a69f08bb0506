"""The instructions of operators, from the report of a board."""

from __future__ import annotations

import pytest
from common.documents.mcu_reports import mcu_report
from common.documents.memory_maps import memory_map

from forebay.formats.mcu_report import FunctionCost
from forebay.view.from_memory_map import data_of_memory_map
from forebay.view.instructions import OtherModelError, with_instructions

ENTRY = FunctionCost("entry points", None, "", "", 8, (2, 2))


def test_an_operator_has_the_instructions_of_all_its_functions() -> None:
    parts = (
        FunctionCost("conv_rows", 1, "CONV_2D", "y", 512, (1000, 1001)),
        FunctionCost("conv_border", 1, "CONV_2D", "y", 64, (30, 31)),
    )
    data = with_instructions(data_of_memory_map(memory_map()), mcu_report(*parts, ENTRY))
    assert [operator.instructions for operator in data.operators] == [None, 1030]
    assert data.facts[-1] == ("instructions", "1,032 on a board")


def test_a_report_of_another_model_is_refused() -> None:
    plan = data_of_memory_map(memory_map())
    with pytest.raises(OtherModelError, match="the report is of 'other', but the plan of 'net'"):
        with_instructions(plan, mcu_report(ENTRY, model="other"))
    for index, kind in ((1, "ADD"), (2, "CONV_2D")):
        part = FunctionCost("part", index, kind, "y", 512, (1000, 1001))
        with pytest.raises(OtherModelError, match=f"an operator {index} {kind}, but the plan of"):
            with_instructions(plan, mcu_report(part))
