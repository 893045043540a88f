"""Notices over TLS go to receivers whose certificate this machine trusts, and to no other: neither the login nor the text of a notice."""

from __future__ import annotations

import datetime
import ipaddress
import re
import socketserver
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from avh_ui.config_notify import Notice
from avh_ui.notices.sending import NotTakenError, mail, post


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of 127.0.0.1, signed by itself, and its key in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name, now = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")]), datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    held = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(held + made.public_bytes(serialization.Encoding.PEM))
    return path


@contextmanager
def receiver(certificate: Path, kind: str) -> Iterator[tuple[str, list[str]]]:
    """A server that hangs up after the first line that it was told in secret: its URL, and these lines."""
    heard: list[str] = []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            if kind == "starttls":
                plain = self.request.makefile("rwb", buffering=0)
                for answer in (b"220 here\r\n", b"250-here\r\n250 STARTTLS\r\n"):
                    plain.write(answer)
                    plain.readline()
                plain.write(b"220 go\r\n")
            with suppress(OSError), context.wrap_socket(self.request, server_side=True) as secret:
                file = secret.makefile("rwb", buffering=0)
                file.write(b"220 here\r\n" if kind == "smtps" else b"")
                heard.append(file.readline().decode())

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"{kind}://127.0.0.1:{server.server_address[1]}", heard
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def send(url: str) -> str:
    """Hand a notice over, and why it was not taken."""
    receiver = Notice(email=("a@example.org",), sender="b@example.org", smtp=url.replace("https", "smtps"))
    with pytest.raises(NotTakenError) as raised:
        post(url, b"{}", "", 5.0) if url.startswith("https") else mail(receiver, "subject", "text", ("ann", "s3cret"), 5.0)
    return f"{raised.value}, again: {raised.value.again}"


@pytest.mark.parametrize("kind", ["https", "starttls", "smtps"])
def test_only_who_is_trusted_hears_anything(certificate: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver(certificate, kind) as (url, heard):
        assert re.fullmatch(r"the certificate of 127\.0\.0\.1 is not trusted \(self-signed .*SSL_CERT_FILE, again: False", send(url))
        assert heard == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert send(url).startswith("it cannot be reached" if kind == "https" else "127.0.0.1 cannot be reached")
        assert [line.split(" ")[0].lower() for line in heard] == ["post" if kind == "https" else "ehlo"]
