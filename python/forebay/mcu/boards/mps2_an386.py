"""Arm MPS2+ with the FPGA image AN386: a Cortex-M4 with FPU. Memory map: Arm DAI 0386."""

from forebay.mcu.board import Board, BoardMemory, Tool
from forebay.pools import PoolKind

KIB, MIB = 1 << 10, 1 << 20

BOARD = Board(
    name="mps2-an386",
    title="Arm MPS2+ AN386, Cortex-M4",
    compiler=Tool("arm-none-eabi-gcc", "gcc-arm-none-eabi"),
    flags=("-mcpu=cortex-m4", "-mthumb", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"),
    startup=("startup_cortex_m.c",),
    emulator=Tool("qemu-system-arm", "qemu-system-arm"),
    machine=("-machine", "mps2-an386"),
    memories=(
        BoardMemory(
            "ssram1", 0x0000_0000, 4 * MIB, "ZBT SSRAM 1, in place of flash", kept=512 * KIB
        ),
        BoardMemory("ssram23", 0x2000_0000, 4 * MIB, "ZBT SSRAM 2 and 3", kept=64 * KIB),
        BoardMemory("psram", 0x2100_0000, 16 * MIB, "PSRAM"),
    ),
    code="ssram1",
    rodata="ssram1",
    data="ssram23",
    homes={
        PoolKind.constant: ("ssram1", "psram"),
        PoolKind.workspace: ("ssram23", "psram"),
        PoolKind.state: ("ssram23", "psram"),
    },
    processors={"cortex-m4": ()},
    library="libnewlib-arm-none-eabi",
)
