import gc

from forebay.support.given import ObjectTable


class Thing:
    """Something that can be referred to weakly."""


def test_an_object_is_found_as_long_as_its_name_is_kept() -> None:
    table: ObjectTable[Thing] = ObjectTable("thing")
    name = table.name_for(Thing())
    text = str(name) + ""
    assert isinstance(table.get(text), Thing)
    del name
    gc.collect()
    assert table.get(text) is None


def test_every_name_is_another_one() -> None:
    table: ObjectTable[Thing] = ObjectTable("thing")
    thing = Thing()
    one, other = table.name_for(thing), table.name_for(thing)
    assert one != other
    assert table.get(one) is table.get(other) is thing
    assert table.get("given.thing.999") is None
