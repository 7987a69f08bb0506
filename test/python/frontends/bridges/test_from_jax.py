"""Functions of JAX, compared with JAX on the CPU; runs where the extra `forebay[jax]` is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import forebay

jax = pytest.importorskip("jax", reason="needs the extra forebay[jax]")
jnp = jax.numpy
pytestmark = pytest.mark.slow
RNG = np.random.default_rng(0)


def _f32(*shape: int) -> Any:
    return RNG.normal(size=shape).astype(np.float32)


FILTERS, DENSE, SQUARE = _f32(3, 3, 3, 8), _f32(8, 4), _f32(4, 4)


def cnn(x: Any) -> Any:
    layout = ("NHWC", "HWIO", "NHWC")
    y = jax.lax.conv_general_dilated(x, FILTERS, (1, 1), "SAME", dimension_numbers=layout)
    window = (1, 2, 2, 1)
    y = jax.lax.reduce_window(jax.nn.relu(y), -jnp.inf, jax.lax.max, window, window, "VALID")
    return jax.nn.softmax(y.mean((1, 2)) @ DENSE)


def mlp(x: Any, bias: dict[str, Any]) -> Any:
    return jax.nn.gelu(x @ SQUARE + bias["b"]) @ SQUARE


def attention(x: Any) -> Any:
    scores = jax.nn.softmax((x @ SQUARE) @ (x @ SQUARE.T).swapaxes(-1, -2) / 2)
    y = scores @ x
    mean = y.mean(-1, keepdims=True)
    return (y - mean) / jnp.sqrt(((y - mean) ** 2).mean(-1, keepdims=True) + 1e-5)


def recurrent(x: Any) -> Any:
    def step(carry: Any, row: Any) -> Any:
        carry = jnp.tanh(carry @ SQUARE + row)
        return carry, carry

    return jax.lax.scan(step, jnp.zeros(4), x)


NETWORKS: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
    (cnn, (_f32(1, 8, 8, 3),)),
    (mlp, (_f32(2, 4), {"b": _f32(4)})),
    (attention, (_f32(2, 5, 4),)),
    (recurrent, (_f32(6, 4),)),
]


@pytest.mark.parametrize(("function", "examples"), NETWORKS, ids=[f.__name__ for f, _ in NETWORKS])
def test_a_function_equals_jax_on_the_cpu(
    function: Callable[..., Any], examples: tuple[Any, ...]
) -> None:
    compiled = forebay.from_jax(function, *examples)
    inputs = [np.asarray(leaf) for leaf in jax.tree_util.tree_leaves(examples)]
    found = compiled.run(*inputs)
    outputs = list(found) if isinstance(found, list | tuple) else [found]
    golden = jax.tree_util.tree_leaves(function(*examples))
    assert len(outputs) == len(golden)
    for y, expected in zip(outputs, golden, strict=True):
        assert np.abs(y - expected).max() <= 1e-6 * np.abs(expected).max()


def test_inputs_are_named_by_argument_and_key() -> None:
    compiled = forebay.from_jax(mlp, _f32(2, 4), {"b": _f32(4)})
    assert [i.name for i in compiled.inputs] == ["arg0", "arg1['b']"]


def test_a_loop_of_unknown_length_runs() -> None:
    def halved(x: Any) -> Any:
        return jax.lax.while_loop(lambda v: v.max() > 1.0, lambda v: v * 0.5, x)

    x = np.array([3.0, 9.0, 0.5], np.float32)
    np.testing.assert_array_equal(forebay.from_jax(halved, x).run(x), halved(x))


def test_what_no_rule_lowers_is_refused_by_name() -> None:
    with pytest.raises(forebay.Error, match="refused"):
        forebay.from_jax(lambda x: jnp.linalg.qr(x)[1], _f32(4, 4))
