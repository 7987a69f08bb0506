from mlir import ir
from mlir.dialects import func

import forebay.dialects  # noqa: F401  (registers)
from forebay.ir.problem.port_names import name_ports, port_names


def test_inputs_come_first_and_ports_without_a_name_get_their_index() -> None:
    assert port_names(["x", "", "x"], ["x", ""]) == (("x", "arg1", "x_2"), ("x_3", "result1"))


def test_names_can_be_printed_and_end() -> None:
    ((one, other), ()) = port_names(["a\nb\x00", "y" * 300], [])
    assert (one, len(other)) == ("a_b_", 255)


def test_the_names_are_written_into_the_function() -> None:
    text = """
      func.func @main(%a: tensor<1xi8> {accel.name = "x", accel.scale = 0.5 : f64},
                      %b: tensor<1xi8>) -> (tensor<1xi8> {accel.name = "x"}) {
        return %a : tensor<1xi8>
      }"""
    with ir.Context():
        module = ir.Module.parse(text)
        (function,) = module.body.operations
        assert isinstance(function, func.FuncOp)
        name_ports(function)
        inputs = list(function.arg_attrs)
        (output,) = ir.ArrayAttr(function.attributes["res_attrs"])
        names = [ir.DictAttr(port)["accel.name"].value for port in (*inputs, output)]
        assert names == ["x", "arg1", "x_2"]
        assert "accel.scale" in ir.DictAttr(inputs[0])
