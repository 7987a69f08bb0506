"""Compile a function of JAX: a recurrent network over eight time steps.

python examples/ways_in/jax_function.py
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

import forebay

RNG = np.random.default_rng(0)
RECURRENT, OUT = (RNG.normal(0, 0.3, shape).astype(np.float32) for shape in ((16, 16), (16, 3)))


def scores(signal: jax.Array) -> jax.Array:
    """Return the probabilities of three classes for a signal of 8 x 16."""

    def step(state: jax.Array, row: jax.Array) -> tuple[jax.Array, None]:
        return jnp.tanh(state @ RECURRENT + row), None

    state, _ = jax.lax.scan(step, jnp.zeros(16), signal)
    return jax.nn.softmax(state @ OUT)


def main() -> None:
    """Print the plan, and the largest difference from JAX."""
    signal = RNG.normal(size=(8, 16)).astype(np.float32)
    compiled = forebay.from_jax(scores, signal)
    print(compiled)
    difference = np.abs(compiled.run(signal) - scores(signal)).max()
    print(f"the largest difference from JAX is {difference:.1e}")


if __name__ == "__main__":
    main()
