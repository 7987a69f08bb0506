"""Runs an image in QEMU: exact instruction counts, outputs against references, stack use, report.

May import `mcu.image`, `driver`, `codegen` and `network`.
"""
