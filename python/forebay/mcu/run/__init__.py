"""Runs an image in QEMU: exact instruction counts, output comparison, stack use, report.

May import `mcu.image`, `driver`, `codegen`, `engines`, `golden`, `ir`, `network` and `reports`.

Internal: may change without notice.
"""
