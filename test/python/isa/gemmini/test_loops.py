"""The loop instructions have functs of their own, and every one is encoded."""

from forebay.isa.gemmini.loops import LOOP_INSTRUCTIONS

from .words import FIELDS


def test_every_loop_instruction_has_its_funct() -> None:
    assert {kind.__name__: kind.funct for kind in LOOP_INSTRUCTIONS} == {
        name: funct for name, (funct, _) in FIELDS.items() if name.startswith("Loop")
    }
