"""What ops do to memory: through views, calls, loops and what is in flight."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from common.programs.cascades import SPACE
from mlir import ir
from mlir.dialects import func, memref

from forebay.dialects import memref_pool
from forebay.ir.liveness import memory_effects
from forebay.ir.liveness.memory_effects import MemoryEffect, MemoryEffects
from forebay.ir.memory.regions import AccessRegion
from forebay.ir.memory.underlying_buffers import functions_in
from forebay.ir.module import module_of
from forebay.ir.nested import ops_nested_in, ops_of

HEAD = """
accel.device @cpu kind "cpu" host
accel.device @dma kind "dma"
memref_pool.pool @ws workspace read [@cpu, @dma] write [@cpu, @dma]
accel.queue @dma.q on @dma symbol "dma_q" depth 4
accel.transfer @dma.cp on @dma symbol "dma_cp" from [@ws] to [@ws] rank 2 queue @dma.q
memref.global "private" @g : memref<8xi8, #memref_pool.space<@ws>>
"""
BUF = "memref<8xi8, #memref_pool.space<@ws>>"
HALF = "memref<4xi8, strided<[1], offset: ?>, #memref_pool.space<@ws>>"
ONE = HALF.replace("4xi8", "1xi8")


@pytest.fixture(autouse=True)
def _context() -> Iterator[None]:
    import forebay.dialects  # noqa: F401

    with ir.Context(), ir.Location.unknown():
        yield


class Program:
    def __init__(self, text: str) -> None:
        source = (HEAD + text).replace("BUF", BUF).replace("HALF", HALF).replace("ONE", ONE)
        self.module = module_of(ir.Module.parse(source))
        self.effects = MemoryEffects(self.module)
        self.functions = {f.sym_name.value: f for f in functions_in(self.module)}

    def first(self, kind: str, function: str = "main") -> ir.OpView:
        ops = ops_nested_in(self.functions[function])
        return next(op for op in ops if op.operation.name == kind)

    def of(self, kind: str, function: str = "main") -> list[MemoryEffect]:
        return self.effects.effects_of(self.first(kind, function))

    def boxes(self, effects: list[MemoryEffect]) -> list[tuple[str, int, object]]:
        """Reads or writes, of which argument of @main, which box."""
        arguments = list(self.functions["main"].arguments)
        return sorted(
            ("r" * e.reads + "w" * e.writes, arguments.index(base), e.region and e.region.box)
            for e in effects
            for base in e.objects or ()
            if isinstance(base, ir.Value)
        )


def test_a_call_does_what_its_callee_does_to_what_it_is_handed() -> None:
    program = Program("""
func.func @main(%x: BUF, %y: BUF) {
  call @f(%y, %x) : (BUF, BUF) -> ()
  return
}
func.func private @f(%to: BUF, %from: BUF) {
  %own = memref_pool.alloc : BUF
  memref.copy %from, %own : BUF to BUF
  memref.copy %own, %to : BUF to BUF
  return
}""")
    assert program.boxes(program.of("func.call")) == [("r", 0, ((0, 8),)), ("w", 1, ((0, 8),))]


def test_parts_are_those_of_what_is_handed_over() -> None:
    """Elements 2 and 3 of four, which begin at 4; those of a loop from the first to the last."""
    program = Program("""
func.func @main(%x: BUF) {
  %four = arith.constant 4 : index
  %half = memref.subview %x[%four] [4] [1] : BUF to HALF
  call @f(%half) : (HALF) -> ()
  return
}
func.func private @f(%a: HALF) {
  %v = arith.constant 1 : i8
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %four = arith.constant 4 : index
  %one = arith.constant 1 : index
  scf.for %i = %two to %four step %one {
    %e = memref.subview %a[%i] [1] [1] : HALF to ONE
    linalg.fill ins(%v : i8) outs(%e : ONE)
  }
  return
}""")
    assert program.boxes(program.of("func.call")) == [("w", 0, ((6, 2),))]


def test_an_argument_is_what_any_caller_hands_over() -> None:
    program = Program("""
