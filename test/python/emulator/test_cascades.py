"""Programs that compute tensors row by row, planned: in the emulator, without an alarm."""

import re

import numpy as np
import pytest
from common.programs.cascades import PROGRAMS
from mlir import ir

import forebay.passes  # noqa: F401
from forebay.emulator import Emulator
from forebay.emulator.memory.faults import LiveOverwrite
from forebay.options import Options
from forebay.pipelines import run_pipeline, stages


def planned(name: str) -> tuple[ir.Module, np.ndarray]:
    program = PROGRAMS[name]()
    port = r'\1 {accel.name = "out", bufferize.result})'
    module = ir.Module.parse(re.sub(r"(%out: memref<[^>]*>)\)", port, program.text()))
    run_pipeline(module, stages.planning(Options()))
    shape = (1, program.height, program.width)
    return module, np.random.default_rng(5).integers(-128, 128, shape, np.int8)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_right_plan_has_the_values_of_buffers_of_their_own(name: str) -> None:
    with ir.Context():
        module, source = planned(name)
        # Rows that grow into the dead rows of the input are no overwrite of an operand.
        found = Emulator(module.operation).call("main", [source])[0]
        expected = Emulator(module.operation, placed=False).call("main", [source])[0]
    np.testing.assert_array_equal(found, expected)
    assert len(np.unique(found)) > 2


def test_a_result_over_a_row_that_the_op_reads_is_found() -> None:
    with ir.Context():
        module, source = planned("chain")
        (placement,) = re.findall(r"memref_pool.placement<@sram, (\d+)>", str(module.operation))
        # Row 0 of the first window is computed from rows 0 and 1 of the input, of 4 bytes each.
        wrong = f"at_rows <@sram, [{int(placement) + 4},"
        moved = re.sub(r"at_rows <@sram, \[\d+,", wrong, str(module.operation), count=1)
        with pytest.raises(LiveOverwrite, match=r"over 'input' .*, which it reads itself"):
            Emulator(ir.Module.parse(moved).operation).call("main", [source])
