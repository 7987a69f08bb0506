"""A report of a board that tests write down."""

from __future__ import annotations

from forebay.formats.mcu_report import FunctionCost, McuReport, MemoryUse, PoolUse, StackUse


def mcu_report(*functions: FunctionCost, model: str = "net") -> McuReport:
    """Return the report of two inferences with these functions."""
    return McuReport(
        format="forebay-mcu-report",
        version=1,
        model=model,
        board="a board",
        compiler="gcc 1",
        emulator="qemu 2",
        flags=("-O2",),
        memories=(MemoryUse("sram", 2**29, 4096, {".bss": 128}),),
        pools=(PoolUse("workspace", "workspace", "sram", ".bss", 2**29, 64),),
        functions=functions,
        stack=StackUse(64, None, "a cycle"),
        outputs=(),
        instructions=(
            sum(part.instructions[0] for part in functions),
            sum(part.instructions[1] for part in functions),
        ),
        code=sum(part.code for part in functions),
    )
