"""Sizes of a VTA's memories, in elements."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class VtaGeometry:
    """A matrix of 16 x 16 weights; `tokens` is the most that a queue holds in every build."""

    micro_ops: int = 8192
    weights: int = 1024
    inputs: int = 2048
    accumulators: int = 2048
    lanes: int = 16
    tokens: int = 255
