"""Arm MPS3 with the FPGA image AN547 (SSE-300): a Cortex-M55. Memory map: Arm DAI 0547.

The processor starts in secure state, so programs are linked to the secure aliases. The vector
extension is used for code with its schedule only (`--cpu cortex-m55`), so that other figures show
the cost of the generated plain C.
"""

from forebay.mcu.board import Board, BoardMemory, Tool
from forebay.pools import PoolKind

KIB, MIB = 1 << 10, 1 << 20

BOARD = Board(
    name="mps3-an547",
    title="Arm MPS3 AN547, Cortex-M55",
    compiler=Tool("arm-none-eabi-gcc", "gcc-arm-none-eabi"),
    flags=("-mcpu=cortex-m55+nomve", "-mthumb", "-mfloat-abi=hard", "-mfpu=auto"),
    startup=("startup_cortex_m.c",),
    emulator=Tool("qemu-system-arm", "qemu-system-arm"),
    machine=("-machine", "mps3-an547"),
    memories=(
        BoardMemory("itcm", 0x1000_0000, 512 * KIB, "instruction TCM; 0x00000000 is the same"),
        BoardMemory("sram", 0x1100_0000, 2 * MIB, "FPGA SRAM"),
        BoardMemory("dtcm", 0x3000_0000, 512 * KIB, "data TCM", kept=64 * KIB),
        BoardMemory("isram", 0x3100_0000, 4 * MIB, "SSE-300's internal SRAM, two banks"),
        BoardMemory("qspi", 0x3800_0000, 8 * MIB, "QSPI flash", kept=1 * MIB),
        BoardMemory("ddr", 0x7000_0000, 256 * MIB, "DDR4, its secure quarter"),
    ),
    code="itcm",
    rodata="qspi",
    data="dtcm",
    homes={
        PoolKind.constant: ("qspi", "ddr"),
        PoolKind.workspace: ("dtcm", "sram", "isram", "ddr"),
        PoolKind.state: ("dtcm", "sram", "isram", "ddr"),
    },
    processors={"cortex-m4": (), "cortex-m55": ("-mcpu=cortex-m55",)},
    library="libnewlib-arm-none-eabi",
)
