"""Check every access, track operations in flight, count bytes, and model time.

May import `emulator.memory`. Gives `Machine`.

Internal: may change without notice.
"""
