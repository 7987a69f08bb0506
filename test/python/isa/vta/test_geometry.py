"""Sizes of a VTA."""

from forebay.isa.vta.geometry import VtaGeometry


def test_the_default_is_the_published_configuration() -> None:
    machine = VtaGeometry()
    assert machine.micro_ops * 4 == 32 << 10
    assert machine.weights * 256 == 256 << 10
    assert machine.inputs * 16 == 32 << 10
    assert machine.accumulators * 64 == 128 << 10
