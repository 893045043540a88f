"""What `avh review` and `avh people` make of their options."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from avh_ui.cli.main import cli
from avh_ui.cli.review import access_of, is_loopback, remembering
from avh_ui.errors import AvhError, ConfigError, UsageError
from avh_ui.ui.access.password_file import PasswordFile
from avh_ui.ui.access.tries import PER_ADDRESS, PER_NAME, WINDOW_SECONDS, Tries

pytestmark = pytest.mark.usefixtures("cheap_passwords")

OIDC = {
    "client_id": "avh",
    "client_secret": "s",
    "authorize_url": "https://id.example.org/authorize",
    "token_url": "https://id.example.org/token",
    "user_url": "https://id.example.org/user",
}


@pytest.fixture
def passwords(tmp_path: Path) -> Path:
    PasswordFile(tmp_path / "passwords.json").put("ann", "correct horse")
    return tmp_path / "passwords.json"


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.168.0.7", "quality.example.org", ""])
def test_where_other_machines_reach_it_people_log_in(address: str, passwords: Path) -> None:
    with pytest.raises(UsageError, match=r"other machines reach the app.*--auth FILE.*--no-auth-i-know"):
        access_of(address=address)
    assert access_of(address=address, auth=passwords).named
    assert access_of(address=address, proxy_header="X-User", proxies=("10.0.0.1",)).named
    assert not access_of(address=address, open_to_all=True).named


@pytest.mark.parametrize("address", ["localhost", "127.0.0.1", "127.0.0.53", "::1"])
def test_on_this_machine_alone_nobody_has_to(address: str) -> None:
    assert is_loopback(address)
    assert not access_of(address=address).named


def test_what_lets_anybody_in_by_mistake_is_refused(tmp_path: Path, passwords: Path) -> None:
    def refused(**options: Any) -> str:
        with pytest.raises(AvhError) as error:
            access_of(**options)
        return str(error.value)

    oidc = tmp_path / "oidc.json"
    oidc.write_text(json.dumps(OIDC))
    assert "Anybody can send a header" in refused(proxy_header="X-User")
    assert "one way" in refused(auth=passwords, oidc=oidc)
    assert "--trusted-proxy: 'nginx'" in refused(proxy_header="X-User", proxies=("nginx",))
    assert "no address of a browser" in refused(url="quality.example.org")
    for origin in ("https://quality.example.org/", "quality.example.org:99999", "[::1]:5006", ""):
        assert f"--origin: {origin!r} is no host with a port. Write it as HOST:PORT" in refused(origins=("localhost:5006", origin))
    assert access_of(origins=("quality.example.org:443", "10.0.0.7", "*:5006")).origins[0] == "quality.example.org:443"
    found = access_of(oidc=oidc, url="https://quality.example.org/").oidc
    assert found is not None
    assert found.user_key == "email"
    for change, message in (
        ({"token_url": "http://id.example.org/token"}, "reached by https://"),
        ({"client_secret": None}, "a text for each"),
        ({"secret": "s"}, "unknown field 'secret'"),
    ):
        oidc.write_text(json.dumps(OIDC | change))
        assert message in refused(oidc=oidc)
    oidc.write_text(json.dumps({k: v for k, v in OIDC.items() if k != "client_id"}))
    assert "does not say client_id" in refused(oidc=oidc)
    passwords.write_text('{"ann": "correct horse"}')
    with pytest.raises(ConfigError, match="avh people password"):
        access_of(auth=passwords)


def test_a_command_gives_a_password(tmp_path: Path) -> None:
    path = tmp_path / "passwords.json"
    done = CliRunner().invoke(cli, ["people", "password", "ann", "--file", str(path), "--stdin"], input="correct horse\n")
    assert done.exit_code == 0, done.output
    assert "avh review --auth" in done.output
    assert PasswordFile(path).check("ann", "correct horse")


def test_without_a_terminal_a_command_says_how_a_password_is_given(tmp_path: Path) -> None:
    path = tmp_path / "passwords.json"
    done = CliRunner().invoke(cli, ["people", "password", "ann lee", "--file", str(path)], input="correct horse\ncorrect horse\n")
    assert done.exit_code == 2
    assert "There is no terminal to ask for a password. Pipe it: `avh people password 'ann lee' --file " in done.output
    assert "--stdin < FILE`" in done.output
    assert not path.exists()


def test_tries_are_counted_by_name_and_address_and_forgotten() -> None:
    now = [0.0]
    tries = Tries(lambda: now[0])
    for _ in range(PER_NAME):
        assert tries.wait("ann", "10.0.0.1") == 0
        tries.wrong("ann", "10.0.0.1")
    assert tries.wait("ann", "10.0.0.1") == WINDOW_SECONDS
    assert tries.wait("ann", "10.0.0.2") == 0  # nobody locks ann out from where she sits
    now[0] = WINDOW_SECONDS
    assert tries.wait("ann", "10.0.0.1") == 0
    for k in range(PER_ADDRESS):
        tries.wrong(f"name {k}", "10.0.0.3")
    assert tries.wait("ann", "10.0.0.3") > 0


def test_who_is_logged_in_stays_so_over_a_restart(
    tmp_path: Path, passwords: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    def secret(root: str = "a") -> str:
        return remembering(access_of(auth=passwords), tmp_path / root, passwords).secret

    first = secret()
    key = tmp_path / "state" / "avh_ui" / "sessions.key"
    assert (key.stat().st_mode & 0o777, key.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert secret() == first
    assert len(bytes.fromhex(first)) == 32
    assert key.read_text() not in first
    assert secret("b") != first, "one app's cookie opens no other app at another port"
    PasswordFile(passwords).put("ann", "another horse")
    changed = secret()
    assert changed != first, "who had the old password logs in again"
    assert capsys.readouterr().err == ""
    key.unlink()
    assert secret() != changed


@pytest.mark.parametrize("spoil", ["others read it", "damaged", "a link", "no folder"])
def test_a_key_that_others_may_know_is_not_used(
    spoil: str, tmp_path: Path, passwords: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    key = tmp_path / "state" / "avh_ui" / "sessions.key"
    if spoil == "no folder":
        (tmp_path / "state").write_text("")
    else:
        remembering(access_of(auth=passwords), tmp_path, passwords)
    if spoil == "others read it":
        key.chmod(0o644)
    elif spoil == "damaged":
        key.write_text("0" * 63)
    elif spoil == "a link":
        key.rename(key.with_name("other"))
        key.symlink_to("other")
    secrets = [remembering(access_of(auth=passwords), tmp_path, passwords).secret for _ in range(2)]
    assert secrets[0] != secrets[1]
    assert f"{key} " in (said := capsys.readouterr().err)
    assert "everybody logs in again after a restart" in said


def test_where_nobody_logs_in_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    remembering(access_of(), tmp_path, None)
    assert list(tmp_path.iterdir()) == []
