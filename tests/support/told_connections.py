"""Connections in landed folders made by hand, of which each end tells for itself: who was killed tells nothing of its end."""

from dataclasses import dataclass

from landed_folder import LandedFolder

ENDPOINT = "tcp://127.0.0.1:5555"
BOUND = "127.0.0.1:5555"
PEERS = {"PUB": "SUB", "PUSH": "PULL"}


@dataclass(frozen=True)
class End:
    """When a socket was closed, or its process found dead; else it is open."""

    closed: float | None = None
    killed: float | None = None


OPEN = End()


class ToldConnection:
    """A TCP connection between a bound socket and one that connected to it. ``sent``: the ``sender``'s count by then, which is the bound
    one, if it is not said.
    """

    def __init__(
        self, story: LandedFolder, bound: str, connecting: str, up: float = 0.1, sent: int = 0, *,
        sender: str | None = None,
    ) -> None:  # fmt: skip
        story.ports += 1
        story.connections += 1
        self._story, self._bound, self._connecting = story, bound, connecting
        self._sender = sender or bound
        self._number, self._caller = story.connections, f"127.0.0.1:{story.ports}"
        for end in (bound, connecting):
            self._tell(end, "connected", up, sent)

    def down(self, seconds: float, sent: int = 0, *, told_by: str | None = None) -> None:
        """It went down, as both ends tell, or one."""
        for end in (told_by,) if told_by else (self._bound, self._connecting):
            self._tell(end, "disconnected", seconds, sent)

    def _tell(self, end: str, action: str, seconds: float, sent: int) -> None:
        accepted = end == self._bound
        addresses = (BOUND, self._caller) if accepted else (self._caller, BOUND)
        self._story.add(
            "connection", end, seconds, action=action, connection=self._number, endpoint=ENDPOINT,
            accepted=accepted, sent=sent if end == self._sender else 0, received=0, n=int(seconds * 1000) + 2,
            local=addresses[0], remote=addresses[1],
        )  # fmt: skip


def sampled(
    story: LandedFolder, stream: str, rate: int, until: int, *, lane: int = 0, topic: str = ""
) -> None:
    """Samples of a sender's lane at a steady rate, one each second."""
    for second in range(1, until + 1):
        story.sent(stream, second * rate, second, lane=lane, topic=topic, final=False)


def proxied(
    story: LandedFolder, pub: str, sub: str, *, closed: float | None = None, unread: bool | None = False,
    host: str = "box", probed: bool = True,
) -> tuple[ToldConnection, ToldConnection]:  # fmt: skip
    """A PUB on a host, a proxy called ``hub of PUB`` and a SUB; the connections before and behind the proxy. ``probed``: whether the PUB tells of its full pipes."""
    front, back = f"{pub}-front", f"{pub}-back"
    story.socket(pub, "PUB", host=host, probed=probed)
    story.socket(front, "XSUB")
    story.socket(back, "XPUB", probed=False)
    story.proxy(f"hub of {pub}", front, back)
    story.socket(sub, "SUB", closed=closed, unread=unread)
    story.subscribe(sub, "")
    return ToldConnection(story, front, pub), ToldConnection(story, back, sub)


def meet(story: LandedFolder, bound: str, *connecting: str, endpoint: str) -> None:
    """One is bound where the others connect to."""
    story.add("endpoint", bound, 0, action="bind", endpoint=endpoint)
    for socket in connecting:
        story.add("endpoint", socket, 0, action="connect", endpoint=endpoint)


def local_connection(
    story: LandedFolder, end: str, endpoint: str, up: float, down: float | None = None, *,
    accepted: bool = True, sent: int = 0,
) -> None:  # fmt: skip
    """A connection over ipc, as one of its ends tells of it: without addresses."""
    story.connections += 1
    about = {"connection": story.connections, "endpoint": endpoint, "accepted": accepted}
    for action, seconds in (("connected", up), ("disconnected", down)):
        if seconds is not None:
            story.add(
                "connection", end, seconds, action=action, **about, sent=sent, received=0,
                n=int(seconds * 1000) + 2,
            )  # fmt: skip
