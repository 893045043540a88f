"""What is signed, as DSSE says (Dead Simple Signing Envelope, version 1): the bytes of a document with the name of their kind.

A signature of a program can never stand for anything else that the same key signs, and every tool that knows DSSE can check it.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from avh_ui.constraints.codec import document_content, program_to_record
from avh_ui.constraints.program import Program
from avh_ui.errors import UsageError

PROGRAM, HEAD = "application/vnd.avh-ui.program+json", "application/vnd.avh-ui.program-head+json"
# Of format 1, which signs a hash behind these words.
_BEFORE_HASH = {PROGRAM: "avh_ui program sha256 ", HEAD: "avh_ui program head sha256 "}


def signed_message(kind: str, content: bytes, *, standard: bool) -> bytes:
    """The bytes to sign for a document's canonical content: DSSE's pre-authentication encoding, or what format 1 signed."""
    if standard:
        return b"DSSEv1 %d %s %d %s" % (len(kind), kind.encode("ascii"), len(content), content)
    return (_BEFORE_HASH[kind] + hashlib.sha256(content).hexdigest()).encode("ascii")


def program_message(document: dict[str, Any]) -> bytes:
    """The bytes to sign for a program's document."""
    return signed_message(PROGRAM, document_content(document), standard=document["format"] > 1)


def envelope(program: Program) -> dict[str, Any]:
    """The envelope of a signed program, its key named by the SHA-256 of its 32 bytes; `UsageError` when there is none."""
    name = f"Version {program.version} of {program.pipeline!r}"
    if not program.signature:
        raise UsageError(f"{name} is not signed.", hint="Make a key with `avh keys new`, then publish again.")
    if program.format == 1:
        raise UsageError(f"{name} is signed as release 0.1 did it, which is no DSSE.", hint="Publish it again.")
    content = document_content(program_to_record(program))
    key_id = hashlib.sha256(base64.b64decode(program.public_key)).hexdigest()
    signatures = [{"keyid": key_id, "sig": program.signature}]
    return {"payload": base64.b64encode(content).decode("ascii"), "payloadType": PROGRAM, "signatures": signatures}
