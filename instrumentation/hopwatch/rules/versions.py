"""libzmq versions that nobody has tried hopwatch's statements on."""

from hopwatch.finding import Finding
from hopwatch.rules.setup import Kind, Moment, SetUp

OLDEST_TRIED = (4, 3)


def old_libzmq(setup: SetUp, moment: Moment) -> Finding | None:
    """An older libzmq than the ones whose behaviour the findings, causes and advice were tried on."""
    if moment.kind is not Kind.WRAPPED or setup.libzmq >= OLDEST_TRIED:
        return None
    version = ".".join(map(str, setup.libzmq))
    return Finding(
        rule="old_libzmq",
        text=f"This process has libzmq {version}; what hopwatch says of marks, handshakes and drops was tried on libzmq 4.3 only.",
        advice="Use the wheels of pyzmq, which bring a libzmq of their own, or a libzmq of 4.3 or newer.",
    )
