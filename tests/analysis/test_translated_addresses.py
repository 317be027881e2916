"""Connections of which neither end sees the other's address belong together if they came up together, and went down together."""

import pytest
from landed_folder import LandedFolder
from stories import Json, incidents, row

pytestmark = [pytest.mark.spark, pytest.mark.timeout(900)]

BOUND = "tcp://0.0.0.0:7200"
OF_FEED = "10.4.0.2:7200"


def read_over_a_service(
    story: LandedFolder,
    feed: str,
    reader: str,
    number: int,
    *,
    up: tuple[float, float],
    down: float | None,
    sent: int,
) -> None:
    """A reader calls a service's address; its feed sees a gateway call. ``up``: when the feed and the reader saw it come up."""
    service = f"10.96.0.{number}:7200"
    story.subscribe(reader, "")
    story.one_end(
        reader, up[1], f"10.4.0.{number}:30001", service, endpoint=f"tcp://{service}", accepted=False
    )
    caller = f"10.4.0.1:4100{number}"
    story.one_end(feed, up[0], OF_FEED, caller, endpoint=BOUND, accepted=True)
    if down is not None:
        ends = {"local": OF_FEED, "remote": caller, "endpoint": BOUND, "accepted": True}
        counts = {"connection": story.connections, "sent": sent, "received": 0}
        story.add("connection", feed, down, action="disconnected", **ends, **counts)


def one_of_two_is_killed(story: LandedFolder) -> None:
    """They came up within a millisecond, in an order that their clocks tell wrongly; the feed sends on."""
    story.socket("service", "PUB", closed=61, host="server")
    story.add("endpoint", "service", 0, action="bind", endpoint=BOUND)
    story.socket("stays", "SUB", closed=60, host="server")
    story.socket("falls", "SUB", host="client")
    read_over_a_service(story, "service", "stays", 5, up=(0.1006, 0.1010), down=60.002, sent=6000)
    read_over_a_service(story, "service", "falls", 6, up=(0.1010, 0.1001), down=30.0, sent=3000)
    story.killed("falls", 30.6)
    for second in range(1, 61):
        story.sent("service", second * 100, second, final=False)
    story.sent("service", 6000, 61)
    story.got("stays", "service", 6000, 0, 5999, 60, newest=59.99)
    story.got("falls", "service", 2900, 0, 2899, 30, newest=28.99, final=False)


def two_are_killed_whose_clock_is_ahead(story: LandedFolder) -> None:
    """They came up within a millisecond, and went down within a second; the clock of their host is a second and a half ahead of the feed's."""
    story.socket("lighthouse", "PUB", closed=61, host="server")
    story.add("endpoint", "lighthouse", 0, action="bind", endpoint=BOUND)
    killed = {"matins": (7, (0.1006, 1.6010), 20.0, 2000), "vespers": (8, (0.1010, 1.6001), 20.9, 2090)}
    for reader, (number, up, down, sent) in killed.items():
        story.socket(reader, "SUB", host="ahead")
        read_over_a_service(story, "lighthouse", reader, number, up=up, down=down, sent=sent)
        story.killed(reader, down + 2.1)
        story.got(
            reader, "lighthouse", sent - 100, 0, sent - 101, down + 1.5, newest=down - 1.01, final=False
        )
    for second in range(1, 61):
        story.sent("lighthouse", second * 100, second, final=False)
    story.sent("lighthouse", 6000, 61)


def one_comes_in_place_of_another_whose_clock_is_behind(story: LandedFolder) -> None:
    """A PUSH calls a service, at which a second worker takes over from one that was killed: their clock is 3 s behind, so that the first
    connection is nearer in time to the second worker.
    """
    hopper, place, service = "hopper", "10.4.7.20:7300", "10.96.0.70:7300"
    story.socket(hopper, "PUSH", closed=40, host="mill")
    story.add("endpoint", hopper, 0, action="connect", endpoint=f"tcp://{service}")
    workers = (("first-stone", 5.0, 41020), ("second-stone", 9.5, 41021))
    for worker, up, port in workers:
        story.socket(
            worker, "PULL", opened=up - 3.1, closed=None if worker == "first-stone" else 38, host="behind"
        )
        story.add("endpoint", worker, up - 3.1, action="bind", endpoint="tcp://0.0.0.0:7300")
        ends = {"local": f"10.4.6.2:{port}", "remote": service, "endpoint": f"tcp://{service}"}
        story.one_end(hopper, up, accepted=False, **ends)
        if worker == "first-stone":
            numbers = {"connection": story.connections, "sent": 104, "received": 0, "accepted": False}
            story.add("connection", hopper, 8.6, action="disconnected", **ends, **numbers)
        bound = {"local": place, "remote": f"10.4.9.1:{port + 9000}", "endpoint": "tcp://0.0.0.0:7300"}
        story.one_end(worker, up - 3, accepted=True, **bound)
    story.killed("first-stone", 5.9)
    story.sent(hopper, 200, 20)
    story.got("first-stone", hopper, 103, 0, 102, 5.5, newest=8.4, final=False)
    story.got("second-stone", hopper, 96, 104, 199, 18, newest=20)


