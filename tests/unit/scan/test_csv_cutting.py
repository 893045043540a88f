"""CSV whose lines are not all as long, and whose first line is no header though it is all text."""

from __future__ import annotations

from avh_ui.scan.csv_looking import look_at_csv

ZONES = (
    "# code\tplace\tzone\tcomments\n"
    "AD\t+4230+00131\tEurope/Andorra\n"
    "AE,OM\t+2518+05518\tAsia/Dubai\tCrozet\n"
    "#\n# another part\n#\n"
    "AQ\t-6617+11031\tAntarctica/Casey\tCasey\n"
    "AQ\t-720041+0023206\tAntarctica/Troll\tTroll\n"
    "AR\t-3436-05827\tAmerica/Argentina/Buenos_Aires\tBuenos Aires (BA, CF)\n"
    "AS\t-1416-17042\tPacific/Pago_Pago\tMidway\n"
    "AT\t+4813+01620\tEurope/Vienna\n"
    "AU\t-3352+15113\tAustralia/Sydney\tNew South Wales (most areas)\n"
)
UNEVEN = "Its lines have 3 to 4 cells, and the first 3: those that have another number are told as malformed in each batch."


def test_lines_that_lack_their_last_cells_are_cut_and_told() -> None:
    found = look_at_csv(ZONES.encode(), "zone1970.tab")
    assert found.options == {"sep": "\\t", "comment": "#", "header": "false"}
    assert [remark for remark in found.remarks if remark.startswith(UNEVEN)]
    assert all(len(row) == 4 for row in found.rows)


def test_lines_of_prose_are_not_cut() -> None:
    text = "A word; and more | here\nNo comma\nOne, two, three\nFour; six\nSeven, eight\n"
    found = look_at_csv(text.encode(), "notes.txt")
    assert (len(found.columns), "sep" in found.options) == (1, False)
    assert not any("cells" in remark for remark in found.remarks)


def test_codes_without_letters_are_no_names() -> None:
    rows = "".join(f"z{k};+{k}230-00{k}31;w{k}\n" for k in range(10, 20))
    assert look_at_csv(f"zone;place;word\n{rows}".encode(), "f").options["header"] == "true"
    assert look_at_csv(rows.encode(), "f").options["header"] == "false"
    years = "shop;(19/20);(20/21)\n" + "".join(f"s{k};{k}.5;{k}.7\n" for k in range(10, 20))
    assert look_at_csv(years.encode(), "f").options["header"] == "true"
