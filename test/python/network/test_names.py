"""Names in C come from the model, are C, and are unique."""

from __future__ import annotations

import pytest

from forebay.network.model import ModelInfo, PlannedPool, Port
from forebay.network.names import (
    NameScope,
    identifier,
    naming_of,
    port_identifier,
    prefix_of,
)
from forebay.pools import PoolKind


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("conv2d/Relu;bias", "conv2d_Relu_bias"),
        ("2nd", "value_2nd"),
        ("", "value"),
        ("___", "value"),
        ("while", "while_"),
        ("größe", "gr_e"),
        ("class", "class_"),
        ("_Bool", "Bool"),
    ],
)
def test_identifiers(name: str, expected: str) -> None:
    assert identifier(name) == expected


def test_ports_lose_what_tensorflow_adds() -> None:
    assert port_identifier("serving_default_Input_1:0") == "input_1"


def test_taken_names_are_numbered() -> None:
    scope = NameScope()
    assert [scope.unique("acc") for _ in range(3)] == ["acc", "acc2", "acc3"]
    assert [scope.unique("x1") for _ in range(2)] == ["x1", "x1_2"]


def test_a_name_is_free_again_after_its_block() -> None:
    scope = NameScope()
    scope.push()
    assert scope.unique("i") == "i"
    scope.pop()
    assert scope.unique("i") == "i"


def test_the_least_free_number_is_taken_after_a_block() -> None:
    scope = NameScope([{"a"}])
    scope.push()
    assert [scope.unique(name) for name in ("a2", "a", "a")] == ["a2", "a3", "a4"]
    scope.pop()
    assert [scope.unique(name) for name in ("a", "a3", "a", "a3")] == ["a2", "a3", "a4", "a3_2"]


def test_colliding_ports_and_pools_stay_apart() -> None:
    model = ModelInfo(
        name="My Net-1",
        inputs=(Port("a b", "int8", (1,)), Port("a/b", "int8", (1,))),
        outputs=(Port("sram", "int8", (1,)),),
        pools=(PlannedPool("sram", PoolKind.workspace, size=4),),
        source_hash="",
    )
    naming = naming_of(model)
    assert naming.prefix == "my_net_1"
    assert naming.ports == {"a b": "a_b", "a/b": "a_b2", "sram": "sram2"}
    assert naming.pool_macro("sram") == "MY_NET_1_SRAM"


@pytest.mark.parametrize("order", [("a", "a_size", "own_a"), ("own_a", "a_size", "a")])
def test_members_for_the_sizes_of_pools_have_names_of_their_own(order: tuple[str, ...]) -> None:
    pools = tuple(PlannedPool(name, PoolKind.workspace, size=16) for name in (*order, "error"))
    ports = (Port("a_size", "int8", (1,)), Port("own_a", "int8", (1,)))
    naming = naming_of(ModelInfo("net", ports, (), pools, "00" * 32))
    names = [*naming.pools.values(), *naming.ports.values()]
    names += [made for pool in naming.pools.values() for made in (f"{pool}_size", f"own_{pool}")]
    assert len(names) == len(set(names))
    assert "error" not in names  # NET_ERROR_SIZE is a status


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("String", "string_model"),
        ("forebay_runtime", "forebay_runtime_model"),
        ("strings2", "strings2"),
        ("3d", "model_3d"),
    ],
)
def test_no_project_hides_a_header_that_it_includes(name: str, prefix: str) -> None:
    assert prefix_of(name) == prefix


def test_ports_are_cut_and_stay_apart() -> None:
    ports = tuple(Port("x" * 100 + end, "int8", (1,)) for end in ("a", "b", ""))
    naming = naming_of(ModelInfo("net", ports[:2], ports[2:], (), ""))
    assert list(naming.ports.values()) == ["x" * 40, "x" * 40 + "2", "x" * 40 + "3"]


def test_two_ports_of_one_name_are_no_model() -> None:
    ports = (Port("x", "int8", (1,)),)
    with pytest.raises(ValueError, match="two ports of 'net' are called 'x'"):
        ModelInfo("net", ports, ports, (), "")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("uint_fast16_t", "uint_fast16_t_"),
        ("INTMAX_T", "intmax_t_"),
        ("int9_x", "int9_x"),
        ("typeof", "typeof_"),
        ("co_await", "co_await_"),
    ],
)
def test_ports_are_no_types_and_keywords(name: str, expected: str) -> None:
    assert port_identifier(name) == expected
