"""The softmax of the target against the host's, on rows that reach all parts of the formula."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.drivers.kernel_library import linked
from zoo.layers import Net

import forebay


@pytest.mark.parametrize(("columns", "scale"), [(2, 0.02), (300, 0.1), (7, 0.6)])
def test_the_values_are_those_of_the_host(columns: int, scale: float, tmp_path: Path) -> None:
    net = Net(0)
    x = net.value((1, 40, columns), 40 * scale, "x", 3)
    path = tmp_path / "softmax.tflite"
    path.write_bytes(net.file([x], [net.softmax(x)]))
    drawn = np.random.default_rng(1).integers(-128, 128, (1, 40, columns), dtype=np.int8)
    drawn[0, 0], drawn[0, 1, 0] = 5, 127  # a row of equal elements, and one with the largest
    expected = forebay.compile(path).run(drawn)
    network = forebay.compile(path, target="cmsis_nn")
    np.testing.assert_array_equal(network.run(drawn, engine="emulator"), expected)
    np.testing.assert_array_equal(linked(network, "none").run([drawn])[0], expected)
