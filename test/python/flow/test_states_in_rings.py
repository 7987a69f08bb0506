"""Networks whose variables are rings: SVDF, whose state gets a column in each inference."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build, constant
from common.models.tflite_sequences import assert_sequence_equals_micro
from mlir import ir
from mlir.dialects import arith

import forebay
from forebay.lowering.rings import rewrite
from forebay.options.choices import Optimize
from forebay.pipelines import PipelineError
from forebay.validation import ValidationError

BATCH, DEPTH = 2, 3
OPTIMIZE: tuple[Optimize, ...] = ("speed", "size")


def network(*layers: tuple[int, int, int], state: str = "int8", seed: int = 0) -> bytes:
    """Return SVDFs one behind the other, each of so many units, ranks and columns of state."""
    random = np.random.default_rng(seed)
    time, kept = (0.01, 0.4) if state == "int8" else (0.0003, 0.002)
    most = 127 if state == "int8" else 3000
    tensors, ops = [T((BATCH, DEPTH), "int8", 0.05, 7)], list[Op]()
    depth = DEPTH
    for units, rank, columns in layers:
        first, filters = len(tensors), units * rank
        tensors += [
            constant(random.integers(-127, 128, (filters, depth)), "int8", scale=0.02),
            constant(random.integers(-most, most, (filters, columns)), state, scale=time),
            constant(random.integers(-500, 500, units), scale=kept * time),
            T((BATCH, filters * columns), state, kept, is_variable=True),
            T((BATCH, units), "int8", 0.05, 7),
        ]
        fields = {"Rank": rank, "FusedActivationFunction": 1}
        inputs = [first - 1, *range(first, first + 4)]
        ops.append(Op("SVDF", inputs, [first + 4], "SVDFOptions", fields, 3))
        depth = units
    return build(Graph(tensors, [0], [len(tensors) - 1], ops))


def written(file: bytes, folder: Path) -> Path:
    path = folder / "net.tflite"
    path.write_bytes(file)
    return path


def positions_of(model: forebay.Compiled) -> list[str]:
    """Return the names of the variables that count runs."""
    return [b.name for b in model.info.buffers if b.name.startswith("position")]


@pytest.mark.parametrize("state", ["int8", "int16"])
@pytest.mark.parametrize(
    "layers",
    # Periods that are powers of two and that are not; several that have a common multiple only.
    [((4, 2, 5),), ((3, 1, 8),), ((2, 1, 2), (3, 2, 3)), ((4, 1, 4), (2, 1, 6), (5, 1, 9))],
)
def test_more_inferences_than_columns_equal_tflite_micro(
    layers: tuple[tuple[int, int, int], ...], state: str, tmp_path: Path
) -> None:
    file = network(*layers, state=state)
    assert positions_of(forebay.compile(written(file, tmp_path))) == ["position"]
    steps = 2 * max(columns for _, _, columns in layers) + 3
    assert_sequence_equals_micro(file, tmp_path, steps)


@pytest.mark.parametrize("engine", ["c", "llvm", "emulator"])
def test_a_reset_begins_again_in_the_middle_of_a_ring(engine: Any, tmp_path: Path) -> None:
    model = forebay.compile(written(network((4, 1, 6)), tmp_path))
    inputs = np.random.default_rng(1).integers(-128, 128, (8, BATCH, DEPTH)).astype(np.int8)
    model.reset(engine=engine)
    expected = [np.asarray(model.run(x, engine=engine)) for x in inputs]
    for count in (3, 5, 8):
        model.reset(engine=engine)
        found = [np.asarray(model.run(x, engine=engine)) for x in inputs[:count]]
        np.testing.assert_array_equal(found, expected[:count])


def test_the_position_takes_four_bytes_of_state_and_weights_are_stored_twice(
    tmp_path: Path,
) -> None:
    path = written(network((8, 2, 8)), tmp_path)
    fast, small = (forebay.compile(path, optimize=it) for it in OPTIMIZE)
    state = BATCH * 16 * 8
    assert small.plan.peak("state") == 16 + state
    assert fast.plan.peak("state") == 16 + state + 4
    assert fast.plan.peak("weights") - small.plan.peak("weights") == 16 * (8 - 1)
    assert (positions_of(fast), positions_of(small)) == (["position"], [])


def test_each_pass_keeps_the_state(tmp_path: Path) -> None:
    """The program is run before and after each pass; its state is compared in the model's order."""
    file = network((4, 1, 4), (3, 1, 3))
    forebay.compile(written(file, tmp_path), verify_each=True)


