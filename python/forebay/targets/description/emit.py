"""The builder that a pattern's `build` uses to replace an operator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from mlir import ir
from mlir.dialects import tensor
from numpy.typing import NDArray

from forebay.dialects import accel
from forebay.dialects.memref_pool import SpaceAttr
from forebay.ir.machine.intrinsics import has_reference
from forebay.ir.machine.pools import element_bytes
from forebay.ir.memory.access_constraints import CANDIDATES
from forebay.ir.module import module_around
from forebay.support.records import record
from forebay.targets.description import host_ops
from forebay.targets.description.device import Device
from forebay.targets.description.intrinsic import Intrinsic
from forebay.targets.description.mistakes import refuse
from forebay.targets.description.symbol_names import symbol_of


@dataclass
class Layouts:
    """Values that are already known in another layout, so that no layout is computed twice."""

    known: dict[tuple[ir.Value, str, ir.Block], ir.Value] = field(
        default_factory=dict[tuple[ir.Value, str, ir.Block], ir.Value]
    )


@record
class Emit:
    """A builder of calls of a device's intrinsics and of host operations around them.

    All operations are built at the insertion point, with the operator's location.
    """

    device: Device
    layouts: Layouts
    block: ir.Block

    def call(
        self,
        intrinsic: str,
        *inputs: ir.Value,
        out: ir.Type | ir.Value | None = None,
        **scalars: int,
    ) -> ir.Value:
        """Call an intrinsic with one output; `out` is its type, or the value to accumulate in.

        An intrinsic that only sets a register needs no `out`: its result is the register's value,
        all of its bytes, and an input of the calls that need it, after their other inputs.

        Raises `TargetError` at the calling line when the device has no such intrinsic, or when the
        intrinsic takes other scalars or another number of operands.
        """
        return self.call_all(intrinsic, inputs, [] if out is None else [out], **scalars)[0]

    def call_all(
        self,
        intrinsic: str,
        inputs: Sequence[ir.Value],
        outs: Sequence[ir.Type | ir.Value],
        **scalars: int,
    ) -> list[ir.Value]:
        """Call an intrinsic with any number of outputs, given in order as in `call`.

        Registers that it sets come last, and may be left out.
        """
        outs = [*outs, *self._registers_set(intrinsic, len(outs))]
        callee = self._intrinsic(intrinsic, len(inputs), len(outs), tuple(scalars))
        targets = [out if isinstance(out, ir.Value) else _empty(out) for out in outs]
        word = ir.IntegerType.get_signless(64)
        config: dict[str, ir.Attribute] = {
            name: ir.IntegerAttr.get(word, value) for name, value in scalars.items()
        }
        written = [operand for operand in callee.operands if operand.is_written]
        accumulated = [i for i, operand in enumerate(written) if operand.access == "inout"]
        call = accel.CallOp(
            [target.type for target in targets],
            symbol_of(self.device.name, intrinsic),
            list(inputs),
            targets,
            accumulate=accumulated or None,
            config=config or None,
        )
        return list(call.result_tensors)

    def constant(self, elements: NDArray[np.generic], *, like: ir.Value | None = None) -> ir.Value:
        """Build a constant with these elements; `like` is a constant whose location it gets."""
        location = like.owner.location if like is not None and _is_op_result(like) else None
        return host_ops.host_constant(elements, location)

    def pad(
        self, value: ir.Value, before: Sequence[int], after: Sequence[int], fill: int
    ) -> ir.Value:
        """Add elements `fill` before and after each dimension; negative numbers remove elements."""
        return host_ops.host_pad(value, before, after, fill)

    def reshape(self, value: ir.Value, shape: Sequence[int]) -> ir.Value:
        """Return the same elements in the same order with another shape."""
        return host_ops.host_reshape(value, shape)

    def transpose(self, value: ir.Value, order: Sequence[int]) -> ir.Value:
        """Permute dimensions: dimension `i` of the result is dimension `order[i]` of the value."""
        return host_ops.host_transpose(value, order)

    def restrict(self, value: ir.Value, *pools: str) -> None:
        """Let a tensor that this pattern built be only in these pools, in order of preference."""
        value.owner.attributes[CANDIDATES] = SpaceAttr.get(list(pools))

    def known(self, value: ir.Value, layout: str) -> ir.Value | None:
        """Return the value in another layout if it is known in this block, else None."""
        return self.layouts.known.get((value, layout, self.block))

    def learn(self, value: ir.Value, layout: str, other: ir.Value) -> None:
        """Record that `other` is the value in another layout."""
        self.layouts.known[(value, layout, self.block)] = other

    def _registers_set(self, name: str, given: int) -> list[ir.Type]:
        """Return the types of registers that an intrinsic sets and the `given` outs do not have."""
        capacity = {register.name: register.capacity for register in self.device.registers}
        callee = next((one for one in self.device.intrinsics if one.name == name), None)
        written = [] if callee is None else [o for o in callee.operands if o.is_written]
        found: list[ir.Type] = []
        for operand in written[given:]:
            register = None if operand.pools is None else operand.pools[0]
            if register not in capacity:
                return []
            element = self._element(name, operand.name)
            found.append(
                ir.RankedTensorType.get([capacity[register] // element_bytes(element)], element)
            )
        return found

    def _element(self, intrinsic: str, operand: str) -> ir.Type:
        """Return the type of an operand's elements in the intrinsic's reference, else bytes."""
        module = module_around(self.block.owner)
        op = ir.SymbolTable(module)[symbol_of(self.device.name, intrinsic)]
        assert isinstance(op, accel.IntrinsicOp)
        if not has_reference(op):
            return ir.IntegerType.get_signless(8)
        names = [accel.OperandAttr(attribute).name for attribute in op.signature]
        argument = op.reference.blocks[0].arguments[names.index(operand)]
        return ir.MemRefType(argument.type).element_type

    def _intrinsic(self, name: str, inputs: int, outs: int, scalars: tuple[str, ...]) -> Intrinsic:
        offered = {intrinsic.name: intrinsic for intrinsic in self.device.intrinsics}
        if name not in offered:
            refuse(
                f"device '{self.device.name}' has no intrinsic '{name}'; it has "
                f"{', '.join(offered) or 'none'}"
            )
        callee = offered[name]
        if set(callee.scalars) != set(scalars):
            refuse(
                f"intrinsic '{name}' takes the scalars {', '.join(callee.scalars) or 'none'}, but "
                f"is given {', '.join(scalars) or 'none'}"
            )
        written = sum(operand.is_written for operand in callee.operands)
        if (inputs, outs) != (len(callee.operands) - written, written):
            refuse(
                f"intrinsic '{name}' takes {len(callee.operands) - written} inputs and {written} "
                f"outputs, but is given {inputs} and {outs}"
            )
        return callee


def _empty(type_: ir.Type) -> ir.Value:
    ranked = ir.RankedTensorType(type_)
    return tensor.EmptyOp(list(ranked.shape), ranked.element_type).result


def _is_op_result(value: ir.Value) -> bool:
    return isinstance(value, ir.OpResult)
