"""Claims about loop nests, judged by enumeration of every point."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis")

from common.programs import loop_nests
from hypothesis import given, settings

from forebay.regions import Affine, Box, LoopNest, OperandAccess

claim = settings(max_examples=100, deadline=None, derandomize=True)


@claim
@given(loop_nests.nests_with_results())
def test_a_box_of_the_result_is_computed_by_its_domain_box_or_by_none(case):
    nest, result = case
    whole = Box.of((*nest.parallel, *nest.reduction))
    computing = {
        point
        for point in whole.points()
        if loop_nests.is_in(loop_nests.element(nest.outputs[0], point), result)
    }
    around = loop_nests.hull(computing, len(whole.spans))
    if len(computing) == loop_nests.volume(around):
        assert nest.domain_box(result) == around
    else:
        with pytest.raises(ValueError, match="are not a box; the smallest box around them is"):
            nest.domain_box(result)


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        ([((4,), (Affine.dimension(0),))], [], "input 0 is addressed at 0 to 4 in dimension 0"),
        ([((4,), ())], [], "input 0 has 1 dimensions but 0 index expressions"),
        ([], [((5,), (Affine.dimension(1),))], "the index of output 0 uses dimension 1, but may"),
        ([], [((4,), (Affine.dimension(0),))], "output 0 is addressed at 0 to 4"),
    ],
)
def test_accesses_that_do_not_fit_are_refused(inputs, outputs, message):
    with pytest.raises(ValueError, match=message):
        LoopNest(
            (5,),
            (3,),
            tuple(OperandAccess(*access) for access in inputs),
            tuple(OperandAccess(*access) for access in outputs),
        )


def test_an_output_is_not_clamped():
    access = OperandAccess((5,), (Affine.dimension(0),), clamped=True)
    with pytest.raises(ValueError, match="output 0 is clamped, but only inputs can be"):
        LoopNest((5,), (), (), (access,))
