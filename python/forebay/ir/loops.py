"""Attributes that record why operations of devices do not overlap."""

from __future__ import annotations

UNPIPELINED = "accel.unpipelined"
"""Attribute of a loop with transfers: the reason why it was not pipelined."""

UNOVERLAPPED = "accel.unoverlapped"
"""Attribute of the first operation of a sequence: the reason why its operations do not overlap."""
