"""A reference interpreter: what an imported program computes, by NumPy, without any pass or kernel.

`interpreter` runs a module; `registry` maps each op class to its rule in `rules`. May import only
the modules of `ir` that read locations and attributes. It judges everything that is compiled.
"""

from forebay.reference.errors import UnsupportedError
from forebay.reference.interpreter import Interpreter, Result

__all__ = ["Interpreter", "Result", "UnsupportedError"]
