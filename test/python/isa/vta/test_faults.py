"""Which faults leave a result that the functional simulator defines."""

import pytest

from forebay.isa.faults import FaultReporter
from forebay.isa.vta import faults


@pytest.mark.parametrize(
    "kind", [faults.TokenDeadlock, faults.MissingNeighbour, faults.FinishNotLast]
)
def test_a_program_that_cannot_run_cannot_be_ignored(kind) -> None:
    with pytest.raises(ValueError, match="cannot be ignored"):
        FaultReporter([kind])


@pytest.mark.parametrize("kind", [faults.UnorderedAccess, faults.TokensLeft])
def test_what_the_simulator_does_not_see_can_be_ignored(kind) -> None:
    FaultReporter([kind])
