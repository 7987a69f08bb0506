"""When buffers live, as numbers: each function is one way to keep a buffer in use unseen."""

from __future__ import annotations

import re

import pytest
from mlir import ir

from forebay.ir.liveness.liveness import liveness_of
from forebay.ir.refused import RefusedError
from forebay.planning import Interval, Lifetime, live

HEAD = """
#ws = #memref_pool.space<@ws>
!b = memref<8xi8, #ws>
!part = memref<4xi8, strided<[1], offset: 2>, #ws>
!flipped = memref<4x2xi8, strided<[1, 4]>, #ws>
memref_pool.pool @ws workspace
func.func private @touch(!b)
"""


def lifetimes(text: str) -> dict[str, Lifetime]:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(HEAD + text)
        liveness = liveness_of(module.operation.opview)
        names = (root.name for root in liveness.buffers)
        return dict(zip(names, liveness.lifetimes, strict=True))


def in_main(body: str, arguments: str = "") -> dict[str, Lifetime]:
    """Lifetimes in an entry function; `a`, `b`, `c` are its buffers, `touch` is a tick."""
    allocs = "\n".join(f'%{name} = memref_pool.alloc : !b loc("{name}")' for name in "abc")
    body = re.sub(r"touch (\S+)", r"func.call @touch(\1) : (!b) -> ()", body)
    return lifetimes(f"func.func @main({arguments}) {{\n{allocs}\n{body}\nreturn\n}}")


def test_straight_code() -> None:
    found = in_main("touch %a\n touch %b\n touch %a\n touch %c")
    assert found == {"a": live(0, 3), "b": live(1, 2), "c": live(3, 4)}


def test_ops_that_touch_no_memory_take_no_tick() -> None:
    found = in_main("touch %a\n %n = arith.constant 1 : index\n %m = arith.addi %n, %n : index")
    assert found["a"] == live(0, 1)


def test_a_view_is_no_touch_but_its_use_is() -> None:
    found = in_main(
        """
        %v = memref.subview %a[2] [4] [1] : !b to !part
        %w = memref.cast %v : !part to memref<?xi8, strided<[?], offset: ?>, #ws>
        touch %b
        %n = arith.constant 0 : index
        %e = memref.load %w[%n] : memref<?xi8, strided<[?], offset: ?>, #ws>
        """
    )
    assert found["a"] == live(1, 2)


def test_two_results_of_a_view_chain_are_one_buffer() -> None:
    found = in_main(
        """
        %e = memref.expand_shape %a [[0, 1]] output_shape [2, 4] : !b into memref<2x4xi8, #ws>
        %t = memref.transpose %e (i, j) -> (j, i) : memref<2x4xi8, #ws> to !flipped
        touch %a
        touch %b
        memref.copy %t, %t : !flipped to !flipped
        """
    )
    assert found["a"] == live(0, 3)


def test_reshape_reads_its_shape() -> None:
    found = in_main(
        """
        touch %a
        %s = memref.view %b[%n][] : !b to memref<1xindex, #ws>
        %r = memref.reshape %a(%s) : (!b, memref<1xindex, #ws>) -> !b
        touch %c
        touch %r
        """,
        "%n: index",
    )
    assert found == {"a": live(0, 4), "b": live(1, 2), "c": live(2, 3)}


def test_distinct_objects_keep_apart() -> None:
    found = in_main(
        """
        %x, %y = memref.distinct_objects %a, %b : !b, !b
        touch %x
        touch %y
        touch %y
        """
    )
    assert (found["a"], found["b"]) == (live(0, 1), live(1, 3))


def test_a_loop_keeps_what_it_reads_until_its_end() -> None:
    found = in_main(
        """
        touch %a
        scf.for %i = %n to %n step %n {
          touch %b
          touch %a
          touch %c
          touch %c
        }
        """,
        "%n: index",
    )
    assert found == {"a": live(0, 5), "b": live(1, 5), "c": live(1, 5)}


def test_each_iteration_has_its_own_inner_buffer() -> None:
    found = in_main(
        """
        scf.for %i = %n to %n step %n {
          touch %a
          %x = memref_pool.alloc : !b loc("x")
          %y = memref_pool.alloc : !b loc("y")
          touch %x
          touch %y
        }
        """,
        "%n: index",
    )
    assert (found["a"], found["x"], found["y"]) == (live(0, 3), live(1, 2), live(2, 3))


def test_a_while_loop_touches_in_both_regions() -> None:
    found = in_main(
        """
        touch %a
        scf.while : () -> () {
          touch %b
          scf.condition(%go)
        } do {
          touch %c
          %x = memref_pool.alloc : !b loc("x")
          touch %x
          scf.yield
        }
        touch %a
        """,
        "%go: i1",
    )
    assert found == {"a": live(0, 5), "b": live(1, 4), "c": live(1, 4), "x": live(3, 4)}


