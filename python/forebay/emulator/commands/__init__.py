"""Commands of devices: intrinsic calls, transfers, launches and waits, checked and executed.

May import `emulator.machine`, `emulator.kernels` and `ir.machine`.
"""
