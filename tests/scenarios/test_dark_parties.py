"""Parties that nobody watches, or only by sums: what is known of them is what their neighbours saw, and no loss is made up."""

from typing import Any

import pytest
from programs import Program
from system import LOOPBACK, System

pytestmark = pytest.mark.scenario

SMALL_INBOX = ("--rcvhwm", 10, "--rcvbuf", 4096)
DARK = ("--sequence", "dark")
SUMS_ONLY = ("--sequence", "none")
NUMBERED = ("--sequence", "payload")
"""By numbers that the messages carry anyway: a stamp is one frame more for who is not watched."""
SENT = 2000


def fed(system: System, sending: tuple[str, ...], receiving: dict[str, tuple[object, ...]]) -> None:
    """A PUB sends to SUBs of these names, until each has got what it gets."""
    quotes = system.sender("quotes", "--bind", LOOPBACK, "--sndhwm", 300, *sending)
    [endpoint] = quotes.expect("ready")
    receivers: list[Program] = [
        system.receiver(name, "--connect", endpoint, "--subscribe", "", *how)
        for name, how in receiving.items()
    ]
    quotes.ask("await-subscriptions", 1 + len(receivers), event="subscribed")
    quotes.ask("send", SENT, 0.0005, event="sent")
    for receiver in receivers:
        receiver.ask("finish", event="finished")
    for program in (quotes, *receivers):
        program.close()


def lost_in(report: dict[str, Any]) -> dict[str | None, int]:
    return {row["receiver_name"]: row["lost"] + row["unexplained"] for row in report["ledger"]}


def test_of_a_receiver_that_nobody_watches_no_loss_is_told_and_its_neighbours_books_are_true(
    system: System, when_told
) -> None:
    slow = ("--delay", 0.004, *SMALL_INBOX)
    receiving = {"dark": (*slow, *DARK), "slow": (*slow, *NUMBERED), "fast": ("--rcvhwm", 10_000, *NUMBERED)}
    fed(system, NUMBERED, receiving)
    truth = system.truth()
    lost = len(truth.missing("quotes", "slow"))
    assert lost > 0
    assert truth.missing("quotes", "dark")

    def is_told_of_the_watched_alone(report: dict[str, Any]) -> None:
        assert {name: lost for name, lost in lost_in(report).items() if name is not None} == {
            "slow": lost,
            "fast": 0,
        }
        assert {(i["hop"], i["cause"], i["lost"]) for i in report["incidents"]} == {
            ("quotes → slow", "slow_receiver", lost)
        }

    when_told(is_told_of_the_watched_alone)


def test_beside_a_slow_receiver_that_nobody_watches_it_is_not_said_that_nothing_is_lost(
    system: System, when_told
) -> None:
    slow = ("--delay", 0.004, *SMALL_INBOX)
    fed(system, NUMBERED, {"dark": (*slow, *DARK), "fast": ("--rcvhwm", 10_000, *NUMBERED)})
    truth = system.truth()
    assert truth.missing("quotes", "dark")
    assert not truth.missing("quotes", "fast")

    def is_told_as_somebodys(report: dict[str, Any]) -> None:
        assert lost_in(report)["fast"] == 0
        assert report["incidents"] == []
        (found,) = (item for item in report["findings"] if item["rule"] == "full_for_somebody_unknown")
        assert found["text"].startswith("quotes met a full pipe")

    when_told(is_told_as_somebodys)


def test_what_comes_from_a_sender_that_nobody_watches_is_not_checked(system: System, when_told) -> None:
    fed(system, DARK, {"desk": ("--delay", 0.004, *SMALL_INBOX)})
    truth = system.truth()
    assert truth.missing("quotes", "desk")

    def is_not_checked(report: dict[str, Any]) -> None:
        assert report["ledger"] == report["incidents"] == []
        (told,) = report["not_checked"]
        assert (told["reason"], told["receiver_name"]) == ("unknown_sender", "desk")
        assert told["received"] == len(truth.got("desk", "quotes"))

    when_told(is_not_checked)


def test_sockets_that_only_count_all_their_messages_are_told_what_is_missing_at_most(
    system: System, when_told
) -> None:
    fed(system, SUMS_ONLY, {"desk": ("--delay", 0.004, *SMALL_INBOX, *SUMS_ONLY)})
    missing = len(system.truth().missing("quotes", "desk"))
    assert missing > 0

    def is_not_checked(report: dict[str, Any]) -> None:
        assert report["ledger"] == report["incidents"] == []
        (told,) = report["not_checked"]
        assert (told["reason"], told["name"], told["receiver_name"]) == ("unstamped", "quotes", "desk")
        assert (told["sent"], told["received"], told["missing_at_most"]) == (SENT, SENT - missing, missing)

    when_told(is_not_checked)
