"""Operands at the edges, and one program through the interpreter and through upstream's JIT."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir

import forebay.dialects  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from common.oracles.contexts import kernel_context
from common.oracles.upstream_jit import run_tosa
from forebay.reference import Interpreter


def interpret(text: str, inputs: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    """What the interpreter answers."""
    with kernel_context():
        return Interpreter(ir.Module.parse(text).operation).run(inputs).outputs


def compile_and_run(text: str, inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
    """What upstream's lowering answers."""
    with kernel_context():
        return run_tosa(ir.Module.parse(text), inputs)


def check(text: str, inputs: Sequence[np.ndarray], tolerance: float = 0.0) -> None:
    """The two agree: integers exactly, floats within the tolerance, relative."""
    found, wanted = interpret(text, inputs), compile_and_run(text, inputs)
    assert len(found) == len(wanted) > 0
    for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
        assert one.shape == other.shape, number
        if one.dtype.kind == "f" and tolerance:
            np.testing.assert_allclose(one, other, rtol=tolerance, atol=1e-30, err_msg=str(number))
        else:
            np.testing.assert_array_equal(one, other.astype(one.dtype), err_msg=str(number))


def drawn(shape: Sequence[int], dtype: str, seed: int = 0) -> np.ndarray:
    """Integers over their whole range, the extremes among them; floats of both signs."""
    draw = np.random.default_rng([seed, *shape])
    kind = np.dtype(dtype)
    if kind.kind == "f":
        return (draw.standard_normal(shape) * 4).astype(kind)
    if kind.kind == "b":
        return draw.integers(0, 2, shape).astype(kind)
    limits = np.iinfo(kind)
    values = draw.integers(limits.min, limits.max, shape, kind, endpoint=True)
    edges = np.array([limits.min, limits.max, 0, -1, 1], kind)[: values.size]
    values.reshape(-1)[: len(edges)] = edges
    return values


def constant(values: np.ndarray, name: str) -> str:
    """`%name = tosa.const` of an array."""
    element = f"f{8 * values.itemsize}" if values.dtype.kind == "f" else f"i{8 * values.itemsize}"
    kind = f"tensor<{'x'.join([*map(str, values.shape), element])}>"
    text = f'"0x{values.tobytes().hex().upper()}"' if values.size > 1 else f"{values.item()}"
    return f'%{name} = "tosa.const"() {{values = dense<{text}> : {kind}}} : () -> {kind}'


def main(arguments: str, lines: Sequence[str], results: Sequence[tuple[str, str]]) -> str:
    """A module whose `@main` returns these values, each with its type."""
    types = ", ".join(kind for _, kind in results)
    values = ", ".join(value for value, _ in results)
    body = "\n  ".join([*lines, f"return {values} : {types}"])
    return f"func.func @main({arguments}) -> ({types}) {{\n  {body}\n}}\n"
