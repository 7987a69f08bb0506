"""The dialects `accel` and `memref_pool`, on the upstream MLIR Python bindings.

Importing this package registers both with the bindings. Every `mlir.ir.Context` made afterwards has
both dialects, and Python sees their operations as the classes of `forebay.dialects.accel` and
`forebay.dialects.memref_pool`. A context made earlier needs `register(context)`.

Public as `forebay.api.dialects`; the rest may change without notice.
"""

from mlir import ir
from mlir._mlir_libs import _mlir, get_dialect_registry

from forebay._libs import _forebay

_forebay.register_dialects(get_dialect_registry())
_mlir.globals.dialect_search_modules = ["forebay.dialects", *_mlir.globals.dialect_search_modules]


def register(context: ir.Context) -> None:
    """Add the dialects to a context that was made before the import of this package."""
    registry = ir.DialectRegistry()
    _forebay.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
