"""Networks on emulated microcontrollers: built freestanding, run in QEMU, measured exactly."""

from forebay.mcu.application import build_application, run_application
from forebay.mcu.board import Board, Memory, Tool
from forebay.mcu.errors import McuError, MismatchError, ToolError
from forebay.mcu.measure import measure
from forebay.mcu.report import Report

__all__ = [
    "Board",
    "McuError",
    "Memory",
    "MismatchError",
    "Report",
    "Tool",
    "ToolError",
    "build_application",
    "measure",
    "run_application",
]
