"""Modules of operators: an operator has one, and an error names two."""

from __future__ import annotations

import pytest

from forebay.frontends.registration import OperatorModules, RegistrationError


def test_a_second_module_of_an_operator_is_named_beside_the_first() -> None:
    modules = OperatorModules()
    modules.add("ADD", "first")
    modules.add("MUL", "second")
    with pytest.raises(RegistrationError) as caught:
        modules.add("ADD", "second")
    assert str(caught.value) == (
        "operator ADD is registered by first and by second; remove one of the two"
    )


def test_a_module_that_is_loaded_again_registers_its_operator_again() -> None:
    modules = OperatorModules()
    modules.add("ADD", "first")
    modules.add("ADD", "first")
