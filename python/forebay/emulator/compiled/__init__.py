"""Compiled code (C or LLVM) on the emulated machine: driver functions that check every command.

May import `engines` and all other subpackages of the emulator.
"""
