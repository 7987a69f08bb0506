"""Structured ops as machine code: which elements they access, and their bodies compiled by LLVM.

May import `emulator.machine`, `emulator.memory` and `pipelines`.
"""
