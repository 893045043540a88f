"""The head of a page comes before its session is made, is the same for everybody, and what goes wrong afterwards is said in the page."""

from __future__ import annotations

import http.client
import re
import threading
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import panel as pn
import pytest

from avh_ui.errors import NotPermittedError
from avh_ui.ui.access.access import Access
from avh_ui.ui.access.password_file import PasswordFile
from avh_ui.ui.components import head_first
from avh_ui.ui.components.frame import MARK
from avh_ui.ui.components.scripts import FOLDER
from avh_ui.ui.views.shell import Shell
from tests.browser.conftest import serve, settle
from tests.fakes.demo_workspace import demo_workspace

PASSWORD = "correct horse battery"
DRAWN_BEFORE = "avh_system=light"
# Seconds after which a session is made though the head has not come, so that the test fails and does not hang.
LONGEST = 20


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    served, loop = serve(demo_workspace(hostile=False))
    yield served
    settle(loop)
    pn.state.reset()


def ask(url: str, path: str = "/", method: str = "GET", cookie: str = DRAWN_BEFORE, **headers: str) -> tuple[int, dict[str, str], str]:
    """What the server answers."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    connection.request(method, path, headers={"Cookie": cookie, **headers})
    answer = connection.getresponse()
    found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read().decode(errors="replace")
    connection.close()
    return found


def head_of(page: str) -> str:
    assert page.count(MARK) == 1
    return page.partition(MARK)[0]


def failing(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def shell(*_: Any, **__: Any) -> Shell:
        raise error

    monkeypatch.setattr("avh_ui.ui.app.Shell", shell)


def test_the_head_comes_before_the_session_is_made(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    come = threading.Event()
    in_time: list[bool] = []

    def shell(*args: Any, **more: Any) -> Shell:
        in_time.append(come.wait(LONGEST))
        return Shell(*args, **more)

    monkeypatch.setattr("avh_ui.ui.app.Shell", shell)
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)
    connection.request("GET", "/?tab=review", headers={"Cookie": DRAWN_BEFORE})
    answer = connection.getresponse()
    text = b""
    while MARK.encode() not in text:
        text += answer.read1()
    come.set()
    rest = answer.read().decode()
    connection.close()
    assert in_time == [True]
    assert b'id="skeleton"' in text
    assert b'"token"' not in text
    assert '"token":' in rest
    assert rest.rstrip().endswith("</html>")
    assert "<head" not in rest


def test_the_head_is_the_same_for_everybody_but_for_the_theme(url: str) -> None:
    light = head_of(ask(url, "/?tab=review&pipeline=secret")[2])
    assert light == head_of(ask(url, "/?tab=drift", cookie=f"{DRAWN_BEFORE}; user=ann", **{"User-Agent": "somebody's"})[2])
    dark = head_of(ask(url, cookie="avh_theme=dark; avh_system=light")[2])
    assert dark.replace('class="dark"', 'class="light"') == light != dark
    assert not re.search("secret|ann|orders|somebody", light)


def test_what_a_session_s_page_begins_with_is_what_was_sent(url: str) -> None:
    whole = ask(url, **{"Bokeh-Session-Id": "made-up"})
    assert whole[0] == 403  # as ever: it is signed by nobody
    token = re.search(r'"token":"([^"]+)"', ask(url)[2])
    assert token is not None
    status, headers, page = ask(url, f"/?bokeh-token={token[1]}")
    assert (status, "content-length" in headers) == (200, True)
    assert head_of(page) == head_of(ask(url)[2])


def test_addresses_of_the_head_are_relative_so_that_a_proxy_may_serve_it_below_any_path(url: str) -> None:
    head = head_of(ask(url)[2])
    addresses = re.findall(r'(?:src|href)="([^"]+)"', head)
    assert addresses
    assert not [one for one in addresses if not re.match(r"(\./)?static/|data:", one)]
    for one in addresses:
        if "static/" in one:
            assert ask(url, "/" + one.removeprefix("./"))[0] == 200, one


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (NotPermittedError("Nobody <is> logged in.", hint="Open it again."), "Nobody &lt;is&gt; logged in. Open it again."),
        (NotPermittedError("Nothing is kept.", hint="Run `avh profile x`."), "Run `avh profile x -w demo`."),
        (ZeroDivisionError("of a secret"), "The page could not be made: the app&#x27;s log says why."),
    ],
)
def test_a_page_that_cannot_be_made_says_so(url: str, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str) -> None:
    """Whether the session says it, or there is none."""

    async def no_session(*_: Any) -> None:
        raise error

    monkeypatch.setattr("bokeh.server.contexts.ApplicationContext.create_session_if_needed", no_session)
    status, headers, page = ask(url)
    assert (status, headers["cache-control"]) == (200, "no-store")
    assert said in page.partition(MARK)[2]
    assert "secret" not in page
    assert page.rstrip().endswith("</html>")


def test_a_shell_that_cannot_be_made_leaves_a_page_that_says_so(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    failing(monkeypatch, NotPermittedError("Nobody is logged in."))
    status, _, page = ask(url)
    assert status == 200
    assert '"token":' in page.partition(MARK)[2]  # which brings the sentence


def test_other_questions_are_answered_as_ever(url: str) -> None:
    status, headers, text = ask(url, method="HEAD")
    assert (status, text) == (405, "")
    assert "transfer-encoding" not in headers
    assert ask(url, method="POST")[0] in (403, 405)


def test_who_has_to_log_in_is_sent_there_and_gets_nothing_else(tmp_path_factory: pytest.TempPathFactory) -> None:
    file = PasswordFile(tmp_path_factory.mktemp("auth") / "passwords.json")
    file.put("ann", PASSWORD)
    url, loop = serve(demo_workspace(hostile=False), Access(passwords=file))
    try:
        status, headers, text = ask(url, "/?pipeline=orders")
        assert (status, "skeleton" in text) == (302, False)
        assert "login" in headers["location"]
    finally:
        settle(loop)


def test_a_host_that_is_not_the_app_s_own_gets_no_head(url: str) -> None:
    status, _, text = ask(url, Host="evil.example.org")
    assert (status, "skeleton" in text) == (421, False)


def test_browsers_keep_what_pages_are_drawn_with(url: str) -> None:
    kept = re.compile(rf"static/(js/.*\?v=|extensions/(panel/panel.min.js\?v=|panel-material-ui/|{FOLDER}/))")
    addresses = [one for one in re.findall(r'(?:src|href)="(?:\./)?([^"]+)"', head_of(ask(url)[2])) if kept.match(one)]
    assert len(addresses) > 20
    for one in addresses:
        assert "max-age=315360000" in ask(url, f"/{one}")[1]["cache-control"], one
    assert "cache-control" not in ask(url, "/static/js/bokeh.min.js")[1]
    assert ask(url, f"/static/extensions/{FOLDER}/nothing.js")[0] == 404


def test_a_browser_without_the_scripts_gets_them_first(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[int] = []

    async def fetched(paths: list[str]) -> None:
        waited.append(len(paths))

    monkeypatch.setattr(head_first, "_fetched", fetched)
    ask(url)
    assert waited == []
    ask(url, cookie="")
    assert len(waited) == 1
    assert waited[0] >= 5
