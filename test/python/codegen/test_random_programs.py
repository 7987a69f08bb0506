"""Random programs mean the same in C, under the sanitizer, as in LLVM."""

from __future__ import annotations

import numpy as np
import pytest
from common.programs import random_c_program as random_program
from common.sweep import sweep
from mlir import ir

from forebay import pipelines
from forebay.engines.c import CEngine
from forebay.engines.llvm import LlvmEngine
from forebay.network.model import ModelInfo, Port

PROGRAMS = 40
PORTS = [
    tuple(Port(f"{kind}{i}", f"int{w}", (16,)) for i, w in enumerate((8, 16, 32, 64)))
    for kind in ("in", "out")
]
MODEL = ModelInfo("random", PORTS[0], PORTS[1], (), "00" * 32)
SANITIZE = ["-std=c99", "-O1", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
STRICT = ["-Wall", "-Wextra", "-Wconversion", "-Wcast-qual", "-Wshadow", "-pedantic", "-Werror"]


@pytest.mark.parametrize("seed", sweep(range(PROGRAMS), fast=4))
def test_c_and_llvm_agree(context: ir.Context, seed: int) -> None:
    module = ir.Module.parse(random_program.write_program(seed))
    rng = np.random.default_rng(seed)
    inputs = [
        rng.integers(info.min, info.max, 16, info.dtype, endpoint=True)
        for info in (np.iinfo(port.dtype) for port in MODEL.inputs)
    ]
    expected = LlvmEngine(module, MODEL).run(inputs)
    assert_equal(CEngine(module, MODEL, SANITIZE).run(inputs), expected)
    pipelines.run_pipeline(module, "builtin.module(func.func(canonicalize,cse,canonicalize))")
    assert_equal(CEngine(module, MODEL, [*SANITIZE, *STRICT]).run(inputs), expected)


def assert_equal(found: tuple, expected: tuple) -> None:
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)
