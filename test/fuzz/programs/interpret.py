"""A plain interpreter of programs on memrefs: one NumPy array per buffer, one `if` per operation.

It shares no code with the project: operations are known by their names, attributes are read off
generic operations, and what devices compute is written down here once more. What is started is done
at once, since drawn programs order what they start.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from mlir import ir
from numpy.lib.stride_tricks import as_strided

Array = np.ndarray
DYNAMIC = -(2**63)


class NotInterpretedError(Exception):
    """An operation that this interpreter does not know."""


@dataclass(frozen=True, eq=False)
class Memory:
    """A memref: a flat buffer, and which of its elements, counted from `offset`, are which."""

    buffer: Array
    offset: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def array(self) -> Array:
        """The elements, to be read and written."""
        item = self.buffer.itemsize
        return as_strided(
            self.buffer[self.offset :], self.shape, tuple(stride * item for stride in self.strides)
        )


def whole(shape: Sequence[int], dtype: str) -> Memory:
    """A new buffer, row by row, of a pattern that no program counts on."""
    strides = [1]
    for size in reversed(shape[1:]):
        strides.insert(0, strides[0] * size)
    buffer = np.full(int(np.prod(shape)), 0x5B, dtype)
    return Memory(buffer, 0, tuple(shape), tuple(strides[: len(shape)]))


class Interpreter:
    """A module's functions, constants and state."""

    def __init__(self, module: ir.Module) -> None:
        self._module = module
        self._functions: dict[str, Any] = {}
        self._globals: dict[str, Memory] = {}
        for op in module.body.operations:
            name = op.operation.name
            if name == "func.func":
                self._functions[op.attributes["sym_name"].value] = op.operation
            elif name == "memref.global":
                self._globals[op.attributes["sym_name"].value] = _global(op.operation)
        self._values: dict[Any, Any] = {}

    def call(self, name: str, inputs: Sequence[Array]) -> list[Array]:
        """Run an entry function; its outputs are the arguments that are marked as results."""
        function = self._functions[name]
        arguments = list(function.regions[0].blocks[0].arguments)
        waiting, outputs, memories = iter(inputs), list[Memory](), list[Memory]()
        marks = function.attributes["arg_attrs"] if arguments else []
        for argument, mark in zip(arguments, marks, strict=True):
            memory = whole(list(argument.type.shape), _dtype(argument.type.element_type))
            if "bufferize.result" in mark:
                outputs.append(memory)
            else:
                memory.array[...] = next(waiting)
            memories.append(memory)
        self._function(function, memories)
        return [memory.array.copy() for memory in outputs]

    def state(self, name: str) -> Array:
        """What a variable holds."""
        return self._globals[name].array.copy()

    def _function(self, function: Any, arguments: Sequence[Any]) -> list[Any]:
        saved, self._values = self._values, {}
        block = function.regions[0].blocks[0]
        self._bind(block.arguments, arguments)
        results = self._block(block)
        self._values = saved
        return results

    def _bind(self, names: Any, values: Sequence[Any]) -> None:
        for name, value in zip(names, values, strict=True):
            self._values[name] = value

    def _block(self, block: Any) -> list[Any]:
        """Run it; what its terminator hands on."""
        *ops, last = block.operations
        for op in ops:
            self._step(op.operation)
        return [self._values[value] for value in last.operands]

    def _step(self, op: Any) -> None:
        step = _STEPS.get(op.name)
        if step is None:
            raise NotInterpretedError(op.name)
        results = step(self, op, [self._values[value] for value in op.operands])
        self._bind(op.results, results or [])


Step = Callable[[Interpreter, Any, list[Any]], "list[Any] | None"]
_STEPS: dict[str, Step] = {}


def _step(*names: str) -> Callable[[Step], Step]:
    def register(step: Step) -> Step:
        _STEPS.update(dict.fromkeys(names, step))
        return step

    return register


