"""Draws programs on memrefs that are right: every read is of what was written, nothing overlaps.

What may be done next depends on what is known: values and numbers in sight, and operations that
were started and not waited for, which own their buffers. A module draws one family of operations.
"""

from fuzz.programs.draw.program import Program

__all__ = ["Program"]
