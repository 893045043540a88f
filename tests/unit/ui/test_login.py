"""The served app as browsers and attackers reach it: who gets in, under which name, and what every answer forbids."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urljoin, urlsplit

import panel as pn
import pytest
from bokeh.util.token import generate_jwt_token, generate_session_id
from tornado.httpclient import HTTPClientError, HTTPRequest
from tornado.websocket import websocket_connect

from avh_ui.ui.access.access import Access, Oidc
from avh_ui.ui.access.password_file import PasswordFile
from avh_ui.ui.views.shell import Shell
from tests.browser.conftest import serve, settle
from tests.fakes.demo_workspace import demo_workspace

pytestmark = pytest.mark.usefixtures("cheap_passwords")

PASSWORD = "correct horse battery"
Answer = tuple[int, dict[str, list[str]], str]
App = tuple[str, asyncio.AbstractEventLoop]


class Visitor:
    """Somebody with a browser's cookies, and no more manners than they need."""

    def __init__(self, url: str) -> None:
        self.host = urlsplit(url).netloc
        self.cookies: dict[str, str] = {}

    def ask(self, path: str = "/", form: dict[str, str] | None = None, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
        connection = http.client.HTTPConnection(self.host, timeout=30)
        connection.putrequest("GET" if form is None else "POST", path, skip_host=any(name == "Host" for name, _ in headers))
        if self.cookies:
            connection.putheader("Cookie", "; ".join(f"{name}={value}" for name, value in self.cookies.items()))
        for name, value in headers:
            connection.putheader(name, value)
        body = urlencode(form or {}).encode()
        if form is not None:
            connection.putheader("Content-Type", "application/x-www-form-urlencoded")
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body if form is not None else None)
        answer = connection.getresponse()
        text, found = answer.read().decode("utf-8", "replace"), dict[str, list[str]]()
        for name, value in answer.getheaders():
            found.setdefault(name.lower(), []).append(value)
        for cookie in found.get("set-cookie", []):
            name, _, rest = cookie.partition("=")
            self.cookies[name] = rest.partition(";")[0].strip('"')
        connection.close()
        return answer.status, found, text

    def log_in(self, name: str = "ann", password: str = PASSWORD, **more: str) -> Answer:
        _, _, page = self.ask("/login")
        found = re.search(r'name="_xsrf" value="([^"]+)"', page)
        assert found is not None
        return self.ask("/login", {"username": name, "password": password, "_xsrf": found[1], **more})

    def websocket(self, loop: asyncio.AbstractEventLoop, token: str, **headers: str) -> str:
        """What a websocket with a session's token says first; `HTTPClientError` when it is refused."""
        sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()), **headers}
        request = HTTPRequest(f"ws://{self.host}/ws", headers=sent)

        async def first() -> str:
            connection = await websocket_connect(request, subprotocols=["bokeh", token])
            message = await connection.read_message()
            connection.close()
            return "" if message is None else str(message)

        return asyncio.run_coroutine_threadsafe(first(), loop).result(30)


def token_in(page: str) -> str:
    found = re.search(r'"token":\s*"([^"]+)"', page)
    assert found is not None, page[:300]
    return found[1]


