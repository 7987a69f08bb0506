"""The arguments of a transfer's C function, and its semantics as a function in IR."""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import arith, func, memref, scf

from forebay.dialects.accel import MoveOp, StartOp, TransferOp
from forebay.ir.machine.blocks import transfer_block_of
from forebay.ir.machine.pools import Pools, candidates_of
from forebay.ir.machine.transfer_limits import TransferLimits
from forebay.ir.machine.transfers import describe_limits, pools_of, transfer_of
from forebay.ir.refused import RefusedError

_LARGEST = 2**32 - 1


def numbers_of(op: MoveOp | StartOp, pools: Pools) -> tuple[int, ...]:
    """Return extent and strides per outer dimension, outermost first, then the bytes of a run.

    Dimensions that the transfer has and the block lacks get extent 1. Strides are in rows where a
    pool has rows. Raises `RefusedError` when the transfer cannot move the block.
    """
    transfer = transfer_of(op)
    types = ir.MemRefType(op.source.type), ir.MemRefType(op.target.type)
    block = transfer_block_of(*types)
    units = _unit(types[0], pools), _unit(types[1], pools)
    limits = TransferLimits.of(transfer, units)
    fitted = limits.fitted(block)
    if fitted is None:
        raise RefusedError(
            op.location,
            f"@{transfer.sym_name.value} moves {transfer.rank.value} dimensions and runs of "
            f"multiples of {limits.granule} bytes{describe_limits(transfer)}, but this block has "
            f"{block.rank} and {block.bytes}",
        )
    numbers: list[int] = []
    for d in fitted.outer:
        if d.source_stride % units[0] or d.target_stride % units[1]:
            raise RefusedError(op.location, f"the strides of this block are not whole rows: {d}")
        numbers += (d.extent, d.source_stride // units[0], d.target_stride // units[1])
    numbers.append(fitted.bytes)
    if not all(0 <= number <= _LARGEST for number in numbers):
        raise RefusedError(
            op.location, f"a number of this block takes more than 32 bits: {numbers}"
        )
    return tuple(numbers)


def parameter_names_of(transfer: TransferOp) -> list[str]:
    """Return the names of the parameters after the two addresses."""
    count = transfer.rank.value - 1
    numbers = [""] if count == 1 else [str(d) for d in range(count)]
    outer = [f"{name}{n}" for n in numbers for name in ("extent", "source_stride", "target_stride")]
    return [*outer, "bytes"] if count else ["bytes"]


def add_reference(transfer: TransferOp, block: ir.Block, pools: Pools) -> func.FuncOp:
    """Append a function that does the same as the C function of the transfer, byte by byte."""
    i8, i32 = ir.IntegerType.get_signless(8), ir.IntegerType.get_signless(32)
    pointer = ir.MemRefType.get([ir.ShapedType.get_dynamic_size()], i8)
    names = parameter_names_of(transfer)
    inputs: list[ir.Type] = [pointer, pointer, *[i32] * len(names)]
    units = [unit_of(transfer, side, pools) for side in ("sources", "targets")]
    with transfer.location:
        with ir.InsertionPoint(block):
            function = func.FuncOp(transfer.symbol.value, (inputs, []))
        body = function.add_entry_block()
        source, target, *numbers = body.arguments
        with ir.InsertionPoint(body):
            index = ir.IndexType.get()
            sizes = [arith.index_cast(index, number) for number in numbers]
            strides = [
                _times(size, units[position % 3 - 1] if position % 3 else 1)
                for position, size in enumerate(sizes[:-1])
            ]
            _nest(source, target, [*strides, sizes[-1]])
            func.ReturnOp([])
    return function


def unit_of(transfer: TransferOp, side: str, pools: Pools) -> int:
    """Return the bytes per address on one side of a transfer.

    Raises `RefusedError` when the pools of that side have different kinds of addresses.
    """
    names = pools_of(getattr(transfer, side))
    units = {pools[name].unit for name in names}
    if len(units) > 1 or len({pools[name].local for name in names}) > 1:
        raise RefusedError(
            transfer.location,
            f"@{transfer.sym_name.value} has pools of several kinds of addresses on one side, "
            f"{', '.join(names)}; declare a transfer for each",
        )
    return units.pop()


def _unit(type_: ir.MemRefType, pools: Pools) -> int:
    return max((pools[name].unit for name in candidates_of(type_)), default=1)


def _times(value: ir.Value, unit: int) -> ir.Value:
    return value if unit == 1 else arith.muli(value, arith.constant(ir.IndexType.get(), unit))


def _nest(
    source: ir.Value,
    target: ir.Value,
    numbers: Sequence[ir.Value],
    starts: tuple[ir.Value, ir.Value] | None = None,
) -> None:
    """Create loops over the outer dimensions, around a loop over the bytes of a run."""
    index = ir.IndexType.get()
    zero, one = arith.constant(index, 0), arith.constant(index, 1)
    loop = scf.ForOp(zero, numbers[0], one)
    counter = loop.induction_variable
    with ir.InsertionPoint(loop.body):
        if len(numbers) == 1:
            here, there = _behind(starts, counter, counter)
            memref.store(memref.load(source, [here]), target, [there])
        else:
            steps = (arith.muli(counter, stride) for stride in numbers[1:3])
            _nest(source, target, numbers[3:], _behind(starts, *steps))
        scf.YieldOp([])


def _behind(
    starts: tuple[ir.Value, ir.Value] | None, source: ir.Value, target: ir.Value
) -> tuple[ir.Value, ir.Value]:
    if starts is None:
        return source, target
    return arith.addi(starts[0], source), arith.addi(starts[1], target)
