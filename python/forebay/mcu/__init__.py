"""Networks on emulated microcontrollers: built freestanding, run in QEMU, measured exactly.

`boards` describes the machines, `image` builds and links, `run` counts and reports. May import
`driver`, `codegen`, `engines`, `golden`, `ir`, `network`, `reports` and `errors`.

Public as `forebay.api.mcu`; the rest may change without notice.
"""

from forebay.formats.mcu_report import McuReport
from forebay.mcu.board import Board, BoardMemory, Tool
from forebay.mcu.errors import McuError, MismatchError, ToolError
from forebay.mcu.run.application import build_application, run_application
from forebay.mcu.run.measure import measure

__all__ = [
    "Board",
    "BoardMemory",
    "McuError",
    "McuReport",
    "MismatchError",
    "Tool",
    "ToolError",
    "build_application",
    "measure",
    "run_application",
]
