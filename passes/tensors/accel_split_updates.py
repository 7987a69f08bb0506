"""accel-split-updates: take updates in place out of ops that would repeat them."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from mlir import ir
from msgspec import Struct

from forebay.dialects import linalg
from forebay.ir.nested import ops_of
from forebay.passes._pass import Pass, PassError


class AccelSplitUpdates(Pass):
    """Compute an update in place once per element, before an op with more loops that reads it.

    An op that reads its own output, such as the last one of a softmax, updates each element once.
    Upstream's fusion moves its body into the op that reads the result. If that op has more loops,
    because it repeats the result along a dimension, the fused op would update each element once per
    iteration of these. It is an op of several results, and neither the update nor its operands vary
    along the loops that the output lacks; in a reduction they do.
    """

    name: ClassVar[str] = "accel-split-updates"
    anchor: ClassVar[str] = "func.func"

    def run(self, op: ir.Operation) -> None:
        """Split the ops of one function."""
        pending = ops_of(op, linalg.GenericOp)
        while pending:
            generic = _Generic(pending.pop())
            number = generic.repeated_update()
            if number is not None:
                pending.append(generic.split(number))


class _Part(Struct, frozen=True, eq=False):
    """Some values of a body: the ops that compute them, in order, and the arguments they read."""

    ops: list[ir.Operation]
    arguments: frozenset[int]


class _Generic:
    """A `linalg.generic`, its operands with their maps, and what its body yields."""

    def __init__(self, op: linalg.GenericOp) -> None:
        self.op = op
        self.inputs, self.outputs = list(op.inputs), list(op.outputs)
        self.maps = [ir.AffineMapAttr(a).value for a in op.indexing_maps]
        self.loops = self.maps[0].n_dims
        self.block = op.regions[0].blocks[0]
        self.arguments = list(self.block.arguments)
        *self.body, terminator = [o.operation for o in self.block.operations]
        self.yielded = list(terminator.operands)

    def repeated_update(self) -> int | None:
        """Return the number of an output that the op updates several times, None for none."""
        if len(self.outputs) == 1:
            return None
        for number in range(len(self.outputs)):
            argument = len(self.inputs) + number
            missing = set(range(self.loops)) - _dimensions(self.maps[argument])
            read = self.part([self.yielded[number]]).arguments
            varies = any(_dimensions(self.maps[i]) & missing for i in read)
            if missing and argument in read and not varies:
                return number
        return None

    def split(self, number: int) -> linalg.GenericOp:
        """Replace the op by the update of an output and an op that reads the result of it."""
        with ir.InsertionPoint(self.op), self.op.location:
            update = self._update(number)
            rest = self._rest(number, update.results[0])
        others = [r for i, r in enumerate(self.op.results) if i != number]
        self.op.results[number].replace_all_uses_with(update.results[0])
        for old, new in zip(others, rest.results, strict=True):
            old.replace_all_uses_with(new)
        self.op.operation.erase()
        return rest

    def part(self, values: Sequence[ir.Value], given: Sequence[ir.Value] = ()) -> _Part:
        """Return what computes the values from the arguments and the values that are given."""
        needed, ops = set(values) - set(given), list[ir.Operation]()
        for op in reversed(self.body):
            if not needed.isdisjoint(op.results):
                ops.append(op)
                needed |= set(op.operands) - set(given)
        arguments = frozenset(i for i, a in enumerate(self.arguments) if a in needed)
        return _Part(ops[::-1], arguments)

    def _update(self, number: int) -> linalg.GenericOp:
        position = len(self.inputs) + number
        kept = sorted(_dimensions(self.maps[position]))
        value = self.yielded[number]
        part = self.part([value])
        inputs = [i for i in sorted(part.arguments) if i != position]
        renumbering = _renumbering(self.loops, kept)
        maps = [_composed(self.maps[i], renumbering) for i in (*inputs, position)]
        kinds = [self.op.iterator_types[i] for i in kept]
        op = self._built([self.inputs[i] for i in inputs], [self.outputs[number]], maps, kinds)
        places = dict(
            zip([self.arguments[i] for i in (*inputs, position)], _arguments(op), strict=True)
        )
        self._fill(op, part, places, [value], kept)
        return op

    def _rest(self, number: int, updated: ir.Value) -> linalg.GenericOp:
        position = len(self.inputs) + number
        value = self.yielded[number]
        values = [v for i, v in enumerate(self.yielded) if i != number]
        part = self.part(values, given=[value])
        if position in part.arguments:
            raise PassError(
                self.op.location,
                "an op reads an element before and after its update; compute the two in ops of "
                "their own",
            )
        order = [*range(len(self.inputs)), position]
        order += [i for i in range(len(self.inputs), len(self.arguments)) if i != position]
        outputs = [v for i, v in enumerate(self.outputs) if i != number]
        maps = [self.maps[i] for i in order]
        op = self._built([*self.inputs, updated], outputs, maps, list(self.op.iterator_types))
        places = dict(zip([self.arguments[i] for i in order], _arguments(op), strict=True))
        places[value] = places.pop(self.arguments[position])
        self._fill(op, part, places, values, range(self.loops))
        return op

    def _built(
        self,
        inputs: Sequence[ir.Value],
        outputs: Sequence[ir.Value],
        maps: Sequence[ir.AffineMap],
        kinds: Sequence[ir.Attribute],
    ) -> linalg.GenericOp:
        op = linalg.GenericOp(
            [v.type for v in outputs],
            inputs,
            outputs,
            ir.ArrayAttr.get([ir.AffineMapAttr.get(m) for m in maps]),
            ir.ArrayAttr.get(list(kinds)),
        )
        types = [ir.RankedTensorType(v.type).element_type for v in (*inputs, *outputs)]
        op.regions[0].blocks.append(*types, arg_locs=[self.op.location] * len(types))
        return op

    def _fill(
        self,
        op: linalg.GenericOp,
        part: _Part,
        places: Mapping[ir.Value, ir.Value],
        values: Sequence[ir.Value],
        kept: Sequence[int],
    ) -> None:
        """Copy the part into the body; `places` has the new value of each old one."""
        known = dict(places)
        with ir.InsertionPoint(op.regions[0].blocks[0]):
            for old in part.ops:
                new = old.clone()
                for i, operand in enumerate(old.operands):
                    new.operands[i] = known.get(operand, operand)
                known.update(zip(old.results, new.operation.results, strict=True))
                if isinstance(new.opview, linalg.IndexOp):
                    dimension = list(kept).index(new.opview.dim.value)
                    new.attributes["dim"] = ir.IntegerAttr.get(new.opview.dim.type, dimension)
            linalg.YieldOp([known.get(value, value) for value in values])


def _arguments(op: linalg.GenericOp) -> list[ir.Value]:
    return list(op.regions[0].blocks[0].arguments)


def _dimensions(indices: ir.AffineMap) -> set[int]:
    """Return the loops that an operand varies along."""
    pending, found = list(indices.results), set[int]()
    while pending:
        expression = pending.pop()
        if isinstance(expression, ir.AffineDimExpr):
            found.add(expression.position)
        elif isinstance(expression, ir.AffineBinaryExpr):
            pending += [expression.lhs, expression.rhs]
    return found


def _renumbering(loops: int, kept: Sequence[int]) -> ir.AffineMap:
    zero = ir.AffineExpr.get_constant(0)
    places = {old: ir.AffineExpr.get_dim(new) for new, old in enumerate(kept)}
    return ir.AffineMap.get(len(kept), 0, [places.get(i, zero) for i in range(loops)])


def _composed(indices: ir.AffineMap, renumbering: ir.AffineMap) -> ir.AffineMap:
    return ir.AffineMap.get(
        renumbering.n_dims, 0, [e.compose(renumbering) for e in indices.results]
    )
