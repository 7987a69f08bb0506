"""The table of operators: a row per family, and a page that keeps the text around the table."""

from pathlib import Path

from forebay.frontends.tflite.lowering.registry import documented, lowerings
from forebay.frontends.tflite.table import operator_table, with_table


def test_a_row_states_the_facts_of_its_operators() -> None:
    assert (
        "| HARD_SWISH | int8, float32 | | int8: `table` | int8 | TFLite Micro | 0.1 |"
        in operator_table().splitlines()
    )


def test_only_the_table_of_a_page_is_replaced() -> None:
    first, second, _ = operator_table().split("\n", 2)
    page = f"before\n\n{first}\n{second}\n| OLD | | | | | | |\n\nafter\n"
    assert with_table(page) == f"before\n\n{operator_table()}\nafter\n"


def test_the_page_has_the_table_of_the_registry() -> None:
    page = (Path(__file__).parents[4] / "docs" / "operators.md").read_text(encoding="utf-8")
    assert with_table(page) == page, "python -m forebay.frontends.tflite.table docs/operators.md"


def test_every_operator_has_one_row() -> None:
    rows = [name for row in documented() for name in row.operators]
    assert sorted(rows) == sorted(lowerings())
