"""The self-test's inputs and expected outputs, and whether the program computes them.

Inputs are drawn from a fixed seed, outputs are the interpreter's of the imported model, and the
program has to agree, before anything is written. Where it does not, the first operator whose tensor
differs is looked for: by the emulator in the planned program, then in the code that LLVM makes.
"""

from forebay.golden.choose import GoldenFrom, golden_of
from forebay.golden.errors import DifferentValuesError
from forebay.golden.steps import Golden

__all__ = ["DifferentValuesError", "Golden", "GoldenFrom", "golden_of"]
