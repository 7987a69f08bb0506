"""Runs the ops of random programs on bytes: what a plan does to results, with no theory at all."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping

import numpy as np
from mlir import ir
from mlir.dialects import _linalg_ops_gen as linalg
from mlir.dialects import arith, func, memref, scf
from numpy.typing import NDArray

from forebay.dialects.memref_pool import AllocOp

Bytes = NDArray[np.uint8]


class Interpreter:
    """Executes `@main`.

    `places` maps a buffer's value to its offset in one array; without it every allocation is new
    memory. `%go` is a coin, thrown at every use, the same for one seed.
    """

    def __init__(
        self, module: ir.Module, places: Mapping[ir.Value, int] | None, size: int, coins: int
    ) -> None:
        functions = (op for op in module.body.operations if isinstance(op, func.FuncOp))
        self._functions = {function.sym_name.value: function for function in functions}
        self._places = places
        self._pool = np.zeros(size, np.uint8)
        self._coins = random.Random(coins)
        self._values: dict[ir.Value, Bytes] = {}

    def run(self) -> bytes:
        """The bytes of `%out` at the end."""
        main = self._functions["main"]
        given, out = (self._memory(argument) for argument in list(main.arguments)[:2])
        given[:] = np.arange(64)
        self._bind(list(main.arguments)[:2], [given, out])
        self._block(main.entry_block)
        return out.tobytes()

    def _memory(self, value: ir.Value) -> Bytes:
        if self._places is None:
            return np.zeros(64, np.uint8)
        return self._pool[self._places[value] :][:64]

    def _bind(self, values: Iterable[ir.Value], memories: Iterable[Bytes]) -> None:
        self._values.update(zip(values, list(memories), strict=False))

    def _get(self, values: Iterable[ir.Value]) -> list[Bytes]:
        return [self._values[value] for value in values if value in self._values]

    def _block(self, block: ir.Block) -> list[Bytes]:
        """Run the block; the memory that its terminator hands on."""
        for op in block.operations:
            self._step(op)
        return self._get(block.operations[len(block.operations) - 1].operands)

    def _step(self, op: ir.OpView) -> None:
        match op:
            case AllocOp():
                self._values[op.memref] = self._memory(op.memref)
            case linalg.FillOp():
                self._get(op.outputs)[0][:] = op.inputs[0].owner.value.value
            case memref.CopyOp():
                source, target = self._get([op.source, op.target])
                target[:] = source.copy()
            case memref.CollapseShapeOp() | memref.ExpandShapeOp():
                self._bind(op.results, self._get(op.operands))
            case arith.SelectOp():
                self._bind(op.results, [self._coins.choice(self._get(op.operands))])
            case func.CallOp():
                callee = self._functions[op.callee.value]
                self._bind(callee.arguments, self._get(op.operands))
                self._block(callee.entry_block)
            case scf.ForOp():
                self._for(op)
            case scf.WhileOp():
                self._while(op)
            case scf.IfOp():
                region = op.regions[self._coins.randint(0, 1)]
                if len(region.blocks):
                    self._bind(op.results, self._block(region.blocks[0]))
            case _:
                pass

    def _for(self, op: scf.ForOp) -> None:
        body = op.region.blocks[0]
        carried = self._get(op.initArgs)
        for _ in range(self._coins.randint(0, 3)):
            self._bind(list(body.arguments)[1:], carried)
            carried = self._block(body)
        self._bind(op.results, carried)

    def _while(self, op: scf.WhileOp) -> None:
        before, after = op.before.blocks[0], op.after.blocks[0]
        carried = self._get(op.inits)
        for left in range(self._coins.randint(0, 3), -1, -1):
            self._bind(before.arguments, carried)
            forwarded = self._block(before)
            if left:
                self._bind(after.arguments, forwarded)
                carried = self._block(after)
        self._bind(op.results, forwarded)
