"""Ways in which plans and programs go wrong; each gives changes of a planned module.

They are faults of plans and of the movement of data that bytes can show. Not among them is what
computes the wrong thing from bytes that are all there: another constant, an operator that is
missing where its result is added up, a copy that is missing where its target was filled with zeros.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mlir import ir
from mlir.dialects import memref

from forebay.dialects import accel, memref_pool
from forebay.ir.demands import demands_of
from forebay.ir.nested import ops_nested_in
from forebay.ir.pools import candidates_of, pools_in
from forebay.planning import Placement
from injection.edit import erase, without_operands
from injection.plan import Places, Planned

Change = Callable[[ir.Operation], None]


@dataclass(frozen=True)
class Mutant:
    """One change of a clone of the module, and what it is in words."""

    kind: str
    what: str
    change: Change


@dataclass(frozen=True)
class Right:
    """A module whose plan and program are right."""

    module: ir.Operation
    planned: Planned

    @property
    def ops(self) -> list[ir.OpView]:
        """All ops; a clone has its own in the same order."""
        return ops_nested_in(self.module)


Kind = Callable[[Right, random.Random], "Mutant | None"]
_KINDS: dict[str, Kind] = {}


def _kind(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register a way to break a module under its name; it gives what and how, or None."""

    def register(make: Callable[..., Any]) -> Callable[..., Any]:
        def draw(right: Right, dice: random.Random) -> Mutant | None:
            found = make(right, dice)
            return None if found is None else Mutant(name, *found)

        _KINDS[name] = draw
        return make

    return register


def mutants(right: Right, count: int, dice: random.Random) -> Iterator[Mutant]:
    """So many different ones, the kinds in turns as far as each has some."""
    seen: set[str] = set()
    kinds = dict.fromkeys(_KINDS, 0)
    while len(seen) < count and kinds:
        for name in list(kinds):
            mutant = _KINDS[name](right, dice)
            if mutant is None or f"{name} {mutant.what}" in seen:
                kinds[name] += 1
                if kinds[name] > 60:
                    del kinds[name]
                continue
            kinds[name] = 0
            seen.add(f"{name} {mutant.what}")
            yield mutant
            if len(seen) == count:
                return


# ---- Plans ---------------------------------------------------------------------------------------


def _moved(right: Right, places: Mapping[str, Placement]) -> Change:
    return lambda module: right.planned.put(module, {**right.planned.places, **places})


def _breaking(right: Right, dice: random.Random, draw: Callable[[], Places]) -> Places:
    """Nine times of ten a plan that is wrong, if a few draws find one."""
    places = draw()
    for _ in range(40):
        if right.planned.is_broken({**right.planned.places, **places}) or dice.random() < 0.02:
            break
        places = draw()
    return places


def _two(right: Right, dice: random.Random) -> tuple[str, str]:
    """Two allocations in one pool."""
    while True:
        one, other = dice.sample(right.planned.allocs, 2)
        if right.planned.places[one].pool == right.planned.places[other].pool:
            return one, other


def _text(places: Places) -> str:
    return ", ".join(f"{name} at @{p.pool} {p.offset}" for name, p in places.items())


@_kind("shift an offset")
def _shift(right: Right, dice: random.Random) -> tuple[str, Change]:
    def draw() -> Places:
        name = dice.choice(right.planned.allocs)
        place = right.planned.places[name]
        by = dice.choice([-4096, -1024, -256, -64, 64, 256, 1024, 4096])
        return {name: Placement(place.pool, max(0, place.offset + by))}

    places = _breaking(right, dice, draw)
    return _text(places), _moved(right, places)


@_kind("swap two buffers")
def _swap(right: Right, dice: random.Random) -> tuple[str, Change]:
    def draw() -> Places:
        one, other = _two(right, dice)
        here, there = right.planned.places[one], right.planned.places[other]
        return {one: there, other: here}

    places = _breaking(right, dice, draw)
    return _text(places), _moved(right, places)


@_kind("reuse a buffer early")
def _reuse(right: Right, dice: random.Random) -> tuple[str, Change]:
    def draw() -> Places:
        one, other = _two(right, dice)
        return {one: right.planned.places[other]}

    places = _breaking(right, dice, draw)
    return _text(places), _moved(right, places)


@_kind("shrink a lifetime")
def _shrink(right: Right, dice: random.Random) -> tuple[str, Change] | None:
    name, ticks = dice.choice(right.planned.allocs), dice.choice([1, 1, 2])
    places = right.planned.with_shorter(name, ticks)
    if places is None:
        return None
    return f"{name} by {ticks}", _moved(right, places)


