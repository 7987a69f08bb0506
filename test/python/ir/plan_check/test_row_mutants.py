"""Programs that compute tensors row by row, made wrong in their code or plan: each is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from common.mutants import plan_mutants as mutants
from common.mutants.row_mutants import exchanged_entries
from common.programs.cascades import PROGRAMS, Cascade, chain, residual
from common.programs.planned_modules import Planned
from mlir import ir
from mlir.dialects import memref

from forebay.ir.nested import ops_of
from forebay.options import Options
from forebay.pipelines import PipelineError, run_pipeline, stages
from forebay.planning import Placement

Mutation = Callable[[Planned], Iterator[mutants.Change]]

MUTATIONS = (
    mutants.onto_another,
    mutants.into_the_last_byte,
    mutants.misaligned,
    mutants.shifted,
    mutants.swapped,
)
MOST = 12
"""Mutants of one kind of a program, evenly spread over all."""


def planned(text: str) -> ir.Module:
    module = ir.Module.parse(text)
    run_pipeline(module, "builtin.module(memref-pool-plan)")
    return module


def refusal(text: str) -> str:
    """What the check says to a program with a plan of its own; "" to a right one."""
    with ir.Context(), ir.Location.unknown():
        return Planned(planned(text)).refusal({})


@pytest.mark.parametrize("mutation", MUTATIONS)
@pytest.mark.parametrize("name", PROGRAMS)
def test_exactly_the_plans_are_refused_with_which_a_run_reads_wrong_rows(
    name: str, mutation: Mutation
) -> None:
    program = PROGRAMS[name]()
    with ir.Context(), ir.Location.unknown():
        ours = Planned(planned(program.text()))
        changes = list(mutation(ours))
        for change in changes[:: max(len(changes) // MOST, 1)]:
            places = {name: place.offset for name, place in {**ours.places, **change}.items()}
            is_misaligned = any(at % 16 for row, at in places.items() if "[" not in row)
            is_wrong = is_misaligned or program.reads_wrong_rows(places)
            assert bool(ours.refusal(change)) == is_wrong, change


def late(name: str, by: int) -> str:
    """The residual network with a skew that is off by so many iterations."""
    program = residual()
    wrong = Cascade(program.height, program.width)
    wrong.late[name] = by
    first = wrong.window(wrong.input)
    second = wrong.window(wrong.window(first))
    wrong.window(wrong.add(first, second), kernel=2, stride=2, pad=0)
    return wrong.text()


@pytest.mark.parametrize("name", ["t1", "t2", "t4"])
def test_a_row_that_is_read_before_it_is_written(name: str) -> None:
    assert refusal(late(name, 0)) == ""
    found = refusal(late(name, -1))
    assert "reads buffer 't" in found
    assert "into which nothing was written" in found


def test_a_late_operator_gets_a_longer_ring() -> None:
    assert refusal(late("t1", 3)) == ""


def test_a_skipped_write_is_a_row_into_which_nothing_was_written() -> None:
    text = chain().text()
    skipped = text.replace(
        "%runs0 = arith.andi %whole0, %below0 : i1",
        "%at = arith.constant 3 : index\n%kept = arith.cmpi ne, %y0, %at : index\n"
        "%in = arith.andi %whole0, %below0 : i1\n%runs0 = arith.andi %in, %kept : i1",
    )
    assert skipped != text
    assert "buffer 't0[3]'" in refusal(skipped)
    assert "into which nothing was written" in refusal(skipped)


def test_rows_that_an_operator_does_not_have() -> None:
    text = (
        chain()
        .text()
        .replace("%height0 = arith.constant 8 : index", "%height0 = arith.constant 9 : index")
    )
    assert "computes [8, 9) of a dimension of 8" in refusal(text)


def test_a_row_that_a_tensor_does_not_have() -> None:
    text = residual().text().replace("memref_pool.row %t0[0, %y3]", "memref_pool.row %t0[0, %late]")
    text = text.replace("%one3 =", "%late = arith.addi %y3, %c1 : index\n %one3 =")
    assert "shows row 9 of a dimension of 9" in refusal(text)


@pytest.mark.parametrize(("rows", "is_right"), [(3, True), (2, False)])
def test_a_ring_one_row_short(rows: int, is_right: bool) -> None:
    """`t0` is read in windows of three rows."""
    with ir.Context(), ir.Location.unknown():
        ours = Planned(planned(chain().text()))
        ring = {f"t0[{y}]": Placement("sram", 64 + 4 * (y % rows)) for y in range(8)}
        found = ours.refusal(ring)
    assert (found == "") == is_right
    assert is_right or "has overwritten its bytes" in found or "share bytes" in found


def tables_of(module: ir.Module) -> dict[str, memref.GlobalOp]:
    """The tables of places in a materialised program, by the name of the tensor."""
    found = ops_of(module.operation, memref.GlobalOp)
    return {op.sym_name.value.removesuffix("_rows"): op for op in found}


def entries_of(op: memref.GlobalOp) -> list[int]:
    return [int(entry) for entry in ir.DenseIntElementsAttr(op.initial_value)]


def set_entries(op: memref.GlobalOp, entries: list[int]) -> None:
    op.initial_value = ir.DenseElementsAttr.get(np.array(entries, np.int16))


def verdict(module: ir.Module) -> str:
    try:
        run_pipeline(module, "builtin.module(memref-pool-verify-plan)")
    except PipelineError as error:
        return str(error)
    return ""


def changed_tables(entries: list[int]) -> Iterator[list[int]]:
    """Two entries swapped, an entry that is another's, and one that is off by a byte."""
    yield from exchanged_entries(entries)
    for one in range(len(entries)):
        yield [entry + (n == one) for n, entry in enumerate(entries)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_wrong_tables_of_a_materialised_program_are_refused_and_no_others(name: str) -> None:
    program = PROGRAMS[name]()
    wrong = 0
    with ir.Context(), ir.Location.unknown():
        module = planned(program.text())
        ours = Planned(module)
        peak = ours.peak("sram")
        places = {name: place.offset for name, place in ours.places.items()}
        run_pipeline(module, stages.materialization(Options()))
        assert verdict(module) == ""
        for tensor, table in tables_of(module).items():
            entries = entries_of(table)
            mutants_ = [new for new in changed_tables(entries) if new != entries]
            for new in mutants_[:: max(len(mutants_) // MOST, 1)]:
                set_entries(table, new)
                moved = {**places, **{f"{tensor}[{row}]": at for row, at in enumerate(new)}}
                is_outside = max(new) + program.width > peak
                found = bool(verdict(module))
                # What the caller has written is not visible in a materialised program.
                without_input = {**moved, "input": 1 << 20}
                if is_outside or program.reads_wrong_rows(without_input):
                    assert found, (tensor, new)
                    wrong += 1
                elif found:
                    assert program.reads_wrong_rows(moved), (tensor, new)
            set_entries(table, entries)
        assert verdict(module) == ""
    assert wrong > 5
