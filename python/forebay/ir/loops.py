"""What is known of a loop beside its bounds."""

from __future__ import annotations

UNPIPELINED = "accel.unpipelined"
"""Attribute of a loop with transfers: why it is run as it is written."""
