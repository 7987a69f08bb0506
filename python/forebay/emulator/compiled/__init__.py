"""Run compiled code (C or LLVM) on the emulated machine and check each command that it issues.

May import `engines` and all other subpackages of the emulator.

Internal: may change without notice.
"""
