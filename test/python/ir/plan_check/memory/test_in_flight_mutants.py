"""Programs with tokens, each with one thing wrong: the verifier refuses what the emulator stops.

Neither knows of the other. The programs have no branches, so that the one path of the emulator is
the only one; where a wait is made one of a branch, what is wrong without it is wrong on a path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from common.injection import token_program
from common.injection.edit import erase, without_operands
from mlir import ir
from mlir.dialects import arith, func, memref, scf
from mlir.dialects.builtin import ModuleOp

from forebay.dialects.accel import LaunchOp, StartOp, WaitOp
from forebay.emulator import Emulator, Fault
from forebay.ir.machine.pools import pool_ops
from forebay.ir.nested import ops_nested_in
from forebay.ir.plan_check import check_layout, execute, placed_in
from forebay.ir.refused import RefusedError

X = np.random.default_rng(0).integers(-128, 128, (64, 32), np.int8)


@pytest.fixture(scope="module")
def right() -> Iterator[ir.Module]:
    """Tiles in turns at two places, which only tokens keep apart."""
    with ir.Context(), ir.Location.unknown():
        yield token_program.placed()


@pytest.fixture(scope="module")
def machine(right: ir.Module) -> Emulator:
    return Emulator(right.operation)


def refusal(module: ir.Operation) -> str:
    """What the verifier says of a program, whose places it takes as they are."""
    opview = module.opview
    assert isinstance(opview, ModuleOp)
    try:
        execute(opview, placed_in(opview))
    except RefusedError as refused:
        return str(refused)
    return ""


def fault(module: ir.Operation, machine: Emulator | None) -> str:
    try:
        Emulator(module, like=machine).call("main", [X])
    except Fault as caught:
        return str(caught)
    return ""


def numbers_of(module: ir.Module, *kinds: type) -> list[int]:
    ops = ops_nested_in(module.operation)
    return [number for number, op in enumerate(ops) if isinstance(op, kinds)]


def changed(module: ir.Module, number: int, change: Callable[[ir.OpView], object]) -> ir.Operation:
    clone = module.operation.clone()
    change(ops_nested_in(clone)[number])
    return clone


def test_the_right_program_is_accepted(right: ir.Module, machine: Emulator) -> None:
    assert refusal(right.operation) == ""
    assert fault(right.operation, machine) == ""


def test_every_wait_that_is_needed_is_missed(right: ir.Module, machine: Emulator) -> None:
    """The last one; those that keep queues from overflowing order nothing that tokens do not."""
    needed: list[int] = []
    for number in numbers_of(right, WaitOp):
        mutant = changed(right, number, erase)
        found, stopped = refusal(mutant), fault(mutant, machine)
        if "is one too many for" not in stopped:  # the depth of a queue is no matter of places
            assert bool(found) == bool(stopped), (number, found, stopped)
        needed += [number] if found else []
    assert needed == numbers_of(right, WaitOp)[-1:]


@pytest.mark.slow
def test_every_token_that_is_needed_is_missed(right: ir.Module, machine: Emulator) -> None:
    tried = wrong = 0
    for number in numbers_of(right, StartOp, LaunchOp):
        op = ops_nested_in(right.operation)[number]
        for operand in range(len(op.operands) - len(op.after), len(op.operands)):
            mutant = changed(right, number, lambda op, n=operand: without_operands(op, [n]))
            found, stopped = refusal(mutant), fault(mutant, machine)
            assert bool(found) == bool(stopped), (number, operand, found, stopped)
            tried, wrong = tried + 1, wrong + bool(found)
    assert (tried, wrong) == (51, 28)


def test_a_wait_in_a_branch_is_missed_on_the_other_path(right: ir.Module) -> None:
    def in_a_branch(op: ir.OpView) -> None:
        with ir.InsertionPoint(op), op.location:
            flag = _argument(op)
            branch = scf.IfOp(flag)
        with ir.InsertionPoint(branch.then_block), op.location:
            end = scf.YieldOp([])
        op.operation.move_before(end.operation)

    last = numbers_of(right, WaitOp)[-1]
    assert "'accel.start'" in refusal(changed(right, last, in_a_branch))


def _argument(op: ir.OpView) -> ir.Value:
    """A condition that is known only at run time."""
    i1 = ir.IntegerType.get_signless(1)
    function = op.operation.parent
    assert function is not None
    main = function.opview
    assert isinstance(main, func.FuncOp)
    types = [*main.type.inputs, i1]
    flag = main.entry_block.add_argument(i1, op.location)
    main.attributes["function_type"] = ir.TypeAttr.get(ir.FunctionType.get(types, []))
    main.arg_attrs = ir.ArrayAttr.get([*main.arg_attrs, ir.DictAttr.get({})])
    return flag


@pytest.mark.parametrize("apart", [0, 16, 2032, -1])
def test_pools_at_overlapping_addresses(apart: int) -> None:
    """`@weights` so many bytes behind `@dram`; at -1, where that ends: right."""
    with ir.Context(), ir.Location.unknown():
        module = token_program.planned()
        pools = {pool.sym_name.value: pool for pool in pool_ops(module.operation)}
        behind = pools["dram"].certificate.peak if apart < 0 else apart
        i64 = ir.IntegerType.get_signless(64)
        pools["dram"].base = ir.IntegerAttr.get(i64, 1 << 20)
        pools["weights"].base = ir.IntegerAttr.get(i64, (1 << 20) + behind)
        opview = module.operation.opview
        assert isinstance(opview, ModuleOp)
        stopped = fault(module.operation, None)
        if apart < 0:
            check_layout(module.operation, placed_in(opview))
            assert stopped == ""
            return
        with pytest.raises(RefusedError, match="both take the addresses"):
            check_layout(module.operation, placed_in(opview))
        assert "which belongs to live buffer" in stopped or "over live buffer" in stopped


def test_every_view_that_leaves_its_buffer_is_refused(right: ir.Module, machine: Emulator) -> None:
    """Each tile that is stored, so many rows away: in the output or not."""
    for number in numbers_of(right, memref.SubViewOp):
        op = ops_nested_in(right.operation)[number]
        if len(list(op.results[0].uses)) != 1 or not isinstance(_user(op), StartOp):
            continue
        for rows in (-8, -4, 4, 8):
            mutant = changed(right, number, lambda op, n=rows: _moved(op, n))
            found, stopped = refusal(mutant), fault(mutant, machine)
            is_outside = "outside of buffer" in stopped
            assert ("'memref.reinterpret_cast' shows bytes" in found) == is_outside, stopped


def _user(op: ir.OpView) -> ir.OpView:
    return next(iter(op.results[0].uses)).owner.opview


def _moved(op: ir.OpView, rows: int) -> None:
    assert isinstance(op, memref.SubViewOp)
    type_, width = ir.MemRefType(op.result.type), ir.MemRefType(op.source.type).shape[1]
    begin = op.static_offsets[0] * width + rows * width
    with ir.InsertionPoint(op), op.location:
        offset = arith.ConstantOp(ir.IndexType.get(), begin).result
        dynamic = ir.ShapedType.get_dynamic_stride_or_offset()
        layout = ir.StridedLayoutAttr.get(dynamic, [width, 1])
        shape = list(type_.shape)
        result = ir.MemRefType.get(shape, type_.element_type, layout, type_.memory_space)
        strides = [width, 1]
        view = memref.ReinterpretCastOp(
            result, op.source, [offset], [], [], [dynamic], shape, strides
        ).result
    op.result.replace_all_uses_with(view)
    op.operation.erase()
