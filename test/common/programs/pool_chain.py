"""A chain of equal poolings, each an operator of a model."""

from __future__ import annotations

TYPE = "tensor<1x12x6x4xi8>"
SHAPE = (1, 12, 6, 4)


def pool_chain(count: int) -> str:
    """Return the chain in TOSA: windows of 3x3 with padding, on int8."""
    lines = [
        f"%{n + 1} = tosa.max_pool2d %{n} {{kernel = array<i64: 3, 3>, stride = array<i64: 1, 1>, "
        f"pad = array<i64: 1, 1, 1, 1>}} : ({TYPE}) -> {TYPE} "
        f'loc("t{n}"("POOL"("net.tflite":{n}:0)))'
        for n in range(count)
    ]
    body = "\n".join(lines).replace("%0 ", "%x ")
    return f"func.func @main(%x: {TYPE}) -> {TYPE} {{\n{body}\nreturn %{count} : {TYPE}\n}}"
