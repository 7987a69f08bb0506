"""The memories and addresses of pools in images."""

from pathlib import Path

import pytest
from common import networks

import forebay
from forebay.mcu import Board, McuError, measure
from forebay.mcu.image.elf import read_elf

TWO_POOLS = """
from forebay.targets import Device, Pool, Target

TARGET = Target(
    name="two",
    devices=(Device("cpu", kind="cpu", host=True),),
    pools=(
        Pool("dtcm", "workspace", capacity=2048),
        Pool("sram", "workspace", section=".bss.sram"),
        Pool("weights", "constant"),
        Pool("tables", "constant", fill="at_init"),
    ),
)
"""


AT_BASES = """
from forebay.targets import Device, Pool, Target

TARGET = Target(
    name="fixed",
    devices=(Device("cpu", kind="cpu", host=True),),
    pools=(
        Pool("tcm", "workspace", capacity=4096, base=WORKSPACE, start=64),
        Pool("flash", "constant", base=CONSTANTS, FILL),
    ),
)
"""


def at_bases(
    digits: Path, directory: Path, fill: str, base: int, constants: int = 0x3810_0000
) -> forebay.Compiled:
    target = directory / "fixed.py"
    text = AT_BASES.replace("FILL", fill).replace("WORKSPACE", hex(base))
    target.write_text(text.replace("CONSTANTS", hex(constants)))
    return forebay.compile(digits, target=str(target))


def test_pools_lie_in_the_memories_asked_for(digits: Path, m55: Board) -> None:
    found = measure(networks.compiled(digits), m55, pools={"workspace": "sram", "weights": "ddr"})
    places = {pool.name: pool.address for pool in found.pools}
    assert m55.memory("sram").holds(places["workspace"])
    assert m55.memory("ddr").holds(places["weights"])


def test_pools_of_a_target_lie_in_dtcm_and_sram(digits: Path, m55: Board, tmp_path: Path) -> None:
    target = tmp_path / "two.py"
    target.write_text(TWO_POOLS)
    compiled = forebay.compile(digits, target=str(target), constant_pools=["stem/bias=tables"])
    found = {pool.name: pool for pool in measure(compiled, m55).pools}
    assert found["dtcm"].size == 2048
    assert m55.memory("dtcm").holds(found["dtcm"].address, 2048)
    assert found["sram"].section == ".bss.sram"
    assert m55.memory("sram").holds(found["sram"].address)
    assert m55.memory("qspi").holds(found["weights"].address)


def test_pools_lie_at_their_bases(digits: Path, m55: Board, tmp_path: Path) -> None:
    """Workspace in the middle of the DTCM, constants programmed into a flash."""
    compiled = at_bases(digits, tmp_path, "", 0x3002_0000)
    found = measure(compiled, m55, directory=tmp_path / "out")
    assert all(output.hash == output.expected for output in found.outputs)
    places = {pool.name: (pool.memory, pool.address) for pool in found.pools}
    assert places == {"tcm": ("dtcm", 0x3002_0040), "flash": ("qspi", 0x3810_0000)}
    symbols = {symbol.name for symbol in read_elf(tmp_path / "out" / "digits_int8.elf").symbols}
    assert "image_of_flash" in symbols and not {"tcm", "flash", "digits_int8_flash"} & symbols


@pytest.mark.parametrize("fill", ["at_init", "by_host"])
def test_constants_at_a_base_are_put_there_at_run_time(
    digits: Path, m55: Board, tmp_path: Path, fill: str
) -> None:
    """In the SRAM; the workspace is at the beginning of a memory, where the stack would be."""
    compiled = at_bases(digits, tmp_path, f"fill='{fill}'", 0x3000_0000, 0x1100_0000)
    found = measure(compiled, m55)
    assert all(output.hash == output.expected for output in found.outputs)
    assert {pool.address for pool in found.pools} == {0x3000_0040, 0x1100_0000}


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (
            (0x4000_0000, {}),
            r"pool 'tcm' is at \[0x40000040, 0x\w+\), in none of the memories of mps3",
        ),
        ((0x3002_0000, {"tcm": "sram"}), r"--pool tcm=sram: .* of 'dtcm' by its target"),
        (
            (0x1000_0000, {}),
            r"pool 'tcm' .* is at 0x10000040 by its target, but memory 'itcm' is taken",
        ),
    ],
)
def test_a_base_that_the_board_does_not_have(
    digits: Path, m55: Board, tmp_path: Path, case: tuple[int, dict[str, str]], message: str
) -> None:
    base, pools = case
    with pytest.raises(McuError, match=message):
        measure(at_bases(digits, tmp_path, "", base), m55, pools=pools)