def test_results_of_a_while_loop_are_what_its_condition_forwards() -> None:
    found = in_main(
        """
        %r:2 = scf.while (%p = %a, %q = %b) : (!b, !b) -> (!b, i1) {
          touch %p
          scf.condition(%go) %p, %go : !b, i1
        } do {
        ^bb0(%p: !b, %g: i1):
          touch %p
          scf.yield %b, %p : !b, !b
        }
        touch %c
        touch %r#0
        """,
        "%go: i1",
    )
    assert found == {"a": live(0, 4), "b": live(0, 4), "c": live(2, 3)}


def test_three_rotating_buffers_are_found_after_as_many_walks() -> None:
    found = in_main(
        """
        %r:3 = scf.for %i = %n to %n step %n iter_args(%p = %a, %q = %b, %s = %c) -> (!b, !b, !b) {
          touch %p
          scf.yield %q, %s, %p : !b, !b, !b
        }
        touch %r#0
        """,
        "%n: index",
    )
    assert found == {"a": live(0, 2), "b": live(0, 2), "c": live(0, 2)}


def test_branches_have_ticks_of_their_own() -> None:
    found = in_main(
        """
        scf.if %go {
          touch %a
          touch %a
        } else {
          touch %b
        }
        touch %c
        """,
        "%go: i1",
    )
    assert found == {"a": live(0, 2), "b": live(2, 3), "c": live(3, 4)}


def test_a_value_that_is_read_after_a_branch_lives_across_it() -> None:
    found = in_main(
        """
        touch %a
        scf.if %go {
          touch %b
        }
        touch %a
        """,
        "%go: i1",
    )
    assert found["a"] == live(0, 3)


def test_a_callee_lives_once_per_call() -> None:
    found = lifetimes(
        """
        func.func private @callee(%p: !b) {
          %t = memref_pool.alloc : !b loc("t")
          func.call @touch(%t) : (!b) -> ()
          func.call @touch(%p) : (!b) -> ()
          return
        }
        func.func private @between(%p: !b) {
          func.call @callee(%p) : (!b) -> ()
          return
        }
        func.func @main() {
          %a = memref_pool.alloc : !b loc("a")
          %b = memref_pool.alloc : !b loc("b")
          func.call @callee(%a) : (!b) -> ()
          func.call @touch(%b) : (!b) -> ()
          func.call @between(%b) : (!b) -> ()
          return
        }
        """
    )
    assert found["t"] == (Interval(0, 1), Interval(3, 4))
    assert (found["a"], found["b"]) == (live(1, 2), live(2, 5))


def test_ports_are_held_by_the_caller() -> None:
    found = lifetimes(
        """
        func.func @main(%in: !b {accel.name = "in"},
                        %out: !b {accel.name = "out", bufferize.result},
                        %never: !b {accel.name = "never"}) {
          %a = memref_pool.alloc : !b loc("a")
          func.call @touch(%a) : (!b) -> ()
          func.call @touch(%in) : (!b) -> ()
          func.call @touch(%out) : (!b) -> ()
          func.call @touch(%a) : (!b) -> ()
          return
        }
        """
    )
    assert found == {"in": live(0, 2), "out": live(2, 4), "never": live(0, 1), "a": live(0, 4)}


def test_ports_conflict_with_what_other_entry_functions_use() -> None:
    text = """
        func.func @main(%in: !b {accel.name = "in"},
                        %out: !b {accel.name = "out", bufferize.result}) {
          memref.copy %in, %out : !b to !b
          return
        }
        func.func @reset() {
          %a = memref_pool.alloc : !b loc("a")
          func.call @touch(%a) : (!b) -> ()
          return
        }
        """
    with ir.Context(), ir.Location.unknown():
        liveness = liveness_of(ir.Module.parse(HEAD + text).operation.opview)
        names = [root.name for root in liveness.buffers]
        pairs = {(names[one], names[other]) for one, other in liveness.conflicts}
    assert pairs == {("in", "a"), ("out", "a")}


def test_aliases_say_what_a_value_may_be() -> None:
    text = """
        func.func @main(%which: i1, %mine: memref<8xi8>) {
          %a = memref_pool.alloc : !b loc("a")
          %b = memref_pool.alloc : !b loc("b")
          %s = arith.select %which, %a, %b : !b
          func.call @touch(%s) : (!b) -> ()
          return
        }
        """
    with ir.Context(), ir.Location.unknown():
        liveness = liveness_of(ir.Module.parse(HEAD + text).operation.opview)
        assert sorted(map(sorted, liveness.aliases.values())) == [[], [0], [0, 1], [1]]


def test_a_buffer_of_one_iteration_cannot_be_handed_to_the_next() -> None:
    with pytest.raises(RefusedError, match="two would be alive at one address"):
        in_main(
            """
            %r = scf.for %i = %n to %n step %n iter_args(%p = %a) -> !b {
              %x = memref_pool.alloc : !b loc("x")
              %v = memref.cast %x : !b to !b
              scf.yield %v : !b
            }
            """,
            "%n: index",
        )
