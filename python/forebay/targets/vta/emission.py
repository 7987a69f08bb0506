"""The emissions of VTA: `vta`, a network as one program with its main memory, and `vta-c`.

    NAME.instructions.bin   128 bits per instruction, little endian
    NAME.dram.bin           main memory from `base`: weights, biases, the inputs of the self-test
    NAME.expected.bin       the outputs of the self-test, one after the other
    NAME.vta.json           where inputs, outputs and everything else are

A program has no host between its layers: a network of which the host computes something is refused.
`vta-c` is the C project with the driver, which makes instructions while the network runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from forebay.api.target import (
    CompiledProgram,
    DeviceCommand,
    EmittedFiles,
    HostCopy,
    HostOperatorError,
    PlacedBytes,
    commands_of,
)
from forebay.api.vta import MicroOpMemory, encode_vta, with_tokens
from forebay.targets.vta.intrinsics import CONSTANTS, DRAM, ELEMENT_BYTES, WGT
from forebay.targets.vta.program import ProgramWriter

BASE = 0x1000
"""The physical address at which main memory begins; address 0 is none for the machine."""

_ALIGNMENT = ELEMENT_BYTES[WGT]
_DRIVER = Path(__file__).parent / "driver"


def emit_project_with_driver(program: CompiledProgram) -> EmittedFiles:
    """Return the C project with the driver instead of the portable reference."""
    files = {
        name: content
        for name, content in program.project.items()
        if not name.endswith(("_reference.c", "CMakeLists.txt"))
    }
    driver = {path.name: path.read_text("utf-8") for path in sorted(_DRIVER.glob("vta.[ch]"))}
    return {**files, **driver}


def emit_program(program: CompiledProgram) -> EmittedFiles:
    """Return the files; raises `HostOperatorError` when the host computes or copies in between."""
    info, name = program.info, program.prefix
    commands = commands_of(program.module)
    constants = _constants(program)
    sizes = {pool.name: pool.size for pool in info.pools}
    dram = _aligned(BASE + len(constants))
    micro_ops_at = _aligned(dram + sizes.get(DRAM, 0))
    writer = ProgramWriter({CONSTANTS: BASE, DRAM: dram}, MicroOpMemory(micro_ops_at))
    ports = _ports(program, commands)
    steps = writer.steps(command for command in commands if isinstance(command, DeviceCommand))
    words = [word for instruction in with_tokens(steps) for word in encode_vta(instruction)]
    micro_ops = writer.micro_ops.words().astype("<u4").tobytes()
    image = bytearray(micro_ops_at + len(micro_ops) - BASE)
    image[: len(constants)] = constants
    image[micro_ops_at - BASE :] = micro_ops
    step = info.golden[0]
    entries: dict[str, list[dict[str, Any]]] = {"inputs": [], "outputs": []}
    for number, port in enumerate(info.ports):
        is_input = number < len(info.inputs)
        address = writer.address(ports[number])
        if is_input:
            data = np.ascontiguousarray(step.inputs[number]).tobytes()
            image[address - BASE : address - BASE + len(data)] = data
        entries["inputs" if is_input else "outputs"].append(
            {
                "name": port.name,
                "address": address,
                "bytes": port.size,
                "dtype": port.dtype,
                "shape": list(port.shape),
                "scale": port.scale,
                "zero_point": port.zero_point,
            }
        )
    files = {part: f"{name}.{part}.bin" for part in ("instructions", "dram", "expected")}
    document = {
        "network": info.name,
        **files,
        "instruction_count": len(words) // 2,
        "base": BASE,
        "dram_bytes": len(image),
        "micro_ops": {"address": micro_ops_at, "count": len(micro_ops) // 4},
        "constants": {"address": BASE, "bytes": len(constants)},
        "workspace": {"address": dram, "bytes": sizes.get(DRAM, 0)},
        **entries,
    }
    return {
        files["instructions"]: np.array(words, "<u8").tobytes(),
        files["dram"]: bytes(image),
        files["expected"]: b"".join(np.ascontiguousarray(y).tobytes() for y in step.outputs),
        f"{name}.vta.json": json.dumps(document, indent=2) + "\n",
    }


def _constants(program: CompiledProgram) -> bytes:
    """Return the bytes of the pool of constants."""
    data = program.project.get(f"{program.prefix}_{CONSTANTS}.bin", b"")
    assert isinstance(data, bytes)
    return data


def _ports(
    program: CompiledProgram, commands: list[DeviceCommand | HostCopy]
) -> Mapping[int, PlacedBytes]:
    """Return where the bytes of each input and output are in main memory, by number.

    Copies of inputs before these bytes are used, and of outputs after that, are left to whoever
    runs the program.
    """
    info = program.info
    found = {
        number: PlacedBytes(port.pool, port.offset, port.size)
        for number, port in enumerate(info.ports)
        if port.pool is not None
    }
    of_caller = [number for number, port in enumerate(info.ports) if port.pool is None]
    for position, command in enumerate(commands):
        if not isinstance(command, HostCopy):
            continue
        port, inside = command.source, command.target
        if port.port is None:
            port, inside = inside, port
        assert port.port is not None
        number = of_caller[port.port]
        others = commands[:position] if number < len(info.inputs) else commands[position + 1 :]
        if number in found or any(_shares_bytes(inside, other) for other in others):
            raise HostOperatorError(
                f"the host copies '{info.ports[number].name}' while the program uses its bytes"
            )
        found[number] = inside
    for number, port in enumerate(info.ports):
        if number not in found:
            raise HostOperatorError(f"'{port.name}' is not in main memory of the machine")
    return found


def _shares_bytes(bytes_: PlacedBytes, command: DeviceCommand | HostCopy) -> bool:
    if isinstance(command, HostCopy):
        operands: tuple[PlacedBytes, ...] = (command.source, command.target)
    else:
        operands = command.operands
    return any(
        operand.pool == bytes_.pool
        and operand.offset < bytes_.offset + bytes_.size
        and bytes_.offset < operand.offset + operand.size
        for operand in operands
    )


def _aligned(address: int) -> int:
    return -(-address // _ALIGNMENT) * _ALIGNMENT
