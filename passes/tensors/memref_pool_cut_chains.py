"""memref-pool-cut-chains: keep the analysis of bufferization near-linear in long chains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from mlir import ir
from mlir.dialects import bufferization, tensor

from forebay.ir.interfaces import tensor_accesses_of, tensor_aliases_of
from forebay.ir.memory.storage import is_tensor
from forebay.ir.nested import ops_in, ops_nested_in
from forebay.passes._pass import Pass, option


@dataclass(frozen=True)
class MemrefPoolCutChains(Pass):
    """Cut chains of tensors that share one buffer, every `length` writes.

    The tiles of a result are written into one buffer, tensor after tensor. Upstream's analysis
    compares all reads and writes of tensors that may share a buffer, for each op, so its work is
    cubic in the length of the chain. A cut is a `bufferization.to_buffer` and a
    `bufferization.to_tensor` of the same buffer: the tensors on both sides share no buffer for the
    analysis. This is right because a cut is only made where nothing behind it uses a tensor that
    may share the buffer, except the one that is cut. The buffer is a `tensor.empty` of the block.
    """

    name: ClassVar[str] = "memref-pool-cut-chains"
    dialects: ClassVar[tuple[str, ...]] = ("bufferization",)

    length: int = option(32, "the writes to a buffer between two cuts", least=1)

    def run(self, op: ir.Operation) -> None:
        """Cut the chains of every block."""
        for nested in ops_nested_in(op):
            for region in nested.regions:
                for block in region:
                    _cut_in(block, self.length)


@dataclass
class _Chain:
    """Tensors that may share the buffer of a root, with the uses that were not seen yet."""

    type: ir.Type
    pending: int
    writes: int = 0
    is_closed: bool = False


def _cut_in(block: ir.Block, length: int) -> None:
    chains: dict[ir.Value, _Chain] = {}
    for op in list(block.operations):
        if isinstance(op, tensor.EmptyOp):
            chains[op.result] = _Chain(op.result.type, _count_uses(op.result))
            continue
        used = [(value, chains[value]) for value in _operands(op) if value in chains]
        for _, chain in used:
            chain.pending -= 1
        for result in _followed(op, chains, [chain for _, chain in used]):
            chain = chains[result]
            if chain.writes >= length and _can_cut(result, chain):
                new = _cut(op, result)
                chains[new] = _Chain(chain.type, _count_uses(new))


def _followed(
    op: ir.OpView, chains: dict[ir.Value, _Chain], used: list[_Chain]
) -> Iterator[ir.Value]:
    """Yield the results of an op that join a chain; close chains that cannot be followed."""
    if not used:
        return
    aliases = tensor_aliases_of(op)
    if aliases is None or (len(op.regions) and any(v in chains for v in _inner_operands(op))):
        for chain in used:
            chain.is_closed = True
        return
    written = {a.operand for a in tensor_accesses_of(op) or () if a.writes}
    for alias in aliases:
        value, result = op.operands[alias.operand], op.results[alias.result]
        chain = chains.get(value)
        if chain is None:
            continue
        if chains.setdefault(result, chain) is not chain:
            chain.is_closed = chains[result].is_closed = True
            continue
        chain.pending += _count_uses(result)
        chain.writes += alias.operand in written
        yield result


def _can_cut(result: ir.Value, chain: _Chain) -> bool:
    """Return whether the result has the root's type and only its own uses are left."""
    is_last = chain.pending == _count_uses(result) > 0
    return is_last and not chain.is_closed and result.type == chain.type


def _cut(op: ir.OpView, result: ir.Value) -> ir.Value:
    """Make the users of a result use another tensor of the same buffer."""
    type_ = ir.RankedTensorType(result.type)
    memref = ir.MemRefType.get(type_.shape, type_.element_type, memory_space=type_.encoding)
    with ir.InsertionPoint.after(op.operation), op.location:
        buffer = bufferization.ToBufferOp(memref, result, read_only=True)
        new = bufferization.ToTensorOp(type_, buffer.result, restrict=True, writable=True).result
    result.replace_all_uses_except(new, [buffer.operation])
    return new


def _operands(op: ir.OpView) -> list[ir.Value]:
    return [value for inner in ops_in(op) for value in inner.operands if is_tensor(value)]


def _inner_operands(op: ir.OpView) -> list[ir.Value]:
    return [value for inner in ops_nested_in(op) for value in inner.operands]


def _count_uses(value: ir.Value) -> int:
    return sum(1 for _ in value.uses)
