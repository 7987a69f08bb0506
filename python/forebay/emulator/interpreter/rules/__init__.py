"""The rules of ops: one file per dialect or family, found by `emulator.interpreter.registry`.

Internal: may change without notice.
"""
