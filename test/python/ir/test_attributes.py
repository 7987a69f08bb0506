"""The entries of dictionary attributes."""

from mlir import ir

from forebay.ir.attributes import named_attributes


def test_entries_by_name() -> None:
    with ir.Context():
        found = named_attributes(ir.Attribute.parse('{b = 1 : i8, a = "x"}'))
        assert {name: str(entry) for name, entry in found.items()} == {"a": '"x"', "b": "1 : i8"}
        assert named_attributes(ir.Attribute.parse("{}")) == {}
