"""Translation validation: a module is run before and after each pass, and must compute the same.

Knows nothing of what passes do: it runs the programs in the emulator (`forebay.emulator`), each
buffer in memory of its own until `memref-pool-plan` has placed it, on drawn inputs, and compares
outputs and state. `Validator` is what `forebay compile --verify-each` runs its pipelines with.
"""

from forebay.validation.validator import ValidationError, Validator

__all__ = ["ValidationError", "Validator"]
