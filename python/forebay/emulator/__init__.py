"""Run programs on emulated memories that refuse every access that a correct plan must not make.

`emulator` and `engine` are the entry modules; the subpackages build on each other: bytes
(`memory`), checked accesses (`machine`), device commands (`commands`) and the ops of a program
(`interpreter`).

Internal: may change without notice.
"""

from forebay.emulator.emulator import Emulator
from forebay.emulator.engine import EmulatorEngine
from forebay.emulator.machine.report import RunReport
from forebay.emulator.memory.faults import Fault

__all__ = ["Emulator", "EmulatorEngine", "Fault", "RunReport"]
