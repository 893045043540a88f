"""The standard forms of what is signed: RFC 8785 and DSSE, by their own examples."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from hypothesis import example, given

from avh_ui.cli.main import cli
from avh_ui.constraints.codec import program_to_record
from avh_ui.constraints.dsse import PROGRAM, envelope, program_message, signed_message
from avh_ui.constraints.plain_data import canonical_bytes, canonical_json, to_plain
from avh_ui.constraints.program import Program
from avh_ui.errors import UsageError
from avh_ui.store.program_files import ProgramFiles
from avh_ui.store.signing import KeyRing
from tests.fakes.builders import constraint, program
from tests.unit.constraints.strategies import DATA


def test_the_canonical_form_is_that_of_the_rfc() -> None:
    """RFC 8785, section 3.2.2: names by UTF-16 code units, numbers as ECMAScript writes them."""
    document = json.loads('{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 1e-27], "string": "\\u20ac$\\u000F\\u000aA\'", "a": 1.0}')
    expected = '{"a":1,"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'"}'
    assert canonical_bytes(document) == expected.encode("utf-8")


@given(DATA)
@example(2**53 + 1)
@example(6.467737751480779e16)
def test_no_two_documents_share_a_form(data: object) -> None:
    """Whoever reads the form has the document, those that the RFC has no form for (half a surrogate pair, 2**53) among them."""
    document = {"a": to_plain(data), "b": ["\ud800", 2**53]}
    assert json.loads(canonical_bytes(document)) == document
    plain = {"a": to_plain(data)}
    form = canonical_bytes(plain)
    # All numbers of the RFC are doubles.
    read = json.loads(form) if form == canonical_json(plain).encode() else json.loads(form, parse_int=float)
    assert read == plain


def test_what_is_signed_is_dsse_s_own_example() -> None:
    """The protocol's test vector."""
    assert signed_message("http://example.com/HelloWorld", b"hello world", standard=True) == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )


def published(tmp_path: Path) -> Program:
    keys = KeyRing(tmp_path / "keys")
    keys.generate()
    made = program(constraints=(constraint(column="café", upper=1e22),))
    return ProgramFiles(str(tmp_path / "programs"), keys=keys).publish(made)


def test_an_envelope_is_checked_by_whoever_knows_dsse(tmp_path: Path) -> None:
    made = published(tmp_path)
    found = envelope(made)
    payload = base64.b64decode(found["payload"])
    assert json.loads(payload)["constraints"][0]["column"] == "café"
    assert hashlib.sha256(payload).hexdigest() == made.sha256
    raw = base64.b64decode(made.public_key)
    [signature] = found["signatures"]
    assert signature["keyid"] == hashlib.sha256(raw).hexdigest()
    kind = found["payloadType"].encode()
    message = b" ".join([b"DSSEv1", str(len(kind)).encode(), kind, str(len(payload)).encode(), payload])
    key = Ed25519PublicKey.from_public_bytes(raw)
    key.verify(base64.b64decode(signature["sig"]), message)
    with pytest.raises(InvalidSignature):
        key.verify(base64.b64decode(signature["sig"]), message.replace(b"caf", b"cab"))


def test_a_program_without_such_a_signature_has_no_envelope() -> None:
    with pytest.raises(UsageError, match="not signed"):
        envelope(program())
    with pytest.raises(UsageError, match="which is no DSSE"):
        envelope(program(format=1, signature="x", public_key="y"))


def test_format_1_signs_what_it_always_did() -> None:
    made = program_to_record(program(format=1))
    hashed = "263c02cf07639b6904cc0641db70e62ef2008da7c50dffd41dee7ca90460f4e6"
    assert program_message(made) == b"avh_ui program sha256 " + hashed.encode()
    assert program_message(made | {"format": 2}).startswith(b"DSSEv1 ")


def test_the_command_prints_the_envelope(tmp_path: Path) -> None:
    made = published(tmp_path)
    (tmp_path / "avh.yml").write_text("pipelines:\n  p: {source: {format: csv, path: '{batch}.csv'}}\n")
    done = CliRunner().invoke(cli, ["programs", "show", "p", "--envelope", "-w", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output) == envelope(made)
    assert json.loads(done.output)["payloadType"] == PROGRAM