@pytest.fixture
def actors(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Under whose names sessions were begun."""
    seen: list[str] = []

    def shell(*args: Any, actor: str, **more: Any) -> Shell:
        made = Shell(*args, actor=actor, **more)
        seen.append(made.session.actor)
        return made

    monkeypatch.setattr("avh_ui.ui.app.Shell", shell)
    return seen


Serve = Callable[[Access], App]


@pytest.fixture(scope="module")
def served() -> Iterator[Serve]:
    """Serves the app with an access; all are stopped together, since Panel's state is the process's."""
    loops = []

    def start(access: Access) -> App:
        url, loop = serve(demo_workspace(hostile=False), access)
        loops.append(loop)
        return url, loop

    yield start
    for loop in loops:
        settle(loop)
    pn.state.reset()


@pytest.fixture(scope="module")
def open_app(served: Serve) -> App:
    return served(Access())


@pytest.fixture(scope="module")
def password_file(tmp_path_factory: pytest.TempPathFactory) -> PasswordFile:
    file = PasswordFile(tmp_path_factory.mktemp("auth") / "passwords.json")
    for name in ("ann", "bob", "cy"):
        file.put(name, PASSWORD)
    return file


@pytest.fixture(scope="module")
def guarded_app(served: Serve, password_file: PasswordFile) -> App:
    return served(Access(passwords=password_file))


@pytest.mark.parametrize("path", ["/", "/static/js/bokeh.min.js", "/nowhere"])
def test_every_answer_says_what_a_page_may_do(open_app: App, path: str) -> None:
    _, headers, _ = Visitor(open_app[0]).ask(path)
    (policy,) = headers["content-security-policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["frame-ancestors"] == "'none'"
    assert not any("*" in sources or "http" in sources for sources in rules.values())
    assert headers["x-content-type-options"] == ["nosniff"]
    assert headers["referrer-policy"] == ["no-referrer"]
    assert headers["x-frame-options"] == ["DENY"]


def test_a_page_is_given_to_the_app_s_own_hosts_alone(open_app: App) -> None:
    status, _, text = Visitor(open_app[0]).ask(headers=(("Host", "evil.example.org"),))
    assert (status, "token" in text) == (421, False)


@pytest.mark.parametrize("path", ["/", "/logout", "/nowhere"])
def test_a_refusal_says_so_in_its_first_line_on_a_connection_that_goes_on(open_app: App, path: str) -> None:
    connection = http.client.HTTPConnection(urlsplit(open_app[0]).netloc, timeout=30)
    try:
        for host, said in (("evil.example.org", (421, "Misdirected Request")), (urlsplit(open_app[0]).netloc, None)):
            connection.request("GET", path, headers={"Host": host})
            answer = connection.getresponse()
            answer.read()
            assert (answer.status, answer.reason) == (said or (answer.status, http.client.responses[answer.status]))
    finally:
        connection.close()


def test_a_websocket_is_opened_from_the_app_s_own_pages_alone(open_app: App) -> None:
    url, loop = open_app
    visitor = Visitor(url)
    token = token_in(visitor.ask()[2])
    with pytest.raises(HTTPClientError) as refused:
        visitor.websocket(loop, token, Origin="http://evil.example.org")
    assert refused.value.code == 403
    assert "ACK" in visitor.websocket(loop, token, Origin=url.rstrip("/"))


def test_without_a_password_there_is_no_page(guarded_app: App) -> None:
    url, loop = guarded_app
    visitor = Visitor(url)
    status, headers, _ = visitor.ask("/?pipeline=orders")
    assert status == 302
    assert headers["location"][0].startswith(("./login", "/login"))
    visitor.cookies = {"user": "ann", "is_guest": "1"}
    assert visitor.ask()[0] == 302
    forged = generate_jwt_token(generate_session_id(signed=False), signed=False)
    with pytest.raises(HTTPClientError):
        Visitor(url).websocket(loop, forged, Origin=url.rstrip("/"))


def test_who_logs_in_acts_under_that_name(guarded_app: App, actors: list[str]) -> None:
    visitor = Visitor(guarded_app[0])
    status, headers, _ = visitor.log_in(next="/?pipeline=orders")
    assert (status, headers["location"]) == (302, ["./?pipeline=orders"])
    assert urljoin("https://example.org/quality/login", headers["location"][0]) == "https://example.org/quality/?pipeline=orders"
    (cookie,) = (one for one in headers["set-cookie"] if one.startswith("user="))
    assert "httponly" in cookie.lower()
    assert "samesite=lax" in cookie.lower()
    # A cookie that anybody can set must not hide who it is.
    visitor.cookies["is_guest"] = "1"
    assert visitor.ask()[0] == 200
    assert actors == ["ann"]


def test_who_logs_out_is_out(guarded_app: App) -> None:
    visitor = Visitor(guarded_app[0])
    visitor.log_in("bob")
    assert visitor.ask()[0] == 200
    status, headers, _ = visitor.ask("/logout")
    assert (status, headers["location"]) == (302, ["login"])
    assert visitor.ask()[0] == 302


def test_there_is_a_button_to_log_out_where_somebody_logged_in(password_file: PasswordFile) -> None:
    oidc = Oidc("avh", "s3cret", "https://id.example.org/authorize", "https://id.example.org/token", "https://id.example.org/user")
    proxied = Access(header="X-Forwarded-User", proxies=(ip_network("127.0.0.1"),))
    for access, there in ((Access(passwords=password_file), True), (Access(oidc=oidc), True), (proxied, False), (Access(), False)):
        person = Shell(demo_workspace(hostile=False), actor="ann <b>", leave=access.leave).actor.object
        assert ('href="logout"' in person, "ann &lt;b&gt;" in person) == (there, True)


@pytest.mark.parametrize("to", ["//evil.example.org", "https://evil.example.org", "/\\evil.example.org", "javascript:alert(1)"])
def test_a_login_leads_nowhere_else(guarded_app: App, to: str) -> None:
    visitor = Visitor(guarded_app[0])
    assert 'name="next" value="/"' in visitor.ask(f"/login?next={quote(to)}")[2]


def test_a_form_of_another_site_is_refused(guarded_app: App) -> None:
    visitor = Visitor(guarded_app[0])
    visitor.ask("/login")
    status, headers, _ = visitor.ask("/login", {"username": "ann", "password": PASSWORD})
    assert status == 403
    assert not any(one.startswith("user=") for one in headers.get("set-cookie", []))


def test_guesses_are_few_and_tell_nothing(guarded_app: App) -> None:
    visitor = Visitor(guarded_app[0])
    wrong = {visitor.log_in(name, "wrong password")[0::2] for name in ("bob", "nobody")}
    assert {status for status, _ in wrong} == {401}
    assert len({re.sub(r'value="[^"]*"', "", text) for _, text in wrong}) == 1
    for _ in range(4):
        visitor.log_in("bob", "wrong password")
    status, headers, text = visitor.log_in("bob")
    assert (status, "Too many tries" in text) == (429, True)
    assert 0 < int(headers["retry-after"][0]) <= 300
    assert visitor.log_in("ann")[0] == 302


def test_who_is_removed_from_the_file_is_out(guarded_app: App, password_file: PasswordFile) -> None:
    visitor = Visitor(guarded_app[0])
    assert visitor.log_in("cy")[0] == 302
    assert visitor.ask()[0] == 200
    entries = json.loads(password_file.path.read_text())
    password_file.path.write_text(json.dumps({name: entry for name, entry in entries.items() if name != "cy"}))
    assert visitor.ask()[0] == 302


def test_cookies_are_for_tls_where_browsers_come_by_tls(served: Serve, password_file: PasswordFile) -> None:
    visitor = Visitor(served(Access(passwords=password_file, url="https://quality.example.org"))[0])
    cookies = visitor.log_in()[1]["set-cookie"]
    assert cookies
    assert all("; secure" in cookie.lower() for cookie in cookies)
    assert visitor.ask(headers=(("Host", "quality.example.org"),))[0] == 200


def test_a_proxy_s_header_is_believed_from_the_proxy_alone(served: Serve, actors: list[str]) -> None:
    header = "X-Forwarded-User"
    url, loop = served(Access(header=header, proxies=(ip_network("127.0.0.1"),)))
    page = Visitor(url).ask(headers=((header, "ann"),))[2]
    assert actors == ["ann"]
    for headers in ((), ((header, ""),), ((header, "eve"), (header, "ann")), ((header, "eve,ann"),)):
        assert Visitor(url).ask(headers=headers)[0] == 302
    assert Visitor(url).ask("/refused")[0] == 403
    with pytest.raises(HTTPClientError):
        Visitor(url).websocket(loop, token_in(page), Origin=url.rstrip("/"))
    elsewhere, _ = served(Access(header=header, proxies=(ip_network("10.0.0.0/8"),)))
    assert Visitor(elsewhere).ask(headers=((header, "ann"), ("X-Forwarded-For", "10.0.0.1")))[0] == 302


def test_a_session_that_a_browser_made_up_is_refused(served: Serve, actors: list[str]) -> None:
    """Its token would bring headers of the browser's choice: another name than the one that the proxy let in."""
    header = "X-Forwarded-User"
    url, loop = served(Access(header=header, proxies=(ip_network("127.0.0.1"),)))
    made_up = generate_jwt_token(generate_session_id(signed=False), signed=False, extra_payload={"headers": {header: "boss"}})
    # It is closed before the first word.
    assert Visitor(url).websocket(loop, made_up, Origin=url.rstrip("/"), **{header: "eve"}) == ""
    assert actors == []


class Provider(BaseHTTPRequestHandler):
    """A provider of identities: everybody is ann there."""

    def do_GET(self) -> None:
        path, asked = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
        if path == "/authorize":
            back = urlencode({"code": "c0de", "state": asked["state"][0]})
            self.send_response(302)
            self.send_header("Location", f"{asked['redirect_uri'][0]}?{back}")
            self.end_headers()
        elif self.headers["Authorization"] == "Bearer t0ken":
            self._say({"email": "ann"} if path == "/user" else {"sub": "1"})

    def do_POST(self) -> None:
        sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        right = (sent["code"], sent["client_id"], sent["client_secret"]) == (["c0de"], ["avh"], ["s3cret"])
        self._say({"access_token": "t0ken", "token_type": "bearer"} if right else {"error": "invalid_grant"})

    def _say(self, record: dict[str, str]) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(record).encode())

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture
def provider() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture
def panel_settings() -> Iterator[None]:
    """Panel keeps what it is served with for the whole process."""
    names = (
        "_oauth_provider",
        "_oauth_key",
        "_oauth_secret",
        "_oauth_jwt_user",
        "_oauth_extra_params",
        "_oauth_redirect_uri",
        "_cookie_secret",
    )
    kept = {name: getattr(pn.config, name) for name in names}
    yield
    pn.config.param.update(**kept)


