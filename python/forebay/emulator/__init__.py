"""Runs planned programs on memories that refuse what a plan must not do."""

from forebay.emulator.emulator import Emulator
from forebay.emulator.engine import EmulatorEngine
from forebay.emulator.faults import Fault
from forebay.emulator.report import Report

__all__ = ["Emulator", "EmulatorEngine", "Fault", "Report"]
