"""The checks that every access goes through, operations in flight, byte counters, modelled time.

May import `emulator.memory`. Gives `Machine`.
"""
