"""The registry of ONNX operators: one module for each."""

from __future__ import annotations

import pytest

from forebay.frontends.onnx.lowering.registry import onnx_lowerings, onnx_operator
from forebay.frontends.registration import RegistrationError


def test_an_operator_of_two_modules_is_refused() -> None:
    known = onnx_lowerings()["Clip"]
    with pytest.raises(RegistrationError, match="Clip") as caught:
        onnx_operator("Clip")(lambda node: [node.operand(0)])
    assert caught.value.modules == (known.__module__, __name__)
    assert onnx_lowerings()["Clip"] is known
