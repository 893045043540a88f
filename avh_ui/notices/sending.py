"""One try to hand a notice over: a signed post to a webhook, or a mail."""

from __future__ import annotations

import hashlib
import hmac
import smtplib
import ssl
import time
from email.message import EmailMessage
from functools import partial
from http.client import HTTPException, InvalidURL
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from avh_ui.config_notify import Notice
from avh_ui.version import __version__

# Worth another try, as is every answer from 500 on: the server has no time, or a proxy before it.
_LATER = frozenset({408, 425, 429})
_NO_URL = "its address is no URL with http:// or https://, or has a login or a blank in it"


class NotTakenError(Exception):
    """A notice that was not taken, and why; `again`: another try may help."""

    def __init__(self, why: str, *, again: bool) -> None:
        super().__init__(why)
        self.again = again


class _Stays(HTTPRedirectHandler):
    """Follows no redirect: a post would become a get, and the body go where nobody meant."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Nothing to ask instead: the answer stands."""
        return


def post(url: str, body: bytes, secret: str, seconds: float) -> None:
    """Post a body; `NotTakenError`.

    With a secret the headers `X-Avh-Timestamp` (seconds since 1970) and `X-Avh-Signature` (`sha256=` and the HMAC-SHA256, in hexadecimal
    digits, of timestamp, a full stop and the body) prove who sent it.
    """
    if urlsplit(url).scheme.lower() not in ("http", "https"):
        raise NotTakenError(_NO_URL, again=False)
    headers = {"Content-Type": "application/json", "User-Agent": f"avh_ui/{__version__}"}
    if secret:
        stamp = str(int(time.time()))
        headers |= {"X-Avh-Timestamp": stamp, "X-Avh-Signature": signature(secret, stamp, body)}
    try:
        with build_opener(_Stays).open(Request(url, body, headers, method="POST"), timeout=seconds):
            return
    except HTTPError as error:
        error.close()
        raise NotTakenError(f"it answered {error.code} {error.reason}", again=error.code in _LATER or error.code >= 500) from error
    except (ValueError, InvalidURL) as error:
        # What Python says of a wrong URL quotes it, and it may be a secret.
        raise NotTakenError(_NO_URL, again=False) from error
    except (OSError, HTTPException) as error:
        _refuse_untrusted(urlsplit(url).hostname, getattr(error, "reason", None))
        raise NotTakenError(f"it cannot be reached ({getattr(error, 'reason', None) or error})", again=True) from error


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """What a receiver compares (in constant time) with the header `X-Avh-Signature`."""
    return "sha256=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def mail(notice: Notice, subject: str, text: str, login: tuple[str, str], seconds: float) -> None:
    """Send a mail; `login` is a user and a password, both empty for none. `NotTakenError`."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = notice.sender, ", ".join(notice.email), subject
    message.set_content(text)
    parts = urlsplit(notice.smtp)
    # Without a context smtplib takes any certificate: the login would go to whoever stands between.
    trusted = ssl.create_default_context()
    kind = partial(smtplib.SMTP_SSL, context=trusted) if parts.scheme == "smtps" else smtplib.SMTP
    try:
        with kind(parts.hostname or "", parts.port or 0, timeout=seconds) as server:
            if parts.scheme == "starttls":
                server.starttls(context=trusted)
            if login[0]:
                server.login(*login)
            server.send_message(message)
    except smtplib.SMTPResponseException as error:
        said = error.smtp_error.decode("utf-8", "replace") if isinstance(error.smtp_error, bytes) else error.smtp_error
        raise NotTakenError(f"{parts.hostname} answered {error.smtp_code} {said}", again=400 <= error.smtp_code < 500) from error
    except smtplib.SMTPRecipientsRefused as error:
        raise NotTakenError(f"{parts.hostname} refuses {', '.join(error.recipients)}", again=False) from error
    except (OSError, smtplib.SMTPException) as error:
        _refuse_untrusted(parts.hostname, error)
        raise NotTakenError(f"{parts.hostname} cannot be reached ({error})", again=True) from error


def _refuse_untrusted(host: str | None, why: object) -> None:
    """`NotTakenError` where the certificate of a receiver is nobody's that this machine trusts; another try shows the same."""
    if isinstance(why, ssl.SSLCertVerificationError):
        remedy = "add its authority to those of this machine, or name a file with it in SSL_CERT_FILE"
        raise NotTakenError(f"the certificate of {host} is not trusted ({why.verify_message}): {remedy}", again=False) from why
