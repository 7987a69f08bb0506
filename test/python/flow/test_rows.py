"""Networks whose tensors live as rows, in every engine: the bits of the same layers one by one."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest
from common.row_networks import NETWORKS
from mlir import ir

from forebay.codegen.project.project import project_files
from forebay.engines.c import CEngine
from forebay.engines.llvm import LlvmEngine
from forebay.pipelines import run_pipeline, stages

ENGINES = {"c": CEngine, "llvm": LlvmEngine}


def materialised(name: str, *, rows: bool) -> ir.Module:
    module = ir.Module.parse(NETWORKS[name]().text(rows=rows))
    run_pipeline(module, stages.materialization().replace("memref-pool-verify-plan,", ""))
    return module


@cache
def expected(name: str) -> list[int]:
    network = NETWORKS[name]()
    with ir.Context(), ir.Location.unknown():
        layers = LlvmEngine(materialised(name, rows=False), network.info(rows=False))
    return [int(value) for value in layers.run([network.sample(3)])[0]]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", NETWORKS)
def test_rows_have_the_bits_of_layers(name: str, engine: str) -> None:
    network = NETWORKS[name]()
    with ir.Context(), ir.Location.unknown():
        rows = ENGINES[engine](materialised(name, rows=True), network.info(rows=True))
        found = rows.run([network.sample(3)])[0]
    assert found.tolist() == expected(name)
    assert len(np.unique(found)) > 2
    assert network.row_peak() * 3 < network.whole_peak()


def test_the_code_takes_rows_outside_of_inner_loops() -> None:
    network = NETWORKS["mixed"]()
    with ir.Context(), ir.Location.unknown():
        code = project_files(materialised("mixed", rows=True), network.info(rows=True))["net.c"]
    assert "static const int16_t rows_of_conv0[12] = {\n    0, 24, 48," in code
    assert re.search(r"for \(int32_t tick = 0; tick < \d+; \+\+tick\)", code)
    window = """\
                    for (int32_t ky = ky_begin; ky < ky_end; ++ky) {
                        const int8_t *in = (const int8_t *)(sram + rows_of_conv0[tick - 2 + ky]);
                                /* [6][4] */
                        for (int32_t kx = kx_begin; kx < kx_end; ++kx) {
                            acc += in[(x2 - 1 + kx) * 4 + c] * rom->w1[(ky * 3 + kx) * 4 + c];
"""
    assert window in code
