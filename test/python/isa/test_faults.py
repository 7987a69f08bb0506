"""Faults say which instruction, field and rows they are about; some may be ignored."""

import pytest

from forebay.isa.faults import FaultLocation, FaultReporter, NeverWrittenRow, RowOutOfRange

PLACE = FaultLocation(7, "Mvin")


def test_a_fault_has_the_instruction_the_field_and_the_rows() -> None:
    fault = RowOutOfRange(PLACE, "local", "is too far", memory="scratchpad", rows=(16, 32))
    assert str(fault) == "instruction 7, Mvin: local scratchpad[0x10, 0x20): is too far"
    assert (fault.index, fault.field, fault.rows) == (7, "local", (16, 32))


def test_only_ignored_classes_pass() -> None:
    reporter = FaultReporter([NeverWrittenRow])
    reporter.report(NeverWrittenRow(PLACE, "a", "was never written"))
    with pytest.raises(RowOutOfRange):
        reporter.report(RowOutOfRange(PLACE, "a", "is too far"))


def test_a_fault_without_a_defined_result_cannot_be_ignored() -> None:
    with pytest.raises(ValueError, match="RowOutOfRange cannot be ignored"):
        FaultReporter([RowOutOfRange])
