"""Interleaved channels: which ops have them, and the elements that each position reads."""

from __future__ import annotations

from dataclasses import replace

import pytest
from common.host_jit import BUFFERS, HOST_LOWERING, lower
from common.reduce_cases import Case, source
from mlir import ir

from forebay.dialects.accel import ReduceOp
from forebay.ir.interleaved import Interleaving
from forebay.ir.nested import ops_of
from forebay.ir.structured.reduce_box import box_of
from forebay.lowering.schedule.interleave import channels_of, interleave_channels

# y, c, x, k: windows of three columns; weights[c, 0, k]
CASE = Case(
    (3, 6, 4),
    (3,),
    ((3, 6), (6, 1, 3)),
    (
        (((1, 0, 0, 0), 0), ((0, 0, 1, 1), 0)),
        (((0, 1, 0, 0), 0), ((0, 0, 0, 0), 0), ((0, 0, 0, 1), 0)),
    ),
    element="i8",
)


def lowered(case: Case, row: int | None = None) -> ir.Module:
    module = ir.Module.parse(source(case, row=row))
    lower(module, HOST_LOWERING, BUFFERS)
    return module


def reduce_of(module: ir.Module) -> ReduceOp:
    (op,) = ops_of(module.operation, ReduceOp)
    return op


def interleaved(op: ReduceOp, channels: int, word: int = 1) -> ReduceOp:
    """Return the op with this order of its weights."""
    found = interleave_channels(op, Interleaving(channels, word))
    assert found is not None, "the operands fit the order"
    return found


def elements(op: ReduceOp, operand: int, *at: int) -> tuple[int, ...]:
    """Return the index of an operand at a point, by the text of its map."""
    map_ = ir.AffineMapAttr(op.maps[operand]).value
    dims = [ir.AffineExpr.get_constant(at[d]) for d in range(map_.n_dims)]
    by = ir.AffineMap.get(0, 0, dims)
    return tuple(ir.AffineConstantExpr(e.compose(by)).value for e in map_.results)


def test_a_channel_is_one_of_a_block_and_reads_its_weights_there() -> None:
    with ir.Context(), ir.Location.unknown():
        module = lowered(CASE)
        op = reduce_of(module)
        assert channels_of(op) == 1
        before = [elements(op, operand, 2, 5, 3, 1) for operand in (0, 2)]
        op = interleaved(op, 2)
        assert module.operation.verify()
        assert (list(op.parallel), list(op.reduction)) == ([3, 3, 2, 4], [3])
        # Channel 5 is the second one of the third pair.
        assert [elements(op, operand, 2, 2, 1, 3, 1) for operand in (0, 2)] == before
        assert elements(op, 1, 2, 2, 1, 3, 1) == (2, 0, 1, 1)
        assert list(ir.MemRefType(op.inputs[1].type).shape) == [3, 1, 3, 2]


def test_the_box_has_all_channels_and_keeps_its_row() -> None:
    with ir.Context(), ir.Location.unknown():
        module = lowered(CASE, row=0)
        op = reduce_of(module)
        (row,) = op.starts
        box = box_of(interleaved(op, 3))
        assert (box.starts[0], box.starts[1:]) == (row, (0, 0, 0, 0))
        assert box.sizes == (1, 2, 3, 4, 3)


# y, c, x, r, k: windows of two rows of eight elements; weights[c, r, k]
WORDS = Case(
    (3, 6, 4),
    (2, 8),
    ((4, 11), (6, 2, 8)),
    (
        (((1, 0, 0, 1, 0), 0), ((0, 0, 1, 0, 1), 0)),
        (((0, 1, 0, 0, 0), 0), ((0, 0, 0, 1, 0), 0), ((0, 0, 0, 0, 1), 0)),
    ),
    element="i8",
)


def test_the_elements_of_a_word_are_the_last_dimension() -> None:
    with ir.Context(), ir.Location.unknown():
        module = lowered(WORDS)
        op = reduce_of(module)
        before = [elements(op, operand, 2, 5, 3, 1, 6) for operand in (0, 2)]
        op = interleaved(op, 2, 4)
        assert module.operation.verify()
        assert (list(op.parallel), list(op.reduction)) == ([3, 3, 2, 4], [2, 2, 4])
        # Element 6 is the third one of the second word; channel 5 is the second one of its pair.
        at = (2, 2, 1, 3, 1, 1, 2)
        assert [elements(op, operand, *at) for operand in (0, 2)] == before
        assert elements(op, 1, *at) == (2, 1, 1, 6)
        assert list(ir.MemRefType(op.inputs[1].type).shape) == [3, 2, 2, 8]


