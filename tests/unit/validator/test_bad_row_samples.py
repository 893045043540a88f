"""Bad rows that are read back: those of one rule, their columns in the order that a person reads them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.row_rules import row_rules
from avh_ui.errors import SourceError
from avh_ui.validator.arrow_rows import ArrowRows
from avh_ui.validator.bad_row_samples import MOST_COLUMNS, bad_row_samples

NULLS = Constraint("country", "complete_ratio", "string", 1.0, 1.0)
SMALL = Constraint("amount", "min", "numeric", 0.0, 90.0)


def kept(table: pa.Table, folder: Path, *rules: Constraint) -> list[Verdict]:
    """The verdicts of a run that kept the bad rows of this table."""
    verdicts = [Verdict(rule, "fail", 0.5, 1.0, 1.0, "", failing=1, kept=str(folder)) for rule in rules]
    ArrowRows(table).write_bad(row_rules(verdicts), str(folder), {"avh_pipeline": "p", "avh_batch": "b", "avh_run": "r"})
    return verdicts


def table(rows: int = 200) -> pa.Table:
    """Every second row has no country, every fifth an amount below 0; a column `failed` is its own."""
    place = range(rows)
    return pa.table(
        {
            "failed": ["x"] * rows,
            "id": list(place),
            "country": [None if k % 2 else "IT" for k in place],
            "amount": [-1.5 if k % 5 == 0 else 2.0 for k in place],
        }
    )


def test_the_rows_of_one_rule_are_read_with_its_column_first(tmp_path: Path) -> None:
    nulls, small = kept(table(20), tmp_path / "bad", NULLS, SMALL)
    found = bad_row_samples(nulls)
    assert found is not None
    assert (found.columns, found.left_out, found.all) == (("country", "failed", "id", "amount"), 0, True)
    assert found.rows == tuple(("null", "x", f"{k}", "-1.5" if k % 5 == 0 else "2") for k in range(1, 20, 2))
    found = bad_row_samples(small, key=("id",))
    assert found is not None
    assert found.columns == ("id", "amount", "failed", "country")
    assert [row[:2] for row in found.rows] == [(f"{k}", "-1.5") for k in range(0, 20, 5)]


def test_no_more_than_a_page_is_read(tmp_path: Path) -> None:
    nulls, small = kept(table(), tmp_path / "bad", NULLS, SMALL)
    found, other = bad_row_samples(nulls), bad_row_samples(small)
    assert found is not None
    assert other is not None
    assert (len(found.rows), found.all, found.rows[-1][2]) == (50, False, "99")
    assert (len(other.rows), other.all) == (40, True)
    wide = table(4)
    for place in range(40):
        wide = wide.append_column(f"c{place:02}", pa.array(["y" * 500] * 4))
    (verdict,) = kept(wide, tmp_path / "wide", NULLS)
    found = bad_row_samples(verdict)
    assert found is not None
    assert (len(found.columns), found.left_out, len(found.rows[0][-1])) == (MOST_COLUMNS, 44 - MOST_COLUMNS, 200)


def test_what_is_not_kept_here_shows_nothing() -> None:
    rule = Constraint("amount", "mean", "numeric", 0.0, 9.0)
    assert bad_row_samples(Verdict(NULLS, "fail", 0.5, 1.0, 1.0, "")) is None
    assert bad_row_samples(Verdict(NULLS, "fail", 0.5, 1.0, 1.0, "", kept="s3://b/bad/p/b/1")) is None
    assert bad_row_samples(Verdict(NULLS, "fail", 0.5, 1.0, 1.0, "", kept="delta:/bad/p")) is None
    assert bad_row_samples(Verdict(rule, "fail", 0.5, 1.0, 1.0, "", kept="/bad")) is None, "a mean is no row's own"


def test_a_folder_that_is_gone_or_of_others_says_so(tmp_path: Path) -> None:
    (verdict,) = kept(table(4), tmp_path / "bad", NULLS)
    (file,) = (tmp_path / "bad").iterdir()
    pq.write_table(table(4), file)
    with pytest.raises(SourceError, match="is not a folder of bad rows"):
        bad_row_samples(verdict)
    file.write_bytes(b"PAR1 cut short")
    with pytest.raises(SourceError, match="cannot be read"):
        bad_row_samples(verdict)
    file.unlink()
    (tmp_path / "bad").rmdir()
    with pytest.raises(SourceError, match="any more") as gone:
        bad_row_samples(verdict)
    assert "--quarantine" in (gone.value.hint or "")
