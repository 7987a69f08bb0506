"""A copy of a kernel alone leaves the kernel as it is, and costs the same."""

from __future__ import annotations

import pytest
from common.conv_layer import Layer
from common.padded_layers import kernels_in, on_buffers
from mlir import ir

from forebay.cpus import schedule_of
from forebay.ir.machine.cpu import cpu_of
from forebay.ir.module import function_around
from forebay.lowering.schedule.isolated import isolated_copy
from forebay.lowering.schedule.schedule import least_cost


@pytest.mark.parametrize("cpu", ["generic", "cortex-m55", "cortex-a76"])
def test_a_copy_is_in_a_function_of_the_processor(cpu: str) -> None:
    with ir.Context(), ir.Location.unknown():
        module, other = on_buffers(Layer().text()), ir.Module.create()
        (kernel,), before = kernels_in(module), str(module)
        copies = [isolated_copy(kernel, other, schedule_of(cpu)) for _ in range(2)]
        for copy in copies:
            function = function_around(copy)
            assert function is not None and cpu_of(function) == cpu
            assert list(copy.operands) == list(function.arguments)
            assert (copy.maps, list(copy.parallel)) == (kernel.maps, list(kernel.parallel))
        costs = [least_cost(copy, schedule_of(cpu)) for copy in copies]
        assert costs[0] is not None and costs[0] == costs[1]
        assert str(module) == before