def sent_there_and_back(visitor: Visitor, provider: str) -> tuple[int, dict[str, list[str]], str]:
    """To the login, to the provider, back, and in; or what stands before the door."""
    answer = visitor.ask("/")
    while answer[0] == 302:
        target = urlsplit(answer[1].get("location", [""])[0].removeprefix("."))
        if target.netloc == urlsplit(provider).netloc:
            target = urlsplit(Visitor(provider).ask(f"{target.path}?{target.query}")[1]["location"][0])
        answer = visitor.ask(f"{target.path or '/'}?{target.query}")
    return answer


@pytest.mark.usefixtures("panel_settings")
def test_a_provider_of_identities_says_who_it_is(served: Serve, provider: str, actors: list[str]) -> None:
    oidc = Oidc("avh", "s3cret", f"{provider}/authorize", f"{provider}/token", f"{provider}/user")
    url, _ = served(Access(oidc=oidc))
    visitor = Visitor(url)
    status = sent_there_and_back(visitor, provider)[0]
    assert visitor.cookies["user"]
    assert status == 200
    assert actors == ["ann"]
    visitor.ask("/logout")
    assert visitor.ask()[0] == 302
    # An answer that this browser did not ask for: somebody else's login.
    stranger = Visitor(url)
    assert stranger.ask("/login?code=c0de&state=mine")[0] == 401
    assert "user" not in stranger.cookies


