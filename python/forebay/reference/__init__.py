"""A reference interpreter: compute the result of an imported program by NumPy.

It uses no pass and no kernel, because it is the oracle for everything that is compiled.
`interpreter` runs a module; `registry` maps each op class to its rule in `rules`. May import only
the modules of `ir` that read locations and attributes.

Internal: may change without notice.
"""

from forebay.reference.errors import UnsupportedError
from forebay.reference.interpreter import Interpreter, Result

__all__ = ["Interpreter", "Result", "UnsupportedError"]
