"""Numbers as C literals."""

from __future__ import annotations

import numpy as np


def float_text(value: float, ctype: str) -> str:
    """Return the shortest decimal that reads back as the same bits; NaN and infinity by macro."""
    if np.isnan(value):
        return "NAN"
    if np.isinf(value):
        return "-INFINITY" if value < 0 else "INFINITY"
    suffix, number = ("f", np.float32(value)) if ctype == "float" else ("", np.float64(value))
    magnitude = abs(number)
    if magnitude == 0 or 1e-4 <= magnitude < 1e7:
        text = np.format_float_positional(magnitude, unique=True, trim="0")
    else:
        text = np.format_float_scientific(magnitude, unique=True, trim="0")
    return f"{'-' if np.signbit(number) else ''}{text}{suffix}"
