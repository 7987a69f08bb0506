"""The caller's memory, a workspace, the device's memory: copied by the host, then by a transfer."""

from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import forebay

ROUTES = Path(__file__).parent / "routes"


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
@pytest.mark.parametrize("name", ["operand", "written_copy"])
def test_inputs_and_outputs_go_through_the_pool_that_both_reach(
    name: str, engine: Literal["c", "llvm", "emulator"]
) -> None:
    """The accelerator adds 1000 to each byte."""
    model = forebay.compile(ROUTES / f"{name}.mlir")
    port = model.info.inputs[0]
    x = np.arange(port.elements, dtype=np.uint8).reshape(port.shape)
    expected = x.astype(np.int32) + 1000
    found = model.run(x.view(port.dtype), engine=engine)
    np.testing.assert_array_equal(found, expected)
    used = {pool.name for pool in (*model.info.pools, *model.info.inside) if pool.size}
    assert used == {"dram", "sram", "acc"}


def test_without_a_way_out_of_the_device_it_is_refused(tmp_path: Path) -> None:
    net = tmp_path / "net.mlir"
    lines = (ROUTES / "operand.mlir").read_text().splitlines()
    net.write_text("\n".join(line for line in lines if "accel.mvout" not in line))
    with pytest.raises(forebay.Error, match="cannot be where all need it"):
        forebay.compile(net)
