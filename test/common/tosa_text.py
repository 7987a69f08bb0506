"""Spells small TOSA modules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

_NAMES = {"int8": "i8", "int32": "i32", "float32": "f32"}


def tensor(shape: Sequence[int], element: str) -> str:
    return f"tensor<{'x'.join([*map(str, shape), element])}>"


def type_of(array: np.ndarray) -> str:
    return tensor(array.shape, _NAMES[array.dtype.name])


@dataclass
class Main:
    """The body of `@main`, one line per op."""

    inputs: tuple[str, ...]
    lines: list[str] = field(default_factory=list)

    def constant(self, array: np.ndarray) -> str:
        values = "0x" + array.tobytes().hex().upper()
        if array.size == 1:
            values = str(array.item())
        name = f"%c{len(self.lines)}"
        kind = type_of(array)
        literal = f'"{values}"' if array.size > 1 else values
        self.lines.append(
            f'{name} = "tosa.const"() <{{values = dense<{literal}> : {kind}}}> : () -> {kind}'
        )
        return name

    def zero_point(self, value: int, element: str = "int8") -> str:
        return self.constant(np.array([value]).astype(element))

    def op(
        self, name: str, operands: Sequence[tuple[str, str]], attributes: str, result: str
    ) -> str:
        values = ", ".join(o for o, _ in operands)
        types = ", ".join(t for _, t in operands)
        out = f"%v{len(self.lines)}"
        self.lines.append(f"{out} = {name} {values} {{{attributes}}} : ({types}) -> {result}")
        return out

    def shape(self, sizes: Sequence[int]) -> str:
        name, rank = f"%s{len(self.lines)}", len(sizes)
        values = f"{{values = dense<{list(sizes)}> : tensor<{rank}xindex>}}"
        self.lines.append(f"{name} = tosa.const_shape {values} : () -> !tosa.shape<{rank}>")
        return name

    def rescale(
        self,
        value: str,
        source: str,
        result: str,
        factors: tuple[Sequence[int], Sequence[int]],
        *,
        zero_points: tuple[int, int] = (0, 0),
        unsigned: tuple[bool, bool] = (False, False),
        rounding: str = "DOUBLE_ROUND",
    ) -> str:
        m, s = np.array(factors[0], np.int32), np.array(factors[1], np.int8)
        elements = [kind.rsplit("x", 1)[1].rstrip(">") for kind in (source, result)]
        points = [
            self.constant(np.array([p]).astype(f"int{e[1:]}"))
            for p, e in zip(zero_points, elements, strict=True)
        ]
        attributes = (
            f"input_unsigned = {str(unsigned[0]).lower()}, "
            f"output_unsigned = {str(unsigned[1]).lower()}, "
            f"per_channel = {str(len(m) > 1).lower()}, rounding_mode = {rounding}, scale32 = true"
        )
        operands = [(value, source), (self.constant(m), type_of(m)), (self.constant(s), type_of(s))]
        operands += [(p, f"tensor<1x{e}>") for p, e in zip(points, elements, strict=True)]
        return self.op("tosa.rescale", operands, attributes, result)

    def clamp(self, value: str, kind: str, low: float, high: float) -> str:
        element = kind.rsplit("x", 1)[1].rstrip(">")
        return self.op(
            "tosa.clamp",
            [(value, kind)],
            f"min_val = {low} : {element}, max_val = {high} : {element}",
            kind,
        )

    def returning(self, value: str, kind: str) -> str:
        arguments = ", ".join(f"%x{i}: {t}" for i, t in enumerate(self.inputs))
        body = "\n  ".join([*self.lines, f"return {value} : {kind}"])
        return f"func.func @main({arguments}) -> {kind} {{\n  {body}\n}}\n"
