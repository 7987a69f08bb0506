from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, single
from common.tflite_engines import assert_all_equal_micro
from common.tflite_reference import ours

SPECIAL = [0.0, -0.0, 0.5, 1.5, 2.5, -0.5, -1.5, 1e-30, 3e4, -7.25]
POSITIVE = {"SQRT", "RSQRT", "LOG"}
NAMES = ["CEIL", "COS", "ELU", "EXP", "FLOOR", "LOG", "NEG", "ROUND", "RSQRT", "SIN", "SQRT"]


@pytest.mark.parametrize("name", [*NAMES, "SQUARE"])
def test_equals_tflite_micro(name: str, tmp_path: Path) -> None:
    x = np.random.default_rng(1).standard_normal((3, 50)).astype(np.float32) * 3
    if name in POSITIVE:
        x = np.abs(x) + np.float32(1e-3)
    elif name != "EXP":
        x[0, : len(SPECIAL)] = SPECIAL
    file = single(Op(name, [0], [1]), [T((3, 50), "float32")] * 2)
    assert_all_equal_micro(file, tmp_path, x)


@pytest.mark.parametrize(
    ("name", "options", "scales", "golden"),
    [
        ("GELU", {"Approximate": False}, (0.05, -3, 0.03, -110), 2719912388),
        ("GELU", {"Approximate": False}, (0.011, 100, 0.009, 20), 2153795289),
        ("GELU", {"Approximate": True}, (0.05, -3, 0.03, -110), 1439878602),
        ("GELU", {"Approximate": True}, (0.011, 100, 0.009, 20), 3035462329),
        ("EXP", {}, (0.05, -3, 0.03, -110), 2995393455),
        ("EXP", {}, (0.3, 0, 2.0, -128), 1481290955),
        ("LOG", {}, (0.05, -3, 0.03, -40), 2715365221),
        ("LOG", {}, (0.3, -128, 0.05, -20), 1998739376),
        ("SQRT", {}, (0.05, -128, 0.02, -128), 1431832476),
        ("SQRT", {}, (0.3, -128, 0.05, -20), 497169526),
        ("SQRT", {}, (0.0123, -128, 0.0037, -128), 2754831779),
    ],
)
def test_a_table_of_int8_is_that_of_litert(
    name: str, options: dict[str, bool], scales: tuple[float, int, float, int], golden: int
) -> None:
    """The golden is the CRC-32 of what LiteRT 2.3's reference kernel gives for all 256 values."""
    source, target = scales[:2], scales[2:]
    tensors = [T((256,), "int8", *source), T((256,), "int8", *target)]
    group = f"{name.capitalize()}Options" if options or name == "EXP" else ""
    file = single(Op(name, [0], [1], group, options), tensors)
    (result,) = ours(file, [np.arange(-128, 128, dtype=np.int8)])
    assert zlib.crc32(result.tobytes()) == golden
