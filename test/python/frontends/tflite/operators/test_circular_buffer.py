from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Op, T, single
from mlir import ir

import forebay
from forebay.frontends.errors import MalformedModel, UnsupportedModel
from forebay.frontends.tflite import import_model


def network(source: tuple[int, ...], result: tuple[int, ...], cycles: int = 1) -> bytes:
    op = Op("CIRCULAR_BUFFER", [0], [1], custom={"cycles_max": cycles})
    return single(op, [T(source, "int8", 0.1), T(result, "int8", 0.1)])


@pytest.mark.parametrize("slots", [1, 4])
def test_the_newest_input_is_in_the_last_slot(slots: int, tmp_path: Path) -> None:
    runtime = pytest.importorskip("tflite_micro.python.tflite_micro.runtime")
    file = network((1, 1, 2, 3), (1, slots, 2, 3))
    (tmp_path / "net.tflite").write_bytes(file)
    compiled = forebay.compile(tmp_path / "net.tflite")
    micro = runtime.Interpreter.from_bytes(file, arena_size=100_000)
    inputs = np.random.default_rng(1).integers(-128, 128, (7, 1, 1, 2, 3), dtype=np.int8)
    history = np.concatenate([np.zeros((slots - 1, 1, 1, 2, 3), np.int8), inputs])
    found = {engine: [] for engine in ("c", "llvm", "emulator")}
    for engine, outputs in found.items():
        compiled.reset(engine)
        outputs += [compiled.run(x, engine=engine) for x in inputs]
    for step, x in enumerate(inputs):
        expected = history[step : step + slots].reshape(1, slots, 2, 3)
        micro.set_input(x, 0)
        micro.invoke()
        if step >= slots - 1:  # before that, some slots hold what was in memory
            np.testing.assert_array_equal(micro.get_output(0), expected)
        for outputs in found.values():
            np.testing.assert_array_equal(outputs[step], expected)


def test_an_inference_that_ends_early_is_refused() -> None:
    with ir.Context(), pytest.raises(UnsupportedModel, match="ends at this operator"):
        import_model(network((1, 1, 2, 3), (1, 4, 2, 3), 2))


def test_slots_of_another_size_are_refused() -> None:
    with ir.Context(), pytest.raises(MalformedModel, match="for slots of"):
        import_model(network((1, 1, 2, 3), (1, 4, 2, 2)))
