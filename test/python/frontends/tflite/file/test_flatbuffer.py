"""Tables are read as the generated accessors of the package `tflite` read them."""

from __future__ import annotations

from typing import Any

import flatbuffers
import pytest
import tflite
from common.model_file import Op, T, single

from forebay.frontends.tflite import MalformedModel
from forebay.frontends.tflite.file import enumerations, fields
from forebay.frontends.tflite.file.flatbuffer import Budget, Field, Table, root
from forebay.frontends.tflite.file.options import OperatorOptions, StoredField, stored_fields
from forebay.frontends.tflite.lowering.registry import lowerings
from forebay.frontends.tflite.operators.convolution import Conv2DOptions
from forebay.frontends.tflite.operators.reshape import SqueezeOptions

lowerings()  # imports all classes of options
TABLES = {
    "Model": (fields.SCHEMA_VERSION,),
    "Buffer": (fields.DATA_OFFSET, fields.DATA_SIZE),
    "OperatorCode": (
        fields.DEPRECATED_BUILTIN_CODE,
        fields.OPERATOR_VERSION,
        fields.BUILTIN_CODE,
    ),
    "Tensor": (fields.ELEMENT_TYPE, fields.TENSOR_BUFFER, fields.IS_VARIABLE),
    "QuantizationParameters": (fields.QUANTIZED_DIMENSION,),
    "Operator": (fields.OPERATOR_CODE, fields.OPTIONS_TYPE),
}
ENUMERATIONS = {
    "TensorType": enumerations.ELEMENT_TYPES,
    "BuiltinOptions": enumerations.OPTIONS_NAMES,
    "BuiltinOperator": enumerations.OPERATOR_NAMES,
}
FIELDS = {"Padding": 1, "StrideW": 2, "StrideH": 3, "DilationWFactor": 4, "DilationHFactor": 5}
DEPRECATED = {("ResizeBilinearOptions", "NewHeight"), ("ResizeBilinearOptions", "NewWidth")}


def operator(name: str, table: str, values: dict[str, object]) -> Table:
    tensors = [T((1,), "int8", 0.5), T((1,), "int8", 0.5)]
    file = single(Op(name, [0], [1], table, values), tensors)
    return root(file).tables(fields.SUBGRAPHS)[0].tables(fields.SUBGRAPH_OPERATORS)[0]


def written(table: str, **values: Any) -> tuple[bytes, Table]:
    """A table as the file's root, written by the package; texts and lists become their offsets."""
    builder = flatbuffers.Builder(256)
    stored = {name: _offset(builder, value) for name, value in values.items()}
    getattr(tflite, f"{table}Start")(builder)
    for name, value in stored.items():
        getattr(tflite, f"{table}Add{name}")(builder, value)
    builder.Finish(getattr(tflite, f"{table}End")(builder), b"TFL3")
    file = bytes(builder.Output())
    return file, root(file)


def _offset(builder: flatbuffers.Builder, value: Any) -> Any:
    if isinstance(value, str):
        return builder.CreateString(value)
    if isinstance(value, tuple):
        builder.StartVector(4, len(value), 4)
        for element in reversed(value):
            builder.PrependInt32(element)
        return builder.EndVector()
    return value


def value_of(field: StoredField) -> Any:
    """A value that is no field's default."""
    values = {bool: True, float: 0.5, str: "a name", tuple: (4, -5, 6)}
    return values.get(field.type, 2 + field.slot)


@pytest.mark.parametrize("table", TABLES)
def test_numbers_of_tables_are_those_of_the_schema(table: str) -> None:
    for field in TABLES[table]:
        assert written(table, **{field.name: 1})[1].integer(field) == 1
        file, empty = written(table)
        if field is not fields.BUILTIN_CODE:  # its accessor returns the older field
            accessor = getattr(getattr(tflite, table).GetRootAs(file), field.name)
            assert empty.integer(field) == int(accessor())


@pytest.mark.parametrize("cls", OperatorOptions.__subclasses__(), ids=lambda cls: cls.__name__)
def test_options_are_those_of_the_schema(cls: type[OperatorOptions]) -> None:
    table = cls.__name__
    for field in stored_fields(cls):
        if (table, field.name) in DEPRECATED:
            continue
        _, found = written(table, **{field.name: value_of(field)})
        wanted = [value_of(field) if it == field else it.default for it in stored_fields(cls)]
        assert found.options(cls) == cls(*wanted)
        if field.type not in (str, tuple):
            accessor = getattr(tflite, table).GetRootAs(written(table)[0])
            assert getattr(accessor, field.name)() == field.default


@pytest.mark.parametrize("name", ENUMERATIONS)
def test_enumerations_are_those_of_the_schema(name: str) -> None:
    members = {v: k for k, v in vars(getattr(tflite, name)).items() if isinstance(v, int)}
    assert dict(enumerate(ENUMERATIONS[name])) == members


def test_options_are_read_by_position() -> None:
    table = operator("CONV_2D", "Conv2DOptions", FIELDS).table(fields.OPTIONS)
    assert table is not None
    assert table.options(Conv2DOptions) == Conv2DOptions(1, 2, 3, 0, 4, 5)


def test_options_have_vectors() -> None:
    table = operator("SQUEEZE", "SqueezeOptions", {"SqueezeDims": [1, -1]}).table(fields.OPTIONS)
    assert table is not None
    assert table.options(SqueezeOptions) == SqueezeOptions((1, -1))


def test_absent_options_are_none() -> None:
    assert operator("RELU", "", {}).table(fields.OPTIONS) is None


def test_a_field_that_leads_out_of_the_file_is_malformed() -> None:
    file, _ = written("VarHandleOptions", Container="c")
    position = file.index(b"\1\0\0\0c")
    broken = file[:position] + b"\xff\xff\xff\x7f" + file[position + 4 :]
    assert root(broken).text(Field("Container", 0)) == "c\0\0\0"  # cut at the end of the file
    with pytest.raises(MalformedModel) as error:
        root(file[:8] + b"\xff" * (len(file) - 8)).text(Field("Container", 0))
    assert str(error.value).startswith("'Container' cannot be read: ")
    assert f"the file of {len(file):,} bytes is incomplete or damaged" in str(error.value)


def test_vectors_longer_than_the_file_are_malformed() -> None:
    budget = Budget(file_bytes=100)
    budget.charge(4 * 100 + 4096, "Shape")
    with pytest.raises(MalformedModel) as error:
        budget.charge(1, "Shape")
    assert str(error.value) == "Shape makes the file's vectors longer than the file itself"
