"""Commands of a program: its operands' bytes, its scalars, and what is no command."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from common import networks

from forebay.emissions.commands import (
    DeviceCommand,
    HostCopy,
    HostOperatorError,
    commands_of,
)

NETWORK = Path(__file__).parents[3] / "examples" / "vta" / "pow2net.mlir"


def test_commands_have_the_bytes_of_their_operands_and_their_scalars() -> None:
    commands = commands_of(networks.compiled(NETWORK, target="vta")._module)
    names = Counter(one.name for one in commands if isinstance(one, DeviceCommand))
    assert names == {
        "vta.load_image": 5,
        "vta.load_weights": 5,
        "vta.load_bias": 5,
        "vta.multiply": 5,
        "vta.combine": 15,
        "vta.store_bytes": 5,
    }
    image = next(one for one in commands if getattr(one, "name", "") == "vta.load_image")
    rows = image.scalars["rows"]
    assert (rows, image.scalars["columns"]) == (16, 16)
    assert (image.scalars["top"], image.scalars["right"]) == (1, 1)
    x, border, y = image.operands
    assert (x.pool, x.size) == ("dram", rows * 16 * 16)
    assert (border.pool, border.size) == ("weights", 16)
    # with a pixel around, where the image ends
    height = image.scalars["top"] + rows + image.scalars["bottom"]
    assert (y.pool, y.size) == ("inp", height * 18 * 16)


def test_a_transfer_has_its_block() -> None:
    commands = commands_of(networks.compiled(NETWORK, target="vta")._module)
    moves = [one for one in commands if isinstance(one, DeviceCommand) and one.block is not None]
    assert {one.name for one in moves} == {"vta.load_weights"}
    assert sorted(one.block.bytes for one in moves) == [512, 4608, 9216, 9216, 32768]
    assert all(one.operands[0].size == one.operands[1].size for one in moves)


def test_copies_of_the_callers_memory_are_listed() -> None:
    commands = commands_of(networks.compiled(NETWORK, target="vta")._module)
    into, back = [one for one in commands if isinstance(one, HostCopy)]
    assert (into.source.port, into.target.pool, into.target.size) == (0, "dram", 4096)
    assert (back.source.pool, back.target.port, back.target.size) == ("dram", 1, 32)


def test_operators_of_the_host_are_refused_with_their_places(digits: Path) -> None:
    module = networks.compiled(digits, target="vta")._module
    with pytest.raises(HostOperatorError, match=r"the host computes: .*digits_int8\.tflite: \w+ #"):
        commands_of(module)
