"""Notices of runs: to a webhook and a server of mail of this process, signed, tried again, and never instead of the verdict."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from pydantic import ValidationError

from avh_ui.config_notify import Notice
from avh_ui.metrics.measure import Measure
from avh_ui.notices import telling
from avh_ui.notices.notice import body_of
from avh_ui.notices.sending import signature
from avh_ui.notices.telling import Notifier
from avh_ui.settings import NotifySecrets, Settings, load_settings
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.state.validating import ValidatingState
from avh_ui.validator.run import Run
from tests.fakes.run_contract import failed as broken
from tests.fakes.run_contract import validation
from tests.fakes.workspaces import CONSTRAINTS, DAYS, FakeWorkspace, config, day, orders


@dataclass
class Heard:
    """What a receiver got, and the codes that it answers, the last of them for ever."""

    answers: list[int]
    bodies: list[bytes] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    mails: list[str] = field(default_factory=list)
    url: str = ""


@contextmanager
def served(server: socketserver.BaseServer) -> Iterator[None]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@contextmanager
def webhook(*answers: int) -> Iterator[Heard]:
    heard = Heard(list(answers or (200,)))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            heard.headers.append(dict(self.headers))
            code = heard.answers.pop(0) if len(heard.answers) > 1 else heard.answers[0]
            self.send_response(code)
            if code == 302:
                self.send_header("Location", heard.url)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    heard.url = f"http://127.0.0.1:{server.server_port}/T000/secret"
    with served(server):
        yield heard


@contextmanager
def mail_server(refuses: str = "") -> Iterator[Heard]:
    heard = Heard([])

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(b"220 here\r\n")
            while line := self.rfile.readline().decode().strip():
                verb = line.split(" ")[0].upper()
                if verb == "DATA":
                    self.wfile.write(b"354 go\r\n")
                    text = b""
                    while not text.endswith(b"\r\n.\r\n"):
                        text += self.rfile.readline()
                    heard.mails.append(text.decode())
                if refuses and refuses in line:
                    self.wfile.write(b"550 nobody here\r\n")
                else:
                    self.wfile.write(b"221 bye\r\n" if verb == "QUIT" else b"250 ok\r\n")

    server = socketserver.TCPServer(("127.0.0.1", 0), Handler)
    heard.url = f"smtp://127.0.0.1:{server.server_address[1]}"
    with served(server):
        yield heard


def settings(**secrets: Any) -> Settings:
    return replace(load_settings(), actor="ann", notify=NotifySecrets(**secrets))


def notifier(*notices: Notice, **secrets: Any) -> tuple[Notifier, list[float]]:
    slept: list[float] = []
    return Notifier(notices, settings(**secrets), slept.append), slept


@pytest.fixture(scope="module")
def failed() -> Run:
    """A run with one alarm: half of the rows are missing."""
    workspace = FakeWorkspace().published(*CONSTRAINTS[:2])
    workspace.profiler.tables["orders"][day(DAYS)] = orders(DAYS, 200)
    return workspace.validate("orders", batch=day(DAYS))


def test_a_webhook_gets_a_signed_object(failed: Run) -> None:
    with webhook() as heard:
        tells, _ = notifier(Notice(webhook="$AVH_HOOK"), signing="k3y", hooks={"AVH_HOOK": heard.url})
        assert tells.tell(failed) == ()
    (body,), (headers,) = heard.bodies, heard.headers
    said = json.loads(body)
    assert (said["pipeline"], said["batch"], said["status"], said["alarm_count"]) == ("orders", day(DAYS), "fail", 1)
    half = "There are about half as many rows as in batch 2024-01-20: 200, and 400 there."
    assert said["alarms"][0]["message"] == f"{half} The number of rows is 200, below the lower bound 300."
    assert said["text"].startswith(f"orders {day(DAYS)}: FAIL: 1 failed, 2 passed; 200 rows")
    assert headers["X-Avh-Signature"] == signature("k3y", headers["X-Avh-Timestamp"], body)
    assert signature("other", headers["X-Avh-Timestamp"], body) != headers["X-Avh-Signature"]


def test_the_number_of_rows_is_of_no_column() -> None:
    run = validation("b1", broken(column="rows", metric="row_count", measure=Measure("row_count")))
    assert [(one["column"], one["metric"]) for one in json.loads(body_of(run, "json"))["alarms"]] == [("", "row_count")]


def test_slack_gets_a_text_alone(failed: Run) -> None:
    with webhook() as heard:
        tells, _ = notifier(Notice(webhook=heard.url, form="slack"))
        assert tells.tell(failed) == ()
    assert json.loads(heard.bodies[0]).keys() == {"text"}
    assert "X-Avh-Signature" not in heard.headers[0]


def test_what_may_pass_is_tried_again_and_what_will_not_is_told_at_once(failed: Run) -> None:
    with webhook(503, 429, 200) as heard:
        tells, slept = notifier(Notice(webhook=heard.url))
        assert tells.tell(failed) == ()
        assert (len(heard.bodies), slept) == (3, [0.5, 2.0])
    for code, tries in ((404, 1), (302, 1), (500, 3)):
        with webhook(code) as heard:
            tells, _ = notifier(Notice(webhook=heard.url))
            (said,) = tells.tell(failed)
            assert len(heard.bodies) == tries
            assert said.startswith(f"The webhook 127.0.0.1 was not told of batch '{day(DAYS)}': it answered {code} ")
            assert "secret" not in said
            # A queue of batches does not wait for it each time.
            assert tells.tell(failed) == (
                f"The webhook 127.0.0.1 was not told of batch '{day(DAYS)}': it could not be told of an earlier batch.",
            )
            assert len(heard.bodies) == tries


def test_nobody_there_and_no_variable_are_sentences(failed: Run) -> None:
    with webhook() as heard:
        pass
    tells, _ = notifier(Notice(webhook=heard.url), Notice(webhook="$AVH_HOOK"))
    gone, unset = tells.tell(failed)
    assert "it cannot be reached" in gone
    assert unset == f"The webhook $AVH_HOOK was not told of batch '{day(DAYS)}': the environment has no AVH_HOOK."


def test_a_mail_has_a_subject_and_the_report(failed: Run) -> None:
    with mail_server() as heard:
        tells, _ = notifier(Notice(email=("a@example.org", "b@example.org"), sender="avh@example.org", smtp=heard.url))
        assert tells.tell(failed) == ()
    assert f"Subject: [avh] orders {day(DAYS)}: fail\r\n" in heard.mails[0]
    assert "To: a@example.org, b@example.org\r\n" in heard.mails[0]
    assert "below the lower bound 300." in heard.mails[0]
    with mail_server(refuses="b@example") as heard:
        tells, _ = notifier(Notice(email=("b@example.org",), sender="avh@example.org", smtp=heard.url))
        assert tells.tell(failed)[0].endswith("127.0.0.1 refuses b@example.org.")


def test_who_hears_of_what(failed: Run) -> None:
    for said, tells_of_it in (({}, 1), ({"when": ["warn"]}, 0), ({"pipelines": ["others"]}, 0), ({"pipelines": ["orders"]}, 1)):
        with webhook() as heard:
            notifier(Notice.model_validate({"webhook": heard.url, **said}))[0].tell(failed)
            assert len(heard.bodies) == tells_of_it


def test_the_same_alarm_is_told_once_and_a_lost_receiver_changes_no_verdict() -> None:
    with webhook() as heard:
        told = config(notify=[{"webhook": heard.url}, {"webhook": "$AVH_HOOK_NOWHERE"}])
        workspace = FakeWorkspace(settings=told)
        tells, _ = notifier(*told.notify)
        workspace.services.runs._notify = tells.tell
        workspace.published(*CONSTRAINTS[:2])
        for k, rows in ((DAYS, 200), (DAYS + 1, 200), (DAYS + 2, 400), (DAYS + 3, 200)):
            workspace.profiler.tables["orders"][day(k)] = orders(k, rows)
        assert [workspace.validate("orders", batch=day(DAYS + k)).status for k in range(4)] == ["fail", "fail", "pass", "fail"]
        workspace.validate("orders", batch=day(DAYS + 3))
    assert [json.loads(body)["batch"] for body in heard.bodies] == [day(DAYS), day(DAYS + 3)]


def test_who_only_looks_tells_nobody() -> None:
    told = config(notify=[{"webhook": "https://example.org/x", "pipelines": ["orders"]}])
    workspace, heard = FakeWorkspace(settings=told), list[str]()
    workspace.services.runs._notify = lambda run, _: (heard.append(run.batch), ())[1]
    workspace.published(*CONSTRAINTS[:2])
    session = SessionState(workspace.services)
    validating = ValidatingState(session)
    assert not validating.is_told
    session.open(Address("orders"))
    assert validating.is_told
    validating.start()
    assert [run.batch for run in workspace.services.runs.recent("orders")] == [validating.newest]
    assert heard == []
    workspace.validate("orders", batch=validating.newest)
    assert heard == [validating.newest]


def test_an_alarm_that_somebody_only_looked_at_is_told_later() -> None:
    with webhook() as heard:
        told = config(notify=[{"webhook": heard.url}])
        workspace = FakeWorkspace(settings=told)
        workspace.services.runs._notify = notifier(*told.notify)[0].tell
        workspace.published(*CONSTRAINTS[:2])
        for k, rows in ((DAYS, 200), (DAYS + 1, 200), (DAYS + 2, 400)):
            workspace.profiler.tables["orders"][day(k)] = orders(k, rows)
        # Looked at, told, looked at again, and then known.
        for quiet in (True, False, True, False):
            workspace.validate("orders", batch=day(DAYS), notify=not quiet)
        # A look at the batches since: what was told of the first still stands, and a pass that nobody heard of ends nothing.
        workspace.validate("orders", batch=day(DAYS + 2), notify=False)
        workspace.validate("orders", batch=day(DAYS + 1))
    assert [json.loads(body)["batch"] for body in heard.bodies] == [day(DAYS)]


def test_people_hear_of_what_is_ingested_as_of_what_is_validated() -> None:
    with webhook() as heard:
        told = config(notify=[{"webhook": heard.url, "when": ["pass", "fail"]}, {"webhook": "$AVH_HOOK_NOWHERE"}])
        workspace = FakeWorkspace(settings=told)
        runs = workspace.services.runs
        runs._notify = notifier(*told.notify)[0].tell
        workspace.published(*CONSTRAINTS[:2])
        for k, rows in enumerate((400, 200, 200)):
            workspace.profiler.tables["orders"][day(DAYS + k)] = orders(DAYS + k, rows)
        ingested = [runs.ingest("orders", batch=day(DAYS + k), by="ann") for k in range(3)]
    assert [run.accepted for run in ingested] == [True, False, False]
    texts = [json.loads(body)["text"].split("\n")[1] for body in heard.bodies]
    assert texts == ["It is kept in the table.", "It is not kept in the table."], "a fault that stays is told once"
    untold = [note for run in ingested for note in run.notes if "was not told" in note]
    assert len(untold) == 1
    assert "AVH_HOOK_NOWHERE" in untold[0]


def test_what_alarmed_where_nobody_was_named_or_was_refused_is_told_later() -> None:
    with webhook() as heard:
        told = config(notify=[{"webhook": heard.url}])
        workspace = FakeWorkspace(settings=told)
        runs = workspace.services.runs
        workspace.published(*CONSTRAINTS[:2])
        for k in range(4):
            workspace.profiler.tables["orders"][day(DAYS + k)] = orders(DAYS + k, 200)
        runs._config = config()
        assert workspace.validate("orders", batch=day(DAYS)).status == "fail"
        # From here on somebody is named.
        runs._config, runs._notify = told, notifier(*told.notify)[0].tell
        assert runs.ingest("orders", batch=day(DAYS + 1), by="ann", notify=False).status == "fail"
        workspace.validate("orders", batch=day(DAYS + 2))
        workspace.validate("orders", batch=day(DAYS + 3))
    assert [json.loads(body)["batch"] for body in heard.bodies] == [day(DAYS + 2)]


@pytest.mark.parametrize(
    ("notice", "said"),
    [
        ({}, "either a webhook or an email"),
        ({"webhook": "ftp://x"}, "a webhook is a URL with https://"),
        ({"webhook": "https://ann:s3cret@example.org/x"}, "a login does not belong into avh.yml"),
        ({"email": ["ann"], "sender": "avh@example.org"}, "'ann' is no address"),
        ({"email": ["a@example.org"]}, "'' is no address"),
        ({"email": ["a@b.c"], "sender": "a@b.c", "smtp": "mail.example.org"}, "no server of mail"),
        ({"email": ["a@b.c"], "sender": "a@b.c", "smtp": "smtp://u:p@mail"}, "AVH_SMTP_USER"),
    ],
)
def test_a_wrong_receiver_is_told(notice: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        Notice.model_validate(notice)


def test_a_receiver_of_no_pipeline_is_told() -> None:
    with pytest.raises(ValidationError, match=r"notify names the pipeline 'ordres', which is none of avh\.yml\. Did you mean 'orders'"):
        config(notify=[{"webhook": "https://example.org/x", "pipelines": ["ordres"]}])


def test_secrets_come_from_the_environment_and_are_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AVH_NOTIFY_SECRET", "k3y")
    monkeypatch.setenv("AVH_HOOK_TEAM", "https://hooks.example.org/x")
    found = load_settings()
    assert (found.notify.signing, found.notify.hooks["AVH_HOOK_TEAM"]) == ("k3y", "https://hooks.example.org/x")
    assert "k3y" not in repr(found)


@contextmanager
def dripping() -> Iterator[str]:
    """A server that answers a byte at a time, for ever: no timeout of a socket ends that."""
    over = threading.Event()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            while not over.wait(0.01):
                try:
                    self.wfile.write(b"1")
                except OSError:
                    return

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    with served(server):
        yield f"127.0.0.1:{server.server_address[1]}"
        over.set()


def test_a_receiver_that_never_ends_its_answer_keeps_nobody_waiting(failed: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "_SECONDS", 0.2)
    with dripping() as place:
        mail = Notice(email=("a@example.org",), sender="avh@example.org", smtp=f"smtp://{place}")
        for notice in (Notice(webhook=f"http://{place}/x"), mail):
            (said,) = notifier(notice)[0].tell(failed)
            assert said.endswith("it took longer than 10 seconds.")


@pytest.mark.parametrize(
    "url", ["https://ann:s3cret@hooks.example.org/x", "https://hooks.example.org/T0 s3cret", "file:///tmp/s3cret", "s3cret"]
)
def test_a_wrong_address_in_the_environment_is_told_without_it(failed: Run, url: str) -> None:
    (said,) = notifier(Notice(webhook="$AVH_HOOK"), hooks={"AVH_HOOK": url})[0].tell(failed)
    assert "its address is no URL" in said
    assert "s3cret" not in said


def test_values_of_the_data_call_nobody_in_slack(failed: Run) -> None:
    run = replace(failed, pipeline="<!channel> & co")
    assert json.loads(body_of(run, "slack"))["text"].startswith("&lt;!channel&gt; &amp; co ")
    assert json.loads(body_of(run, "json"))["text"].startswith("<!channel> & co ")


def test_every_answer_from_500_on_is_tried_again(failed: Run) -> None:
    with webhook(529, 200) as heard:
        assert notifier(Notice(webhook=heard.url))[0].tell(failed) == ()
    assert len(heard.bodies) == 2
