"""C from materialised IR: which ops are printable, and their text.

One file per dialect registers its printers; importing this package loads them all.
"""

from . import (
    accel,
    arith,
    arith_bits,
    arith_compare,
    arith_convert,
    arith_divide,
    arith_float,
    arith_min_max,
    arith_wide,
    func,
    math,
    memref,
    scf,
    tosa,
)
from .module import ModuleText, print_module
from .registry import is_printable

__all__ = [
    "ModuleText",
    "accel",
    "arith",
    "arith_bits",
    "arith_compare",
    "arith_convert",
    "arith_divide",
    "arith_float",
    "arith_min_max",
    "arith_wide",
    "func",
    "is_printable",
    "math",
    "memref",
    "print_module",
    "scf",
    "tosa",
]
