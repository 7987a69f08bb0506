"""Commands that signals end at random moments: exit codes, traces and what is left of them.

Case n is drawn from n alone: the command, the signal, the part of its usual time after which the
signal comes. Each has a folder with outputs of an earlier run, files of the user's and a folder of
its own for temporary files.
"""

from fuzz.interrupts.check import check

LONG = 100
SECONDS = 600.0

__all__ = ["LONG", "SECONDS", "check"]
