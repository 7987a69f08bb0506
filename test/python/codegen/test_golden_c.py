"""Whole generated files, to be read from top to bottom.

`FOREBAY_UPDATE_GOLDEN=1` writes them again; read the difference before committing it.
"""

from __future__ import annotations

import dataclasses

import pytest
from common.models.gated_filter import MODEL, gated_filter
from common.models.golden_c import COUNTER, FOLDER, assert_golden
from mlir import ir

from forebay.codegen.project.project import project_files
from forebay.network.model import (
    ModelInfo,
)

FULLY_CONNECTED = [
    ".h",
    ".c",
    "_weights.h",
    "_weights.c",
    "_weights_values.h",
    "_weights_incbin.S",
    "_pools.c",
]


@pytest.mark.parametrize("suffix", FULLY_CONNECTED)
def test_fully_connected(fully_connected: tuple[ir.Module, ModelInfo], suffix: str) -> None:
    assert_golden(project_files(*fully_connected), f"tiny_net{suffix}")


@pytest.mark.parametrize("suffix", [".h", ".c", ".json", "_pools.c"])
def test_state_and_pooled_ports(context: ir.Context, suffix: str) -> None:
    module = ir.Module.parse((FOLDER / "inputs" / "counter.mlir").read_text())
    assert_golden(project_files(module, COUNTER), f"counter{suffix}")


@pytest.mark.parametrize("suffix", [".h", ".c", ".json", ".ld", "_pools.c", "_selftest.c"])
def test_every_kind_of_pool(context: ir.Context, suffix: str) -> None:
    assert_golden(project_files(gated_filter(), MODEL), f"gated_filter{suffix}")


def test_text_does_not_depend_on_the_directory_or_the_run(
    fully_connected: tuple[ir.Module, ModelInfo],
) -> None:
    module, model = fully_connected
    again = ir.Module.parse(module.operation.get_asm(enable_debug_info=True))
    assert project_files(module, model) == project_files(again, dataclasses.replace(model))
