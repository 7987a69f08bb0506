"""The entries of dictionaries and arrays."""

from mlir import ir

from forebay.ir.attributes import entries_of, integers_of, named_attributes


def test_entries_by_name() -> None:
    with ir.Context():
        found = named_attributes(ir.Attribute.parse('{b = 1 : i8, a = "x"}'))
        assert {name: str(entry) for name, entry in found.items()} == {"a": '"x"', "b": "1 : i8"}
        assert named_attributes(ir.Attribute.parse("{}")) == {}


def test_arrays_in_order() -> None:
    with ir.Context():
        numbers = ir.DenseI64ArrayAttr.get([3, -1])
        assert integers_of(numbers) == (3, -1)
        assert integers_of(ir.DenseI64ArrayAttr.get([])) == ()
        entries = ir.ArrayAttr(ir.Attribute.parse('["x", 1 : i8]'))
        assert list(map(str, entries_of(entries))) == ['"x"', "1 : i8"]
        assert entries_of(ir.ArrayAttr.get([])) == []