@pytest.mark.usefixtures("panel_settings")
@pytest.mark.parametrize(
    ("secret", "token", "user", "status", "said"),
    [
        ("wrong", "/token", "/user", 401, "did not accept the app (invalid_grant"),
        ("s3cret", "/token", "/nobody", 401, "does not say your 'email'. Whoever runs the app names another property as user_key"),
        ("s3cret", "no port", "/user", 500, "could not be asked. The app's log says why: is token_url right"),
    ],
)
def test_who_is_not_let_in_is_told_why_and_who_can_mend_it(
    served: Serve, provider: str, secret: str, token: str, user: str, status: int, said: str
) -> None:
    there = "http://127.0.0.1:1/token" if token == "no port" else provider + token
    url, _ = served(Access(oidc=Oidc("avh", secret, f"{provider}/authorize", there, provider + user)))
    visitor = Visitor(url)
    answer = sent_there_and_back(visitor, provider)
    assert (answer[0], said in answer[2]) == (status, True), answer[2]
    assert answer[1]["content-type"] == ["text/plain; charset=utf-8"]
    # What an address says is shown as the text that it is.
    denied = visitor.ask("/login?error=access_denied&error_description=%3Cb%3Eno%3C/b%3E")
    assert denied[0] == 401
    assert denied[2].startswith("The provider of identities did not let you in (access_denied: <b>no</b>).")
    assert "begun in another browser" in visitor.ask("/login?code=c0de&state=mine")[2]
