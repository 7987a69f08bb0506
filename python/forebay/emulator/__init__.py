"""Runs programs on memories that refuse what a plan must not do.

`emulator` and `engine` are the entry; the subpackages go from bytes (`memory`) over checked
accesses (`machine`) and device commands (`commands`) to the ops of a program (`interpreter`).
"""

from forebay.emulator.emulator import Emulator
from forebay.emulator.engine import EmulatorEngine
from forebay.emulator.machine.report import RunReport
from forebay.emulator.memory.faults import Fault

__all__ = ["Emulator", "EmulatorEngine", "Fault", "RunReport"]
