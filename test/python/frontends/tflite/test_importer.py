"""The contracts of the module: names, locations, attributes, shapes, state; and its refusals."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from common.model_file import Graph, Op, T, build, constant, single
from mlir import ir
from mlir.dialects import func, tosa

from forebay.frontends.tflite import MalformedModel, UnsupportedModel, import_model
from forebay.ir.softmax import FloatSoftmax, QuantizedSoftmax, softmax_of


def relu(shape: tuple[int, ...] = (1, 4), **more: object) -> bytes:
    tensors = [
        T(shape, "int8", 0.5, 3, name="image:0"),
        T(shape, "int8", 0.5, 3, name="out", **more),
    ]
    return single(Op("RELU", [0], [1]), tensors)


def main_of(module: ir.Module) -> func.FuncOp:
    return next(op for op in module.body.operations if isinstance(op, func.FuncOp))


def body(module: ir.Module) -> list[ir.OpView]:
    return list(main_of(module).body.blocks[0].operations)


def test_module_is_named_after_the_file(tmp_path: Path, context: ir.Context) -> None:
    path = tmp_path / "2 nets-v1.tflite"
    path.write_bytes(relu())
    assert ir.StringAttr(import_model(path).operation.attributes["sym_name"]).value == "m2_nets_v1"
    named = import_model(path, name="My Net")
    assert ir.StringAttr(named.operation.attributes["sym_name"]).value == "My_Net"


def test_main_is_public_and_describes_its_tensors(context: ir.Context) -> None:
    module = import_model(relu())
    main = main_of(module)
    assert main.name.value == "main"
    assert ir.StringAttr(main.attributes["sym_visibility"]).value == "public"
    attributes = str(main.attributes["arg_attrs"])
    assert attributes == (
        '[{accel.dtype = "int8", accel.name = "image:0", accel.scale = 5.000000e-01 : f64, '
        "accel.zero_point = 3 : i64}]"
    )
    assert str(main.attributes["res_attrs"]) == attributes.replace("image:0", "out")


def test_uint8_is_signless_and_remembered(context: ir.Context) -> None:
    tensors = [T((4,), "uint8", 0.5, 128), T((4,), "int8", 0.5, 0)]
    module = import_model(single(Op("QUANTIZE", [0], [1]), tensors))
    main = main_of(module)
    assert [str(t) for t in main.type.inputs] == ["tensor<4xi8>"]
    assert 'accel.dtype = "uint8"' in str(main.attributes["arg_attrs"])


def test_locations_carry_tensor_operator_and_index(tmp_path: Path, context: ir.Context) -> None:
    path = tmp_path / "net.tflite"
    kernel = T((2, 4), "int8", 0.1, 0, np.ones((2, 4)), name="kernel")
    tensors = [
        T((1, 4), "int8", 0.5),
        T((1, 4), "int8", 0.5),
        kernel,
        T((1, 2), "int8", 0.5, name="y"),
    ]
    operators = [
        Op("RELU", [0], [1]),
        Op("FULLY_CONNECTED", [1, 2, -1], [3], "FullyConnectedOptions"),
    ]
    path.write_bytes(build(Graph(tensors, [0], [3], operators)))
    module = import_model(path)
    operations = body(module)
    convolution = next(op for op in operations if isinstance(op, tosa.Conv2DOp))
    assert str(convolution.location) == 'loc("y"("FULLY_CONNECTED"("net.tflite":1:0)))'
    weights = convolution.operation.operands[1].owner
    assert str(weights.location) == 'loc("kernel"("FULLY_CONNECTED"("net.tflite":1:0)))'
    assert str(operations[-1].location) == 'loc("net.tflite":2:0)'


def test_signature_of_minus_one_with_a_static_shape_is_static(context: ir.Context) -> None:
    tensors = [T((1, 4), "int8", 0.5, signature=[-1, 4]), T((1, 4), "int8", 0.5, signature=[-1, 4])]
    module = import_model(single(Op("RELU", [0], [1]), tensors))
    main = main_of(module)
    assert [str(t) for t in main.type.inputs] == ["tensor<1x4xi8>"]


def test_shapes_are_overridden_and_results_recomputed(context: ir.Context) -> None:
    module = import_model(relu(), shapes={"image:0": [2, 7]})
    main = main_of(module)
    assert [str(t) for t in (*main.type.inputs, *main.type.results)] == ["tensor<2x7xi8>"] * 2


def test_a_dynamic_input_needs_a_shape(context: ir.Context) -> None:
    file = relu((-1, 4))
    with pytest.raises(UnsupportedModel) as error:
        import_model(file)
    assert str(error.value) == (
        "model.tflite: input 'image:0' has the shape [-1, 4], which is not static and positive; "
        "give one, as in --shape image:0=1x8"
    )
    module = import_model(file, shapes={"image:0": (3, 4)})
    main = main_of(module)
    assert [str(t) for t in main.type.results] == ["tensor<3x4xi8>"]


def test_an_override_of_no_input_lists_the_inputs(context: ir.Context) -> None:
    with pytest.raises(UnsupportedModel) as error:
        import_model(relu(), shapes={"image": [1, 4]})
    assert str(error.value) == (
        "model.tflite: a shape is given for 'image', which is no input; inputs are: image:0"
    )


def test_an_override_that_does_not_suit_is_no_broken_file(context: ir.Context) -> None:
    tensors = [T((2, 6), "int8", 0.5, name="x"), constant([3, 4]), T((3, 4), "int8", 0.5)]
    with pytest.raises(UnsupportedModel) as error:
        import_model(single(Op("RESHAPE", [0, 1], [2]), tensors), shapes={"x": [4, 6]})
    assert str(error.value) == (
        "model.tflite: operator 0 (RESHAPE): [4, 6] does not reshape to [3, 4]; "
        "the shapes given for the inputs may not suit this network"
    )


def test_an_override_keeps_the_rank(context: ir.Context) -> None:
    with pytest.raises(UnsupportedModel, match="has rank 2, the shape given for it"):
        import_model(relu(), shapes={"image:0": [4]})


def test_a_recorded_shape_that_contradicts_is_malformed(context: ir.Context) -> None:
    tensors = [T((1, 4), "int8", 0.5), T((1, 5), "int8", 0.5)]
    with pytest.raises(MalformedModel) as error:
        import_model(single(Op("RELU", [0], [1]), tensors))
    assert str(error.value) == (
        "model.tflite: operator 0 (RELU): 't1' has the shape [1, 4], but the file says [1, 5]"
    )


def test_a_newer_version_is_refused(context: ir.Context) -> None:
    tensors = [T((4,), "int8", 0.5), T((4,), "int8", 0.5)]
    with pytest.raises(UnsupportedModel) as error:
        import_model(single(Op("RELU", [0], [1], version=9), tensors))
    assert str(error.value) == (
        "model.tflite: operator 0 (RELU): not supported: version 9; "
        "versions 1 to 3 are; convert for an older TFLite"
    )


def test_all_that_is_missing_is_said_at_once(context: ir.Context) -> None:
    # x -> UNIQUE -> a -> UNIQUE -> b -> RELU of version 9 -> c -> FULLY_CONNECTED -> d, and STFT of
    # an unknown shape, behind which nothing but the name of WHERE is looked at
    tensors = [
        T((1, 4), "uint32", name="x"),
        *(T((1, 4), "int8", 0.5) for _ in "abc"),
        T((2, 4), "int8", 0.5, 3, np.ones((2, 4))),
        T((1, 2), "int8", 0.5),
        T((-1, 2), "int8", 0.5),
        T((1, 2), "int8", 0.5),
    ]
    operators = [
        Op("UNIQUE", [0], [1]),
        Op("UNIQUE", [1], [2]),
        Op("RELU", [2], [3], version=9),
        Op("FULLY_CONNECTED", [3, 4], [5], "FullyConnectedOptions"),
        Op("STFT", [5], [6]),
        Op("WHERE", [6], [7]),
    ]
    with pytest.raises(UnsupportedModel) as error:
        import_model(build(Graph(tensors, [0], [7], operators)))
    lines = str(error.value).splitlines()
    assert lines[:-1] == [
        "model.tflite: not supported are 7 things:",
        "  input 'x' of type UINT32 is not supported; supported are FLOAT32, INT8, UINT8, "
        "INT16, INT32, INT64, BOOL, not constant",
        "  operators 0, 1 (UNIQUE): this operator",
        "  operator 2 (RELU): version 9; versions 1 to 3 are; convert for an older TFLite",
        "  operator 3 (FULLY_CONNECTED): weights with a zero point; quantise weights symmetrically",
        "  operator 4 (STFT): this operator",
        "  operator 5 (WHERE): this operator",
    ]
    assert lines[-1].startswith("  supported are ABS, ADD, ")


@pytest.mark.parametrize(("older", "newer"), [(0, 114), (114, 0), (114, 114), (3, 114)])
def test_the_larger_of_two_operator_codes_counts(
    older: int, newer: int, context: ir.Context
) -> None:
    # 114 is QUANTIZE, 3 CONV_2D; LiteRT takes the maximum
    tensors = [T((1, 4), "int8", 0.5, 1), T((1, 4), "int8", 0.25, 2)]
    import_model(single(Op("QUANTIZE", [0], [1], codes=(older, newer)), tensors))


def test_weights_with_a_zero_point_are_refused(context: ir.Context) -> None:
    tensors = [
        T((1, 4), "int8", 0.5),
        T((2, 4), "int8", 0.5, 3, np.ones((2, 4))),
        T((1, 2), "int8", 0.5),
    ]
    with pytest.raises(UnsupportedModel) as error:
        import_model(single(Op("FULLY_CONNECTED", [0, 1], [2], "FullyConnectedOptions"), tensors))
    assert str(error.value) == (
        "model.tflite: operator 0 (FULLY_CONNECTED): not supported: weights with a zero point; "
        "quantise weights symmetrically"
    )


def test_weights_that_are_computed_are_refused(context: ir.Context) -> None:
    shapes = [(1, 4, 4, 2), (1, 1, 1, 2), (1, 4, 4, 2)]
    tensors = [T(shape, "int8", 0.5) for shape in shapes]
    fields = {"StrideH": 1, "StrideW": 1, "DepthMultiplier": 1}
    op = Op("DEPTHWISE_CONV_2D", [0, 1], [2], "DepthwiseConv2DOptions", fields)
    with pytest.raises(UnsupportedModel) as error:
        import_model(single(op, tensors))
    assert str(error.value) == (
        "model.tflite: operator 0 (DEPTHWISE_CONV_2D): not supported: operand 1 ('t1') computed at "
        "run time; fold it to a constant when converting the model"
    )


def test_different_quantisation_of_moved_data_is_refused(context: ir.Context) -> None:
    tensors = [T((1, 4), "int8", 0.5), constant([4, 1]), T((4, 1), "int8", 0.25)]
    with pytest.raises(UnsupportedModel) as error:
        import_model(
            single(Op("TRANSPOSE", [0, 1], [2]), [tensors[0], constant([1, 0]), tensors[2]])
        )
    assert str(error.value) == (
        "model.tflite: operator 0 (TRANSPOSE): not supported: 't0' quantised unlike 't2'; "
        "quantise both with one scale"
    )


def test_a_tensor_read_before_it_is_written_is_malformed(context: ir.Context) -> None:
    tensors = [T((4,), "int8", 0.5, name=n) for n in ("x", "lost", "y")]
    file = build(Graph(tensors, [0], [2], [Op("ADD", [0, 1], [2], "AddOptions")]))
    with pytest.raises(MalformedModel) as error:
        import_model(file)
    assert str(error.value) == "model.tflite: tensor 'lost' is read before it is written"


def test_a_tensor_written_twice_is_malformed(context: ir.Context) -> None:
    tensors = [T((4,), "int8", 0.5), T((4,), "int8", 0.5, name="y")]
    file = build(Graph(tensors, [0], [1], [Op("RELU", [0], [1]), Op("RELU", [0], [1])]))
    with pytest.raises(MalformedModel) as error:
        import_model(file)
    assert str(error.value) == "model.tflite: operator 1 (RELU): its result 'y' has a value already"


def test_softmax_carries_its_parameters(context: ir.Context) -> None:
    tensors = [T((1, 4), "int8", 0.0917319, 14), T((1, 4), "int8", 1 / 256, -128)]
    file = single(Op("SOFTMAX", [0], [1], "SoftmaxOptions", {"Beta": 1.0}), tensors)
    # float32(0.0917319) * 2**26 is 1575942016 * 2**(23 - 31); 31 * 2**26 / 2**23 is 248.
    module = import_model(file)
    assert softmax_of(body(module)[0]) == QuantizedSoftmax(1575942016, 23, -248)
    floats = [T((1, 4), "float32"), T((1, 4), "float32")]
    file = single(Op("SOFTMAX", [0], [1], "SoftmaxOptions", {"Beta": 0.5}), floats)
    module = import_model(file)
    assert softmax_of(body(module)[0]) == FloatSoftmax(0.5)


def test_reshape_is_one_op_and_no_copy(context: ir.Context) -> None:
    tensors = [T((2, 6), "int8", 0.5), constant([3, 4]), T((3, 4), "int8", 0.5)]
    module = import_model(single(Op("RESHAPE", [0, 1], [2]), tensors))
    names = [op.operation.name for op in body(module)]
    assert names == ["tosa.const_shape", "tosa.reshape", "func.return"]


def test_a_clamp_that_narrows_nothing_is_left_out(context: ir.Context) -> None:
    tensors = [T((4,), "int8", 0.5, -128), T((4,), "int8", 0.5, -128)]
    module = import_model(single(Op("RELU", [0], [1]), tensors))
    assert [op.operation.name for op in body(module)] == ["func.return"]
