import struct

import numpy as np
import pytest

from forebay.codegen.c.syntax.literals import float_text


@pytest.mark.parametrize(
    ("value", "ctype", "text"),
    [
        (0.0, "float", "0.0f"),
        (-0.0, "double", "-0.0"),
        (1.5, "float", "1.5f"),
        (0.1, "double", "0.1"),
        (float(np.float32(0.1)), "float", "0.1f"),
        (float(np.float32(0.1)), "double", "0.10000000149011612"),
        (1e7, "double", "1.0e+07"),
        (9999999.0, "double", "9999999.0"),
        (1e-5, "float", "1.0e-05f"),
        (float("inf"), "float", "INFINITY"),
        (float("-inf"), "double", "-INFINITY"),
        (float("nan"), "float", "NAN"),
    ],
)
def test_numbers(value: float, ctype: str, text: str) -> None:
    assert float_text(value, ctype) == text


def test_every_text_reads_back_as_the_same_bits() -> None:
    bits = np.random.default_rng(0).integers(0, 2**32, 2000, np.uint32)
    floats = [x for x in bits.view(np.float32).tolist() if np.isfinite(x)]
    for value in floats:
        read = np.float32(float_text(value, "float").rstrip("f"))
        assert struct.pack("f", read) == struct.pack("f", value)
        assert float(float_text(value, "double")) == value
