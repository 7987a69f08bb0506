"""One time step of an LSTM on tensors `[batch, units]`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from mlir import ir
from mlir.dialects import arith
from mlir.dialects import math as mathlib
from msgspec import Struct
from numpy.typing import NDArray

from forebay.frontends.elementwise import map_in_place
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.kernels import fixed_sigmoid
from forebay.frontends.tflite.kernels.accumulate import Followed, Product, StoredAs, accumulate
from forebay.frontends.tflite.kernels.fixed_sigmoid import InputScale
from forebay.frontends.tflite.kernels.hybrid import HybridProduct, hybrid_sum, one_scale
from forebay.frontends.tflite.kernels.quantised_rows import QuantisedRows, quantised_rows
from forebay.frontends.tflite.kernels.scaled import rescaled, saturated
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.quantize import Multiplier
from forebay.lowering.kernels import scalar
from forebay.lowering.kernels.reduce import KernelDomain, ReduceOperand, affine_dimensions

_I16, _F32 = ElementType.INT16, ElementType.FLOAT32
_Operand = ir.Value | QuantisedRows


class GateProduct(Struct, frozen=True, eq=False):
    """The weights of a gate for one of its operands, and the arithmetic of their product."""

    weights: ir.Value
    bias: NDArray[np.generic] | None
    zero_points: tuple[int, int] = (0, 0)
    factors: tuple[Multiplier, ...] = ()
    wide: bool = False
    reach: int = 0
    scale: float | None = None
    """Of int8 weights whose float32 operand is quantised at run time."""


class Gate(Struct, frozen=True, eq=False):
    """A gate: `activation(W x + b + R h)`."""

    input: GateProduct
    hidden: GateProduct
    is_tanh: bool


class CellArithmetic(Struct, frozen=True):
    """The factors of the products of gates and state, and how the results are stored."""

    forget: Multiplier
    input: Multiplier
    output: Multiplier
    cell: InputScale
    hidden: StoredAs


class LstmStep(Struct, frozen=True, eq=False):
    """The gates of a layer; `arithmetic` is None for floats, `clip` the bound of the cell state.

    `is_asymmetric` says how operands are quantised at run time; None if they are not.
    """

    forget: Gate
    input: Gate
    cell: Gate
    output: Gate
    clip: float | None
    table: ir.Value | None
    arithmetic: CellArithmetic | None
    is_asymmetric: bool | None

    def build(
        self, source: ir.Value, hidden: ir.Value, cell: ir.Value
    ) -> tuple[ir.Value, ir.Value]:
        """Return the new hidden state and the new cell state, in the places of the old ones.

        A gate is computed when it is needed, so that few of them are alive at once.
        """
        operands = self._operand(source), self._operand(hidden)
        is_float = self.arithmetic is None
        keep = scalar.multiply if is_float else self._kept
        scale = scalar.multiply if is_float else self._scaled
        show = self._show_floats if is_float else self._show_integers
        forget = self._parts(self.forget, *operands)
        cell = map_in_place(
            cell, forget, lambda ins, old: keep(old, self._activated(self.forget, ins))
        )
        update, *others = self._parts(self.input, *operands)
        if others:
            update = map_in_place(
                update, others, lambda ins, old: self._activated(self.input, [old, *ins])
            )
        candidate = self._parts(self.cell, *operands)
        cell = map_in_place(
            cell,
            [update, *candidate],
            lambda ins, old: self._limited_sum(
                old, scale(ins[0], self._activated(self.cell, ins[1:]))
            ),
        )
        output = self._parts(self.output, *operands)
        hidden = map_in_place(
            hidden,
            [cell, *output],
            lambda ins, _: show([ins[0], self._activated(self.output, ins[1:])]),
        )
        return hidden, cell

    def _operand(self, value: ir.Value) -> _Operand:
        if self.is_asymmetric is None:
            return value
        return quantised_rows(value, is_asymmetric=self.is_asymmetric)

    def _parts(self, gate: Gate, source: _Operand, hidden: _Operand) -> list[ir.Value]:
        """Return the products of a gate; in floats the gate itself."""
        first = _product(gate.input, source)
        if self.table is not None:  # each is saturated
            return [first, _product(gate.hidden, hidden)]
        n, c = affine_dimensions(2)
        function = _tanh if gate.is_tanh else _logistic
        then = Followed(
            ReduceOperand(first, (n, c)), lambda value, x: function(scalar.add(x, value))
        )
        return [_product(gate.hidden, hidden, then)]

    def _activated(self, gate: Gate, ins: Sequence[ir.Value]) -> ir.Value:
        """Return an element of a gate from those of `_parts`."""
        if self.table is None:
            return ins[0]
        wide = [scalar.widen(x) for x in ins]
        total = scalar.clamp(scalar.add(*wide), *_I16.range)
        function = fixed_sigmoid.fixed_tanh if gate.is_tanh else fixed_sigmoid.fixed_logistic
        return scalar.narrow(
            function(total, self.table, fixed_sigmoid.WHOLE_BITS_OF_3), emit.signless(16)
        )

    def _kept(self, cell: ir.Value, forget: ir.Value) -> ir.Value:
        assert self.arithmetic is not None
        product = scalar.multiply(scalar.widen(forget), scalar.widen(cell))
        value = _limited(rescaled(product, self.arithmetic.forget))
        return scalar.narrow(value, emit.signless(16))

    def _scaled(self, input_: ir.Value, candidate: ir.Value) -> ir.Value:
        assert self.arithmetic is not None
        product = scalar.multiply(scalar.widen(input_), scalar.widen(candidate))
        value = _limited(rescaled(product, self.arithmetic.input))
        return scalar.narrow(value, emit.signless(16))

    def _limited_sum(self, kept: ir.Value, update: ir.Value) -> ir.Value:
        """Return the new state of a cell."""
        if self.arithmetic is None:
            total = scalar.add(kept, update)
            return total if self.clip is None else scalar.clamp(total, -self.clip, self.clip)
        total = _limited(scalar.add(scalar.widen(kept), scalar.widen(update)))
        if self.clip is not None:
            total = scalar.clamp(total, -self.clip, self.clip)
        return scalar.narrow(total, emit.signless(16))

    @staticmethod
    def _show_floats(ins: Sequence[ir.Value]) -> ir.Value:
        return scalar.multiply(_tanh(ins[0]), ins[1])

    def _show_integers(self, ins: Sequence[ir.Value]) -> ir.Value:
        assert self.arithmetic is not None
        assert self.table is not None
        cell, output = (scalar.widen(x) for x in ins)
        shown = fixed_sigmoid.fixed_tanh(cell, self.table, self.arithmetic.cell)
        value = rescaled(scalar.multiply(shown, output), self.arithmetic.output)
        hidden = self.arithmetic.hidden
        return saturated(value, hidden.zero_point, hidden.element)


def _product(gate: GateProduct, source: _Operand, then: Followed | None = None) -> ir.Value:
    if isinstance(source, QuantisedRows):
        return _hybrid_product(gate, source, then)
    batch, depth = emit.static_shape_of(source)
    units = emit.static_shape_of(gate.weights)[0]
    n, c, k = affine_dimensions(3)
    product = Product(
        KernelDomain((batch, units), (depth,)),
        ReduceOperand(source, (n, k)),
        ReduceOperand(gate.weights, (c, k)),
        c,
        (n, c),
        gate.zero_points,
        gate.bias,
        gate.factors,
        gate.wide,
        gate.reach,
    )
    return accumulate(product, (batch, units), StoredAs(_I16 if gate.factors else _F32), then)


def _hybrid_product(gate: GateProduct, rows: QuantisedRows, then: Followed | None) -> ir.Value:
    batch, depth = emit.static_shape_of(rows.stored)
    units = emit.static_shape_of(gate.weights)[0]
    n, c, k = affine_dimensions(3)
    assert gate.scale is not None
    weights, scale = ReduceOperand(gate.weights, (c, k)), one_scale(gate.scale)
    domain = KernelDomain((batch, units), (depth,))
    bias = [] if gate.bias is None else [ReduceOperand(emit.tosa_constant(gate.bias), (c,))]

    def finish(value: ir.Value, ins: Sequence[ir.Value]) -> ir.Value:
        total = scalar.add(ins[0], value) if bias else value
        return then.compute(total, ins[-1]) if then else total

    return hybrid_sum(
        HybridProduct(domain, rows, (n,), weights, scale, (n, c)),
        domain.parallel,
        [*bias, *([then.operand] if then else [])],
        finish,
    )


def _limited(value: ir.Value) -> ir.Value:
    return scalar.clamp(value, *_I16.range)


def _logistic(x: ir.Value) -> ir.Value:
    one = scalar.scalar_constant(1.0, x.type)
    exp = mathlib.ExpOp(arith.NegFOp(x).result).result
    return scalar.divide(one, scalar.add(one, exp))


def _tanh(x: ir.Value) -> ir.Value:
    return mathlib.TanhOp(x).result
