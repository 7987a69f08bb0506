"""C functions from materialised IR.

`registry` maps each op class to its printer in `ops`; `function` and `module` call them. May import
`network` and `ir`. Provides `print_module`, and `is_printable` for the pass that checks it.

Internal: may change without notice.
"""

from forebay.codegen.c.module import ModuleText, print_module
from forebay.codegen.c.ops import (
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
from forebay.codegen.c.registry import is_printable

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