# ---- Numbers -------------------------------------------------------------------------------------


def _dtype(type_: Any) -> str:
    return "int64" if isinstance(type_, ir.IndexType) else f"int{max(8, type_.width)}"


def _wrapped(value: int, type_: Any) -> int:
    """As a signed number of the type's width."""
    width = 64 if isinstance(type_, ir.IndexType) else type_.width
    value &= (1 << width) - 1
    return value - (1 << width) if value >> (width - 1) and width > 1 else value


@_step("arith.constant")
def _constant(_: Interpreter, op: Any, __: list[Any]) -> list[Any]:
    return [int(op.attributes["value"].value)]


_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "arith.addi": lambda a, b: a + b,
    "arith.subi": lambda a, b: a - b,
    "arith.muli": lambda a, b: a * b,
    "arith.andi": lambda a, b: a & b,
    "arith.xori": lambda a, b: a ^ b,
}


@_step(*_ARITHMETIC)
def _arithmetic(_: Interpreter, op: Any, values: list[Any]) -> list[Any]:
    return [_wrapped(_ARITHMETIC[op.name](*values), op.results[0].type)]


@_step("arith.index_cast")
def _same(_: Interpreter, op: Any, values: list[Any]) -> list[Any]:
    return [_wrapped(values[0], op.results[0].type)]


@_step("arith.cmpi")
def _compare(_: Interpreter, op: Any, values: list[Any]) -> list[Any]:
    signed = (
        lambda a, b: a == b,
        lambda a, b: a != b,
        lambda a, b: a < b,
        lambda a, b: a <= b,
        lambda a, b: a > b,
        lambda a, b: a >= b,
    )
    return [int(signed[op.attributes["predicate"].value](*values))]


@_step("arith.select")
def _select(_: Interpreter, __: Any, values: list[Any]) -> list[Any]:
    return [values[1] if values[0] else values[2]]


# ---- Memory --------------------------------------------------------------------------------------


def _global(op: Any) -> Memory:
    type_ = op.attributes["type"].value
    memory = whole(list(type_.shape), _dtype(type_.element_type))
    value = op.attributes.get("initial_value")
    if value is not None and not isinstance(value, ir.UnitAttr):
        memory.array[...] = np.array(value).reshape(type_.shape)
    return memory


@_step("memref.get_global")
def _get_global(self: Interpreter, op: Any, _: list[Any]) -> list[Any]:
    return [self._globals[op.attributes["name"].value]]


@_step("memref_pool.alloc", "memref.alloc")
def _alloc(_: Interpreter, op: Any, __: list[Any]) -> list[Any]:
    type_ = op.results[0].type
    return [whole(list(type_.shape), _dtype(type_.element_type))]


@_step("memref.load")
def _load(_: Interpreter, __: Any, values: list[Any]) -> list[Any]:
    memory, *at = values
    _check(memory, at)
    return [int(memory.array[tuple(at)])]


@_step("memref.store")
def _store(_: Interpreter, __: Any, values: list[Any]) -> None:
    value, memory, *at = values
    _check(memory, at)
    memory.array[tuple(at)] = value


def _check(memory: Memory, at: list[int]) -> None:
    inside = (0 <= index < size for index, size in zip(at, memory.shape, strict=True))
    assert all(inside), f"element {at} of {memory.shape}"


@_step("memref.copy", "memref_pool.copy", "accel.move")
def _copy(_: Interpreter, __: Any, values: list[Any]) -> None:
    source, target = values
    target.array[...] = source.array.copy()


@_step("accel.start")
def _start(_: Interpreter, __: Any, values: list[Any]) -> list[Any]:
    source, target, *_tokens = values
    target.array[...] = source.array.copy()
    return [None]


@_step("accel.wait")
def _wait(_: Interpreter, __: Any, ___: list[Any]) -> None:
    """What was started is done."""


# ---- Views ---------------------------------------------------------------------------------------


