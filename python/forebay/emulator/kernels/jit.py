"""Compile kernels to machine code: each distinct kernel is a function, all in one engine."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mlir import ir
from mlir.dialects import arith, func

import forebay.passes  # noqa: F401  # pyright: ignore[reportUnusedImport]  (registers)
from forebay import pipelines
from forebay.emulator.kernels.tables import map_type, watch
from forebay.emulator.memory.faults import NotEmulatedError
from forebay.emulator.memory.types import plain
from forebay.engines.jit_code import JitCode
from forebay.errors import Error
from forebay.ir.hot_functions import mark_hot
from forebay.ir.nested import ops_in

_PIPELINE = (
    "builtin.module(func.func(accel-lower-reduce,convert-linalg-to-loops,canonicalize,cse),"
    # Booleans take a byte.
    "memref-pool-lower-to-llvm,"
    "func.func(tosa-to-arith{include-apply-rescale=true use-32-bit=false}),"
    "expand-strided-metadata,lower-affine,convert-vector-to-llvm,convert-scf-to-cf,convert-math-to-llvm,"
    "convert-math-to-libm,convert-arith-to-llvm,func.func(arith-expand),convert-arith-to-llvm,"
    "finalize-memref-to-llvm,"
    # A memref argument is one pointer.
    "convert-func-to-llvm{use-bare-ptr-memref-call-conv=1},"
    "convert-cf-to-llvm,reconcile-unrealized-casts)"
)

_Build = Callable[[Sequence[ir.Value]], None]


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers of an op that become arguments, so that ops which differ in them share a kernel.

    `take` replaces an op by one that uses values instead of the `given` numbers.
    """

    given: tuple[int, ...]
    take: Callable[[Any, Sequence[ir.Value]], None]


class CompiledKernel:
    """A function of pointers and numbers that can be called once its engine has compiled it."""

    def __init__(self, name: str, types: Sequence[ir.Type]) -> None:
        self.name = name
        self._encode = [_encoder(type_) for type_ in types]
        self._slots = (ctypes.c_int64 * max(1, len(types)))()
        start, width = ctypes.addressof(self._slots), ctypes.sizeof(ctypes.c_int64)
        addresses = [start + width * number for number in range(len(types))]
        self._packed = (ctypes.c_void_p * max(1, len(types)))(*addresses)
        self._code: JitCode | None = None

    def __call__(self, *values: Any) -> None:
        """Run on pointers (ints) for memrefs, and on ints and floats for scalars."""
        for number, (encode, value) in enumerate(zip(self._encode, values, strict=True)):
            self._slots[number] = encode(value)
        assert self._code is not None
        self._code.call(self.name, self._packed)

    def link(self, code: JitCode) -> None:
        """Use the function of this name in compiled code."""
        self._code = code


class Kernels:
    """A collection of the kernels of a program, which are compiled together.

    Programs of one context may share it: a kernel is compiled only once.
    """

    def __init__(self, location: ir.Location) -> None:
        self._location = location
        self._module = ir.Module.create(loc=location)
        self._known: dict[str, CompiledKernel] = {}
        self._waiting: list[tuple[CompiledKernel, ir.OpView]] = []
        """Kernels to compile, each with the first op that it was made for."""

    def of_op(
        self,
        op: ir.OpView,
        values: Sequence[ir.Value],
        tables: Sequence[ir.Value] = (),
        numbers: Numbers | None = None,
    ) -> CompiledKernel:
        """Return an op without results as a function of the values that it and its regions use.

        The loads from `tables` are recorded; the function takes their maps after the values, and
        then the `numbers`.
        """
        types = [_plain(value.type, op) for value in values]
        with op.location:
            types += [map_type(table) for table in tables]
            types += [ir.IndexType.get()] * (0 if numbers is None else len(numbers.given))

        def build(arguments: Sequence[ir.Value]) -> None:
            known = dict(zip(values, arguments, strict=False))
            clone = op.operation.clone().opview
            _rewire(clone, known)
            inside = [known[table] for table in tables]
            maps = arguments[len(values) : len(values) + len(tables)]
            watch(clone, dict(zip(inside, maps, strict=True)))
            if numbers is not None:
                numbers.take(clone, arguments[len(values) + len(tables) :])

        return self.of_body(types, build, op)

    def of_body(self, types: Sequence[ir.Type], build: _Build, origin: ir.OpView) -> CompiledKernel:
        """Return a function of values of these types; `build` creates its ops for `origin`."""
        with self._location, ir.InsertionPoint(self._module.body):
            function = func.FuncOp("kernel", ir.FunctionType.get(list(types), []))
            mark_hot(function)
            block = function.add_entry_block()
        with self._location, ir.InsertionPoint(block):
            build(list(block.arguments))
            func.ReturnOp([])
        # The text is only a key to compare kernels; it is not parsed.
        text = function.operation.get_asm(enable_debug_info=False, use_local_scope=True)
        if text in self._known:
            function.operation.erase()
            return self._known[text]
        name = f"kernel{len(self._known)}"
        function.attributes["sym_name"] = ir.StringAttr.get(name, self._module.context)
        self._known[text] = CompiledKernel(name, types)
        self._waiting.append((self._known[text], origin))
        return self._known[text]

    def compile(self) -> None:
        """Compile all kernels; raises `NotEmulatedError` at the op of the first that fails."""
        if not self._waiting:
            return
        source = self._module.operation.clone()
        try:
            code = _compiled(self._module)
        except _NotCompiledError as error:
            raise self._error_at(source, error) from error
        for kernel, _ in self._waiting:
            kernel.link(code)
        self._waiting.clear()
        self._module = ir.Module.create(loc=self._location)

    def _error_at(self, source: ir.Operation, error: _NotCompiledError) -> NotEmulatedError:
        """Return an error for the first kernel that does not compile on its own."""
        for kernel, origin in self._waiting:
            alone = source.clone()
            for function in list(alone.regions[0].blocks[0].operations):
                assert isinstance(function, func.FuncOp)
                if function.sym_name.value != kernel.name:
                    function.operation.erase()
            try:
                _compiled(ir.Module.parse(str(alone), source.context))
            except _NotCompiledError as own:
                return NotEmulatedError(origin, f"cannot be made machine code: {own}")
        return NotEmulatedError(self._waiting[0][1], f"cannot be made machine code: {error}")


