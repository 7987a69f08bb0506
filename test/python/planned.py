"""A planned module whose places a test may change, to see whether the verifier notices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from forebay.dialects.memref_pool import AllocOp, CertificateAttr, PlacementAttr
from forebay.ir.pools import pool_ops
from forebay.ir.problem import PLACEMENT, extract, planned_place
from forebay.ir.refused import RefusedError
from forebay.ir.roots import Root
from forebay.ir.shadow import check_layout, execute, placed_in
from forebay.planning import Buffer, Placement, Plan, PlanRefusedError, verify
from mlir import ir


class Planned:
    """A module after `memref-pool-plan`. Use within the module's context."""

    def __init__(self, module: ir.Module) -> None:
        self.module = module.operation.opview
        extraction = extract(self.module)
        self.problem = extraction.problem
        self.buffers = extraction.problem.buffers
        self._roots = dict(
            zip((b.name for b in self.buffers), extraction.liveness.roots, strict=True)
        )
        self.places = {name: planned_place(root) for name, root in self._roots.items()}

    def end(self, buffer: Buffer) -> int:
        """The byte behind the buffer."""
        return self.places[buffer.name].offset + buffer.size

    def neighbours(self) -> Iterator[tuple[Buffer, Buffer]]:
        """All ordered pairs in one pool that live together."""
        for one in self.buffers:
            for other in self.buffers:
                same = self.places[one.name].pool == self.places[other.name].pool
                if one is not other and same and one.live_with(other):
                    yield one, other

    def shadow_refuses(self, changes: Mapping[str, Placement]) -> str:
        """What the verifier says to the changed plan, with a certificate that fits; "" for nothing."""
        with self._changed(changes):
            try:
                placing = placed_in(self.module)
                check_layout(self.module.operation, placing)
                execute(self.module, placing)
            except RefusedError as refusal:
                return str(refusal)
        return ""

    def planning_refuses(self, changes: Mapping[str, Placement]) -> bool:
        """Whether the planners' own check refuses it: overlaps of lifetimes and bytes."""
        try:
            verify(Plan(self.problem, {**self.places, **changes}, "mutant"))
        except PlanRefusedError:
            return True
        return False

    @contextmanager
    def _changed(self, changes: Mapping[str, Placement]) -> Iterator[None]:
        for name, place in changes.items():
            _move(self._roots[name], place)
        certificates = self._certify({**self.places, **changes})
        try:
            yield
        finally:
            for name in changes:
                _move(self._roots[name], self.places[name])
            for pool, certificate in certificates.items():
                pool.certificate = certificate

    def _certify(self, places: Mapping[str, Placement]):
        before = {pool: pool.certificate for pool in pool_ops(self.module.operation)}
        for pool in before:
            ends = [
                places[b.name].offset + b.size
                for b in self.buffers
                if places[b.name].pool == pool.sym_name.value
            ]
            pool.certificate = CertificateAttr.get("mutant", max(ends, default=0), 0)
        return before


def _move(root: Root, place: Placement) -> None:
    placement = PlacementAttr.get(place.pool, place.offset)
    if isinstance(root.op, AllocOp):
        root.op.placement = placement
    elif root.op is not None:
        root.op.attributes[PLACEMENT] = placement
    for argument in root.arguments:
        attributes = list(argument.function.arg_attrs)
        attributes[argument.index] = ir.DictAttr.get({**argument.attributes, PLACEMENT: placement})
        argument.function.arg_attrs = attributes
