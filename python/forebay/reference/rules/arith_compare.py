"""Comparisons and selects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import arith

from forebay.reference.registry import Compute, Function, function
from forebay.reference.types import Array, unsigned

_I = arith.CmpIPredicate
_F = arith.CmpFPredicate

_SIGNED: dict[Any, Compute] = {
    _I.eq: np.equal,
    _I.ne: np.not_equal,
    _I.slt: np.less,
    _I.sle: np.less_equal,
    _I.sgt: np.greater,
    _I.sge: np.greater_equal,
}
_UNSIGNED: dict[Any, Compute] = {
    _I.ult: np.less,
    _I.ule: np.less_equal,
    _I.ugt: np.greater,
    _I.uge: np.greater_equal,
}
_ORDERED: dict[Any, Callable[[Any, Any], Any]] = {
    _F.OEQ: np.equal,
    _F.OGT: np.greater,
    _F.OGE: np.greater_equal,
    _F.OLT: np.less,
    _F.OLE: np.less_equal,
    _F.ONE: lambda a, b: (a < b) | (a > b),
    _F.ORD: lambda a, b: ~(np.isnan(a) | np.isnan(b)),
    _F.AlwaysFalse: lambda a, b: np.zeros(np.broadcast(a, b).shape, bool),
}
_NEGATED = {
    _F.UNE: _F.OEQ,
    _F.ULE: _F.OGT,
    _F.ULT: _F.OGE,
    _F.UGE: _F.OLT,
    _F.UGT: _F.OLE,
    _F.UEQ: _F.ONE,
    _F.UNO: _F.ORD,
    _F.AlwaysTrue: _F.AlwaysFalse,
}


@function(arith.CmpIOp)
def compare(op: arith.CmpIOp) -> Function:
    """Compare integers, signed or unsigned; a true boolean is -1 if signed."""
    predicate = ir.IntegerAttr(op.operation.attributes["predicate"]).value
    if predicate in _SIGNED:
        test = _SIGNED[predicate]
        return lambda a, b: test(_number(a), _number(b))
    test = _UNSIGNED[predicate]
    return lambda a, b: test(unsigned(a), unsigned(b))


@function(arith.CmpFOp)
def compare_floats(op: arith.CmpFOp) -> Function:
    """Compare floats; an unordered predicate is the negation of an ordered one."""
    predicate = ir.IntegerAttr(op.operation.attributes["predicate"]).value
    if predicate in _ORDERED:
        return _ORDERED[predicate]
    opposite = _ORDERED[_NEGATED[_F(predicate)]]
    return lambda a, b: np.logical_not(opposite(a, b))


@function(arith.SelectOp)
def select(op: arith.SelectOp) -> Function:
    """Return the first value if the condition holds, else the second."""
    return _choose


def _choose(condition: Any, yes: Any, no: Any) -> Any:
    """Select whole values by one condition, or elements by an array of conditions."""
    if np.ndim(condition) == 0:
        return yes if condition else no
    return np.where(condition, yes, no)


def _number(values: Any) -> Array:
    values = np.asarray(values)
    return -values.astype(np.int8) if values.dtype.kind == "b" else values
