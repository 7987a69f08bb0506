"""The enumerations of pools are those of the dialect."""

from enum import IntEnum

import pytest
from mlir import ir

from forebay.dialects import _memref_pool_enum_gen as generated
from forebay.dialects import memref_pool
from forebay.pools import Fill, PoolKind


@pytest.mark.parametrize("kind", [PoolKind, Fill])
def test_members_and_values_are_those_of_the_attribute(kind: type[IntEnum]) -> None:
    in_dialect: type[IntEnum] = getattr(generated, kind.__name__)
    assert {it.name: it.value for it in kind} == {it.name: it.value for it in in_dialect}
    assert getattr(memref_pool, kind.__name__) is kind


def test_a_member_is_printed_as_in_ir() -> None:
    with ir.Context(), ir.Location.unknown():
        module = ir.Module.create()
        with ir.InsertionPoint(module.body):
            pool = memref_pool.PoolOp("flash", PoolKind.constant, fill=Fill.by_host)
    assert f"{PoolKind.constant} {PoolKind(pool.kind.value)!s}" == "constant constant"
    assert f"{Fill.by_host:>8}" == " by_host"
    assert str(module).splitlines()[1] == "  memref_pool.pool @flash constant fill by_host"
