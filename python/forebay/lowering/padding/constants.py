"""The constants of a module with known values, and changed ones of single kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
from mlir import ir
from mlir.dialects import memref
from mlir.dialects.builtin import ModuleOp
from numpy.typing import NDArray

from forebay.dialects.accel import ReduceOp
from forebay.ir.interleaved import MODEL_SHAPE, REPEATED, extended
from forebay.ir.machine.pools import candidates_of, pools_in
from forebay.ir.nested import defining_op, ops_of
from forebay.pools import Fill


class Constants:
    """The constants of a module; those that the application fills have no known values."""

    def __init__(self, module: ModuleOp) -> None:
        self._symbols = ir.SymbolTable(module.operation)
        pools = pools_in(module.operation)
        self._filled = {name for name, pool in pools.items() if pool.fill is Fill.by_host}
        self._uses = Counter(
            own.name.value for own in ops_of(module, memref.GetGlobalOp) for _ in own.result.uses
        )

    def values(self, value: ir.Value) -> NDArray[np.int64] | None:
        """Return the values of a constant of integers, or None for another value."""
        found = self._known(value)
        if found is None or not np.issubdtype(found.dtype, np.integer):
            return None
        return found.astype(np.int64).reshape(ir.ShapedType(value.type).shape)

    def are_finite(self, value: ir.Value) -> bool:
        """Return whether a value is a constant of finite numbers."""
        found = self._known(value)
        return found is not None and bool(np.isfinite(found).all())

    def _known(self, value: ir.Value) -> NDArray[Any] | None:
        found = self._global_of(value)
        elements = None if found is None else found.initial_value
        if found is None or not found.constant or not isinstance(elements, ir.DenseElementsAttr):
            return None
        if self._filled & {*candidates_of(found.type_.value)}:
            return None
        numbers: Any = elements
        return np.array(numbers)

    def can_grow(self, value: ir.Value) -> bool:
        """Return whether a value is a constant whose elements are in the module.

        The application may fill it with others later.
        """
        found = self._global_of(value)
        elements = None if found is None or not found.constant else found.initial_value
        return isinstance(elements, ir.DenseElementsAttr)

    def changed(self, op: ReduceOp, value: ir.Value, values: NDArray[np.int64]) -> ir.Value:
        """Return a constant in front of an op, as another one but for its values.

        It takes the place of the other one if nothing else reads that.
        """
        old = self._global_of(value)
        assert old is not None, "the value is a constant"
        numbers: Any = values.astype(np.int32)
        type_ = ir.ShapedType(old.type_.value)
        tensor = ir.RankedTensorType.get(type_.shape, type_.element_type)
        elements = ir.DenseElementsAttr.get(numbers, type=tensor)
        if self._uses[old.sym_name.value] == 1:
            old.attributes["initial_value"] = elements
            return value
        made = old.operation.clone(ip=ir.InsertionPoint(old))
        made.attributes["initial_value"] = elements
        name = self._symbols.insert(made).value
        self._uses[name] = 1
        self._uses[old.sym_name.value] -= 1
        with ir.InsertionPoint(op), value.owner.location:
            return memref.GetGlobalOp(value.type, name).result

    def resized(
        self, op: ReduceOp, value: ir.Value, type_: ir.MemRefType, values: NDArray[np.int64]
    ) -> ir.Value:
        """Return a constant in front of an op, with more elements than another one has.

        The other one is erased if nothing else reads it.
        """
        width = ir.IntegerType(type_.element_type).width
        name = self._enlarged(value, type_, values.astype(f"int{width}"))
        with ir.InsertionPoint(op), value.owner.location:
            return memref.GetGlobalOp(type_, name).result

    def repeated(self, op: ReduceOp, value: ir.Value, shape: Sequence[int]) -> ir.Value:
        """Return a constant in front of an op, which begins again behind the elements of another.

        The other one is erased if nothing else reads it.
        """
        old = self._global_of(value)
        assert old is not None, "the value is a constant"
        own = ir.MemRefType(value.type)
        type_ = ir.MemRefType.get(shape, own.element_type, None, own.memory_space)
        elements: Any = old.initial_value
        values = np.array(elements).reshape(own.shape)
        name = self._enlarged(value, type_, extended(values, tuple(shape), repeats=True))
        made = self._symbols[name]
        made.operation.attributes[REPEATED] = ir.UnitAttr.get()
        with ir.InsertionPoint(op), value.owner.location:
            return memref.GetGlobalOp(type_, name).result

    def _enlarged(self, value: ir.Value, type_: ir.MemRefType, values: NDArray[Any]) -> str:
        """Make a constant with more elements than another one for one use; return its name."""
        old = self._global_of(value)
        assert old is not None, "the value is a constant"
        made = old.operation.clone(ip=ir.InsertionPoint(old))
        tensor = ir.RankedTensorType.get(type_.shape, type_.element_type)
        numbers: Any = np.ascontiguousarray(values)
        made.attributes["initial_value"] = ir.DenseElementsAttr.get(numbers, type=tensor)
        made.attributes["type"] = ir.TypeAttr.get(type_)
        made.attributes[MODEL_SHAPE] = ir.DenseI64ArrayAttr.get(ir.MemRefType(value.type).shape)
        name = old.sym_name.value
        self._uses[name] -= 1
        if not self._uses[name]:
            self._symbols.erase(old)
        inserted = self._symbols.insert(made).value
        self._uses[inserted] += 1
        return inserted

    def _global_of(self, value: ir.Value) -> memref.GlobalOp | None:
        shown = defining_op(value)
        if not isinstance(shown, memref.GetGlobalOp):
            return None
        found = self._symbols[shown.name.value]
        return found if isinstance(found, memref.GlobalOp) else None