func.func @main(%x: BUF, %y: memref<8xi8>, %z: BUF) {
  %plain = memref.memory_space_cast %x : BUF to memref<8xi8>
  call @f(%plain) : (memref<8xi8>) -> ()
  call @f(%y) : (memref<8xi8>) -> ()
  return
}
func.func private @f(%a: memref<8xi8>) {
  %v = arith.constant 1 : i8
  linalg.fill ins(%v : i8) outs(%a : memref<8xi8>)
  return
}""")
    (effect,) = program.of("linalg.fill", "f")
    arguments = list(program.functions["main"].arguments)
    assert effect.objects == {arguments[0], arguments[1]}
    (first,) = program.of("func.call")
    assert first.objects == {arguments[0]}


def test_globals_are_known_in_every_function() -> None:
    program = Program("""
func.func @main(%x: BUF) {
  call @f() : () -> ()
  %g = memref.get_global @g : BUF
  memref.copy %g, %x : BUF to BUF
  return
}
func.func private @f() {
  %g = memref.get_global @g : BUF
  %v = arith.constant 1 : i8
  linalg.fill ins(%v : i8) outs(%g : BUF)
  return
}""")
    (write,) = program.of("func.call")
    read, _ = program.of("memref.copy")
    assert write.objects == {"@g"}
    assert write.conflicts(read)


@pytest.mark.parametrize(
    ("merge", "objects"),
    [
        ("%m = arith.select %c, %x, %y : BUF", {0, 1}),
        ("%m = scf.if %c -> BUF { scf.yield %x : BUF } else { scf.yield %y : BUF }", {0, 1}),
        (
            "%m = scf.for %i = %n to %n step %n iter_args(%a = %x) -> (BUF) {"
            " %w = arith.select %c, %y, %z : BUF scf.yield %w : BUF }",
            {0, 1, 2},
        ),
        (
            "%m = scf.while (%a = %x) : (BUF) -> BUF { scf.condition(%c) %a : BUF } do {"
            " ^bb0(%b: BUF): scf.yield %y : BUF }",
            {0, 1},
        ),
        ("%m, %o = memref.distinct_objects %z, %y : BUF, BUF", {2}),
    ],
)
def test_a_memref_may_be_any_that_reaches_it(merge: str, objects: set[int]) -> None:
    program = Program(f"""
func.func @main(%x: BUF, %y: BUF, %z: BUF, %c: i1, %n: index) {{
  {merge}
  %v = arith.constant 1 : i8
  linalg.fill ins(%v : i8) outs(%m : BUF)
  return
}}""")
    (effect,) = program.of("linalg.fill")
    arguments = list(program.functions["main"].arguments)
    assert effect.objects == {arguments[n] for n in objects}


def test_a_wait_may_end_what_was_started_anywhere() -> None:
    program = Program("""
func.func @main(%x: BUF, %y: BUF) {
  %t = call @f(%x, %y) : (BUF, BUF) -> !accel.token
  accel.wait %t
  return
}
func.func private @f(%x: BUF, %y: BUF) -> !accel.token {
  %t = accel.start @dma.cp %x into %y : BUF, BUF
  return %t : !accel.token
}""")
    assert program.boxes(program.of("accel.wait")) == [("r", 0, None), ("w", 1, None)]


def test_who_calls_itself_may_do_anything() -> None:
    program = Program("""
func.func @main(%x: BUF) {
  call @f(%x) : (BUF) -> ()
  return
}
func.func private @f(%x: BUF) {
  call @f(%x) : (BUF) -> ()
  return
}""")
    (effect,) = program.of("func.call")
    assert (effect.objects, effect.reads, effect.writes) == (None, True, True)


def test_only_a_functions_own_allocations_are_local_to_it() -> None:
    program = Program("""
func.func @main(%x: BUF) {
  %own = memref_pool.alloc : BUF
  memref.copy %own, %x : BUF to BUF
  call @f(%own) : (BUF) -> ()
  return
}
func.func private @f(%a: BUF) {
  %v = arith.constant 1 : i8
  linalg.fill ins(%v : i8) outs(%a : BUF)
  return
}""")
    main, f = program.functions["main"], program.functions["f"]
    read, write = program.of("memref.copy")
    (handed,) = program.of("linalg.fill", "f")
    assert program.effects.is_local_to(main, read)
    assert not program.effects.is_local_to(main, write)
    assert not program.effects.is_local_to(f, handed)


def test_a_function_without_a_body_may_read_and_write_what_it_is_given() -> None:
    program = Program("""
