"""Who is connected, who has gone and why, and how many messages wait."""

import signal

import pytest
from trouble_books import Report
from trouble_stories import CONNECTIONS, Plays, Shown, Story, Told
from troubles import Trouble, address, eventually, waiting_on

pytestmark = pytest.mark.scenario

SHORT = 16


def three_subscribers(trouble: Trouble) -> None:
    host = address()
    trouble.start("publisher", "fast_publisher.py", host, SHORT, 0.005)
    for name in ("ann", "bob", "cem"):
        trouble.start(name, "slow_subscriber.py", host, 0.02)


STARTS = (three_subscribers,)


def test_who_is_connected_who_went_and_how_many_messages_are_in_the_queue(
    plays: Plays, told: Told, shown: Shown
) -> None:
    """By the FAQ none of the three can be known."""
    trouble = plays["three_subscribers"]
    publisher = trouble.programs["publisher"]
    readers = {name: trouble.programs[name] for name in ("ann", "bob", "cem")}
    for reader in readers.values():
        reader.await_received(20)

    def connected() -> dict[str, str]:
        return {
            one["peer_name"]: one["state"]
            for one in trouble.ask("/v1/connections")
            if one["socket_name"] == "publisher"
        }

    eventually(lambda: connected() == dict.fromkeys(readers, "ready"), "not all connections are told")
    for one in trouble.ask("/v1/connections"):
        assert one["host"] == f"{trouble.system.mark}desk".removeprefix(trouble.system.mark)
        assert one["since"] is not None
    lacking = {name: publisher.sent()[-1] - reader.received()[-1] for name, reader in readers.items()}
    eventually(
        lambda: all(_counted(trouble, name, lacking[name]) for name in readers), "the queues are not told"
    )
    pub = ("publisher", "PUB")
    queues = "in the pipe of publisher", "in the kernel's buffers"
    ready = ("ann ready", "bob ready", "cem ready")
    row = (CONNECTIONS, r"ready +publisher +cem ")
    shown(trouble, Story((*ready, *queues), of=pub, drops=False, top=row))

    readers["bob"].end()
    readers["cem"].end(signal.SIGKILL)

    def gone(what: str) -> dict[str, str]:
        return {
            one["peer_name"]: one["ended"][what] for one in trouble.ask("/v1/connections") if one["ended"]
        }

    eventually(
        lambda: set(gone("how")) == {"bob", "cem"} and "unknown" not in gone("how").values(),
        "who went is not told",
    )
    assert gone("how")["cem"] == "died"
    assert gone("how")["bob"] in {"closed", "exited"}
    assert connected()["ann"] == "ready"
    died = f"the process of cem (pid {readers['cem'].pid}) died without a word"
    row = (CONNECTIONS, r"disconnected +publisher +cem .*the process of cem")
    shown(trouble, Story(("ann ready", died, gone("text")["bob"]), of=pub, top=row))

    publisher.end()
    readers["ann"].end()
    sent = publisher.sent()
    received = {name: reader.received() for name, reader in readers.items()}

    def each_is_told_of(report: Report) -> None:
        rows = {row["receiver_name"]: row for row in report["ledger"]}
        assert {name: row["delivered"] for name, row in rows.items()} == {
            name: len(numbers) for name, numbers in received.items()
        }
        assert rows["ann"]["sent"] == len(sent)
        died = [
            one
            for one in report["incidents"]
            if one["hop"] == "publisher → cem" and one["cause"] != "slow_joiner"
        ]
        assert {one["cause"] for one in died} == {"receiver_died"}

    told(trouble, each_is_told_of)


def _counted(trouble: Trouble, name: str, lacking: int) -> bool:
    """What waits for a reader is within what it lacks of what was sent, and no less than it lacked before."""
    had = len(trouble.programs[name].received())
    waiting = waiting_on(trouble, name)
    sent = len(trouble.programs["publisher"].sent())
    return (
        waiting is not None
        and 0 < waiting["at_least"] <= waiting["at_most"]
        and waiting["at_least"] <= sent - had
        and waiting["at_most"] >= lacking
    )