def test_new_weights_are_repeated_like_the_old_ones(tmp_path: Path) -> None:
    old, new = (
        forebay.compile(written(network((4, 1, 6), seed=seed), tmp_path)) for seed in (0, 1)
    )
    old.write(tmp_path / "old", weights_blob=True)
    new.write(tmp_path / "new", weights_blob=True)
    path = tmp_path / "new" / "net_weights.json"
    [pool] = json.loads(path.read_text())["pools"]
    data = (tmp_path / "new" / pool["file"]).read_bytes()
    values = dict[str, Any]()
    for own in pool["constants"]:
        flat = np.frombuffer(data[own["offset"] :][: own["size"]], own["type"])
        parts = tuple(map(slice, own.get("model_shape", own["shape"])))
        values[own["name"]] = flat.reshape(own["shape"])[parts]
    [weights] = [own for own in pool["constants"] if own.get("repeated")]
    assert (weights["shape"], weights["model_shape"]) == ([4, 11], [4, 6])
    forebay.update_constants(tmp_path / "old", values)
    assert (tmp_path / "old" / pool["file"]).read_bytes() == data
    whole = {weights["name"]: np.zeros(weights["shape"], np.int8)}
    with pytest.raises(forebay.Error, match=r"is int8\[4, 6\], int8\[4, 11\] was given"):
        forebay.update_constants(tmp_path / "old", whole)


# ---- Wrong positions -----------------------------------------------------------------------------

Place = Any


def _with(module: Any, name: str, made: Callable[..., Any]) -> SimpleNamespace:
    """Return a module in which something else makes the ops of a class."""
    return SimpleNamespace(**{**vars(module), name: made})


def _no_remainder(stored: ir.Value, count: ir.Value) -> Any:
    return arith.AddIOp(stored, arith.ConstantOp(count.type, 0).result)


def _steps(count: int, position: ir.Value, _: ir.Value) -> Any:
    return arith.AddIOp(position, arith.ConstantOp(position.type, count).result)


def _later_row(make: Callable[..., Place]) -> Callable[..., Place]:
    def of(position: ir.Value, *form: int) -> Place:
        place = make(position, *form)
        one = arith.ConstantOp(ir.IndexType.get(), 1).result
        return type(place)(arith.AddIOp(place.new, one).result, place.weights)

    return of


def _weights_from(ahead: int) -> Callable[[Callable[..., Place]], Callable[..., Place]]:
    def change(make: Callable[..., Place]) -> Callable[..., Place]:
        def of(position: ir.Value, *form: int) -> Place:
            place = make(position, *form)
            more = arith.ConstantOp(ir.IndexType.get(), ahead).result
            return type(place)(place.new, arith.AddIOp(place.weights, more).result)

        return of

    return change


@pytest.mark.parametrize("change", [_later_row, _weights_from(1), _weights_from(-1)])
def test_the_check_of_the_plan_refuses_rows_beside_the_ring(
    change: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    place_of = rewrite._place_of  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(rewrite, "_place_of", change(place_of))
    with pytest.raises(PipelineError, match=r"'memref.subview' may show bytes \["):
        forebay.compile(written(network((4, 1, 4)), tmp_path))


def test_the_check_of_the_plan_refuses_a_position_without_a_bound(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(rewrite, "arith", _with(arith, "RemUIOp", _no_remainder))
    with pytest.raises(PipelineError, match=r"'memref.subview' may show bytes \["):
        forebay.compile(written(network((4, 1, 4)), tmp_path))


@pytest.mark.parametrize(
    "step",
    # Each run replaces the same row, or the row behind the next one.
    [0, 2],
)
def test_the_emulator_finds_other_sums(
    step: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = written(network((4, 1, 4)), tmp_path)
    expected = forebay.compile(path)
    add = partial(_steps, step)
    monkeypatch.setattr(rewrite, "arith", _with(arith, "AddIOp", add))
    with pytest.raises(ValidationError, match="'memref-pool-shift-state' has changed"):
        forebay.compile(path, verify_each=True)
    found = forebay.compile(path)
    inputs = np.random.default_rng(1).integers(-128, 128, (6, BATCH, DEPTH)).astype(np.int8)
    outputs = list[list[Any]]()
    for model in (expected, found):
        model.reset(engine="emulator")
        outputs.append([np.asarray(model.run(x, engine="emulator")) for x in inputs])
    assert not np.array_equal(outputs[0], outputs[1])
    with pytest.raises(forebay.Error, match="the program leaves"):
        found.write(tmp_path / "out")