func.func @main(%x: BUF) {
  call @f(%x) : (BUF) -> ()
  return
}
func.func private @f(%x: BUF)""")
    assert isinstance(program.first("func.call"), func.CallOp)
    assert program.boxes(program.of("func.call")) == [("rw", 0, ((0, 8),))]


CALLER_AND_CALLEE = """
func.func @main(%x: BUF, %y: BUF) {
  call @f(%x) : (BUF) -> ()
  return
}
func.func @other(%x: BUF) {
  %own = memref_pool.alloc : BUF
  memref.copy %x, %own : BUF to BUF
  return
}
func.func private @f(%a: BUF) {
  %zero = arith.constant 0 : index
  %v = memref.load %a[%zero] : BUF
  return
}"""


def test_a_rewrite_of_the_caller_changes_what_the_callee_reads() -> None:
    program = Program(CALLER_AND_CALLEE)
    assert program.boxes(program.of("memref.load", "f")) == [("r", 0, ((0, 8),))]
    main = program.functions["main"]
    program.first("func.call").operation.operands[0] = main.arguments[1]
    program.effects.invalidate(main)
    assert program.boxes(program.of("memref.load", "f")) == [("r", 1, ((0, 8),))]


def test_a_rewrite_of_the_callee_changes_what_the_call_does() -> None:
    program = Program(CALLER_AND_CALLEE)
    assert program.boxes(program.of("func.call")) == [("r", 0, ((0, 8),))]
    load = program.first("memref.load", "f")
    with ir.InsertionPoint(load), load.location:
        memref.copy(load.operands[0], load.operands[0])
    program.effects.invalidate(program.functions["f"])
    boxes = program.boxes(program.of("func.call"))
    assert boxes == [("r", 0, ((0, 8),)), ("w", 0, ((0, 8),))]


def test_a_new_buffer_at_the_address_of_an_erased_one_is_another() -> None:
    """Erase and create buffers until the allocator gives an address again."""
    program = Program(CALLER_AND_CALLEE)
    other = program.functions["other"]
    (x,) = other.arguments
    for _ in range(20):
        copy = program.first("memref.copy", "other")
        read, write = program.effects.effects_of(copy)
        assert read.objects == {x}
        assert write.objects == {copy.operands[1]}
        assert write.region is not None
        assert write.region.base == copy.operands[1]
        alloc = copy.operands[1].owner
        with ir.InsertionPoint(copy), copy.location:
            fresh = memref_pool.AllocOp(alloc.opview.memref.type)
            memref.copy(x, fresh.memref)
        copy.operation.erase()
        alloc.erase()
        program.effects.invalidate(other)


def test_facts_of_other_functions_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    program = Program(CALLER_AND_CALLEE)
    found: list[ir.Value] = []
    region_of = memory_effects.access_region_of

    def note(value: ir.Value) -> AccessRegion:
        found.append(value)
        return region_of(value)

    def ask() -> None:
        program.of("memref.load", "f")
        program.of("memref.copy", "other")

    monkeypatch.setattr(memory_effects, "access_region_of", note)
    ask()
    assert len(found) == 3
    program.effects.invalidate(program.functions["other"])
    ask()
    assert found[3:] == found[1:3]


def test_rows_of_one_memref_may_be_the_same_row() -> None:
    """Their places are not known before the plan, so no pass moves a copy across another row's."""
    rows = f"memref<4x8xi8, #memref_pool.rows<1>, {SPACE}>"
    row = f"memref<8xi8, {SPACE}>"
    text = f"""
    memref_pool.pool @sram workspace
    func.func @f(%y: index) {{
      %a = memref_pool.alloc : {rows}
      %b = memref_pool.alloc : {rows}
      %a0 = memref_pool.row %a[0] : {rows} to {row}
      %ay = memref_pool.row %a[%y] : {rows} to {row}
      %b0 = memref_pool.row %b[0] : {rows} to {row}
      memref.copy %a0, %b0 : {row} to {row}
      memref.copy %b0, %ay : {row} to {row}
      memref.copy %b0, %b0 : {row} to {row}
      return
    }}"""
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        effects = MemoryEffects(module_of(module))
        first, second, third = (
            {effect.writes: effect for effect in effects.effects_of(op)}
            for op in ops_of(module.operation, memref.CopyOp)
        )
        assert first[False].conflicts(second[True])
        assert not first[False].conflicts(third[True])
