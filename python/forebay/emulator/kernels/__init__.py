"""Compute the elements that structured ops access, and compile their bodies by LLVM.

May import `emulator.machine`, `emulator.memory` and `pipelines`.

Internal: may change without notice.
"""
