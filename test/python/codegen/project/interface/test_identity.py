"""The hash of a plan tells apart constants whose elements have another order."""

from __future__ import annotations

from forebay.codegen.project.interface.identity import plan_hash
from forebay.ir.interleaved import Interleaving
from forebay.network.model import BufferInfo, ModelInfo
from forebay.planning import Kind


def hash_of(order: Interleaving) -> str:
    weights = BufferInfo(
        "w", "flash", 0, 1024, 0, 1, "int8", (16, 64), kind=Kind.CONSTANT, interleaved=order
    )
    return plan_hash(ModelInfo("net", (), (), (), "00" * 32, buffers=(weights,)))


def test_each_order_of_a_constant_is_another_plan() -> None:
    orders = [Interleaving(), Interleaving(8), Interleaving(16), Interleaving(16, 4)]
    orders += [Interleaving(16, 2), Interleaving(8, 4)]
    assert len({hash_of(order) for order in orders}) == len(orders)
    assert hash_of(Interleaving(16, 4)) == hash_of(Interleaving(16, 4))
