"""Blanks that fill up the cells of CSV (`  12.50`, `Oslo      `): to a reader they are part of the text, and such numbers are texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from avh_ui.scan.csv_cutting import Rows
from avh_ui.scan.csv_nulls import is_null_word

# So many cells say how a column is filled up; one that was typed with a blank is none.
_ENOUGH = 3
# Spark's parser fails at a cell of blanks at the begin of a line where blanks behind alone are taken away.
TAKEN_AWAY = {"ignoreLeadingWhiteSpace": "true", "ignoreTrailingWhiteSpace": "true"}
_SHOWN = 3


def padding_of(
    columns: Sequence[str], rows: Sequence[Sequence[str]], typed: Callable[[str], bool], *, quoted: bool
) -> tuple[dict[str, str], Rows, tuple[str, ...]]:
    """The options that take away the blanks of a table, none where nothing asks for it, the rows by them, and what is said of it.

    Numbers and dates ask for it, where they are those but for blanks. Within quotes blanks stay, whatever the options: of a table that
    is `quoted` it is said alone, since its quotes may hold what is filled up.
    """
    found = [name for name, column in zip(columns, zip(*rows, strict=True), strict=False) if _is_padded(column, typed)]
    if not found:
        return {}, tuple(map(tuple, rows)), ()
    named = ", ".join(found[:_SHOWN]) + (f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else "")
    said = f"Numbers or dates with blanks around them: {named}"
    if quoted:
        names = " and ".join(f'`{name}: "true"`' for name in TAKEN_AWAY)
        return {}, tuple(map(tuple, rows)), (f"{said}, so they are texts: {names} take away those that are not within quotes.",)
    stripped = tuple(tuple(cell.strip() for cell in row) for row in rows)
    return TAKEN_AWAY, stripped, (f"{said}: those of all cells are taken away (ignoreLeadingWhiteSpace, ignoreTrailingWhiteSpace).",)


def _is_padded(column: Sequence[str], typed: Callable[[str], bool]) -> bool:
    there = [cell for cell in column if cell.strip()]
    return sum(cell != cell.strip() for cell in there) >= _ENOUGH and all(typed(cell) or is_null_word(cell.strip()) for cell in there)
