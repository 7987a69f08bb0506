"""Random quantised networks against TFLite Micro, over targets, memories, ports and engines.

DAGs of all operators that the importer knows, with shared values, constants in every slot, state,
several inputs and outputs, and ports that are repeated. An output that is not TFLite Micro's bit
for bit is wrong, and so is a refusal of what the importer took, but for a memory that is too small.
"""

from fuzz.graphs.check import check

LONG = 2_000
SECONDS = 600.0

__all__ = ["LONG", "SECONDS", "check"]
