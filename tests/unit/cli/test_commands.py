"""Each command over fakes: what it prints, its JSON, and its exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pyarrow.parquet as pq
import pytest
import yaml

from avh_ui.cli.profile import show
from avh_ui.constraints.recipe import Recipe
from avh_ui.errors import AvhError, DeliveryError
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.profiler import FailedBatch
from avh_ui.review.draft import Draft
from avh_ui.review.suggestion import SuggestionRun
from avh_ui.workflows.batches import ProfileReport
from tests.fakes.workspaces import CONSTRAINTS, DAYS, FakeWorkspace, config, day, orders
from tests.unit.cli.conftest import Answer, Avh

Fake = Callable[[FakeWorkspace], FakeWorkspace]
NEXT = day(DAYS)


def test_profile(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace(days=3))
    answer = avh("profile", "orders")
    assert (answer.code, answer.err) == (0, "")
    assert "profiled 3 batches, 2024-01-01 to 2024-01-03" in answer.out
    idle = avh("profile", "orders").out
    assert "nothing to do" in idle
    assert "Note: " not in idle
    kept = dict(ws.profiler.tables["orders"])
    ws.profiler.tables["orders"].clear()
    assert avh("profile", "orders").out.startswith("Note: No batch of 'orders' is at ")
    ws.profiler.tables["orders"].update(kept)
    ws.profiler.tables["orders"][day(3)] = orders(3).drop_columns(["paid"])
    ws.profiler.tables["orders"][day(4)] = None
    answer = avh("profile", "orders", "--json")
    record = json.loads(answer.out)
    assert answer.code == 3
    assert record["profiled"] == [day(3)]
    assert record["drift"] == [{"batch": day(3), "changes": ["Column 'paid' is missing."]}]
    assert record["failed"][0]["batch"] == day(4)
    failed = avh("profile", "orders", "--batches", day(4))
    assert (failed.code, "cut short" in failed.err) == (3, True)


def test_a_flickering_schema_does_not_bury_the_summary(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace(days=0))
    ws.profiler.tables["orders"] = {day(k): orders(k).drop_columns(["paid"] if k % 2 else []) for k in range(20)}
    lines = avh("profile", "orders").out.splitlines()
    assert len(lines) == 14
    assert lines[0].startswith("The columns changed in 7 batches before")


def test_the_same_delivery_is_made_named_and_fails(avh: Avh, fake: Fake, tmp_path: Path) -> None:
    ws = fake(FakeWorkspace(days=20).published())
    path = tmp_path / "again.parquet"
    made = avh("inject", "orders", "--batch", day(19), "--issue", "same-delivery", "--output", path)
    # As batch 19 it would be itself: the command that is told validates it as the next one.
    assert made.out.splitlines()[-1] == f"See it fail: avh validate orders -w . --input {path}"
    ws.profiler.paths[str(path)] = pq.read_table(path)
    judged = avh("validate", "orders", "--input", path)
    assert (judged.code, f"same content as {day(19)}" in judged.out) == (1, True)
    assert avh("validate", "orders", "--input", path, "--batch", day(19)).code == 0
    ws.profiler.tables["orders"][day(20)] = pq.read_table(path)
    assert avh("profile", "orders").out.splitlines()[0] == f"{day(20)}: same content as {day(19)}"
    assert json.loads(avh("profile", "orders", "--again", "--json").out)["repeated"] == [{"batch": day(20), "of": day(19)}]


def test_history(avh: Avh, fake: Fake) -> None:
    fake(FakeWorkspace(days=3).profiled())
    assert "country" in avh("history", "orders").out
    assert avh("history", "orders", "--column", "amount", "--metric", "mean").out.splitlines()[1].split() == ["batch", "mean"]
    record = json.loads(avh("history", "orders", "-c", "amount", "--json").out)
    assert (record["batches"], record["metrics"]["ks_dist"][0]) == ([day(0), day(1), day(2)], None)
    assert [c["column"] for c in json.loads(avh("history", "orders", "--json").out)["columns"]] == ["id", "amount", "country", "paid"]
    assert json.loads(avh("history", "orders", "--json", "--upto", day(1)).out)["batches"] == [day(0), day(1)]
    assert avh("history", "orders", "--metric", "mean").code == 2
    wrong = avh("history", "orders", "--column", "amont")
    assert (wrong.code, "'amount'" in wrong.err) == (3, True)
    fake(FakeWorkspace(days=0))
    assert "no profiled batches" in avh("history", "orders").out


def test_how_batches_were_delivered_is_shown(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace(days=3).published())
    ws.profiler.deliveries[day(3)] = Delivery(files=2, bytes=90, malformed_rows=3, remarks=("Its first line looks like a header.",))
    ws.profiler.tables["orders"] |= {day(3): orders(3), day(4): orders(4)}
    ws.profiler.unfinished = {day(4)}
    told = ["It has 3 malformed rows.", "Its first line looks like a header."]
    answer = avh("profile", "orders")
    assert (answer.code, f"{day(3)}: {' '.join(told)}" in answer.out, "is still being written" in answer.err) == (3, True, True)
    assert json.loads(avh("profile", "orders", "--again", "--json").out)["deliveries"] == [{"batch": day(3), "faults": told}]
    assert f"Note: {day(3)}: {' '.join(told)}" in avh("history", "orders").err
    assert [d and d["malformed_rows"] for d in json.loads(avh("history", "orders", "--json").out)["deliveries"]] == [None, None, None, 3]
    answer = avh("validate", "orders", "--batch", day(3))
    assert answer.code == 1
    assert "FAIL  The batch has 3 malformed rows, of 400; at most 0 are usual." in answer.out
    assert "400 rows of 2 files" in answer.out
    assert json.loads(avh("validate", "orders", "--batch", day(3), "--format", "json").out)["delivery"]["files"] == 2
    answer = avh("validate", "orders", "--batch", day(4), "--format", "json")
    assert (answer.code, [r["rule"] for r in json.loads(answer.out)["results"] if "rule" in r]) == (3, ["unfinished_delivery"])


def test_history_of_a_span(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace(days=5).profiled())
    answer = avh("history", "orders", "--span", f"{day(1)}..{day(3)}")
    assert (answer.code, answer.out.splitlines()[0]) == (0, "orders: 3 batches, 2024-01-02 to 2024-01-04, 1,200 rows together")
    assert [line.split()[0] for line in answer.out.splitlines()[1:]] == ["column", "id", "amount", "country", "paid"]
    record = json.loads(avh("history", "orders", "--span", "..", "-c", "id", "--metric", "max", "--json").out)
    assert (record["batches"], record["rows"], record["gaps"]) == ([day(k) for k in range(5)], 2000, [])
    assert record["columns"] == [{"column": "id", "kind": "numeric", "type": "bigint", "metrics": {"max": 40_399}}]
    lines = avh("history", "orders", "--span", day(2), "-c", "country").out.splitlines()
    assert lines[1] == "country: string, string"
    assert ["dist_val_count", "4"] in [line.split() for line in lines]
    ws.profiler.tables["orders"][day(5)] = orders(5).drop_columns(["paid"])
    ws.profile("orders")
    gap = avh("history", "orders", "--span", f"{day(4)}..")
    assert (gap.code, gap.err) == (0, f"Note: Batch '{day(5)}': column 'paid' is not there.\n")
    assert avh("history", "orders", "--span", "2023-01-01..").code == 3
    assert avh("history", "orders", "--span", "..", "--upto", day(1)).code == 2
    assert avh("history", "orders", "--span", "..", "-c", "id", "--metric", "emd").code == 2


def test_history_by_segment(avh: Avh, fake: Fake) -> None:
    fake(FakeWorkspace(days=3, settings=config(pipeline={"segments": ["country"]})).profiled())
    lines = avh("history", "orders", "--segments", "all").out.splitlines()
    assert [line.split()[0] for line in lines] == ["segment", "country=DE", "country=ES", "country=FR", "country=IT"]
    table = avh("history", "orders", "--segments", "country=DE,country=FR", "-c", "amount", "--metric", "mean").out.splitlines()
    assert (table[0], table[1].split()) == ("mean of amount", ["batch", "country=DE", "country=FR"])
    assert len(table) == 5
    assert "amount in country=DE: numeric, double" in avh("history", "orders", "--segments", "country=DE", "-c", "amount").out
    record = json.loads(avh("history", "orders", "--segments", "country=DE", "-c", "amount", "--metric", "mean", "--json").out)
    (segment,) = record["segments"]
    assert (segment["segment"], len(segment["metrics"]["mean"]), segment["column"]) == ("country=DE", 3, "amount")
    merged = json.loads(avh("history", "orders", "--span", "..", "--segments", "country=DE", "-c", "amount", "--json").out)
    assert (merged["segments"], merged["rows"]) == (["country=DE"], sum(segment["rows"]))
    whole = json.loads(avh("history", "orders", "--span", "..", "--segments", "all", "--json").out)
    assert (whole["rows"], len(whole["segments"])) == (1200, 4)
    wrong = avh("history", "orders", "--segments", "country=DF")
    assert (wrong.code, "'country=DE'" in wrong.err) == (3, True)
    assert avh("history", "orders", "--segments", "DE").code == 2
    fake(FakeWorkspace(days=3).profiled())
    none = avh("history", "orders", "--segments", "all")
    assert (none.code, "`segments:` in avh.yml" in none.err) == (2, True)


def test_suggest(avh: Avh, fake: Fake) -> None:
    fake(FakeWorkspace(days=8).profiled())
    answer = avh("suggest", "orders", "--fpr", "0.01")
    assert answer.code == 0
    assert "from 8 batches (2024-01-01 to 2024-01-08), at 0.01 false alarms" in answer.out
    first = json.loads(avh("suggest", "orders", "--json").out)[0]
    contract = {"id", "column", "source", "metric", "lower", "upper", "transform", "fpr", "caught", "only_caught", "explanation"}
    assert contract <= first.keys()
    assert first["source"] == "history"
    assert avh("suggest", "orders", "--max-clauses", "1", "--single-distribution-only", "--table-fpr", "0.05").code == 0
    assert avh("suggest", "orders", "--fpr", "0.01", "--table-fpr", "0.05").code == 2
    fake(FakeWorkspace(days=3).profiled())
    few = avh("suggest", "orders")
    assert (few.code, "3 batches are known, of 7 that are needed, so that all are guesses" in few.out) == (0, True)


def test_coverage(avh: Avh, fake: Fake) -> None:
    fake(FakeWorkspace(days=8).published())
    answer = avh("coverage", "orders")
    assert (answer.code, answer.err) == (0, "")
    assert "(whole rows)" in answer.out
    assert "orders, 2024-01-08: of faults in 50% of the rows version 1 (5 rules) notices" in answer.out
    assert "holes more" not in avh("coverage", "orders", "--holes", "0").out
    record = json.loads(avh("coverage", "orders", "--draft", "--json").out)
    assert (record["of"], record["batch"]) == ("the draft", "2024-01-08")
    assert {"column", "class", "severity", "way", "noticed_by", "closing", "why"} == record["faults"][0].keys()
    assert "None of its suggestions is accepted yet" not in avh("coverage", "orders", "--draft").out
    both = avh("coverage", "orders", "--draft", "--version", "1")
    assert (both.code, "A version is published" in both.err) == (2, True)


def test_coverage_of_a_draft_that_nobody_looked_at_names_that_of_all(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace(days=8).profiled())
    assert avh("suggest", "orders").code == 0
    assert ws.batches("orders")
    answer = avh("coverage", "orders", "--draft")
    assert answer.out.splitlines()[-1] == "None of its suggestions is accepted yet: --all tells it of all that nobody rejected."
    assert "None of its" not in avh("coverage", "orders", "--all").out


def test_decide_and_publish(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace(days=8).drafted())
    silent = avh("publish", "orders", "--by", "ann")
    assert (silent.code, "Missing option '-m' / '--message'" in silent.err) == (2, True)
    nothing = avh("publish", "orders", "--by", "ann", "-m", "x")
    assert (nothing.code, "Nothing is accepted" in nothing.err) == (2, True)
    assert (
        "rejected 1 suggestion; now 1 rejected, 4 pending"
        in avh("decide", "orders", CONSTRAINTS[0].key, "--reject", "--by", "ann", "-m", "no").out
    )
    record = json.loads(avh("decide", "orders", "--accept", "--all", "--by", "bob", "--json").out)
    # What is rejected stays rejected.
    assert record["draft"] == {"accepted": 4, "edited": 0, "rejected": 1, "pending": 0}
    assert "nothing to accept" in avh("decide", "orders", "--accept", "--all", "--by", "bob").err
    both = avh("decide", "orders", "--reject", "--all", "--by", "bob", "--accept")
    assert (both.code, both.err) == (2, "Error: A suggestion is decided once, and the call has --accept and --reject. Give one of them.\n")
    for action, code, said in (("--accept", 2, "are taken out with --edit"), ("--edit", 3, "is of no several columns")):
        out = avh("decide", "orders", CONSTRAINTS[1].key, action, "--without", "amount", "--by", "bob")
        assert (out.code, said in out.err) == (code, True)
    shown = record["digest"][:12]
    published = avh("publish", "orders", "--by", "ann", "-m", "first", "--draft", shown)
    live = ws.program("orders")
    says = f"orders version 1, 4 rules of draft {shown}, not signed (make a key with `avh keys new`)\n{live.sha256}\n"
    assert published.out == says
    assert f"Draft {shown}." not in avh("decide", "orders", CONSTRAINTS[1].key, "--reject", "--by", "bob").out
    late = avh("publish", "orders", "--by", "ann", "-m", "late", "--draft", shown)
    assert (late.code, "no longer the one that was shown" in late.err, "bob rejected “amount is " in late.err) == (3, True, True)
    short = avh("publish", "orders", "--by", "ann", "-m", "x", "--draft", shown[:6])
    assert (short.code, "too short" in short.err) == (2, True)
    assert live == ws.program("orders")
    assert json.loads(avh("publish", "orders", "--by", "ann", "-m", "second", "--json").out)["version"] == 2
    assert "reset 5 suggestions" in avh("decide", "orders", "--reset", "--all", "--by", "ann").out


def test_a_pile_is_shown_and_decided(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace(days=8).drafted())
    seen = json.loads(avh("triage", "orders", "--json").out)
    piles = {one["id"]: group["pile"] for group in seen["groups"] for one in group["suggestions"]}
    assert set(piles) == set(ws.draft("orders").by_id)  # type: ignore[union-attr]
    assert seen["left"] == seen["decisions"] > 0
    pile = seen["groups"][0]["pile"]
    wanted = [i for i, of in piles.items() if of == pile]
    text = avh("triage", "--rules").out
    assert f"0 of {len(seen['groups'])} groups decided" in text
    assert all(i in text for i in piles)
    meaningless = ("--pile", pile, "--reject", "--reason", "meaningless", "--by", "ann")
    record = json.loads(avh("decide", "orders", *meaningless, "-m", "no", "--json").out)
    assert sorted(record["decided"]) == sorted(wanted)
    item = ws.draft("orders").item(wanted[0])  # type: ignore[union-attr]
    assert (item.status, item.reason, item.why) == ("rejected", "meaningless", "meaningless: no")
    # What is rejected covers nothing: what was redundant needs eyes now.
    assert avh("decide", "orders", *meaningless).code == 0
    assert "nothing is pending in the pile" in avh("decide", "orders", *meaningless).err
    for wrong in (["--pile", pile, "--all"], ["--pile", pile, "--edit"], ["--accept", "--all", "--reason", "known"], ["--pile", "eyes"]):
        assert avh("decide", "orders", *wrong, "--by", "ann").code == 2, wrong


def test_decide_says_the_key(avh: Avh, fake: Fake) -> None:
    fake(FakeWorkspace(days=8).drafted())
    assert "rows are matched by paid, amount. Suggest anew" in avh("decide", "orders", "--key", "paid, amount", "--by", "ann").out
    assert "rows are matched by no key." in avh("decide", "orders", "--no-key", "--by", "ann").out
    for wrong, said in (
        (["--key", ","], "--key names no column"),
        (["--key", ""], "--key names no column"),
        (["--key", "paid", "--no-key"], "A key is said alone"),
        (["--no-key", "--accept", "--all"], "A key is said alone"),
    ):
        answer = avh("decide", "orders", *wrong, "--by", "ann")
        assert (answer.code, said in answer.err) == (2, True)
    unknown = avh("decide", "orders", "--key", "amonut", "--by", "ann")
    assert (unknown.code, "Did you mean 'amount'?" in unknown.err) == (3, True)


def test_decide_edits_bounds(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace(days=8).drafted())
    first = CONSTRAINTS[0]

    def edit(*args: str) -> Answer:
        return avh("decide", "orders", "--edit", first.key, *args, "--by", "ann")

    assert "edited 1 suggestion; now 1 edited, 4 pending" in edit("--lower", "-250.5").out
    now = ws.draft("orders").item(first.key).current  # type: ignore[union-attr]
    assert (now.lower, now.upper) == (-250.5, first.upper)
    assert edit("--lower", "open", "--upper", "600").code == 0
    now = ws.draft("orders").item(first.key).current  # type: ignore[union-attr]
    assert (now.lower, now.upper) == (None, 600.0)
    both_open = edit("--upper", "open")
    assert (both_open.code, "never alarms" in both_open.err) == (3, True)
    complete = avh("decide", "orders", "--edit", CONSTRAINTS[4].key, "--lower", "OPEN", "--by", "ann")
    assert (complete.code, "is always at least 0% and at most 100%" in complete.err) == (3, True)
    assert edit("--lower", "much").code == 2
    assert edit("--lower", "nan").code == 2
    assert edit().code == 2
    assert avh("decide", "orders", "--accept", first.key, "--lower", "1", "--by", "ann").code == 2
    assert avh("decide", "orders", "--edit", first.key, CONSTRAINTS[1].key, "--lower", "1", "--by", "ann").code == 2


def test_decide_limits_bounds_that_follow(avh: Avh, fake: Fake) -> None:
    ws, first = fake(FakeWorkspace(days=8).drafted()), CONSTRAINTS[0]
    fixed = avh("decide", "orders", "--limit", first.key, "--lower", "1", "--by", "ann")
    assert (fixed.code, "do not follow the history" in fixed.err) == (3, True)
    assert first.lower is not None
    assert first.upper is not None
    recipe = Recipe(60, 2.0, 60, deviation=1.0, index=3.0, lowest=first.lower - 50, highest=first.upper + 50)

    def following(draft: Draft | None) -> SuggestionRun:
        assert draft is not None
        one, *others = draft.run.suggestions
        return replace(draft.run, suggestions=(replace(one, constraint=replace(one.constraint, recipe=recipe)), *others))

    ws.services.suggestions._reviews.amend("orders", following)
    assert "limited 1 suggestion; now 1 edited" in avh("decide", "orders", "--limit", first.key, "--lower", "1", "--by", "ann").out
    now = ws.draft("orders").item(first.key)  # type: ignore[union-attr]
    # What is not given stays.
    assert now.limits == (1.0, first.upper + 50)
    assert (now.current.lower, now.current.upper) == (max(1.0, first.lower), first.upper)
    assert avh("decide", "orders", "--limit", "--all", "--lower", "1", "--by", "ann").code == 2
    assert avh("decide", "orders", "--limit", first.key, "--by", "ann").code == 2


def test_suggest_by_source(avh: Avh, fake: Fake) -> None:
    fake(FakeWorkspace(days=8).profiled())
    found = json.loads(avh("suggest", "orders", "--source", "snapshot", "--json").out)
    assert {one["source"] for one in found} == {"snapshot"}
    assert all(one["explanation"]["rule"] and one["explanation"]["code"].startswith(".") for one in found)
    both = json.loads(avh("suggest", "orders", "--source", "history", "--source", "corpus", "--json").out)
    # Two ends of a column are one rule, which is called a relation.
    assert {"history", "corpus"} <= {one["source"] for one in both} <= {"history", "corpus", "relations"}
    assert avh("suggest", "orders", "--source", "guess").code == 2
    assert "on the latest batch" in avh("suggest", "orders").out


@pytest.mark.parametrize("args", [["--accept"], ["--all"], ["--accept", "--all", "x"], ["--accept", "x"]])
def test_decide_refuses(avh: Avh, fake: Fake, args: list[str]) -> None:
    fake(FakeWorkspace(days=8).drafted())
    assert avh("decide", "orders", *args, "--by", "ann").code in (2, 3)


def test_decide_needs_a_draft_and_a_name(avh: Avh, fake: Fake) -> None:
    fake(FakeWorkspace(days=8))
    assert "avh suggest orders" in avh("decide", "orders", "--accept", "--all", "--by", "ann").err
    assert avh("decide", "orders", "--accept", "--all").code == 2


def test_who_may_publish(avh: Avh, fake: Fake) -> None:
    fake(FakeWorkspace(days=8, settings=config(people={"ann": "approver", "vic": "viewer"})).published())
    refused = avh("publish", "orders", "--by", "vic", "-m", "x")
    assert (refused.code, "'vic' is viewer" in refused.err, "Ask ann" in refused.err) == (3, True, True)


def test_programs(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace(days=8))
    assert "Nothing is published yet" in avh("programs", "list").out
    assert avh("programs", "show", "orders").code == 3
    ws.published()
    ws.decide("orders", [CONSTRAINTS[0].key], "reject")
    ws.decide("orders", [CONSTRAINTS[1].key], "edit", lower=80.0, upper=110.0)
    ws.publish("orders", message="second")
    assert [p["version"] for p in json.loads(avh("programs", "list", "orders", "--json").out)] == [2, 1]
    assert "second" in avh("programs", "list").out
    assert "js_div" in avh("programs", "show", "orders", "1").out
    assert json.loads(avh("programs", "show", "orders", "--json").out)["version"] == 2
    changes = avh("programs", "diff", "orders", "1").out
    assert changes == (
        "removed  Between 300 and 500 rows a batch.\nchanged  amount is 80 to 110 on average. (90 – 110 [error] -> 80 – 110 [error])\n"
    )
    assert "enforce the same" in avh("programs", "diff", "orders", "1", "1").out
    assert len(json.loads(avh("programs", "diff", "orders", "2", "1", "--json").out)["added"]) == 1
    assert avh("programs", "rollback", "orders", "1", "--by", "ann").code == 2
    assert "Say why version 1" in avh("programs", "rollback", "orders", "1", "--by", "ann", "-m", " ").err
    back = avh("programs", "rollback", "orders", "1", "--by", "ann", "-m", "too loud").out
    assert "version 3 is version 1 again" in back
    assert "added    Between 300 and 500 rows a batch." in back
    assert "3 versions checked" in avh("programs", "verify").out
    assert all(p["valid"] for p in json.loads(avh("programs", "verify", "orders", "--json").out))


def test_a_draft_is_compared_with_the_live_version(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace().published())
    assert "The draft enforces what the live version does." in avh("programs", "diff", "orders").out
    ws.decide("orders", [CONSTRAINTS[0].key], "reject", by="bob", why="too loud")
    ws.decide("orders", [CONSTRAINTS[1].key], "edit", lower=100.0, upper=110.0, by="bob")
    told = avh("programs", "diff", "orders").out
    assert "removed  Between 300 and 500 rows a batch. (rejected by bob)\n         bob: “too loud”\n" in told
    assert "changed  amount is 100 to 110 on average. It was: amount is 90 to 110 on average. (edited by bob)" in told
    assert "of 20 batches it would have failed" in told
    record = json.loads(avh("programs", "diff", "orders", "--json").out)
    assert (record["version"], len(record["changed"]), record["removed"][0]["reasons"]) == (2, 1, ["bob: “too loud”"])
    assert record["new_days"] == [one["batch"] for one in record["backtest"]["days"]]


def test_profiling_again_says_that_the_draft_is_of_the_profiles_before(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace(days=8))
    told = "`avh suggest orders` learns anew"
    assert told not in avh("profile", "orders", "--again").out
    ws.drafted()
    assert told in avh("profile", "orders", "--again").out
    assert told not in avh("profile", "orders").out


def test_an_audit_log_that_cannot_be_read_hides_no_version(avh: Avh, fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    ws = fake(FakeWorkspace(days=8).published())

    def down(*_: object) -> list[str]:
        raise AvhError("The review database is down.")

    monkeypatch.setattr(ws.reviews, "check_audit", down)
    told = avh("programs", "verify")
    assert (told.code, "orders version 1: hash holds" in told.out) == (3, True)
    assert "The audit log of 'orders' is not checked: The review database is down." in told.out
    assert [p["valid"] for p in json.loads(avh("programs", "verify", "--json").out)] == [True, False]


def test_programs_export(avh: Avh, fake: Fake, tmp_path: Path) -> None:
    fake(FakeWorkspace(days=8).published())
    shown = avh("programs", "export", "orders", "--to", "soda")
    assert shown.code == 0
    assert yaml.safe_load(shown.out)["checks for orders"]
    assert "js_div of country" in shown.err
    assert "orders version 1 for soda: 5 rules, 3 parts left out." in shown.err
    path = tmp_path / "new" / "suite.json"
    written = avh("programs", "export", "orders", "1", "--to", "great-expectations", "--output", path)
    assert (written.code, written.out) == (0, "")
    assert json.loads(path.read_text(encoding="utf-8"))["meta"]["avh"]["version"] == 1
    assert avh("programs", "export", "orders", "9", "--to", "dqx").code == 3
    assert avh("programs", "export", "orders", "--to", "nothing").code == 2
    assert avh("programs", "export", "orders", "--to", "dqx", "--output", tmp_path / "new" / "suite.json" / "x").code == 4


def test_validate_by_outcome(avh: Avh, fake: Fake, tmp_path: Path) -> None:
    ws = fake(FakeWorkspace().published())
    tables = ws.profiler.tables["orders"]
    tables[NEXT] = orders(DAYS)
    good = avh("validate", "orders", "--batch", NEXT)
    assert (good.code, good.out.startswith(f"orders {NEXT}: PASS: 6 passed; 400 rows, program version 1 (")) == (0, True)
    tables[NEXT] = orders(DAYS, rows=10)
    bad = avh("validate", "orders", "--batch", NEXT, "--format", "json")
    record = json.loads(bad.out)
    assert (bad.code, record["status"], record["batch"]) == (1, "fail", NEXT)
    assert avh("validate", "orders", "--batch", NEXT, "--fail-at", "never").code == 0
    ET.fromstring(avh("validate", "orders", "--batch", NEXT, "--format", "junit").out)
    output = tmp_path / "new" / "report.json"
    written = avh("validate", "orders", "--batch", NEXT, "--format", "json", "--output", output)
    assert (written.code, json.loads(output.read_text())["status"]) == (1, "fail")
    assert str(output) in written.out
    # The log of a pipeline says what is wrong, too.
    fewer = "FAIL  There are 98% fewer rows than in batch 2024-01-20: 10, and 400 there. The number of rows is 10, below"
    assert fewer in written.out
    several = avh("validate", "orders", "--batch", f"{NEXT}..{NEXT}", "--format", "junit", "--output", tmp_path / "all.xml")
    assert (fewer in several.out, bool(ET.parse(tmp_path / "all.xml").findall(".//failure"))) == (
        True,
        True,
    )


def test_validate_warns(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace(settings=config(pipeline={"severities": {"level": "warning"}})).published())
    ws.profiler.tables["orders"][NEXT] = orders(DAYS, rows=250)
    assert [avh("validate", "orders", "--batch", NEXT, "--fail-at", at).code for at in ("error", "warning", "never")] == [2, 1, 0]


def test_validate_could_not_evaluate(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace(days=9).profiled())
    nothing = avh("validate", "orders", "--batch", day(1))
    assert (nothing.code, nothing.err.startswith("Error: ")) == (3, True)
    ws.published()
    assert avh("validate", "orders").code == 3
    assert avh("validate").code == 3
    assert avh("validate", "orders", "--batch", day(1), "--format", "yaml").code == 3
    assert avh("validate", "order", "--batch", day(1)).code == 3
    mistyped = avh("validate", "orders", "--batch", "2024-02-30")
    assert (mistyped.code, "not at its source. Did you mean '2024-01-0" in mistyped.err) == (3, True)
    gone = avh("validate", "orders", "--batch", "2024-02-29")
    assert (gone.code, "not at its source" in gone.out) == (3, True)
    ws.profiler.tables["orders"][NEXT] = None
    assert avh("validate", "orders", "--batch", NEXT).code == 3
    ws.profiler.tables["orders"][NEXT] = orders(1, rows=0)
    assert avh("validate", "orders", "--batch", NEXT).code == 1


def test_validate_could_not_deliver(avh: Avh, fake: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ws = fake(FakeWorkspace(days=9).published())
    (tmp_path / "file").touch()
    answer = avh("validate", "orders", "--batch", day(8), "--output", tmp_path / "file" / "report.txt")
    assert (answer.code, "could not be written" in answer.err) == (4, True)

    def full(_: object) -> None:
        raise DeliveryError("No space is left.")

    monkeypatch.setattr(ws.profiles, "save", full)
    assert avh("validate", "orders", "--batch", day(8)).code == 4


def test_inject(avh: Avh, fake: Fake, tmp_path: Path) -> None:
    fake(FakeWorkspace(days=2))
    path = tmp_path / "bad.parquet"
    answer = avh("inject", "orders", "--batch", day(1), "--column", "country", "--issue", "casing_change", "--output", path)
    assert (answer.code, "lower case" in answer.out) == (0, True)
    assert set(pq.read_table(path).column("country").to_pylist()) == {"de", "fr", "it", "es"}
    assert "unit_change x10" in avh("inject", "orders", "--batch", day(1), "--column", "amount").out
    assert avh("inject", "orders", "--batch", day(1)).code == 2
    assert avh("inject", "orders", "--batch", day(1), "--column", "amount", "--issue", "retype").code == 2
    assert avh("inject", "orders", "--batch", "x", "--column", "amount").code == 3


def test_hostile_names_do_not_reach_the_terminal(avh: Avh, fake: Fake) -> None:
    fake(FakeWorkspace(days=0))
    answer = avh("profile", "\x1b[2Jorders\u202e")
    assert answer.code == 3
    assert not set(answer.err) & {"\x1b", "\u202e"}


def test_validate_keeps_the_run(avh: Avh, fake: Fake, monkeypatch: pytest.MonkeyPatch) -> None:
    ws = fake(FakeWorkspace().published())
    assert avh("validate", "orders", "--batch", day(19), "--no-record").code == 0
    assert ws.runs("orders") == []
    assert avh("validate", "orders", "--batch", day(19)).code == 0
    assert [run.batch for run in ws.runs("orders")] == [day(19)]

    def broken(_: object) -> int:
        raise DeliveryError("The review database is gone.")

    monkeypatch.setattr(ws.kept_runs, "add", broken)
    answer = avh("validate", "orders", "--batch", day(19))
    assert answer.code == 4
    assert "PASS" in answer.out  # the verdict is told before


def test_a_metric_is_explained(avh: Avh) -> None:
    told = avh("explain", "average")
    assert (told.code, told.out.splitlines()[1]) == (0, "A rule on it reads: price is 10 to 20 on average.")
    assert "How many rows a batch has." in avh("explain").out
    assert json.loads(avh("explain", "completeness", "--json").out)["name"] == "complete_ratio"
    assert {"name": "l1", "compares": True}.items() <= next(
        one for one in json.loads(avh("explain", "--json").out) if one["name"] == "l1"
    ).items()
    assert avh("explain", "complet").code == 3


def test_what_is_judged_of_a_batch_as_a_whole_is_explained(avh: Avh) -> None:
    assert avh("explain", "how_read").out.startswith("how_read: How the batch was read is for a person to look at")
    assert json.loads(avh("explain", "empty batch", "--json").out)["name"] == "empty_batch"
    assert "Did you mean 'malformed_rows'" in avh("explain", "malformed_row").err


def test_a_range_of_batches_is_left_out(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace(days=12).profiled())
    assert avh("suggest", "orders", "--exclude", f"{day(2)}..{day(4)}", "--exclude", day(7), "--by", "ann").code == 0
    assert ws.draft("orders").run.excluded == (day(2), day(3), day(4), day(7))  # type: ignore[union-attr]
    assert ws.suggest("orders", exclude=f"{day(5)}..{day(6)}").run.excluded == (day(5), day(6))


def test_a_batch_to_leave_out_that_is_none_is_told(avh: Avh, fake: Fake) -> None:
    fake(FakeWorkspace(days=3).profiled())
    answer = avh("suggest", "orders", "--exclude", "2031-01-01")
    assert "There is no batch '2031-01-01' of 'orders'." in answer.err
    assert answer.code == 3


def test_a_batch_that_spark_does_not_name_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    failed = (FailedBatch("7", "A Spark job failed: no more."), FailedBatch("8", "Batch '8' is empty."))
    show(ProfileReport("orders", (), failed, (), 1.0))
    assert capsys.readouterr().err.splitlines()[-2:] == ["Failed: 7: A Spark job failed: no more.", "Failed: Batch '8' is empty."]


def test_batches_that_fail_of_one_reason_are_told_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    failed = (*(FailedBatch(day, "The Python of Spark's workers needs avh_ui.") for day in ("5", "6", "7")), FailedBatch("8", "It is cut."))
    show(ProfileReport("orders", (), failed, (), 1.0))
    assert capsys.readouterr().err.splitlines() == [
        "Failed: 5 to 7, 3 batches: The Python of Spark's workers needs avh_ui.", "Failed: 8: It is cut.",
    ]  # fmt: skip
