"""Find updates of some rows of a tensor, which converters write as slices around the new rows.

    before = SLICE(x, [0, 0], [i, -1])
    after  = SLICE(x, [i + 1, 0], [-1, -1])       becomes    DYNAMIC_UPDATE_SLICE(x, row, [i, -1])
    y      = CONCATENATION(before, row, after)

In a loop the position is computed, so the sizes of the slices vary from step to step, but not that
of the result. TensorFlow's recurrent layers collect their outputs in this way. A start of -1 is
clamped to 0.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec.structs import replace

from forebay.frontends.tflite.dependencies import operators_for
from forebay.frontends.tflite.file.options import ConcatenationOptions
from forebay.frontends.tflite.file.schema import ABSENT, Subgraph, TfliteOperator

_PARTS = 3
"""Of the concatenation: the rows before the new ones, the new ones, those after them."""


def with_row_updates(graph: Subgraph) -> Subgraph:
    """Return the subgraph with one operator in the place of the slices around new rows."""
    facts = _Facts(graph)
    operators = tuple(facts.as_update(operator) for operator in graph.operators)
    if operators == graph.operators:
        return graph
    changed = replace(graph, operators=operators)
    return replace(changed, operators=operators_for(changed, changed.outputs))


class _Facts:
    """What the operators of a subgraph say about its tensors."""

    def __init__(self, graph: Subgraph) -> None:
        self._tensors = graph.tensors
        self._made_by: Mapping[int, TfliteOperator] = {
            tensor: operator for operator in graph.operators for tensor in operator.outputs
        }

    def as_update(self, operator: TfliteOperator) -> TfliteOperator:
        """Return the update that the operator is, or the operator itself."""
        slices = self._slices_around(operator)
        if slices is None:
            return operator
        (source, _, size), (_, begin, _) = slices
        row = operator.inputs[1]
        rows, *rest = self._tensors[row].shape
        same_rest = rest == list(self._tensors[source].shape[1:])
        if not same_rest or not self._is_sum(self._first(begin, 0), self._first(size, -1), rows):
            return operator
        return replace(
            operator,
            name="DYNAMIC_UPDATE_SLICE",
            version=1,
            inputs=(source, row, size),
            options=None,
        )

    def _slices_around(self, join: TfliteOperator) -> list[tuple[int, ...]] | None:
        """Return the operands of the slices of one tensor, the first rows and the last ones."""
        options = join.options
        if not isinstance(options, ConcatenationOptions) or len(join.inputs) != _PARTS:
            return None
        found = [self._made_by.get(join.inputs[i]) for i in (0, 2)]
        slices = [op.inputs for op in found if op is not None and op.name == "SLICE"]
        if options.axis != 0 or len(slices) != _PARTS - 1 or slices[0][0] != slices[1][0]:
            return None
        ends = self._is_filled(slices[0][1], 0) and self._is_filled(slices[1][2], -1)
        return slices if ends else None

    def _first(self, tensor: int, others: int) -> int:
        """Return the tensor of the first element of a vector whose others are that constant."""
        made = self._made_by.get(tensor)
        if made is None or made.name != "CONCATENATION" or not made.inputs:
            return ABSENT
        if not all(self._is_filled(part, others) for part in made.inputs[1:]):
            return ABSENT
        return self._reshaped(made.inputs[0])

    def _reshaped(self, tensor: int) -> int:
        """Return the tensor whose only element a chain of reshapes passes on."""
        made = self._made_by.get(tensor)
        while made is not None and made.name == "RESHAPE":
            tensor = made.inputs[0]
            made = self._made_by.get(tensor)
        return tensor if np.prod(self._tensors[tensor].shape) == 1 else ABSENT

    def _is_sum(self, tensor: int, of: int, added: int) -> bool:
        made = self._made_by.get(tensor)
        if ABSENT in (tensor, of) or made is None or made.name != "ADD":
            return False
        a, b = made.inputs
        return (a == of and self._is_filled(b, added)) or (b == of and self._is_filled(a, added))

    def _is_filled(self, tensor: int, value: int) -> bool:
        data = self._tensors[tensor].data
        return data is not None and bool((data == value).all())
