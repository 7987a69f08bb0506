"""memref-pool-lower-to-llvm: remove what upstream's conversions to LLVM do not support."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from mlir import ir
from mlir.dialects import arith, func, memref

from forebay.dialects import accel, linalg, memref_pool
from forebay.ir.machine.device_commands import commanded_devices
from forebay.ir.machine.devices import HANDLE, devices_in, is_handle
from forebay.ir.machine.pools import pools_in
from forebay.ir.machine.tokens import is_token
from forebay.ir.nested import inner_blocks, memory_ops_in, ops_nested_in, ops_of
from forebay.ir.rows.row_offsets import ROW_TABLE
from forebay.lowering.device_calls.intrinsic_calls import call_symbols
from forebay.lowering.device_calls.intrinsic_symbols import declare, define
from forebay.lowering.device_calls.memref_at import memref_at
from forebay.lowering.device_calls.statuses import return_statuses
from forebay.lowering.kernels.vector_features import ByteProducts, VectorFeatures
from forebay.lowering.kernels.vectors import access_by_element, expand_vectors
from forebay.passes._pass import Pass, PassError, option
from forebay.pools import Pool
from forebay.support.records import record

Provider = Literal["reference", "extern"]
"""The origin of the functions of intrinsics: their references here, or the linker."""

_VECTOR_INDEX_BITS = 64
"""The bits of an index in upstream's conversion of loads and stores of vectors."""

_PROVIDERS = {"reference": define, "extern": declare}

_ATTRIBUTES = (
    HANDLE,
    ROW_TABLE,
    "memref_pool.base",
    "memref_pool.placement",
    "memref_pool.lifetime",
)

_DECLARATIONS = (
    memref_pool.PoolOp,
    accel.DeviceOp,
    accel.IntrinsicOp,
    accel.QueueOp,
    accel.TransferOp,
)


@record
class MemrefPoolLowerToLlvm(Pass):
    """Strip memory spaces, pools and placements from a materialised module.

    Needs every buffer to be a `memref.view` of a pool's base. Leaves upstream operations on memrefs
    without a memory space, which upstream's conversions lower to LLVM. Copies become `linalg.copy`,
    because LLVM's lowering of `memref.copy` calls a library of MLIR. Constants are erased, because
    the pool's base holds them. A boolean takes a byte, because finalize-memref-to-llvm aborts at a
    store of an i1. A device command becomes a call of the device's C function. The module defines
    this function by the intrinsic's reference; with `intrinsics=extern` the linker provides it. A
    buffer inside of a device is a number. A pool at a base address of the host is a constant
    pointer. Operations on vectors of 8-bit integers become LLVM's, with the instructions that the
    options name; `accel.dot` is expanded to elements, which LLVM makes vectors of where it can. A
    function that issues commands gets the attribute `accel.status`, and `accel-return-status` makes
    it return the status.
    """

    name: ClassVar[str] = "memref-pool-lower-to-llvm"
    dialects: ClassVar[tuple[str, ...]] = (
        "accel",
        "arith",
        "func",
        "linalg",
        "llvm",
        "memref",
        "tosa",
        "vector",
    )

    intrinsics: Provider = option("reference", "what defines the intrinsics")
    index_bits: int = option(64, "bits of an index in LLVM", least=32)
    masked_loads: bool = option(False, "an instruction loads some bytes of a vector")
    byte_products: ByteProducts = option("none", "the instruction that adds products of bytes")

    def run(self, op: ir.Operation) -> None:
        """Rewrite the whole module at once: types of calls and callees change together."""
        module: Any = op.opview
        commanded = commanded_devices(op)
        _PROVIDERS[self.intrinsics](op, module.body)
        pools = pools_in(op)
        for address in ops_of(op, memref_pool.AddressOp):
            _to_pointer(address, pools[address.placement.pool], self.index_bits)
        call_symbols(op, pools)
        return_statuses(
            [op for op in module.body.operations if isinstance(op, func.FuncOp)], commanded
        )
        features = VectorFeatures(self.masked_loads, self.byte_products)
        has_devices = len(devices_in(op)) > 1
        for symbol in list(module.body.operations):
            if isinstance(symbol, func.FuncOp):
                expand_vectors(symbol, features)
                if self.index_bits != _VECTOR_INDEX_BITS:
                    access_by_element(symbol)
                _strip_function(symbol, has_devices=has_devices)
        for symbol in list(module.body.operations):
            if _is_about_pools(symbol):
                symbol.operation.erase()


