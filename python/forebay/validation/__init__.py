"""Translation validation: check that a pass does not change what a program computes.

It runs the module before and after each pass in the emulator (`forebay.emulator`) on drawn inputs,
and compares outputs and state, without knowledge of the passes. Each buffer has memory of its own
until `memref-pool-plan` has placed it. `forebay compile --verify-each` runs its pipelines with
`Validator`.

Internal: may change without notice.
"""

from forebay.validation.validator import ValidationError, Validator

__all__ = ["ValidationError", "Validator"]
