"""Ports for servers that are told where to listen."""

import random
import socket


def free_ports(count: int) -> list[int]:
    """Ports that are free, as are those 10,000 higher, where SeaweedFS's services speak gRPC.

    None of them is one that a connection may be given, so that they are still free after a kill.
    """
    found: list[int] = []
    for port in random.sample(range(12_000, 22_000), 200):
        if all(_is_free(each) for each in (port, port + 10_000)):
            found.append(port)
        if len(found) == count:
            return found
    raise AssertionError("no ports are free")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
