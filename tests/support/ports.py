"""Ports for servers that are told where to listen."""

import random
import socket

_claims: list[socket.socket] = []
"""Kept for as long as this process runs."""


def free_ports(count: int) -> list[int]:
    """Return ports that are free, as are those 10,000 higher, where SeaweedFS's services speak gRPC.

    None of them is one that a connection may be given, so that they are still free after a kill.
    No other process gets them from here: each is claimed by a name that the kernel gives to one process at a time.
    """
    found: list[int] = []
    for port in random.sample(range(12_000, 22_000), 200):
        if _is_claimed_here(port) and all(_is_free(each) for each in (port, port + 10_000)):
            found.append(port)
        if len(found) == count:
            return found
    raise AssertionError("no ports are free")


def _is_claimed_here(port: int) -> bool:
    """Claim it, unless somebody has. The name is an abstract one, which no file outlives."""
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0hopwatch-test-port-{port}")
    except OSError:
        claim.close()
        return False
    _claims.append(claim)
    return True


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
