"""The self-test's inputs and expected outputs, and the check that the program computes them.

Inputs are drawn from a fixed seed. The interpreter computes the outputs from the imported model,
and the program must agree before any file is written. If it does not, the first operator whose
tensor differs is located: by the emulator in the planned program, then in LLVM's code.

Internal: may change without notice.
"""

from forebay.golden.choose import golden_of
from forebay.golden.errors import DifferentValuesError
from forebay.golden.steps import Golden

__all__ = ["DifferentValuesError", "Golden", "golden_of"]
