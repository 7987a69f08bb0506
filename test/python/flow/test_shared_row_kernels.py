"""Equal kernels of loops over rows: they share one function, with the bits of whole tensors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common import networks
from common.models.goldens import samples
from common.mutants.row_mutants import exchanged_entries
from common.programs.pool_chain import SHAPE, pool_chain
from mlir import ir
from mlir.dialects import func, memref

import forebay
from forebay.engines.llvm import LlvmEngine
from forebay.ir.nested import ops_of
from forebay.pipelines import PipelineError, run_pipeline

MOST = 8
"""Mutants of a table, evenly spread over all."""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> forebay.Compiled:
    path = tmp_path_factory.mktemp("pools") / "net.mlir"
    path.write_text(pool_chain(5))
    return forebay.compile(path, budget="min")


def image() -> np.ndarray:
    return np.random.default_rng(0).integers(-128, 128, SHAPE, np.int8)


def pooled(rows: np.ndarray, times: int) -> np.ndarray:
    for _ in range(times):
        padded = np.pad(rows, ((0, 0), (1, 1), (1, 1), (0, 0)), constant_values=-128)
        parts = [padded[:, y : y + 12, x : x + 6] for y in range(3) for x in range(3)]
        rows = np.max(parts, axis=0)
    return rows


def test_the_kernels_between_buffers_of_rows_are_one_function(compiled: forebay.Compiled) -> None:
    operators = {name: [it.index for it in its] for name, its in compiled.functions.items()}
    assert operators == {"pool_0": [0], "pool_1": [1, 2, 3], "pool_4": [4]}


def test_each_row_is_computed_once_by_its_operator(compiled: forebay.Compiled) -> None:
    calls = [operator.index for operator in compiled.calls["pool_1"]]
    assert [calls.count(index) for index in (1, 2, 3)] == [12] * 3
    # A window needs the row behind its own, so each operator begins one tick after its source.
    assert calls[:6] == [1, 1, 2, 1, 2, 3]


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
def test_the_engines_compute_the_bits_of_whole_tensors(
    engine: forebay.EngineName, compiled: forebay.Compiled
) -> None:
    np.testing.assert_array_equal(compiled.run(image(), engine=engine), pooled(image(), 5))


def verdict(module: ir.Module) -> str:
    try:
        run_pipeline(module, "builtin.module(memref-pool-verify-plan)")
    except PipelineError as error:
        return str(error)
    return ""


def test_each_wrong_table_that_changes_an_output_is_refused(compiled: forebay.Compiled) -> None:
    right = pooled(image(), 5)
    wrong = 0
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(compiled.ir)
        assert verdict(module) == ""
        tables = ops_of(module.operation, memref.GlobalOp)
        assert len(tables) == 4
        for table in tables:
            entries = list(map(int, ir.DenseIntElementsAttr(table.initial_value)))
            mutants = [new for new in exchanged_entries(entries) if new != entries]
            for new in mutants[:: max(len(mutants) // MOST, 1)]:
                table.initial_value = ir.DenseElementsAttr.get(np.array(new, np.int16))
                found = LlvmEngine(ir.Module.parse(str(module)), compiled.info).run([image()])[0]
                if not np.array_equal(found, right):
                    wrong += 1
                    assert verdict(module), (table.sym_name.value, new)
            table.initial_value = ir.DenseElementsAttr.get(np.array(entries, np.int16))
        assert verdict(module) == ""
    assert wrong > 5


def test_a_call_that_passes_the_table_of_another_buffer_is_refused(
    compiled: forebay.Compiled,
) -> None:
    with ir.Context(), ir.Location.unknown():
        for number in range(3):
            module = ir.Module.parse(compiled.ir)
            calls = [op for op in ops_of(module.operation, func.CallOp) if len(op.operands) == 4]
            assert len(calls) == 3
            tables = [n for n, it in enumerate(calls[number].operands) if "xi16" in str(it.type)]
            one, other = tables
            first, second = calls[number].operands[one], calls[number].operands[other]
            calls[number].operation.operands[one] = second
            calls[number].operation.operands[other] = first
            found = verdict(module)
            assert "elsewhere" in found or "nothing was written" in found


@pytest.mark.parametrize("cpu", ["generic", "cortex-m55"])
def test_ds_cnn_has_two_functions_for_eight_operators(cpu: str, shared_models: Path) -> None:
    compiled = networks.compiled(shared_models / "kws_dscnn_int8.tflite", budget="min", cpu=cpu)
    shared = {
        name: [operator.index for operator in operators]
        for name, operators in compiled.functions.items()
        if len(operators) > 1
    }
    assert shared == {"depthwise_conv_2d_1": [1, 3, 5, 7], "conv_2d_2": [2, 4, 6, 8]}
    inputs, expected = next(iter(samples(shared_models, "kws_dscnn_int8")))
    np.testing.assert_array_equal(compiled.run(*inputs, engine="c"), expected[0])
