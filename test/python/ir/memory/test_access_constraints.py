"""What each op accesses, on which device, and which pools remain."""

from __future__ import annotations

import pytest
from mlir import ir
from mlir.dialects import func

from forebay.ir.machine.devices import host_of
from forebay.ir.machine.pools import pools_in
from forebay.ir.memory.access_constraints import (
    AccessConstraint,
    AccessConstraints,
    AllowedPools,
    access_constraints_of,
    pools_allowed,
)
from forebay.ir.nested import ops_nested_in
from forebay.ir.refused import RefusedError

MACHINE = """
accel.device @cpu kind "cpu" host
accel.device @c kind "npu"
memref_pool.pool @l2 workspace read [@cpu] write [@cpu]
memref_pool.pool @act workspace read [@cpu, @c] write [@cpu, @c]
memref_pool.pool @sink workspace read [@cpu] write [@cpu, @c]
memref_pool.pool @wei constant read [@c]
memref_pool.pool @rom constant
accel.intrinsic @c.f on @c symbol "f" operands [
  #accel.operand<name = "x", access = in, pools = [@rom, @l2], align = 32>,
  #accel.operand<name = "acc", access = inout>, #accel.operand<name = "w", access = in>,
  #accel.operand<name = "y", access = out>] {
^bb0(%x: memref<?xi8>, %acc: memref<?xi8>, %w: memref<?xi8>, %y: memref<?xi8>):
  accel.yield
}
"""


@pytest.fixture(autouse=True)
def context():
    with ir.Context() as context, ir.Location.unknown():
        yield context


def demands(module: ir.Module) -> list[AccessConstraint]:
    """The constraints of all ops, asked one by one and together: the same."""
    ops = ops_nested_in(module.operation)
    found = [demand for op in ops for demand in access_constraints_of(op)]
    together = AccessConstraints(module.operation)
    assert [demand for op in ops for demand in together.of(op)] == found
    return found


def constraints(module: ir.Module) -> list[tuple[str, str, str, tuple[str, ...]]]:
    """What, device, access and pools of every demand; the pools found once for equal ones."""
    pools = pools_in(module.operation)
    allowed = AllowedPools(pools)
    assert [allowed.of(d) for d in demands(module)] == [
        pools_allowed(d, pools) for d in demands(module)
    ]
    return [
        (d.what, d.device, "r" * d.reads + "w" * d.writes, pools_allowed(d, pools))
        for d in demands(module)
    ]


def body(text: str, arguments: str = "%a: tensor<4xi8>, %b: tensor<4xi8>") -> ir.Module:
    return ir.Module.parse(MACHINE + f"func.func @main({arguments}) {{\n{text}\nreturn\n}}")


def test_an_operands_pools_replace_the_rights_of_its_device() -> None:
    module = body(
        "%0, %1 = accel.call @c.f ins(%a, %a : tensor<4xi8>, tensor<4xi8>) "
        "outs(%b, %b : tensor<4xi8>, tensor<4xi8>) accumulate [0] -> tensor<4xi8>, tensor<4xi8>"
    )
    assert constraints(module) == [
        ('operand "x" of @c.f', "c", "r", ("l2", "rom")),
        ('operand "w" of @c.f', "c", "r", ("act", "wei", "rom")),
        ('operand "acc" of @c.f', "c", "rw", ("act",)),
        ('operand "y" of @c.f', "c", "w", ("act", "sink")),
    ]
    assert [demand.alignment for demand in demands(module)] == [32, 1, 1, 1]
    assert all(demand.contiguous for demand in demands(module))


def test_the_same_demands_on_memrefs() -> None:
    call = (
        "accel.call @c.f ins(%a, %a : memref<4xi8>, memref<4xi8>) "
        "outs(%b, %b : memref<4xi8>, memref<4xi8>) accumulate [0]"
    )
    on_memrefs = constraints(body(call, "%a: memref<4xi8>, %b: memref<4xi8>"))
    assert [device for _, device, _, _ in on_memrefs] == ["c"] * 4
    assert on_memrefs[0] == ('operand "x" of @c.f', "c", "r", ("l2", "rom"))


def test_structured_ops_read_outs_only_where_their_body_does() -> None:
    generic = """%0 = linalg.generic {{
      indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
      iterator_types = ["parallel"]}}
      ins(%a : tensor<4xi8>) outs(%b : tensor<4xi8>) {{
    ^bb0(%x: i8, %y: i8): linalg.yield {} : i8 }} -> tensor<4xi8>"""
    assert [access for _, _, access, _ in constraints(body(generic.format("%x")))] == ["r", "w"]
    assert [access for _, _, access, _ in constraints(body(generic.format("%y")))] == ["r", "rw"]


def test_views_and_control_flow_touch_nothing() -> None:
    module = body(
        "%0 = tensor.expand_shape %a [[0, 1]] output_shape [2, 2] : tensor<4xi8> into "
        "tensor<2x2xi8>\n%c = arith.constant true\n"
        "%1 = scf.if %c -> tensor<4xi8> { scf.yield %a : tensor<4xi8> } "
        "else { scf.yield %b : tensor<4xi8> }"
    )
    assert constraints(module) == []


def test_storage_that_an_op_makes_is_written_by_its_device() -> None:
    module = body("%v = arith.constant 1 : i8\n%0 = tensor.splat %v : tensor<4xi8>")
    assert constraints(module) == [
        ("the result of 'tensor.splat'", "cpu", "w", ("l2", "act", "sink"))
    ]


def test_the_nearest_accel_on_says_the_device() -> None:
    module = ir.Module.parse(
        MACHINE
        + """func.func @on_c(%a: tensor<4xi8>, %i: index) attributes {accel.on = @c} {
          %0 = tensor.extract %a[%i] : tensor<4xi8>
          %1 = tensor.extract %a[%i] {accel.on = @cpu} : tensor<4xi8>
          return
        }"""
    )
    assert [device for _, device, _, _ in constraints(module)] == ["c", "cpu"]


def test_a_declared_function_touches_its_arguments_as_their_attributes_say() -> None:
    module = ir.Module.parse(
        MACHINE
        + """func.func private @given(tensor<4xi8> {bufferization.access = "read",
          memref_pool.candidates = #memref_pool.space<@act>}, tensor<4xi8>)
          attributes {accel.on = @c}
        func.func @main(%a: tensor<4xi8>) {
          call @given(%a, %a) : (tensor<4xi8>, tensor<4xi8>) -> ()
          return
        }"""
    )
    assert constraints(module) == [
        ("argument 0 of @given", "c", "r", ("act",)),
        ("argument 1 of @given", "c", "rw", ("act",)),
    ]


def test_a_module_without_a_host_has_one_called_host() -> None:
    assert host_of(ir.Module.parse("").operation) == "host"
    assert host_of(ir.Module.parse(MACHINE).operation) == "cpu"


def test_devices_are_compared_by_whole_names() -> None:
    module = body("%i = arith.constant 0 : index\n%0 = tensor.extract %a[%i] : tensor<4xi8>")
    main = next(op for op in module.body.operations if isinstance(op, func.FuncOp))
    main.attributes["accel.on"] = ir.FlatSymbolRefAttr.get("cp")
    with pytest.raises(
        RefusedError, match="@cp, which is no device of the module; it has @cpu, @c"
    ):
        demands(module)
