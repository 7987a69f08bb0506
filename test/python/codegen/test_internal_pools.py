"""A network with all memory inside of it: `run(inputs, outputs)`, no pools, no allocator."""

from __future__ import annotations

import dataclasses
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from common.models.fully_connected import X
from common.models.golden_c import COUNTER
from common.toolchain import STRICT_C99
from mlir import ir
from numpy.typing import NDArray

from forebay.codegen.project.project import write_project
from forebay.engines.c import CEngine
from forebay.network.model import GoldenStep, ModelInfo
from forebay.network.packaging import with_internal_pools
from forebay.pools import Fill

Network = tuple[ir.Module, ModelInfo]
Reference = Callable[[NDArray[np.int8]], NDArray[np.int8]]
INPUT = Path(__file__).parent / "inputs" / "counter.mlir"
ALLOCATORS = {"malloc", "calloc", "realloc", "free", "aligned_alloc", "sbrk", "alloca"}


@pytest.mark.parametrize("fill", [Fill.rom, Fill.at_init])
def test_functions_take_inputs_and_outputs_alone(
    fully_connected: Network, reference: Reference, tmp_path: Path, fill: Fill
) -> None:
    module, model = fully_connected
    weights = dataclasses.replace(model.pools[1], fill=fill)
    model = with_internal_pools(dataclasses.replace(model, pools=(model.pools[0], weights)))
    np.testing.assert_array_equal(CEngine(module, model).run([X])[0], reference(X))
    directory = write_project(module, model, tmp_path / "out")
    header = (directory / "tiny_net.h").read_text()
    assert "tiny_net_status tiny_net_run(const int8_t *input_1, int8_t *identity);" in header
    assert "tiny_net_pools" not in header
    assert not (directory / "tiny_net_pools.c").exists()


def test_state_and_pooled_ports_are_reached_without_pools(context: ir.Context) -> None:
    module = ir.Module.parse(INPUT.read_text())
    engine = CEngine(module, with_internal_pools(COUNTER))
    x = np.array([1, 2, 3, -10], np.int16)
    engine.reset()
    assert [int(engine.run([x])[0][0]) for _ in range(3)] == [96, 92, 88]
    engine.reset()
    assert int(engine.run([x])[0][0]) == 96


def test_selftest_passes_and_no_object_allocates(
    fully_connected: Network, reference: Reference, tmp_path: Path
) -> None:
    module, model = fully_connected
    model = dataclasses.replace(
        with_internal_pools(model), golden=(GoldenStep((X,), (reference(X),)),)
    )
    directory = write_project(module, model, tmp_path / "out")
    sources = ["tiny_net.c", "tiny_net_weights.c"]
    subprocess.run(["gcc", *STRICT_C99, "-c", *sources], cwd=directory, check=True)
    symbols = subprocess.run(
        ["nm", "-u", "tiny_net.o", "tiny_net_weights.o"],
        cwd=directory,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert "memcpy" in symbols  # nm does list what is called
    assert not ALLOCATORS & set(symbols)
    command = ["gcc", *STRICT_C99, "-fsanitize=address,undefined", "tiny_net_selftest.c", *sources]
    subprocess.run([*command, "-o", "selftest"], cwd=directory, check=True)
    done = subprocess.run(
        ["./selftest"], cwd=directory, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "tiny_net: all outputs are as expected\n")
