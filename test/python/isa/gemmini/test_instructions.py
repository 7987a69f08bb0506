"""Every field of every instruction is where the programming model says."""

from dataclasses import fields

import pytest

from forebay.isa.faults import EncodingError
from forebay.isa.gemmini.instructions import NO_ROWS, LocalAddress, Mvin

from .strategies import kind_named
from .words import FIELDS


@pytest.mark.parametrize("name", FIELDS)
def test_an_instruction_has_the_fields_of_the_programming_model(name) -> None:
    assert {field.name for field in fields(kind_named(name))} == {
        field for field, *_ in FIELDS[name][1]
    }


def test_all_ones_are_no_rows() -> None:
    assert NO_ROWS.is_none
    assert not LocalAddress(0, True).is_none


def test_rows_beyond_their_field_are_refused() -> None:
    with pytest.raises(
        EncodingError, match=r"Mvin: rows is 65,536; bits \[63:48\] hold 0 to 65,535"
    ):
        Mvin(0, LocalAddress(0), 1 << 16, 1)
