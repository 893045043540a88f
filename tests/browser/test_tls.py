"""The app behind nginx with TLS, as docs/operating.md has it: a login, the page through its websocket, and what a viewer sees."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import panel as pn
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from playwright.sync_api import Browser, expect

from avh_ui.ui.access.access import Access
from avh_ui.ui.access.password_file import PasswordFile
from tests.browser.conftest import App, serve, settle
from tests.conftest import IN_CI
from tests.conventions.sources import ROOT
from tests.fakes.demo_workspace import demo_workspace
from tests.fakes.ports import free_port

# Debian keeps it off the path of those who are not root.
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")


@pytest.fixture
def nginx() -> str:
    """The program; without it, skip on a desk and fail in CI."""
    if NGINX is None:
        message = "There is no nginx: `make nginx` installs it."
        if IN_CI:
            pytest.fail(message)
        pytest.skip(message)
    return NGINX


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate that nobody vouches for, and its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=1))
    signed = made.sign(key, hashes.SHA256())
    plain = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "tls.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    (folder / "tls.key").write_bytes(key.private_bytes(*plain))
    return folder / "tls.pem", folder / "tls.key"


def configuration(folder: Path, port: int, app: str, below: str) -> str:
    """The documented server, at this test's addresses; below another path than / as the documentation says, and compressed."""
    found = re.search(r"```nginx\n(.*?)```", (ROOT / "docs" / "operating.md").read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    text, (pem, key) = found[1], certificate(folder)
    for old, new in (
        ("listen 443 ssl", f"listen 127.0.0.1:{port} ssl"),
        ("quality.example.org", "localhost"),
        ("/etc/ssl/quality.pem", str(pem)),
        ("/etc/ssl/quality.key", str(key)),
        ("http://127.0.0.1:5006", app.rstrip("/")),
    ):
        assert old in text
        text = text.replace(old, new)
    if below != "/":
        text = text.replace("location / {", f"gzip on; gzip_types *; gzip_min_length 0; location {below} {{")
        text = text.replace(f"proxy_pass {app.rstrip('/')};", f"proxy_pass {app};")
    places = "".join(f"{kind}_temp_path {folder / kind}; " for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    server = f"http {{ access_log off; {places}\n{text}}}\n"
    return f"daemon off; master_process off; pid {folder / 'pid'}; error_log stderr;\nevents {{}}\n{server}"


@pytest.fixture
def tls_app(nginx: str, tmp_path: Path, browser: Browser, request: pytest.FixtureRequest) -> Iterator[App]:
    port = free_port()
    url = f"https://localhost:{port}"
    passwords = PasswordFile(tmp_path / "passwords.json")
    passwords.put("vic", "correct horse")
    workspace = demo_workspace(people={"ada": "approver", "vic": "viewer"})
    own, loop = serve(workspace, Access(passwords=passwords, url=url))
    (tmp_path / "nginx.conf").write_text(configuration(tmp_path, port, own, getattr(request, "param", "/")))
    with (tmp_path / "nginx.log").open("wb") as log:
        proxy = subprocess.Popen([nginx, "-e", "stderr", "-c", tmp_path / "nginx.conf"], stdout=log, stderr=log)
    deadline = time.monotonic() + 30
    while not listens(port):
        assert proxy.poll() is None, (tmp_path / "nginx.log").read_text()
        assert time.monotonic() < deadline
        threading.Event().wait(0.02)
    served = App(url, workspace)
    try:
        yield served
    finally:
        proxy.terminate()
        proxy.wait(10)
        settle(loop)
        pn.state.reset()
    assert served.outside == []
    assert served.errors == []


def test_a_viewer_logs_in_behind_tls(tls_app: App, browser: Browser) -> None:
    with browser.new_context(ignore_https_errors=True, viewport={"width": 1440, "height": 900}) as context:
        tls_app.guard(context)
        page = context.new_page()
        page.goto(f"{tls_app.url}/?pipeline=orders&tab=review&pile=all")
        page.get_by_label("Name").fill("vic")
        page.get_by_label("Password").fill("wrong horse")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_have_text("The name or the password is wrong.")
        page.get_by_label("Name").fill("vic")
        page.get_by_label("Password").fill("correct horse")
        page.get_by_role("button", name="Log in").click()
        expect(page.locator("tbody tr[data-id]").first).to_be_visible()
        expect(page.locator(".actor")).to_have_text(re.compile("vic"))
        assert {(c["name"], c["secure"], c["httpOnly"], c["sameSite"]) for c in context.cookies() if c["name"] in ("user", "_xsrf")} == {
            ("user", True, True, "Lax"),
            ("_xsrf", True, True, "Lax"),
        }
        suggest = page.get_by_role("button", name="Suggest again", exact=True)
        expect(suggest).to_be_disabled()
        expect(suggest).to_have_attribute("title", "'vic' is viewer and may not suggest: it takes a reviewer. Ask ada.")
        page.get_by_role("button", name="Overview", exact=True).click()
        profile = page.get_by_role("button", name="Profile now", exact=True)
        expect(profile).to_be_disabled()
        profile.hover(force=True)
        expect(page.get_by_role("tooltip")).to_have_text("'vic' is viewer and may not profile: it takes a reviewer. Ask ada.")


@pytest.mark.parametrize("tls_app", ["/quality/"], indirect=True)
def test_below_a_path_and_compressed_who_logs_in_comes_to_the_page_asked_for(tls_app: App, browser: Browser) -> None:
    with browser.new_context(ignore_https_errors=True, viewport={"width": 1440, "height": 900}) as context:
        tls_app.guard(context)
        page = context.new_page()
        page.goto(f"{tls_app.url}/quality/?pipeline=orders&tab=review&pile=all")
        page.get_by_label("Name").fill("vic")
        page.get_by_label("Password").fill("correct horse")
        page.get_by_role("button", name="Log in").click()
        row = page.locator("tbody tr[data-id]").first
        expect(row).to_be_visible()
        expect(page).to_have_url(re.compile(r"/quality/\?pipeline=orders&tab=review"))
        answer = page.reload()
        assert answer is not None
        assert answer.headers["content-encoding"] == "gzip"
        expect(row).to_be_visible()
        expect(page.locator("#skeleton")).to_have_count(0)