def one_between_gets_nothing(story: LandedFolder) -> None:
    """Of three that call a service, the second subscribes to nothing and goes; the third comes when much has been sent. The first loses a hundred later."""
    story.socket("bells", "PUB", closed=61, host="server")
    story.add("endpoint", "bells", 0, action="bind", endpoint=BOUND)
    for reader, number, up, down in (
        ("early-ear", 41, 0.1, None),
        ("no-ear", 42, 2.0, 3.0),
        ("late-ear", 43, 6.0, None),
    ):
        story.socket(reader, "SUB", closed=62 if down is None else down, host="choir")
        read_over_a_service(story, "bells", reader, number, up=(up, up), down=down, sent=300)
    story.sent("bells", 6000, 60)
    story.got("early-ear", "bells", 5900, 0, 5999, 60.5, newest=60)
    story.gap("early-ear", "bells", 3000, 3099, (30, 31), received=3001)
    story.onset("bells", 3000, 30)
    story.got("late-ear", "bells", 5400, 600, 5999, 60.5, newest=60)


def one_reconnects_before_its_first_message(story: LandedFolder) -> None:
    """A message every other second; the connection of the second to come is cut before it got any, and the one that is sent meanwhile is lost."""
    story.socket("foghorn", "PUB", closed=61, host="server")
    story.add("endpoint", "foghorn", 0, action="bind", endpoint=BOUND)
    story.socket("pilot", "SUB", closed=62, host="harbour")
    read_over_a_service(story, "foghorn", "pilot", 44, up=(0.5, 0.5), down=None, sent=0)
    story.socket("skipper", "SUB", closed=62, host="harbour")
    read_over_a_service(story, "foghorn", "skipper", 45, up=(10.0, 10.0), down=11.0, sent=5)
    read_over_a_service(story, "foghorn", "skipper", 46, up=(11.6, 11.6), down=None, sent=6)
    story.sent("foghorn", 30, 59.3)
    story.got("pilot", "foghorn", 30, 0, 29, 60, newest=59.3)
    story.got("skipper", "foghorn", 24, 6, 29, 60, newest=59.3)


def behind_a_proxy_by_another_address(story: LandedFolder) -> None:
    """Of two readers of a proxy one is reached at a service's address and port: nothing tells that it is the proxy that it reads from."""
    story.socket("coiner", "PUB", closed=61, sndhwm=100)
    story.socket("vault-front", "XSUB", closed=70)
    story.socket("vault-back", "XPUB", closed=70, probed=False)
    story.proxy("vault", "vault-front", "vault-back")
    story.link("vault-front", "coiner")
    story.socket("teller-near", "SUB", closed=60)
    story.socket("teller-far", "SUB", closed=60, host="client")
    story.link("vault-back", "teller-near")
    for reader in ("teller-near", "teller-far"):
        story.subscribe(reader, "")
        story.gap(reader, "coiner", 100, 199, (1, 2))
        story.got(reader, "coiner", 5900, 0, 5999, 60, newest=59.99)
    service = "10.96.0.9:5293"
    story.one_end("teller-far", 0.1, "10.4.0.9:30001", service, endpoint=f"tcp://{service}", accepted=False)
    story.one_end(
        "vault-back", 0.1, "127.0.0.1:5555", "10.4.0.1:41009", endpoint="tcp://127.0.0.1:5555", accepted=True
    )
    story.onset("coiner", 100, 1)
    story.sent("coiner", 6000, 61)


def full_pipe(
    story: LandedFolder, feed: str, caller: str, *, seen_as: str | None = None, host: str = "client"
) -> None:
    """Half of what was sent was dropped at a full pipe, while the kernel at the feed said that the window of the other end was full."""
    reader, service = f"{feed}-reader", "10.96.0.20:7200"
    story.socket(feed, "PUB", closed=50, sndhwm=10, host="server")
    story.socket(reader, "SUB", closed=60, rcvhwm=10, host=host)
    story.subscribe(reader, "")
    story.one_end(reader, 0.1, caller, service, endpoint=f"tcp://{service}", accepted=False)
    story.one_end(feed, 0.1, OF_FEED, seen_as or caller, endpoint=BOUND, accepted=True)
    story.tcp(feed, 9, "receiver")
    story.sent(feed, 1000, 40)
    story.got(reader, feed, 500, 0, 999, 45)
    story.sampled(feed, 100, 599, (10, 32))
    story.gap(reader, feed, 100, 599, (10, 32), received=101)
    story.onset(feed, 100, 10)


