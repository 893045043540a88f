"""What stands below the rows of a CSV file is told, with what leaves it out; ordinary last rows are left alone."""

from __future__ import annotations

import pytest

from avh_ui.scan.csv_looking import LOOKED_AT, look_at_csv

HEAD = "id,day,qty\n"
ROWS = "".join(f"{n},2026-01-{n:02d},{n * 2}\n" for n in range(1, 9))
NAMED = "shop,day,qty\n" + "".join(f"{'abcdefgh'[n]},2026-01-0{n + 1},{n}\n" for n in range(8))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + ROWS + "Total,,72\n", "'Total,,72', is no row, and a reader takes it for one: `comment: \"T\"`"),
        (HEAD + ROWS + "Summe,,72\n", "'Summe,,72'"),
        (HEAD + ROWS + ",,72\n", "',,72', is no row, and a reader takes it for one: take it away before, or leave it out by a `query`"),
        (HEAD + ROWS + "-- 8 rows --\n", '`comment: "-"` among the options leaves out lines that begin so'),
        (HEAD + ROWS + "-- 8 rows --,,\n", '`comment: "-"`'),
        (HEAD + ROWS + "\n# end\n# made by hand\n", "Its last 2 lines, from '# end' on, are no rows, and a reader takes them for rows"),
        (NAMED + "Total,,28\n", "take it away before, or leave it out by a `query`"),
        (NAMED + "8 rows\n", "`mode: DROPMALFORMED` among the options leaves out lines with too few or too many cells"),
        (HEAD + ROWS.replace("8,", "7,", 1) + "8 rows\n", "`mode: DROPMALFORMED`"),  # a row 8 may come
        (HEAD.replace("id", "Time") + ROWS + "Total,,72\n", "take it away before"),
        (HEAD + ROWS + "9,2026-01", "'9,2026-01', has 2 of 3 cells: was the file cut off? Then deliver it again."),
    ],
)
def test_what_is_no_row_is_told(text: str, said: str) -> None:
    remarks = look_at_csv(text.encode(), "t").remarks
    assert len(remarks) == 1
    assert said in remarks[0]


@pytest.mark.parametrize(
    "text",
    [
        HEAD + ROWS,
        HEAD + ROWS + "9,,\n",  # what is not known yet
        NAMED + "total,2026-01-09,5\n",  # a shop that is called so
        NAMED + ",2026-01-09,5\n",
        "age,n,share\n" + "0-4,1,2\nTotal,1,2\n" * 5,  # a group of each part
        "a,b\n1,2\nTotal,2\n",  # of one row nobody can tell
        "name,note\n" + "".join(f'n{n},"two\nlines"\n' for n in range(9)),
    ],
)
def test_rows_are_rows(text: str) -> None:
    assert look_at_csv(text.encode(), "t").remarks == ()


def test_a_footer_is_none_of_the_rows() -> None:
    assert len(look_at_csv((HEAD + ROWS + "Total,,72\n").encode(), "t").rows) == 8
    commas = HEAD.replace(",", ";") + "".join(f"{n};2026-01-{n:02d};{n},5\n" for n in range(1, 9)) + "-- 8 rows --;;none\n"
    assert look_at_csv(commas.encode(), "t").commas == ("qty",)


def test_the_end_of_a_large_file_is_looked_at() -> None:
    rows = "".join(f"{n},2026-01-01,{n % 7}\n" for n in range(20_000))
    content = (HEAD + rows + "Total,,59994\n").encode()
    found = look_at_csv(content[:LOOKED_AT], "t", content[-1_000:])
    assert "'Total,,59994', is no row" in found.remarks[0]
    assert look_at_csv(content[:LOOKED_AT], "t", (HEAD + rows).encode()[-1_000:]).remarks == ()
    assert look_at_csv(content[:LOOKED_AT], "t").remarks == ()
