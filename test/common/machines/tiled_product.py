"""A device that multiplies int8 matrices in a local memory, lowered by the shared tiled stage.

a, b  dram ── load ──> spad ── multiply, multiply_add ──> acc ── store ──> c  dram
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import tensor

from forebay.api.dialects import accel, memref_pool
from forebay.api.operators import MatMul, is_int8, shape_of
from forebay.api.regions import LoopNest, OperandAccess, induction_variables
from forebay.api.target import (
    CallSite,
    Device,
    Emit,
    Int8,
    Int32,
    Intrinsic,
    LocalVariable,
    Operand,
    PartialSums,
    Pattern,
    Pool,
    ScratchStorage,
    Target,
    Tile,
    TiledInput,
    TiledOperator,
    TiledOutput,
    TileLimit,
    TileStorage,
    Transfer,
    TransferCost,
    TypedPointer,
    loop,
    lower_in_tiles,
    reserve_for_tiles,
)

HOST, NPU = ("cpu",), ("npu",)


def multiply(
    a: TypedPointer[Int8], b: TypedPointer[Int8], c: TypedPointer[Int32], *, rows, columns, depth
):
    """A product of matrices."""
    _product(a, b, c, rows=rows, columns=columns, depth=depth, adds=False)


def multiply_add(
    a: TypedPointer[Int8], b: TypedPointer[Int8], c: TypedPointer[Int32], *, rows, columns, depth
):
    """A product of matrices that is added to what is there."""
    _product(a, b, c, rows=rows, columns=columns, depth=depth, adds=True)


def _product(a, b, c, *, rows, columns, depth, adds: bool):
    left, right, out = a.shaped(rows, depth), b.shaped(depth, columns), c.shaped(rows, columns)
    for row in loop(rows):
        for column in loop(columns):
            total = LocalVariable(out[row, column] if adds else 0)
            for k in loop(depth):
                total.value += left[row, k].extend(Int32) * right[k, column].extend(Int32)
            out[row, column] = total.value


def target(
    *,
    spad: int = 4096,
    acc: int = 1024,
    through: int = 0,
    cuts: int = 1,
    begins: int = 0,
    near: int = 0,
    loops: int = 0,
    reserved: int = 0,
) -> Target:
    """A host with `dram`, and a device with `spad` and `acc` bytes.

    With `through`, sums go to the result through a tile in `dram`. With `cuts`, reductions are cut;
    with `begins`, a call of `clear` begins each sum. With `near`, the host can access `acc`, and
    the result is computed there, run by run. `reserved` is where 16 bytes of `spad` are not used.
    """

    def operator(call: accel.CallOp) -> TiledOperator:
        a, b = call.inputs
        (m, k), (_, n) = shape_of(a), shape_of(b)
        i, j, p = induction_variables(3)
        result = OperandAccess((m, n), (i, j), 32)
        load = TransferCost("load", 20, 16)

        def call_of(name: str, inputs: Sequence[ir.Value], out: ir.Value, **scalars: int):
            word = ir.IntegerType.get_signless(64)
            return accel.CallOp(
                [out.type],
                f"npu.{name}",
                inputs,
                [out],
                accumulate=[0] if name == "multiply_add" else None,
                config={key: ir.IntegerAttr.get(word, value) for key, value in scalars.items()},
            ).result_tensors[0]

        def compute(tile: Tile) -> Sequence[ir.Value]:
            rows, columns, depth = tile.box.sizes
            inputs = [part.slice() for part in tile.inputs]
            out = tile.result(0) if tile.sums is None else tile.sums
            adds = tile.sums is not None and not (tile.is_first and not begins)
            name = "multiply_add" if adds else "multiply"
            return [call_of(name, inputs, out, rows=rows, columns=columns, depth=depth)]

        def begin(tile: Tile) -> ir.Value:
            rows, columns, _ = tile.box.sizes
            out = tensor.EmptyOp([rows, columns], ir.IntegerType.get_signless(32)).result
            return call_of("clear", [], out, count=rows * columns)

        def finish(tile: Tile) -> Sequence[ir.Value]:
            assert tile.sums is not None
            if not through:
                return [tile.sums]
            kept = tile.scratch(0)
            return [memref_pool.CopyOp(kept.type, tile.sums, kept).results[0]]

        near_or_far = (
            TileStorage("acc", None, contiguous=True)
            if near
            else TileStorage("dram" if through else "acc", load, slots=0)
        )
        return TiledOperator(
            LoopNest(
                (m, n),
                (k,),
                (OperandAccess((m, k), (i, p)), OperandAccess((k, n), (p, j))),
                (result,),
            ),
            (TileLimit(), TileLimit(), TileLimit()),
            (
                TiledInput(a, TileStorage("spad", load, may_stay=True)),
                TiledInput(b, TileStorage("spad", load, may_stay=True)),
            ),
            (TiledOutput(call.outputs[0], near_or_far),),
            compute,
            sums=PartialSums(TileStorage("acc"), begin if begins else None, finish, always=not near)
            if cuts
            else None,
            scratch=(ScratchStorage(result, TileStorage("dram")),) if through else (),
            loops=frozenset(range(3)) if loops else frozenset(),
        )

    def lower(site: CallSite) -> Sequence[ir.Value] | None:
        if site.call.callee.value != "npu.product" or not site.operand_pools:
            return None
        return lower_in_tiles(site, operator(site.call))

    def reserve(call: accel.CallOp):
        if call.callee.value != "npu.product":
            return {}
        return reserve_for_tiles(call, operator(call))

    near_pools = ("acc",) if near else ("dram",)
    sizes = ("rows", "columns", "depth")
    tile_operands = (Operand("a", "in", "spad"), Operand("b", "in", "spad"))
    return Target(
        "tiled_product",
        devices=(
            Device("cpu", kind="cpu", host=True),
            Device(
                "npu",
                kind="npu",
                intrinsics=(
                    Intrinsic(
                        "product",
                        "npu_product",
                        (
                            Operand("a", "in", "dram"),
                            Operand("b", "in", "dram"),
                            Operand("c", "out", near_pools),
                        ),
                        sizes,
                        multiply,
                    ),
                    Intrinsic(
                        "multiply",
                        "npu_multiply",
                        (*tile_operands, Operand("c", "out", "acc")),
                        sizes,
                        multiply,
                    ),
                    Intrinsic(
                        "multiply_add",
                        "npu_multiply_add",
                        (*tile_operands, Operand("c", "inout", "acc")),
                        sizes,
                        multiply_add,
                    ),
                    Intrinsic(
                        "clear", "npu_clear", (Operand("c", "out", "acc"),), ("count",), clear
                    ),
                ),
                transfers=(
                    Transfer("load", "npu_load", ("dram",), ("spad",), rank=2, latency=20),
                    Transfer("store", "npu_store", ("acc",), ("dram",), rank=2, latency=20),
                ),
                stage=lower,
                reserve=reserve,
            ),
        ),
        pools=(
            Pool("dram", "workspace", readers=HOST + NPU, writers=HOST + NPU),
            Pool(
                "spad",
                "workspace",
                spad,
                base=0,
                local=True,
                readers=NPU,
                writers=NPU,
                reserved=((reserved, reserved + 16),) if reserved else (),
            ),
            Pool("acc", "workspace", acc, readers=HOST + NPU, writers=HOST + NPU)
            if near
            else Pool("acc", "workspace", acc, base=1 << 20, local=True, readers=NPU, writers=NPU),
            Pool("rom", "constant", readers=HOST),
        ),
        patterns=(
            Pattern(
                "product",
                device="npu",
                of=MatMul,
                conditions=(("int8", lambda view: is_int8(view.source) and is_int8(view.other)),),
                build=build,
            ),
        ),
    )


def clear(c: TypedPointer[Int32], count):
    """Zeros."""
    for i in loop(count):
        c[i] = 0


def build(view: MatMul, emit: Emit) -> ir.Value:
    """The product of one pair of matrices."""
    _, m, k = shape_of(view.source)
    n = shape_of(view.other)[2]
    out = emit.call(
        "product",
        emit.reshape(view.source, (m, k)),
        emit.reshape(view.other, (k, n)),
        out=ir.RankedTensorType.get([m, n], ir.IntegerType.get_signless(32)),
        rows=m,
        columns=n,
        depth=k,
    )
    return emit.reshape(out, (1, m, n))
