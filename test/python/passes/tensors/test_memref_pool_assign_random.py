"""Random constraints: whatever the assignment does meets them all, with the fewest bytes copied."""

from __future__ import annotations

import random

import pytest
from common.oracles.exhaustive_assignment import IMPOSSIBLE, fewest_bytes, trials
from common.programs.assign_programs import CALLER, Program
from common.sweep import sweep
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from mlir import ir
from mlir.dialects import func, tensor

import forebay.passes  # noqa: F401  (registers)
from forebay.dialects import accel, memref_pool
from forebay.ir.nested import ops_nested_in
from forebay.pipelines import PipelineError, run_pipeline

RANDOMS = st.randoms(use_true_random=False)
SETTINGS = settings(
    max_examples=40, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


def assigned(text: str) -> ir.Module | str:
    """The module, or what is said against it."""
    module = ir.Module.parse(text)
    try:
        run_pipeline(module, "builtin.module(memref-pool-assign,memref-pool-check-assigned)")
    except PipelineError as error:
        return str(error)
    return module


def pools_of(value: ir.Value) -> set[str]:
    space = ir.RankedTensorType(value.type).encoding
    return {CALLER} if space is None else set(space.pools)


def accesses(op: ir.OpView, program: Program) -> list[tuple[ir.Value, set[str]]]:
    """What an op accesses and where that may be, from the op and the access rights alone."""
    reads, writes = program.host_reads, program.host_writes
    match op:
        case accel.CallOp():
            named = next(i for i in program.intrinsics if i.name == f"@{op.callee.value}")
            return [(v, set(p)) for v, (_, p) in zip(op.operands, named.operands, strict=True)]
        case tensor.ExtractOp():
            return [(op.operands[0], reads)]
        case tensor.InsertOp():
            return [(op.operands[1], writes), (op.results[0], writes)]
        case tensor.SplatOp():
            return [(op.results[0], writes)]
        case memref_pool.CopyOp():
            return [(op.source, reads), (op.target, writes)]
        case _:
            return []


def check(module: ir.Module, program: Program) -> int:
    """Every demand is met by every candidate; the bytes that all runs of the copies move."""
    runs = {"main": 1, "callee": 0}
    ops = ops_nested_in(module.operation)
    runs["callee"] = sum(isinstance(op, func.CallOp) for op in ops)
    moved = 0
    for op in ops:
        for value, allowed in accesses(op, program):
            assert pools_of(value) <= allowed, f"{op}"
            assert pools_of(value)
        if isinstance(op, memref_pool.CopyOp):
            size = ir.RankedTensorType(op.target.type).shape[0]
            around = op.operation.parent
            while not isinstance(around.opview, func.FuncOp):
                around = around.parent
            moved += size * runs[around.opview.sym_name.value]
    return moved


@SETTINGS
@given(RANDOMS, st.integers(1, 14))
def test_every_demand_is_met(source: random.Random, length: int) -> None:
    program = Program(source)
    text = program.text(length)
    with ir.Context(), ir.Location.unknown():
        module = assigned(text)
        if isinstance(module, str):
            assert "cannot be where all need it" in module or "pool that @" in module, module
        else:
            check(module, program)


@pytest.mark.parametrize("most", sweep([8, 80]))
def test_no_assignment_moves_fewer_bytes(most: int) -> None:
    claim = given(RANDOMS, st.integers(1, 5))(_moves_the_fewest_bytes)
    settings(SETTINGS, max_examples=most)(claim)()


def _moves_the_fewest_bytes(source: random.Random, length: int) -> None:
    program = Program(source)
    text = program.text(length)
    assume(trials(program.model) <= 1000)
    least = fewest_bytes(program)
    with ir.Context(), ir.Location.unknown():
        module = assigned(text)
        if isinstance(module, str):
            assert least >= IMPOSSIBLE, module + text
        else:
            assert check(module, program) == least, f"{module}\n{text}"


def renamed(text: str) -> str:
    """Every pool and device but the host has another name, parts of others' among them."""
    return text.replace("@d", "@cp").replace("@w", "@c").replace("@r", "@cpu")


@settings(SETTINGS, max_examples=30)
@given(RANDOMS, st.integers(1, 10))
def test_names_mean_nothing(source: random.Random, length: int) -> None:
    text = Program(source).text(length)
    with ir.Context(), ir.Location.unknown():
        assert renamed(str(assigned(text))) == str(assigned(renamed(text)))