@_kind("wrong bank")
def _bank(right: Right, dice: random.Random) -> tuple[str, Change]:
    """In another quarter of the pool."""

    def draw() -> Places:
        name = dice.choice(right.planned.allocs)
        place = right.planned.places[name]
        peak = right.planned.peaks(right.planned.places)[place.pool]
        bank = max(64, peak // 4 // 64 * 64)
        bound = max(1, peak // bank) * bank
        offset = (place.offset + bank * dice.randrange(1, 4)) % bound
        return {name: Placement(place.pool, offset)}

    places = _breaking(right, dice, draw)
    return _text(places), _moved(right, places)


@_kind("wrong pool")
def _pool(right: Right, dice: random.Random) -> tuple[str, Change] | None:
    name = dice.choice(right.planned.allocs)
    place = right.planned.places[name]
    pools = [p for p in pools_in(right.module) if p != place.pool]
    if not pools:
        return None
    places = {name: Placement(dice.choice(pools), place.offset)}
    return _text(places), _moved(right, places)


# ---- Programs ------------------------------------------------------------------------------------

_MOVES = (memref.CopyOp, memref_pool.CopyOp, accel.MoveOp, accel.StartOp)
_KERNELS = (accel.ReduceOp, accel.CallOp)


def _pick(
    right: Right, dice: random.Random, wanted: Callable[[ir.OpView], bool]
) -> tuple[int, ir.OpView] | None:
    found = [(number, op) for number, op in enumerate(right.ops) if wanted(op)]
    return dice.choice(found) if found else None


def _erased(number: int) -> Change:
    return lambda module: erase(ops_nested_in(module)[number])


def _pools(value: ir.Value) -> tuple[str, ...]:
    return candidates_of(value.type)


def _drop(right: Right, dice: random.Random, wanted: Callable[[ir.OpView], bool]) -> Any:
    picked = _pick(right, dice, wanted)
    if picked is None:
        return None
    number, op = picked
    return f"op {number}, {op.operation.name}", _erased(number)


def _loads(op: ir.OpView) -> bool:
    if isinstance(op, accel.CallOp):
        return "fetcher" in op.callee.value
    return isinstance(op, accel.MoveOp | accel.StartOp) and "load" in op.transfer.value


def _root(value: ir.Value) -> ir.Value:
    """What a chain of views is a view of."""
    owner: Any = value.owner
    views = (memref.SubViewOp, memref.CollapseShapeOp, memref.ExpandShapeOp, memref.TransposeOp)
    while not isinstance(owner, ir.Block) and isinstance(owner.operation.opview, views):
        value = owner.operation.operands[0]
        owner = value.owner
    return value


def _comes_from_a_constant(op: ir.OpView) -> bool:
    owner: Any = _root(op.operands[0]).owner
    return not isinstance(owner, ir.Block) and isinstance(
        owner.operation.opview, memref.GetGlobalOp
    )


@_kind("drop a copy")
def _drop_copy(right: Right, dice: random.Random) -> Any:
    """One onto bytes that nothing else writes."""
    return _drop(right, dice, lambda op: isinstance(op, _MOVES) and _copies_alone(op, right))


def _copies_alone(op: ir.OpView, right: Right) -> bool:
    """Of several moves to one buffer each has bytes of its own; what fills it does not."""
    (root,) = _written(op)
    writers = [other for other in right.ops if root in _written(other)]
    return not _loads(op) and all(isinstance(other, _MOVES) for other in writers)


@_kind("missing load")
def _missing_load(right: Right, dice: random.Random) -> Any:
    return _drop(right, dice, lambda op: _loads(op) and not _comes_from_a_constant(op))


@_kind("stale weights")
def _stale_weights(right: Right, dice: random.Random) -> Any:
    return _drop(right, dice, lambda op: _loads(op) and _comes_from_a_constant(op))


@_kind("drop an operator")
def _drop_operator(right: Right, dice: random.Random) -> Any:
    """One that alone writes what it writes."""
    return _drop(right, dice, lambda op: isinstance(op, _KERNELS) and _is_only_writer(op, right))


def _is_only_writer(op: ir.OpView, right: Right) -> bool:
    if _loads(op):
        return False
    root = _root(op.operands[len(op.operands) - 1])
    return sum(root in _written(other) for other in right.ops) == 1


def _written(op: ir.OpView) -> list[ir.Value]:
    return [_root(d.value) for d in demands_of(op) if d.writes and d.operand is not None]


def _read(op: ir.OpView) -> list[ir.Value]:
    return [_root(d.value) for d in demands_of(op) if d.reads and d.operand is not None]


@_kind("read too early")
def _too_early(right: Right, dice: random.Random) -> Any:
    """An operator behind the one that needs its result."""
    picked = _pick(right, dice, lambda op: isinstance(op, _KERNELS) and _is_only_writer(op, right))
    if picked is None:
        return None
    number, op = picked
    (written,) = set(_written(op))
    users = [n for n, other in enumerate(right.ops) if n > number and written in _read(other)]
    users = [n for n in users if right.ops[n].operation.parent == op.operation.parent]
    if not users:
        return None

    def change(module: ir.Operation) -> None:
        ops = ops_nested_in(module)
        ops[number].operation.move_after(ops[users[0]].operation)

    return f"op {number} behind {users[0]}", change


_ROWS = {
    "height": (-1, 1),
    "y_height": (-1, 1),
    "x_height": (1,),
    "rows": (1,),
}
_COLUMNS = {"width": (-1, 1), "x_width": (1,), "y_width": (-1, 1)}


@_kind("off-by-one rows")
def _rows(right: Right, dice: random.Random) -> Any:
    if dice.random() < 0.5:
        return _view(right, dice, "static_offsets", (-1, 1))
    return _scalar(right, dice, _ROWS)


@_kind("wrong stride")
def _stride(right: Right, dice: random.Random) -> Any:
    if dice.random() < 0.5:
        return _view(right, dice, "static_strides", (1,))
    return _scalar(right, dice, _COLUMNS)


def _scalar(right: Right, dice: random.Random, known: Mapping[str, tuple[int, ...]]) -> Any:
    """Another number in a call's configuration."""
    picked = _pick(right, dice, lambda op: isinstance(op, accel.CallOp | accel.LaunchOp))
    if picked is None:
        return None
    number, op = picked
    config = {named.name: named.attr for named in op.config}
    names = [name for name in known if name in config]
    if not names:
        return None
    name = dice.choice(names)
    by = dice.choice(known[name])

    def change(module: ir.Operation) -> None:
        with module.context:
            i64 = ir.IntegerType.get_signless(64)
            wrong = {**config, name: ir.IntegerAttr.get(i64, config[name].value + by)}
            ops_nested_in(module)[number].operation.attributes["config"] = ir.DictAttr.get(wrong)

    return f"{name} {by:+} of op {number}", change


def _view(right: Right, dice: random.Random, attribute: str, steps: tuple[int, ...]) -> Any:
    """Another row of what is written."""
    picked = _pick(right, dice, lambda op: isinstance(op, memref.SubViewOp) and _is_target(op))
    if picked is None:
        return None
    number, op = picked
    axis = next((n for n, size in enumerate(op.static_sizes) if size > 1), 0)
    numbers = list(getattr(op, attribute))
    numbers[axis] = max(0, numbers[axis] + dice.choice(steps))
    if numbers == list(getattr(op, attribute)):
        return None

    def change(module: ir.Operation) -> None:
        with module.context:
            wrong = ir.DenseI64ArrayAttr.get(numbers)
            ops_nested_in(module)[number].operation.attributes[attribute] = wrong

    return f"{attribute} {numbers} of op {number}", change


def _is_target(view: memref.SubViewOp) -> bool:
    users = [use.owner.opview for use in view.result.uses]
    return bool(users) and all(
        any(d.writes and d.value == view.result for d in demands_of(user)) for user in users
    )


# ---- Tokens --------------------------------------------------------------------------------------


@_kind("drop a wait")
def _drop_wait(right: Right, dice: random.Random) -> Any:
    return _drop(right, dice, lambda op: isinstance(op, accel.WaitOp))


@_kind("drop a token")
def _drop_token(right: Right, dice: random.Random) -> Any:
    picked = _pick(
        right, dice, lambda op: isinstance(op, accel.StartOp | accel.LaunchOp) and len(op.after) > 0
    )
    if picked is None:
        return None
    number, op = picked
    operand = len(op.operands) - 1 - dice.randrange(len(op.after))

    def change(module: ir.Operation) -> None:
        without_operands(ops_nested_in(module)[number], [operand])

    return f"operand {operand} of op {number}", change