def _mixed(static: Sequence[int], dynamic: list[Any]) -> list[int]:
    waiting = iter(dynamic)
    return [next(waiting) if number == DYNAMIC else number for number in static]


def _parts(op: Any, values: list[Any]) -> tuple[list[int], list[int], list[int]]:
    """Offsets, sizes and strides."""
    names = ("static_offsets", "static_sizes", "static_strides")
    static = [list(op.attributes[name]) for name in names]
    counts = [numbers.count(DYNAMIC) for numbers in static]
    first, second = counts[0], counts[0] + counts[1]
    parts = values[1 : 1 + first], values[1 + first : 1 + second], values[1 + second :]
    offsets, sizes, strides = (_mixed(s, d) for s, d in zip(static, parts, strict=True))
    return offsets, sizes, strides


@_step("memref.subview")
def _subview(_: Interpreter, op: Any, values: list[Any]) -> list[Any]:
    source = values[0]
    offsets, sizes, strides = _parts(op, values)
    begin = source.offset + sum(o * s for o, s in zip(offsets, source.strides, strict=True))
    wide = tuple(a * b for a, b in zip(strides, source.strides, strict=True))
    return [Memory(source.buffer, begin, tuple(sizes), wide)]


@_step("memref.reinterpret_cast")
def _reinterpret(_: Interpreter, op: Any, values: list[Any]) -> list[Any]:
    offsets, sizes, strides = _parts(op, values)
    return [Memory(values[0].buffer, offsets[0], tuple(sizes), tuple(strides))]


@_step("memref.collapse_shape", "memref.expand_shape")
def _reshape(_: Interpreter, op: Any, values: list[Any]) -> list[Any]:
    shape = list(op.results[0].type.shape)
    known = whole(shape, "int8")
    return [Memory(values[0].buffer, values[0].offset, tuple(shape), known.strides)]


@_step("memref.cast")
def _cast(_: Interpreter, __: Any, values: list[Any]) -> list[Any]:
    return [values[0]]


# ---- Kernels -------------------------------------------------------------------------------------


@_step("linalg.fill")
def _fill(_: Interpreter, __: Any, values: list[Any]) -> None:
    values[1].array[...] = values[0]


@_step("linalg.generic")
def _generic(self: Interpreter, op: Any, values: list[Any]) -> None:
    """Elementwise: all maps are the same."""
    arrays = [value.array for value in values]
    block = op.regions[0].blocks[0]
    results = np.empty_like(arrays[-1])
    for index in np.ndindex(arrays[-1].shape):
        self._bind(block.arguments, [int(array[index]) for array in arrays])
        (results[index],) = self._block(block)
    arrays[-1][...] = results


@_step("accel.call", "accel.launch")
def _device(_: Interpreter, op: Any, values: list[Any]) -> list[Any]:
    source, target = values[0].array.copy(), values[1].array
    results = {
        "npu.double": lambda: source + source,
        "npu.add": lambda: source + target,
        "npu.invert": lambda: ~source,
    }
    target[...] = results[op.attributes["callee"].value]()
    return [None] if op.results else []


# ---- Structure -----------------------------------------------------------------------------------


@_step("scf.for")
def _for(self: Interpreter, op: Any, values: list[Any]) -> list[Any]:
    low, high, step, *carried = values
    block = op.regions[0].blocks[0]
    for number in range(low, high, step):
        self._bind(block.arguments, [number, *carried])
        carried = self._block(block)
    return carried


@_step("scf.if")
def _if(self: Interpreter, op: Any, values: list[Any]) -> list[Any]:
    region = op.regions[0 if values[0] else 1]
    return self._block(region.blocks[0]) if len(region.blocks) else []


@_step("func.call")
def _call(self: Interpreter, op: Any, values: list[Any]) -> list[Any]:
    return self._function(self._functions[op.attributes["callee"].value], values)
