"""Check and execute the commands of devices: intrinsic calls, transfers, launches and waits.

May import `emulator.machine`, `emulator.kernels` and `ir.machine`.

Internal: may change without notice.
"""
