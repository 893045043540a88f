"""What the options of `avh review` name: a provider of identities in a file, and the networks of proxies."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from urllib.parse import urlsplit

from avh_ui.errors import ConfigError, UsageError, nearest
from avh_ui.ui.access.access import Oidc


def read_oidc(path: Path) -> Oidc:
    """A provider from a JSON file of `Oidc`'s fields; `ConfigError` says which is missing, unknown or no address."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path} cannot be read as JSON: {error}.") from error
    known = {field.name for field in fields(Oidc)}
    needed = known - {"user_key", "scope"}
    if not isinstance(found, dict) or not all(isinstance(value, str) and value for value in found.values()):
        raise ConfigError(f"{path} should hold a text for each of {', '.join(sorted(needed))}.")
    if unknown := sorted(found.keys() - known):
        raise ConfigError(f"{path} has an unknown field {unknown[0]!r}.", hint=nearest(unknown[0], known))
    if missing := sorted(needed - found.keys()):
        raise ConfigError(f"{path} does not say {', '.join(missing)}.")
    for name in ("authorize_url", "token_url", "user_url"):
        parts = urlsplit(found[name])
        local = parts.hostname in ("localhost", "127.0.0.1", "::1")
        if not (parts.scheme == "https" and parts.hostname) and not (parts.scheme == "http" and local):
            raise ConfigError(f"{name} of {path} is {found[name]!r}: a provider of identities is reached by https://.")
    return Oidc(**found)


def networks(addresses: Iterable[str]) -> tuple[IPv4Network | IPv6Network, ...]:
    """Addresses or networks (`10.0.0.0/8`); `UsageError` for what is neither."""
    try:
        return tuple(ip_network(address) for address in addresses)
    except ValueError as error:
        raise UsageError(
            f"--trusted-proxy: {error}.", hint="Give an address such as 127.0.0.1, or a network such as 10.0.0.0/8."
        ) from error
