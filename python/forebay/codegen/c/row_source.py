"""The C of reads of rows that the application hands in: `code = image->read(...);`."""

from __future__ import annotations

from msgspec import Struct

from forebay.codegen.c.syntax import expr
from forebay.codegen.c.syntax.expr import Expr


class RowSourceType(Struct, frozen=True):
    """An input that is read row by row: its name in the model, and its types in C."""

    port: str
    struct: str
    ctype: str


class RowRead(Struct, frozen=True):
    """A row of such an input: the structure with the function that reads it, and its number."""

    type: RowSourceType
    source: Expr
    row: Expr

    def into(self, target: Expr) -> Expr:
        """Return the call that reads the row; its value is not 0 if the application refuses."""
        context = expr.member_expr(self.source, "context", "void *")
        where = expr.cast_expr(f"{self.type.ctype} *", target)
        return expr.call_expr(f"{self.source.text}->read", (context, self.row, where), "int32_t")
