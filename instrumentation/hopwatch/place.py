"""Where Kubernetes says that this process runs, by the variables that a pod's specification fills in (its "downward API")."""

import zlib
from collections.abc import Mapping

PLACE = {
    "namespace": "K8S_NAMESPACE_NAME",
    "pod": "K8S_POD_NAME",
    "container": "K8S_CONTAINER_NAME",
    "node": "K8S_NODE_NAME",
    "owner": "K8S_OWNER",
}
"""``owner``: kind and name of the workload, like ``StatefulSet/feed``."""

LONGEST = 253
"""Characters of a name of Kubernetes."""
LONGEST_HOST = 240
"""Bytes of a host's name as a part of a path, where all but letters, digits and ``-._~`` are three: file systems allow 255."""
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def place_in(values: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """What is known, as pairs; nothing where no pod's specification says anything."""
    told = ((name, values.get(variable, "")) for name, variable in PLACE.items())
    return tuple((name, value[:LONGEST]) for name, value in told if value)


def host_called(name: str) -> str:
    """The host's name, or its beginning and a checksum where it is too long for a folder to be called after it."""
    if _bytes_in_a_path(name) <= LONGEST_HOST:
        return name
    checksum = f"-{zlib.crc32(name.encode(errors='replace')):08x}"
    beginning = name[:LONGEST_HOST]
    while _bytes_in_a_path(beginning) + len(checksum) > LONGEST_HOST:
        beginning = beginning[:-1]
    return beginning + checksum


def _bytes_in_a_path(name: str) -> int:
    return sum(
        1 if character in _PLAIN else 3 * len(character.encode(errors="replace")) for character in name
    )
