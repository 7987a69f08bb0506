"""VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE and CALL_ONCE.

READ_VARIABLE becomes `tosa.variable_read`, ASSIGN_VARIABLE `tosa.variable_write`. The other two
build no op in `@main`: `variables.py` has read them, and a `tosa.variable` holds the initial value.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlir import ir
from mlir.dialects import tosa

from forebay.frontends.tflite.file.options import CallOnceOptions, VarHandleOptions
from forebay.frontends.tflite.file.schema import ElementType
from forebay.frontends.tflite.lowering import emit
from forebay.frontends.tflite.lowering.node import Node
from forebay.frontends.tflite.lowering.registry import document, operator

document(
    "VAR_HANDLE",
    "READ_VARIABLE",
    "ASSIGN_VARIABLE",
    "CALL_ONCE",
    types="all below",
    limits="CALL_ONCE assigns constants to all variables",
    becomes="`variable`, `variable_read`, `variable_write`",
    exact="yes",
)


@operator("CALL_ONCE", newest_version=1)
def call_once(node: Node) -> Sequence[ir.Value]:
    """Check the operator; `variables.py` has read the initial values."""
    node.expect_operands(0, results=0)
    node.options(CallOnceOptions)
    return []


@operator("VAR_HANDLE", newest_version=1)
def var_handle(node: Node) -> Sequence[ir.Value]:
    """Check the operator; `variables.py` has read the variable's name."""
    node.expect_operands(0)
    node.options(VarHandleOptions)
    if node.output.type is not ElementType.RESOURCE:
        node.malformed(f"its result is of type {node.output.type_name}")
    return []


@operator("READ_VARIABLE", newest_version=1)
def read_variable(node: Node) -> Sequence[ir.Value]:
    """Read the value of the variable at this point."""
    node.expect_operands(1)
    variable = node.variable(0)
    if node.output.type is not variable.initial.type:
        node.malformed(f"'{variable.name}' holds {variable.initial.type_name}")
    kind = emit.tensor_type(variable.initial.shape, emit.mlir_type_of(node.output.type))
    return [tosa.VariableReadOp(kind, variable.name).results[0]]


@operator("ASSIGN_VARIABLE", newest_version=1)
def assign_variable(node: Node) -> Sequence[ir.Value]:
    """Write the variable; the value is also kept for the next inference."""
    node.expect_operands(2, results=0)
    variable = node.variable(0)
    if node.shape(1) != variable.initial.shape or node.input(1).type is not variable.initial.type:
        node.malformed(
            f"'{variable.name}' holds {variable.initial.type_name} "
            f"{list(variable.initial.shape)}, and is assigned {list(node.shape(1))}"
        )
    tosa.VariableWriteOp(variable.name, node.value(1))
    return []
