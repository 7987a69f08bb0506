"""What TFLite Micro runs and Forebay refuses, each with its reason."""

from __future__ import annotations

REASONS = {
    "undefined in TFLite": "a value may leave 32 bits, where TFLite's result is undefined",
    "which TFLite takes below 1 only": "TFLite checks the factor in debug builds only",
    "nearest neighbours from": "TOSA's fractions do not give TFLite's elements",
    "TOSA does not allow": "a limit of TOSA",
}


def known(message: str) -> str | None:
    """The reason for a refusal, None where it is a defect."""
    return next((reason for text, reason in REASONS.items() if text in message), None)
