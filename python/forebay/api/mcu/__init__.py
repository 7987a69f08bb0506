"""Run networks on emulated microcontrollers: measure one, or link several into an application."""

from forebay.mcu import (
    Board,
    BoardMemory,
    McuError,
    McuReport,
    MismatchError,
    Tool,
    ToolError,
    boards,
    build_application,
    measure,
    run_application,
)

__all__ = [
    "Board",
    "BoardMemory",
    "McuError",
    "McuReport",
    "MismatchError",
    "Tool",
    "ToolError",
    "boards",
    "build_application",
    "measure",
    "run_application",
]
