"""ONNX's own cases of operators, each with its inputs, and with all but the first as constants.

The package onnx has a network, inputs and the expected results for each of them. What Forebay takes
must give these results: integers to the bit, floats up to 1e-5 of the largest one. A refusal must
be one of something unsupported; ONNX's networks are not malformed.
"""

from fuzz.onnx_cases.check import check

LONG = 3_000
SECONDS = 300.0

__all__ = ["LONG", "SECONDS", "check"]
