"""Conditions of patterns, with the words for a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Condition = tuple[str, Callable[[Any], bool]]
"""A predicate on a view, with the text that follows "needs" in a report when it is false."""
