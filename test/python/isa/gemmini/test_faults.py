"""Which faults leave a result that the functional simulator defines."""

import pytest

from forebay.isa.faults import FaultReporter
from forebay.isa.gemmini import faults


@pytest.mark.parametrize("kind", [faults.MissingConfiguration, faults.MissingPreload])
def test_a_missing_instruction_cannot_be_ignored(kind) -> None:
    with pytest.raises(ValueError, match="cannot be ignored"):
        FaultReporter([kind])


@pytest.mark.parametrize("kind", [faults.MissingFence, faults.PreloadUsedTwice, faults.SumTooWide])
def test_what_only_hardware_refuses_can_be_ignored(kind) -> None:
    FaultReporter([kind])
