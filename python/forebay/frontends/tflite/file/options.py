"""Operator options: a class per table of the TFLite schema that a lowering needs.

The module of an operator derives the class of its table from `Options`. The class has the name of
the table, and a field the name of the table's field, so that one reader serves all classes. A value
of an enumeration is the number in the file.
"""

from __future__ import annotations

from dataclasses import dataclass


class OperatorOptions:
    """The options of an operator; the subclasses that are imported are all tables that are read."""


@dataclass(frozen=True)
class VarHandleOptions(OperatorOptions):
    """VAR_HANDLE."""

    container: str
    shared_name: str


@dataclass(frozen=True)
class CallOnceOptions(OperatorOptions):
    """CALL_ONCE."""

    init_subgraph_index: int
