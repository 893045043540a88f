"""`avh keys`: signing keys."""

from __future__ import annotations

from pathlib import Path

import click

from avh_ui.cli.options import json_option, workspace_option
from avh_ui.cli.output import print_json, say


@click.group("keys")
def command() -> None:
    """Make keys that sign what is published."""


@command.command("new")
@click.argument("name", default="signing")
@workspace_option()
@json_option
def new(name: str, root: Path, as_json: bool) -> None:
    """Make an Ed25519 key pair in the workspace's keys folder; nothing is overwritten.

    NAME.key is private and readable by its owner alone; give NAME.pub to whoever verifies.
    """
    from avh_ui.bootstrap import key_ring

    ring = key_ring(root)
    signer = ring.generate(name)
    if as_json:
        print_json({"name": name, "folder": str(ring.folder), "public_key": signer.public_key})
        return
    say(f"Made {ring.folder / name}.key and .pub; programs are signed with it from now on. Keep the .key secret.")
    say(f"Public key: {signer.public_key}")
