"""Stories of which only the means are written: who is connected to whom is drawn, and which ends and ways have which trouble."""

from collections.abc import Callable
from functools import partial

from hopwatch_simulate.connections import Connection
from hopwatch_simulate.parties import Party
from hopwatch_simulate.proxied_ways import Middle, behind, end_all, feed_into, hub, join
from hopwatch_simulate.telling import QUICK, Publisher, Subscriber, Teller

COUNTED = 5.0
"""Seconds into a story after which all that was passed on has been, and counted, for long."""
MARKS = (50, 100)
TROUBLED_READERS = 0.4
TROUBLED_WAYS = 0.25


def drawn_tree(tell: Teller) -> None:
    """One or two PUBs before a tree of one to four proxies, with readers anywhere on it. Readers may be slow, late, or both; cut off for a while, killed, or
    leave, slow ones too; ways between proxies may be cut off for a while.
    """
    hubs, ways = _tree(tell)
    feeds = [feed_into(tell, hubs[0]) for _ in range(tell.chance.randint(1, 2))]
    stay: list[Publisher | Subscriber] = [*feeds]
    for middle in _places(tell, hubs, ways):
        _draw_reader(tell, middle, stay)
    for connection, after in ways:
        if tell.chance.random() < TROUBLED_WAYS:
            _cut_for_a_while(tell, connection, partial(_topics_of, after))
    for feed in feeds:
        tell.sends(feed, tell.steady(0.8, tell.chance.randint(1200, 1600), 0.001))
    tell.at(COUNTED - 0.1, lambda: end_all(tell, COUNTED, hubs, *stay))


def _tree(tell: Teller) -> tuple[list[Middle], list[tuple[Connection, Middle]]]:
    """Proxies, the first of which is the root, and what connects each other one to one that was there before."""
    hubs = [hub(tell, out_hwm=tell.chance.choice(MARKS))]
    ways = []
    for _ in range(tell.chance.randint(0, 3)):
        after = hub(tell, out_hwm=tell.chance.choice(MARKS))
        ways.append((join(tell, tell.chance.choice(hubs), after), after))
        hubs.append(after)
    return hubs, ways


def _places(tell: Teller, hubs: list[Middle], ways: list[tuple[Connection, Middle]]) -> list[Middle]:
    """The proxies that readers are to be connected to, each as often as it has readers: one at least that nothing is behind."""
    inner = {end.socket.process for connection, after in ways for end in connection.ends} - {
        after[0].process for _, after in ways
    }
    found = []
    for middle in hubs:
        fewest = 0 if middle[0].process in inner else 1
        found += [middle] * tell.chance.randint(fewest, 2)
    return found


def _draw_reader(tell: Teller, middle: Middle, stay: list[Publisher | Subscriber]) -> None:
    """A reader, what becomes of it, and whether it is there to the end: then it is put among those that ``stay``."""
    if tell.chance.random() >= TROUBLED_READERS:
        stay.append(behind(tell, middle, QUICK))
        return
    reads = partial(behind, tell, middle, QUICK)
    if tell.chance.random() < 0.5:
        service = tell.world.between(0.003, 0.005)
        reads = partial(behind, tell, middle, service, options={"rcvhwm": 10}, wire=tell.wire(10))
    what = tell.chance.choice(["stays", "late", "cut", "killed", "leaves"])
    if what == "late":
        tell.at(tell.world.between(0.9, 1.6), lambda: stay.append(reads()))
        return
    reader = reads()
    if what in ("killed", "leaves"):
        goes = Party.kill if what == "killed" else Party.leave
        tell.at(tell.world.between(1.2, 1.8), lambda: goes(reader.party))
        return
    stay.append(reader)
    if what == "cut":
        _cut_for_a_while(tell, reader.party.connections[0], lambda: reader.inlet.filtered)


def _cut_for_a_while(tell: Teller, connection: Connection, topics: Callable[[], set[bytes]]) -> None:
    breaks = tell.world.between(1.0, 1.5)
    tell.at(breaks, connection.cut)
    tell.at(breaks + tell.world.between(0.1, 0.5), lambda: connection.come_up(topics()))


def _topics_of(middle: Middle) -> set[bytes]:
    return set(middle[1].topics)
