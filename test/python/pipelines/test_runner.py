"""What an error of a pipeline knows: diagnostics with locations, and the error that caused them."""

from __future__ import annotations

import pytest
from mlir import ir

from forebay.errors import BugError, Error
from forebay.ir.refused import RefusedError
from forebay.pipelines import PipelineError, run_pipeline
from forebay.planning import PlanInfeasibleError, UnknownPlannerError

TOO_SMALL = """
memref_pool.pool @ram workspace capacity 64
func.func @main() {
  %x = memref_pool.alloc : memref<80xi8, #memref_pool.space<@ram>> loc("x"("net.mlir":7:3))
  %c = arith.constant 0 : index
  %v = memref.load %x[%c] : memref<80xi8, #memref_pool.space<@ram>> loc("net.mlir":9:1)
  return
}
"""
UNKNOWN = "func.func @main() {\n  return\n}\n"


def failure_of(text: str, pipeline: str) -> PipelineError:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        with pytest.raises(PipelineError) as caught:
            run_pipeline(module, pipeline)
        return caught.value


def test_a_diagnostic_keeps_locations_and_notes() -> None:
    (diagnostic,) = failure_of(TOO_SMALL, "builtin.module(memref-pool-plan)").diagnostics
    assert diagnostic.location is not None
    assert diagnostic.message.startswith("pool 'ram' needs 80 bytes")
    assert diagnostic.text.splitlines()[0].endswith(f": {diagnostic.message}")
    ((where, note),) = diagnostic.notes
    assert where == ir.Location.name(
        "x", ir.Location.file("net.mlir", 7, 3, where.context), where.context
    )
    assert note.startswith("'x', 80 bytes, lives over [")
    assert note in diagnostic.text


def test_the_origin_is_the_planner_s_error() -> None:
    origin = failure_of(TOO_SMALL, "builtin.module(memref-pool-plan)").origin
    assert isinstance(origin, PlanInfeasibleError)
    assert (origin.pool, origin.needed, origin.available) == ("ram", 80, 64)
    assert (origin.buffers, origin.pools) == (("x",), ("ram",))
    unknown = failure_of(UNKNOWN, "builtin.module(memref-pool-plan{planner=best})")
    assert isinstance(unknown.origin, UnknownPlannerError)
    assert isinstance(unknown.__cause__, RefusedError)


def test_an_error_of_the_parser_has_no_location() -> None:
    (diagnostic,) = failure_of(UNKNOWN, "builtin.module(no-such-pass)").diagnostics
    assert diagnostic.location is None
    assert "'no-such-pass' does not refer to a registered pass" in diagnostic.message


def test_an_error_without_a_location_is_at_the_op_of_the_pass(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from forebay.passes import _pass
    from forebay.passes.plan import memref_pool_plan

    def fail(*_: object, **__: object) -> None:
        raise Error("this cannot be")

    monkeypatch.setattr(memref_pool_plan, "extract_problem", fail)
    monkeypatch.setattr(_pass, "location_of", lambda _: None)  # this file is not code of a user
    error = failure_of(UNKNOWN, "builtin.module(memref-pool-plan)")
    (diagnostic,) = error.diagnostics
    assert diagnostic.message == "in pass 'memref-pool-plan': this cannot be"
    assert str(error.origin) == "this cannot be"


def test_an_exception_of_a_pass_of_ours_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    from forebay.passes.plan import memref_pool_plan

    monkeypatch.setattr(memref_pool_plan, "extract_problem", None)
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.parse(UNKNOWN)
        with pytest.raises(BugError) as caught:
            run_pipeline(module, "builtin.module(memref-pool-plan)")
    assert str(caught.value).startswith(
        "pass 'memref-pool-plan' failed: TypeError: 'NoneType' object is not callable at "
        "memref_pool_plan.py:"
    )
    assert isinstance(caught.value.__cause__, TypeError)
