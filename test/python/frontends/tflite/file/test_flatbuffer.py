from __future__ import annotations

import pytest
from common.model_file import Op, T, single

from forebay.frontends.tflite import MalformedModel
from forebay.frontends.tflite.file.flatbuffer import Budget, enumeration, root
from forebay.frontends.tflite.operators.convolution import Conv2DOptions
from forebay.frontends.tflite.operators.reshape import SqueezeOptions

FIELDS = {"Padding": 1, "StrideW": 2, "StrideH": 3, "DilationWFactor": 4, "DilationHFactor": 5}


def operator(name: str, table: str, fields: dict[str, object]):
    tensors = [T((1,), "int8", 0.5), T((1,), "int8", 0.5)]
    file = single(Op(name, [0], [1], table, fields), tensors)
    return root(file).tables("Subgraphs")[0].tables("Operators")[0]


def test_a_record_is_read_by_the_names_of_its_fields() -> None:
    table = operator("CONV_2D", "Conv2DOptions", FIELDS).union("BuiltinOptions", "Conv2DOptions")
    assert table is not None
    assert table.record(Conv2DOptions) == Conv2DOptions(1, 2, 3, 0, 4, 5)


def test_a_record_has_vectors() -> None:
    table = operator("SQUEEZE", "SqueezeOptions", {"SqueezeDims": [1, -1]})
    options = table.union("BuiltinOptions", "SqueezeOptions")
    assert options is not None
    assert options.record(SqueezeOptions) == SqueezeOptions((1, -1))


def test_an_absent_union_is_none() -> None:
    assert operator("RELU", "", {}).union("BuiltinOptions", "Conv2DOptions") is None


def test_vectors_longer_than_the_file_are_malformed() -> None:
    budget = Budget(file_bytes=100)
    budget.charge(4 * 100 + 4096, "Shape")
    with pytest.raises(MalformedModel) as error:
        budget.charge(1, "Shape")
    assert str(error.value) == "Shape makes the file's vectors longer than the file itself"


def test_enumerations_are_named() -> None:
    assert enumeration("BuiltinOperator")[3] == "CONV_2D"
