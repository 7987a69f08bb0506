"""Options of the signal operators, which are FlexBuffers."""

from __future__ import annotations

from forebay.frontends.tflite.lowering.node import Node


def integer_option(node: Node, name: str, least: int, most: int) -> int:
    """Return an integer option in `[least, most]`."""
    value = node.custom_options().get(name)
    if not isinstance(value, int) or not least <= value <= most:
        node.malformed(f"its option '{name}' is {value}, not a number from {least} to {most}")
    return int(value)
