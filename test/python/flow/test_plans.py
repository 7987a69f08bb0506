"""The plans of real networks are proved optimal, and the proofs of small ones found again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Literal

import pytest
from common import networks
from common.sweep import sweep_cases

from forebay.planning import Problem, certify, plan

NETWORKS = (
    "ad01_int8",
    "hello_world_int8",
    "kws_dscnn_int8",
    "mcunet_vww_int8",
    "micro_speech_int8",
    "mobilenetv2_tf2_int8",
    "mww_vad_int8",
    "person_detect_int8",
    "resnet8_float",
    "resnet8_int8",
)
Io = Literal["caller", "pool"]
POOLED = ("ad01_int8", "hello_world_int8", "kws_dscnn_int8", "mww_vad_int8", "resnet8_int8")
"""Those with all ports in the pool that are not slow."""
CASES = [
    *((network, "caller") for network in NETWORKS),
    *((network, "pool") for network in sorted(NETWORKS, key=lambda it: it not in POOLED)),
]
RECURRENT = {
    "mnist_lstm_float": 28 * 28 * 4 + 28 * 20 * 4,
    "micro_speech_lstm_int8": 49 * 257 + 49 * 80,
}
"""The bytes of the input and the result of an LSTM, which are live together."""
SMALL = 40
"""Buffers in a pool that CP-SAT proves in seconds."""


@pytest.mark.parametrize(("network", "io"), sweep_cases(CASES, len(NETWORKS) + len(POOLED)))
def test_every_pool_is_proved_optimal(shared_models: Path, network: str, io: Io):
    compiled = networks.compiled(shared_models / f"{network}.tflite", io=io)
    certificates = {c.pool: c for c in compiled.plan.certificates}
    assert certificates["workspace"].peak > 0
    assert all(c.optimal for c in certificates.values())
    assert compiled.plan.gap("workspace") == 0


@pytest.mark.parametrize("network", RECURRENT)
def test_gates_take_no_workspace(shared_models: Path, network: str):
    compiled = networks.compiled(shared_models / "wider" / f"{network}.tflite", io="pool")
    assert compiled.plan.peak("workspace") == RECURRENT[network]


@pytest.mark.parametrize(
    "network", ["ad01_int8", "hello_world_int8", "mww_vad_int8", "resnet8_int8"]
)
def test_cp_sat_finds_no_lower_peak(shared_models: Path, network: str):
    pytest.importorskip("ortools", reason="pip install 'forebay[cp-sat]'")
    compiled = networks.compiled(shared_models / f"{network}.tflite", io="pool")
    checked = 0
    for certificate in compiled.plan.certificates:
        alone = only(compiled.plan.plan.problem, certificate.pool)
        if not 0 < len(alone.buffers) <= SMALL:
            continue
        (found,) = certify(plan(alone, "cp-sat"))
        assert (found.peak, found.optimal) == (certificate.peak, True)
        checked += 1
    assert checked


def only(problem: Problem, pool: str) -> Problem:
    """The part of a problem that is about one pool; no buffer has a choice."""
    assert all(len(buffer.pools) == 1 for buffer in problem.buffers)
    here = tuple(buffer for buffer in problem.buffers if buffer.pools == (pool,))
    names = {buffer.name for buffer in here}
    pairs = tuple(pair for pair in problem.conflicts if names >= set(pair))
    return replace(problem, pools=(problem.pool_by_name[pool],), buffers=here, conflicts=pairs)