def test_the_box_of_words_keeps_its_row() -> None:
    with ir.Context(), ir.Location.unknown():
        module = lowered(WORDS, row=0)
        op = reduce_of(module)
        (row,) = op.starts
        box = box_of(interleaved(op, 6, 2))
        assert (box.starts[0], box.starts[1:]) == (row, (0,) * 6)
        assert box.sizes == (1, 1, 6, 4, 2, 4, 2)


def test_dimensions_of_one_run_are_merged_before_they_are_words() -> None:
    # Rows of four elements are neighbours, so a window of two rows is one run.
    rows = replace(
        WORDS,
        reduction=(2, 4),
        shapes=((4, 4), (6, 2, 4)),
        forms=((((1, 0, 0, 1, 0), 0), ((0, 0, 0, 0, 1), 0)), WORDS.forms[1]),
    )
    with ir.Context(), ir.Location.unknown():
        module = lowered(rows)
        op = interleaved(reduce_of(module), 2, 8)
        assert module.operation.verify()
        assert list(op.reduction) == [1, 8]
        assert list(ir.MemRefType(op.inputs[1].type).shape) == [3, 1, 16]


@pytest.mark.parametrize(
    ("case", "order"),
    [
        # channels that are no multiple
        (WORDS, Interleaving(4, 4)),
        # words that are not whole
        (WORDS, Interleaving(2, 3)),
        # every second element of a row
        (
            replace(
                WORDS,
                shapes=((4, 18), (6, 2, 8)),
                forms=((WORDS.forms[0][0], ((0, 0, 1, 0, 2), 0)), WORDS.forms[1]),
            ),
            Interleaving(2, 4),
        ),
        # rows of weights that are longer than those of the op
        (replace(WORDS, shapes=(WORDS.shapes[0], (6, 2, 12))), Interleaving(2, 4)),
        # weights of which the elements are no last axis of their own
        (
            replace(
                WORDS,
                shapes=(WORDS.shapes[0], (6, 8, 2)),
                forms=(WORDS.forms[0], (WORDS.forms[1][0], *WORDS.forms[1][:0:-1])),
            ),
            Interleaving(2, 4),
        ),
        # a window over a border, which is clamped along the elements
        (
            replace(
                WORDS,
                shapes=((4, 8), (6, 2, 8)),
                forms=((WORDS.forms[0][0], ((0, 0, 1, 0, 1), -2)), WORDS.forms[1]),
            ),
            Interleaving(2, 4),
        ),
    ],
)
def test_operands_that_do_not_fit_an_order_stay(case: Case, order: Interleaving) -> None:
    with ir.Context(), ir.Location.unknown():
        module = lowered(case)
        assert interleave_channels(reduce_of(module), order) is None
        assert module.operation.verify()


@pytest.mark.parametrize(
    "case",
    [
        # one channel of the first operand per channel
        replace(CASE, forms=((((0, 1, 0, 0), 0), ((0, 0, 1, 1), 0)), CASE.forms[1])),
        # channels are no axis of their own
        replace(CASE, forms=(CASE.forms[0], (((1, 1, 0, 0), -1), *CASE.forms[1][1:]))),
        # other weights at each position
        replace(CASE, forms=(CASE.forms[0], (*CASE.forms[1][:2], ((0, 0, 1, 0), 0)))),
        # weights of more channels than the op has
        replace(CASE, shapes=(CASE.shapes[0], (7, 1, 3))),
        # elements of 32 bits
        replace(CASE, element="i32"),
    ],
)
def test_other_ops_have_no_channels_to_interleave(case: Case) -> None:
    with ir.Context(), ir.Location.unknown():
        module = lowered(case)
        assert channels_of(reduce_of(module)) is None


def test_a_box_of_some_channels_stays() -> None:
    with ir.Context(), ir.Location.unknown():
        module = lowered(CASE, row=1)
        assert channels_of(reduce_of(module)) is None
