"""The head of a table as markup."""

from __future__ import annotations

from avh_ui.ui.components.markup import table


def test_a_column_of_bars_has_a_cell_and_no_header_without_a_name() -> None:
    assert '<th scope="col">Value</th><td></td><th scope="col">Share</th>' in table(("Value", "", "Share"), ())
