"""Attributes that record facts about a loop besides its bounds."""

from __future__ import annotations

UNPIPELINED = "accel.unpipelined"
"""Attribute of a loop with transfers: the reason why it was not pipelined."""
