"""QEMU's own RISC-V board: a 32-bit core with multiplication and compressed instructions."""

from forebay.mcu.board import Board, BoardMemory, Tool
from forebay.pools import PoolKind

MIB = 1 << 20

BOARD = Board(
    name="riscv-virt",
    title="QEMU virt, RV32IMC",
    compiler=Tool("riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf"),
    flags=("-march=rv32imc", "-mabi=ilp32", "-mcmodel=medany"),
    startup=("startup_riscv.S",),
    emulator=Tool("qemu-system-riscv32", "qemu-system-misc"),
    machine=("-machine", "virt", "-bios", "none", "-m", "128M"),
    memories=(BoardMemory("ram", 0x8000_0000, 128 * MIB, "RAM", kept=1 * MIB),),
    code="ram",
    rodata="ram",
    data="ram",
    homes={PoolKind.constant: ("ram",), PoolKind.workspace: ("ram",), PoolKind.state: ("ram",)},
    processors={"rv32imc": ()},
)
