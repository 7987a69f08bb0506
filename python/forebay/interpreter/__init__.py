"""What an imported program computes, by NumPy: TOSA, linalg on tensors, loops, intrinsics.

The interpreter is the judge of everything that is compiled. It runs the module as it was imported
and shares no pass, no kernel and no engine with the compiler: it imports op classes, locations and
the contract of softmax. Semantics are those of the TOSA 1.0 specification and of the MLIR dialects;
integers are exact, floats are computed in double precision where that is more than the program has.

    registry.py     one rule per op class, found in the folder `rules`
    program.py      a module prepared once: every op bound to its rule, every value to a slot
    interpreter.py  runs it, and keeps its variables

What has no rule raises `UnsupportedError` before anything runs.
"""

from forebay.interpreter.errors import UnsupportedError
from forebay.interpreter.interpreter import Interpreter, Result

__all__ = ["Interpreter", "Result", "UnsupportedError"]
