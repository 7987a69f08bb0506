"""Trace a reference: what an intrinsic computes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, get_args, get_origin, get_type_hints

from forebay.tracing.errors import TraceError
from forebay.tracing.integers import Int32, Integer
from forebay.tracing.lines import line_of, without_partial
from forebay.tracing.pointers import TypedPointer
from forebay.tracing.record import Trace
from forebay.tracing.recorder import recording
from forebay.tracing.signature import name_of_function, parameters_of


def trace_reference(
    function: Callable[..., object], operands: Mapping[str, bool], scalars: Sequence[str]
) -> Trace:
    """Return what a function computes on operands, with whether each is written, and on scalars.

    Raises `TraceError` at the author's line for what cannot be traced.
    """
    known, line = (*operands, *scalars), line_of(function)
    used, name = parameters_of(function, known, "operands and scalars"), name_of_function(function)
    elements = {operand: element_of_operand(function, operand) for operand in operands}
    with recording(Int32.width) as recorder:
        given: dict[str, Any] = {}
        for operand, is_written in operands.items():
            number = recorder.pointer(operand, elements[operand].width)
            given[operand] = TypedPointer(
                recorder, number, elements[operand], (operand, is_written)
            )
        for scalar in scalars:
            word = Int32(recorder, recorder.parameter(scalar, Int32.width))
            if scalar in used:
                given[scalar] = word
        result = function(**given)
    if result is not None:
        raise TraceError(
            f"{name} returns {type(result).__name__}; a reference writes operands and returns "
            "nothing",
            line,
        )
    return recorder.finished(None, line)


def element_of_operand(function: Callable[..., object], operand: str) -> type[Integer]:
    """Return the type of an operand's elements from the annotation of its parameter.

    Raises `TraceError` at the function's line if there is no such parameter or annotation.
    """
    name, line = name_of_function(function), line_of(function)
    if operand not in inspect.signature(function).parameters:
        raise TraceError(
            f"{name} has no parameter for operand '{operand}'; it needs one for each operand, with "
            f"the type of its elements: {operand}: TypedPointer[Int8]",
            line,
        )
    element = _pointed_to(_annotations(function).get(operand))
    if element is None:
        raise TraceError(
            f"parameter '{operand}' of {name} is an operand; annotate it with the type of its "
            f"elements: {operand}: TypedPointer[Int8]",
            line,
        )
    return element


def is_operand(function: Callable[..., object], parameter: str) -> bool:
    """Return whether a parameter is annotated as an operand; the others are scalars."""
    return _pointed_to(_annotations(function).get(parameter)) is not None


def _pointed_to(annotation: object) -> type[Integer] | None:
    """Return the elements of `TypedPointer[...]`, also of an operand that may be missing."""
    for choice in (annotation, *get_args(annotation)):
        if get_origin(choice) is TypedPointer:
            (element,) = get_args(choice)
            if isinstance(element, type) and issubclass(element, Integer):
                return None if element is Integer else element
    return None


@cache
def _annotations(function: Callable[..., object]) -> Mapping[str, object]:
    try:
        return get_type_hints(without_partial(function))
    except (NameError, SyntaxError, TypeError, AttributeError) as error:
        raise TraceError(
            f"the annotations of {name_of_function(function)} cannot be evaluated: {error}",
            line_of(function),
        ) from error
