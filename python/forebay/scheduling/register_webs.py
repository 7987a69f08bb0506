"""One buffer per value: the uses of a register and the calls that may have set what they use.

Calls and uses that are connected in this way are a web. Each web gets a buffer, in the innermost
block around it. So a machine that checks memory sees a use whose value nobody has set: that of a
call that is missing, or of another web::

    %a = alloc    set(%a)  use(%a)        set, use: one web
    %b = alloc    set(%b)  use(%b)        set(%b) removed: a read of another buffer's bytes
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mlir import ir
from mlir.dialects import func, scf
from msgspec import Struct

from forebay.dialects.memref_pool import AllocOp
from forebay.ir.identity import identity_of
from forebay.ir.nested import ops_nested_in
from forebay.scheduling.register_uses import RegisterAccess, RegisterUses

_BRANCHES = (scf.IfOp, scf.IndexSwitchOp, scf.ExecuteRegionOp)

_Node = tuple[int, int]
"""An access: the identity of its op, and the index of the operand."""


def split_buffers(function: func.FuncOp, register: str, uses: RegisterUses) -> None:
    """Give each web of a register a buffer."""
    webs = _Webs(register, uses)
    for block in function.body.blocks:
        webs.walk(block, frozenset())
    for web in _apart(webs.found(), _ranges(function)):
        op, index = web.members[0]
        with ir.InsertionPoint(_ancestor_in(op, web.block)), op.location:
            alloc = AllocOp(op.operands[index].type)
        for user, position in web.members:
            user.operation.operands[position] = alloc.memref


_Members = list[tuple[ir.OpView, int]]


class _Web(Struct, frozen=True):
    """Accesses, the innermost block around them, and the ops of the block that they are inside of.

    `begin` and `end` number these ops in the order of the program.
    """

    members: _Members
    block: ir.Block
    begin: int
    end: int


def _ranges(function: func.FuncOp) -> dict[int, tuple[int, int]]:
    """Return for each op its number, and that after the last op inside it, by identity."""
    ops = ops_nested_in(function)
    return {
        identity_of(op): (number, number + 1 + (len(ops_nested_in(op)) if len(op.regions) else 0))
        for number, op in enumerate(ops)
    }


def _apart(webs: Sequence[_Members], ranges: Mapping[int, tuple[int, int]]) -> list[_Web]:
    """Return the webs; those between whose accesses another one has accesses are one web.

    A buffer is live from its first access to its last, through all branches.
    """
    left = sorted((_web(members, ranges) for members in webs), key=lambda web: web.begin)
    found: list[_Web] = []
    for web in left:
        merged = web
        while found and merged.begin < found[-1].end:
            merged = _web([*found.pop().members, *merged.members], ranges)
        found.append(merged)
    return found


def _web(members: _Members, ranges: Mapping[int, tuple[int, int]]) -> _Web:
    block = _common_block([op for op, _ in members])
    around = [ranges[identity_of(_ancestor_in(op, block))] for op, _ in members]
    return _Web(members, block, min(b for b, _ in around), max(e for _, e in around))


class _Webs:
    """The webs of a register; accesses are joined while the program is walked."""

    def __init__(self, register: str, uses: RegisterUses) -> None:
        self._register, self._uses = register, uses
        self._members: dict[_Node, tuple[ir.OpView, int]] = {}
        self._parent: dict[_Node, _Node] = {}

    def walk(self, block: ir.Block, reaching: frozenset[_Node]) -> frozenset[_Node]:
        """Walk a block that is entered with these settings; return those at its end."""
        for op in block.operations:
            if len(op.regions):
                reaching = self._nested(op, reaching)
            elif isinstance(op, func.CallOp):
                if self._register in self._uses.set_by_callees(op):
                    reaching = frozenset()
            else:
                for access in self._uses.of(op):
                    if access.register == self._register:
                        reaching = self._access(access, reaching)
        return reaching

    def found(self) -> list[_Members]:
        """Return the webs, each as its accesses in the order of the program."""
        webs: dict[_Node, _Members] = {}
        for node, member in self._members.items():
            webs.setdefault(self._root(node), []).append(member)
        return list(webs.values())

    def _access(self, access: RegisterAccess, reaching: frozenset[_Node]) -> frozenset[_Node]:
        index = list(access.op.operands).index(access.buffer)
        node = identity_of(access.op), index
        self._members.setdefault(node, (access.op, index))
        self._parent.setdefault(node, node)
        if access.reads:
            for setting in reaching:
                self._parent[self._root(setting)] = self._root(node)
        return frozenset((node,)) if access.writes else reaching

    def _nested(self, op: ir.OpView, reaching: frozenset[_Node]) -> frozenset[_Node]:
        accesses = [a for a in self._uses.within(op) if a.register == self._register]
        if not accesses and self._register not in self._uses.set_by_callees(op):
            return reaching
        blocks = [block for region in op.operation.regions for block in region.blocks]
        if isinstance(op, _BRANCHES):
            ends = frozenset[_Node]().union(*(self.walk(block, reaching) for block in blocks))
            is_exhaustive = isinstance(op, scf.IfOp) and len(blocks) == 2
            return ends if is_exhaustive else ends | reaching
        while True:
            ends = reaching.union(*(self.walk(block, reaching) for block in blocks))
            if ends == reaching:
                return reaching
            reaching = ends

    def _root(self, node: _Node) -> _Node:
        while self._parent[node] != node:
            node = self._parent[node]
        return node


def _common_block(ops: Sequence[ir.OpView]) -> ir.Block:
    """Return the innermost block around all ops."""
    first, *others = (_blocks_around(op) for op in ops)
    return next(block for block in first if all(block in around for around in others))


def _blocks_around(op: ir.OpView) -> list[ir.Block]:
    """Return the blocks around an op, the innermost first."""
    found: list[ir.Block] = []
    around = op.operation
    while not isinstance(around.opview, func.FuncOp):
        found.append(around.block)
        assert around.parent is not None  # a call is inside of a function
        around = around.parent.operation
    return found


def _ancestor_in(op: ir.OpView, block: ir.Block) -> ir.Operation:
    """Return the op of the block that is, or contains, `op`."""
    around = op.operation
    while around.block != block:
        assert around.parent is not None
        around = around.parent.operation
    return around
