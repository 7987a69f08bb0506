"""The table of operators: a row per family, and a page that keeps the text around the table."""

from forebay.frontends.tflite.table import operator_table, with_table


def test_a_row_states_the_facts_of_its_operators() -> None:
    assert (
        "| HARD_SWISH | int8, float32 | | int8: `table` | int8 |" in operator_table().splitlines()
    )


def test_only_the_table_of_a_page_is_replaced() -> None:
    head = "| operator | types | limits | becomes | exact |\n|---|---|---|---|---|\n"
    page = f"before\n\n{head}| OLD | | | | |\n\nafter\n"
    assert with_table(page) == f"before\n\n{operator_table()}\nafter\n"
