"""`forebay_runtime.h`: what differs between C compilers; every project has this same file."""

from __future__ import annotations

from pathlib import Path

NAME = "forebay_runtime.h"
VERSION = 1
"""What the file defines as FOREBAY_RUNTIME_VERSION."""


def runtime_header() -> str:
    """Return the text of the file."""
    return (Path(__file__).parent / NAME).read_text("utf-8")
