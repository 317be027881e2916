"""Which connection is told of, and by which names, where agents tell of both its ends."""

from datetime import datetime, timezone

import pytest
from hopwatch_console.addresses import address_in
from hopwatch_console.connection_records import Connection, Ended, PlaceOfMessages, Tcp, Waiting
from hopwatch_console.connection_text import (
    ends_of,
    messages_wait,
    round_trip_text,
    waiting_text,
    waits_for_text,
    why_down,
)
from hopwatch_console.errors import AgentError
from hopwatch_console.fleet.board import Board
from hopwatch_console.fleet.connected import Connected, connected, told_once
from hopwatch_console.fleet.picture import AgentPicture, Contact, Phase, Picture
from hopwatch_console.records import Socket

NOW = datetime(2026, 1, 2, tzinfo=timezone.utc)
BOUND, CALLER = "10.0.0.1:5556", "10.0.0.2:40000"
SENT = Waiting(
    3, 9, (PlaceOfMessages("sender", 9, "quotes", 1000), PlaceOfMessages("receiver", 9, "desk", 0))
)


def at_publisher(**known: object) -> Connection:
    ends = {"local": BOUND, "remote": CALLER, "peer": "02", "peer_name": "desk"}
    return told("01", "quotes", **{**ends, **known})


def at_subscriber(**known: object) -> Connection:
    ends = {"local": CALLER, "remote": BOUND, "peer": "01", "peer_name": "quotes"}
    return told("02", "desk", **{**ends, **known})


def told(socket: str, name: str, **known: object) -> Connection:
    return Connection(socket, name, "tcp://10.0.0.1:5556", **{"state": "ready", "connection": 1, **known})  # type: ignore[arg-type]


def items(*agents: tuple[Connection, ...], sockets: tuple[Socket, ...] = ()) -> list[Connected]:
    """Of agents that tell of these."""
    here = Contact(Phase.HERE, NOW)
    pictures = (
        AgentPicture(address_in(f"host-{number}"), here, sockets=sockets, connections=connections)
        for number, connections in enumerate(agents)
    )
    return connected(Picture(NOW, tuple(pictures)))


def test_of_two_ends_that_one_agent_tells_of_it_is_the_sender_that_is_told() -> None:
    ends = at_subscriber(waiting=SENT), at_publisher(waiting=SENT)
    for order in (ends, ends[::-1]):
        assert [ends_of(item) for item in told_once(items(order))] == ["quotes - desk"]


def test_two_connections_between_the_same_sockets_are_two() -> None:
    other = "10.0.0.2:40001"
    both = (
        at_publisher(),
        at_publisher(remote=other, connection=2),
        at_subscriber(),
        at_subscriber(local=other),
    )
    assert len(told_once(items(both))) == 2


def test_a_connection_that_is_down_does_not_hide_the_one_that_is_up_again() -> None:
    both = at_publisher(state="disconnected"), at_publisher(connection=2), at_subscriber(connection=2)
    assert [item.connection.state for item in told_once(items(both))] == ["disconnected", "ready"]


def test_connections_of_which_one_end_is_known_are_told_each() -> None:
    alone = (at_publisher(peer=None), at_publisher(peer=None, connection=2))
    assert len(told_once(items(alone))) == 2


def test_the_other_end_is_named_by_another_agent_where_its_addresses_tell() -> None:
    unnamed = {"peer": None, "peer_name": None}
    apart = items((at_publisher(**unnamed),), (at_subscriber(**unnamed),))
    assert [ends_of(item) for item in told_once(apart)] == ["quotes - desk", "desk - quotes"]


def test_sockets_of_one_name_are_told_apart_by_their_types() -> None:
    sockets = Socket("01", "app", "XPUB"), Socket("02", "app", "SUB")
    waiting = Waiting(3, 9, (PlaceOfMessages("sender", 9, "app"), PlaceOfMessages("receiver", 9, "app")))
    at_sender = told("01", "app", local=BOUND, remote=CALLER, peer="02", peer_name="app", waiting=waiting)
    at_receiver = told("02", "app", local=CALLER, remote=BOUND, peer="01", peer_name="app", waiting=waiting)
    for ends in ((at_sender, at_receiver), (at_receiver, at_sender)):
        assert [ends_of(item) for item in told_once(items(ends, sockets=sockets))] == [
            "app (XPUB) - app (SUB)"
        ]


def test_where_messages_may_be_is_told_with_what_bounds_them() -> None:
    kernel = PlaceOfMessages("kernel", 4, bytes=12_300)
    waiting = Waiting(3, 9, (SENT.places[0], kernel, SENT.places[1]))
    assert waiting_text(at_publisher(waiting=waiting)) == (
        "at least 3, at most 9 messages wait: up to 9 in the pipe of quotes (its mark: 1,000),"
        " about 4 in the kernel's buffers (12 kB), up to 9 in the pipe of desk (its mark: none)"
    )
    assert waiting_text(at_publisher(waiting=Waiting(1, 1))) == "1 message waits"
    assert waiting_text(at_publisher(waiting=Waiting(0, 0, SENT.places))) == "0 messages wait"
    assert waiting_text(at_publisher()) == ""


@pytest.mark.parametrize(
    ("limited_by", "says"),
    [
        ("network", "messages wait for the network (the kernel: 3 segments again)"),
        ("receiver", "messages wait for an end that does not read (the kernel: 3 segments again)"),
        ("neither", ""),
        ("unknown", ""),
        ("of-a-newer-agent", ""),
    ],
)
def test_what_the_messages_wait_for_is_told_where_the_kernel_says_it(limited_by: str, says: str) -> None:
    connection = at_publisher(tcp=Tcp(limited_by=limited_by, evidence=("3 segments again",)))
    assert waits_for_text(connection) == says
    assert messages_wait(connection) is bool(says)


def test_the_way_is_told_where_the_kernel_knows_it() -> None:
    assert round_trip_text(at_publisher(tcp=Tcp(rtt_us=1500))) == "rtt 1.5 ms"
    assert (
        round_trip_text(at_publisher(tcp=Tcp(rtt_us=1500, retransmissions=2)))
        == "rtt 1.5 ms, 2 retransmissions"
    )
    assert round_trip_text(at_publisher(tcp=Tcp(retransmissions=2))) == ""
    assert round_trip_text(at_publisher()) == ""


def test_why_one_is_down_is_what_the_agent_found_or_else_what_libzmq_said() -> None:
    assert (
        why_down(at_publisher(reason="refused", ended=Ended("closed", "desk was closed")))
        == "desk was closed"
    )
    assert why_down(at_publisher(reason="Connection refused")) == "Connection refused"
    assert why_down(at_publisher()) == ""


def test_of_an_agent_that_is_away_nothing_waits_and_what_has_ended_has_ended() -> None:
    board = Board(address_in("host"), NOW)
    ended = Ended("died", "the process of desk died")
    board.connections = at_publisher(waiting=SENT), at_publisher(state="disconnected", ended=ended)
    board.is_away(NOW, AgentError("gone", "it has broken off", "ask again"), NOW)
    up, down = board.picture().connections
    assert (up.state, up.waiting) == ("unknown", None)
    assert (down.state, down.ended) == ("disconnected", ended)