class _NotCompiledError(Error):
    """Raised with the messages of MLIR or LLVM."""


def _compiled(module: ir.Module) -> JitCode:
    messages: list[str] = []

    def note(diagnostic: ir.Diagnostic) -> bool:
        messages.append(diagnostic.message)
        return True

    try:
        pipelines.run_pipeline(module, _PIPELINE)
        handler: Any = module.context.attach_diagnostic_handler(note)
        try:
            with module.operation.location:
                return JitCode(module)
        finally:
            handler.detach()
    except (pipelines.PipelineError, RuntimeError) as error:
        raise _NotCompiledError("; ".join(messages) or str(error)) from error


def outer_values(op: ir.OpView) -> list[ir.Value]:
    """Return the values that an op uses: its operands, then outer values used in its regions.

    Outer constants used in regions are left out, because they are copied into the kernel.
    """
    inside = ops_in(op)
    defined = {result for nested in inside for result in nested.results}
    defined |= {
        argument
        for nested in inside
        for region in nested.regions
        for block in region.blocks
        for argument in block.arguments
    }
    found = dict.fromkeys(op.operands)
    for nested in inside[1:]:
        for operand in nested.operands:
            if operand not in defined and not _is_constant(operand):
                found[operand] = None
    return list(found)


def _rewire(op: ir.OpView, known: Mapping[ir.Value, ir.Value]) -> None:
    """Replace outer values by the function's arguments, and copy outer constants."""
    constants: dict[ir.Value, ir.Value] = {}
    for nested in ops_in(op):
        for number, operand in enumerate(nested.operands):
            if operand in known:
                nested.operation.operands[number] = known[operand]
            elif _is_constant(operand) and operand.owner.parent is not None:
                if operand not in constants:
                    before = ir.InsertionPoint(op)
                    constants[operand] = operand.owner.operation.clone(before).results[0]
                nested.operation.operands[number] = constants[operand]


def _is_constant(value: ir.Value) -> bool:
    owner: Any = value.owner
    return isinstance(owner, ir.Operation | ir.OpView) and isinstance(
        owner.operation.opview, arith.ConstantOp
    )


def _plain(type_: ir.Type, op: ir.OpView) -> ir.Type:
    return plain(type_, op) if isinstance(type_, ir.MemRefType) else type_


def _encoder(type_: ir.Type) -> Callable[[Any], int]:
    """Return a function that encodes a value as the 8 bytes of an argument."""
    if isinstance(type_, ir.F32Type):
        return lambda value: struct.unpack("<i", struct.pack("<f", value))[0]
    if isinstance(type_, ir.F64Type):
        return lambda value: struct.unpack("<q", struct.pack("<d", value))[0]
    if isinstance(type_, ir.MemRefType | ir.IntegerType | ir.IndexType):
        return int
    raise TypeError(f"{type_} cannot be handed to a kernel")
