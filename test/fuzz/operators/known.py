"""What TFLite Micro runs and Forebay refuses, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence

REASONS = {
    "undefined in TFLite": "a value may leave 32 bits, where TFLite's result is undefined",
    "which TFLite takes below 1 only": "TFLite checks the factor in debug builds only",
    "nearest neighbours from": "TOSA's fractions do not give TFLite's elements",
    "TOSA does not allow": "a limit of TOSA",
}
OPERATORS = {
    "BROADCAST_ARGS": "shapes are known, so the converter folds it",
}


def known(operator: str, types: Sequence[str], message: str) -> str | None:
    """The reason for a refusal, None where it is a defect."""
    if operator in OPERATORS:
        return f"{operator} {types[0]}: {OPERATORS[operator]}"
    found = (reason for text, reason in REASONS.items() if text in message)
    return next(found, None)