def _to_pointer(op: memref_pool.AddressOp, pool: Pool, index_bits: int) -> None:
    """Make the base of a pool that the host addresses a constant pointer of LLVM."""
    if not pool.is_mapped:
        return
    from mlir.dialects import llvm  # noqa: PLC0415  (loads in 11 ms)

    type_ = ir.MemRefType(op.memref.type)
    i64 = ir.IntegerType.get_signless(64)
    with ir.InsertionPoint(op), op.location:
        number = arith.constant(i64, pool.address(op.placement.offset))
        pointer = llvm.inttoptr(ir.Type.parse("!llvm.ptr"), number)
        base = memref_at(pointer, _stripped(type_), type_.shape[0], index_bits)
    op.memref.replace_all_uses_with(base)
    op.operation.erase()


def _is_about_pools(symbol: ir.OpView) -> bool:
    if isinstance(symbol, memref.GlobalOp):
        return "memref_pool.placement" in symbol.attributes
    return isinstance(symbol, _DECLARATIONS)


def _strip_function(function: func.FuncOp, *, has_devices: bool) -> None:
    """Strip the types of a function; only beside devices do ops without memory have such types."""
    type_ = ir.FunctionType(function.type)
    inputs, results = map(_stripped, type_.inputs), map(_stripped, type_.results)
    stripped = ir.FunctionType.get(list(inputs), list(results))
    function.attributes["function_type"] = ir.TypeAttr.get(stripped)
    if function.arg_attrs:
        function.arg_attrs = [_without_places(ir.DictAttr(a)) for a in function.arg_attrs]
    for local in ops_of(function, memref.AllocaOp):  # else each iteration takes more of the stack
        local.operation.move_before(function.entry_block.operations[0])
    inner = ops_nested_in(function) if has_devices else memory_ops_in(function)
    for operation in (function, *inner):
        _refuse_unplanned(operation)
        for block in inner_blocks(operation):
            for argument in block.arguments:
                argument.set_type(_stripped(argument.type))
        for result in operation.results:
            type_, stripped = result.type, _stripped(result.type)
            if stripped != type_:
                result.set_type(stripped)
        _replace(operation)


def _refuse_unplanned(operation: ir.OpView) -> None:
    if isinstance(operation, memref_pool.AllocOp):
        raise PassError(
            operation.location,
            "a buffer is left that is no view of a pool; run memref-pool-materialize first",
        )


def _replace(op: ir.OpView) -> None:
    """Replace a copy, and an access to a boolean."""
    if isinstance(op, (memref.CopyOp, memref_pool.CopyOp)):
        with ir.InsertionPoint(op), op.location:
            linalg.add_body(linalg.CopyOp((), [op.operands[0]], [op.operands[1]]))
        op.operation.erase()
    elif isinstance(op, memref.LoadOp) and _is_boolean(op.result.type):
        with ir.InsertionPoint(op), op.location:
            byte = memref.load(op.memref, list(op.indices))
            zero = arith.constant(byte.type, 0)
            op.result.replace_all_uses_with(arith.cmpi(arith.CmpIPredicate.ne, byte, zero))
        op.operation.erase()
    elif isinstance(op, memref.StoreOp) and _is_boolean(op.value.type):
        with ir.InsertionPoint(op), op.location:
            byte = arith.extui(ir.IntegerType.get_signless(8), op.value)
            memref.store(byte, op.memref, list(op.indices))
        op.operation.erase()


def _without_places(attributes: ir.DictAttr) -> ir.DictAttr:
    kept = {named.name: named.attr for named in attributes if named.name not in _ATTRIBUTES}
    return ir.DictAttr.get(kept)


def _stripped(type_: ir.Type) -> ir.Type:
    if is_token(type_):
        return ir.IntegerType.get_signless(32)
    if is_handle(type_):
        return ir.Type.parse("!llvm.ptr")
    if not isinstance(type_, ir.MemRefType):
        return type_
    is_ours = isinstance(type_.memory_space, memref_pool.SpaceAttr)
    element = type_.element_type
    element = ir.IntegerType.get_signless(8) if _is_boolean(element) else element
    return ir.MemRefType.get(
        type_.shape, element, type_.layout, None if is_ours else type_.memory_space
    )


def _is_boolean(type_: ir.Type) -> bool:
    return isinstance(type_, ir.IntegerType) and type_.width == 1