def full_pipes(story: LandedFolder) -> None:
    full_pipe(story, "by-gateway", "10.4.0.20:30001", seen_as="10.4.0.1:41020")
    full_pipe(story, "by-neighbour", "10.4.0.21:30001", seen_as="10.4.0.1:41021", host="server")
    full_pipe(story, "by-itself", "10.4.0.22:30001")


STORIES = (
    one_of_two_is_killed,
    two_are_killed_whose_clock_is_ahead,
    one_comes_in_place_of_another_whose_clock_is_behind,
    one_between_gets_nothing,
    one_reconnects_before_its_first_message,
    behind_a_proxy_by_another_address,
    full_pipes,
)


def test_what_a_known_receiver_lost_is_not_told_again_of_one_that_may_stand_behind_it(
    joint_report: Json,
) -> None:
    assert [(hop, lost) for hop, _, _, lost in incidents(joint_report, "coiner")] == [("coiner → vault", 100)]
    assert row(joint_report, "coiner", "teller-near")["lost"] == 100
    far = row(joint_report, "coiner", "teller-far")
    assert (far["lost"], far["unexplained"]) == (0, 100)


def test_of_two_that_came_up_at_once_each_is_the_one_that_went_down_with_its_other_end(
    joint_report: Json,
) -> None:
    killed = row(joint_report, "service", "falls")
    assert (killed["sent"], killed["delivered"]) == (3000, 2900)
    assert incidents(joint_report, "service") == [("service → falls", "receiver_died", "exact", 100)]
    assert row(joint_report, "service", "stays")["lost"] == 0


def test_of_two_that_came_up_at_once_each_is_the_one_that_lasted_as_long_whatever_their_clocks_say(
    joint_report: Json,
) -> None:
    told = {reader: row(joint_report, "lighthouse", reader) for reader in ("matins", "vespers")}
    assert {certainty for _, _, certainty, _ in incidents(joint_report, "lighthouse")} == {"inferred"}
    assert {reader: (each["sent"], each["lost"]) for reader, each in told.items()} == {
        "matins": (2000, 100),
        "vespers": (2090, 100),
    }


def test_who_got_nothing_sent_before_a_connection_went_down_was_not_there_whatever_clocks_say(
    joint_report: Json,
) -> None:
    told = {worker: row(joint_report, "hopper", worker) for worker in ("first-stone", "second-stone")}
    assert {worker: (each["sent"], each["lost"]) for worker, each in told.items()} == {
        "first-stone": (104, 1),
        "second-stone": (96, 0),
    }
    assert [(cause, lost) for _, cause, _, lost in incidents(joint_report, "hopper")] == [
        ("receiver_died", 1)
    ]


def test_who_got_nothing_takes_nobodys_connection_away(joint_report: Json) -> None:
    assert row(joint_report, "bells", "early-ear")["causes"] == {"slow_receiver": 100}
    assert row(joint_report, "bells", "late-ear")["causes"] == {"slow_joiner": 600}


def test_who_reconnects_before_its_first_message_has_both_its_connections(joint_report: Json) -> None:
    assert row(joint_report, "foghorn", "pilot")["lost"] == 0
    assert "exact" not in {certainty for _, _, certainty, _ in incidents(joint_report, "foghorn")}


@pytest.mark.parametrize("feed", ["by-gateway", "by-neighbour"])
def test_whose_window_was_full_is_not_known_where_somebody_between_may_have_taken_what_was_sent(
    joint_report: Json, feed: str
) -> None:
    assert incidents(joint_report, feed) == [(f"{feed} → {feed}-reader", "slow_receiver", "inferred", 500)]
    assert "tcp" not in kinds_of_evidence(joint_report, feed)


def test_it_is_the_readers_where_its_feed_sees_its_address(joint_report: Json) -> None:
    assert incidents(joint_report, "by-itself") == [
        ("by-itself → by-itself-reader", "slow_receiver", "exact", 500)
    ]
    assert "tcp" in kinds_of_evidence(joint_report, "by-itself")


def kinds_of_evidence(report: Json, feed: str) -> set[str]:
    told = [item for item in report["incidents"] if item["hop"].startswith(f"{feed} →")]
    return {evidence["kind"] for incident in told for evidence in incident["evidence"]}
