"""C functions from materialised IR.

`registry` finds the printer of each op class in `ops`; `function` and `module` call them. May
import `network` and `ir`. Provides `print_module`, and `is_printable` for the pass that checks it.

Internal: may change without notice.
"""

from forebay.codegen.c.module import ModuleText, print_module
from forebay.codegen.c.registry import is_printable
from forebay.codegen.c.syntax.types import Refusals

__all__ = ["ModuleText", "Refusals", "is_printable", "print_module"]
