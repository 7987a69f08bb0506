"""The processor that a function's schedule is for."""

import pytest
from mlir import ir
from mlir.dialects import func

from forebay.ir.machine.cpu import cpu_of


@pytest.mark.parametrize(
    ("attributes", "cpu"), [('attributes {accel.cpu = "cortex-m4"}', "cortex-m4"), ("", None)]
)
def test_the_processor_is_an_attribute_of_the_function(attributes: str, cpu: str | None) -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(f"func.func private @f() {attributes}")
        function = module.body.operations[0]
        assert isinstance(function, func.FuncOp)
        assert cpu_of(function) == cpu
