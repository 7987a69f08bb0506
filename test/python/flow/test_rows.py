"""Networks whose tensors live as rows, in every engine: the bits of the same layers one by one."""

from __future__ import annotations

import json
import re
from functools import cache
from random import Random

import numpy as np
import pytest
from common.programs.row_networks import NETWORKS, Network
from mlir import ir

from forebay.codegen.project.project import project_files
from forebay.emulator import Emulator
from forebay.emulator.memory.faults import LiveOverwrite, NeverWritten, StaleRow
from forebay.engines.c import CEngine
from forebay.engines.llvm import LlvmEngine
from forebay.ir.module import module_of
from forebay.ir.problem.problem import plan_of
from forebay.network.model import ModelInfo
from forebay.options import Options
from forebay.pipelines import run_pipeline, stages
from forebay.pipelines.describe import describe
from forebay.planning import certify
from forebay.reports.plan_report import PlanReport

ENGINES = {"c": CEngine, "llvm": LlvmEngine}


def materialised(name: str, *, rows: bool, options: Options | None = None) -> ir.Module:
    module = ir.Module.parse(NETWORKS[name]().text(rows=rows))
    passes = stages.materialization(options or Options())
    # The places are not those of a planner, so there is no certificate to verify.
    run_pipeline(module, passes.replace("memref-pool-verify-plan,", ""))
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
        module = materialised("mixed", rows=True, options=Options(optimize="size"))
        code = project_files(module, network.info(rows=True))["net.c"]
    assert "static const int16_t conv0_rows[12] = {\n    0, 24, 48," in code
    assert re.search(r"for \(int32_t tick = 0; tick < \d+; \+\+tick\)", code)
    window = """\
                    for (int32_t ky = ky_begin; ky < ky_end; ++ky) {
                        const int8_t *in = (const int8_t *)(sram + conv0_rows[tick - 2 + ky]);
                                /* [6][4] */
                        for (int32_t kx = kx_begin; kx < kx_end; ++kx) {
                            acc += in[(x2 - 1 + kx) * 4 + c] * rom->w1[(ky * 3 + kx) * 4 + c];
"""
    assert window in code


@pytest.mark.parametrize("by_element", [False, True])
@pytest.mark.parametrize("name", NETWORKS)
def test_the_emulator_runs_rows(name: str, by_element: bool) -> None:
    network = NETWORKS[name]()
    with ir.Context():
        module = ir.Module.parse(network.text(rows=True))
        found = Emulator(module.operation, by_element=by_element).call("main", [network.sample(3)])[
            0
        ]
    assert found.tolist() == expected(name)


def outcome(
    network: Network,
    places: dict[str, list[int]],
    *,
    checks: bool = True,
    like: Emulator | None = None,
) -> list[int]:
    """Run at these places; with the kernels of `like`, in its context."""
    with ir.Context() if like is None else ir.Context.current:
        module = ir.Module.parse(network.text(rows=True, places=places))
        emulator = Emulator(module.operation, checks=checks, like=like)
        found = emulator.call("main", [network.sample(3)])[0]
    return [int(value) for value in found]


def with_moved_row(source: Random, network: Network) -> dict[str, list[int]]:
    """Return right places, but two rows are swapped, or one shares the place of another."""
    places = network.places()
    name = source.choice([name for name, rows in places.items() if len(set(rows)) > 1])
    rows = places[name]
    one, other = source.sample(range(len(rows)), 2)
    if source.random() < 0.5:
        rows[one], rows[other] = rows[other], rows[one]
    else:
        rows[one] = rows[other]
    return places


@pytest.mark.parametrize("name", NETWORKS)
def test_a_wrong_place_of_a_row_is_found(name: str) -> None:
    source, caught, wrong, right = Random(1), 0, 0, expected(name)
    with ir.Context():
        first = Emulator(ir.Module.parse(NETWORKS[name]().text(rows=True)).operation)
        for _ in range(40):
            network = NETWORKS[name]()
            places = with_moved_row(source, network)
            wrong += outcome(network, places, checks=False, like=first) != right
            try:
                assert outcome(network, places, like=first) == right
            except (StaleRow, LiveOverwrite, NeverWritten):
                caught += 1
    assert caught >= wrong > 10


def test_a_row_that_is_computed_too_early_is_found() -> None:
    network = NETWORKS["mixed"]()
    places = network.places()
    network.late["1"] = -1
    with pytest.raises((StaleRow, NeverWritten), match="conv0"):
        outcome(network, places)


def test_a_stale_row_is_described() -> None:
    network = NETWORKS["mixed"]()
    places = network.places()
    places["conv0"] = [0] * 12
    with pytest.raises(StaleRow) as fault:
        outcome(network, places)
    message = str(fault.value)
    assert "in buffer 'conv0[0]' [0, 24), which holds bytes of 'conv0[1]' [0, 24)" in message
    assert "the row was overwritten before its last read" in message


def planned(name: str) -> tuple[ir.Module, ModelInfo]:
    """The network without places, as the planner places its rows; every check of the plan runs."""
    network = NETWORKS[name]()
    text = re.sub(r" at(_rows)? <@sram, (\d+|\[.*?\])>", "", network.text(rows=True))
    module = ir.Module.parse(re.sub(r" \{memref_pool.placement = [^}]*\}", "", text))
    run_pipeline(module, stages.planning(Options()))
    plan = plan_of(module_of(module))
    info = describe(module, "net", "ab" * 32, PlanReport(plan, certify(plan)))
    run_pipeline(module, stages.materialization(Options()))
    return module, info


@pytest.mark.parametrize("name", NETWORKS)
def test_planned_rows_have_the_bits_of_layers(name: str) -> None:
    network = NETWORKS[name]()
    with ir.Context(), ir.Location.unknown():
        module, info = planned(name)
        found = CEngine(module, info).run([network.sample(3)])[0]
    assert found.tolist() == expected(name)
    # The planner packs at least as well as a first fit; sums and totals are beside the rows there.
    assert info.pool("sram").size <= network.info(rows=True).pools[0].size


def test_the_memory_map_and_the_header_say_which_tensors_are_rows() -> None:
    with ir.Context(), ir.Location.unknown():
        files = project_files(*planned("mixed"))
    found = json.loads(files["net.json"])
    rows = [buffer for buffer in found["buffers"] if buffer.get("part_of") == "conv0"]
    assert [buffer["rows"] for buffer in rows] == [[row, row + 1] for row in range(12)]
    assert {tuple(buffer["shape"]) for buffer in rows} == {(1, 1, 6, 4)}
    assert [buffer["name"] for buffer in rows][:2] == ["conv0[0]", "conv0[1]"]
    tables = re.findall(r"static const int16_t (\w+)\[(\d+)\]", files["net.c"])
    assert found["row_tables"] == sum(2 * int(count) for _, count in tables) > 0
    assert f"#define NET_ROW_TABLES_SIZE {found['row_tables']}\n" in files["net.h"]
    assert "     conv0 (12 rows)\n" in files["net.h"]
