"""Proxies that nobody watches: what is lost there is lost between their neighbours, and why is told only as far as those saw it."""

from typing import Any

import pytest
from system import System

pytestmark = pytest.mark.scenario

SMALL_INBOX = ("--rcvhwm", 10, "--rcvbuf", 4096)
ROOMY = ("--rcvhwm", 10_000)


def test_what_a_proxy_that_nobody_watches_dropped_is_said_to_be_lost_between_its_neighbours(
    system: System, when_told
) -> None:
    dark, frontend, backend = system.proxy("dark", "--dark", "--out-hwm", 300)
    quotes = system.sender("quotes", "--connect", frontend, "--sndhwm", 10_000)
    slow = system.receiver("slow", "--connect", backend, "--subscribe", "", "--delay", 0.004, *SMALL_INBOX)
    fast = system.receiver("fast", "--connect", backend, "--subscribe", "", *ROOMY)
    quotes.ask("await-subscriptions", 3, event="subscribed")
    quotes.ask("send", 2500, 0.0005, event="sent")
    for receiver in (slow, fast):
        receiver.ask("finish", event="finished")
    for program in (quotes, slow, fast):
        program.close()
    dark.terminate_at_rest()

    truth = system.truth()
    lost = len(truth.missing("quotes", "slow"))
    assert lost > 0
    assert not truth.missing("quotes", "fast")

    def is_lost_between_them(report: dict[str, Any]) -> None:
        missing = {row["receiver_name"]: row["lost"] + row["unexplained"] for row in report["ledger"]}
        assert missing == {"slow": lost, "fast": 0}
        assert {hop["hop"] for hop in report["hops"] if hop["unexplained"]} == {"quotes → slow"}
        assert report["incidents"] == []  # quotes met no full pipe, and who did is not watched
        (found,) = [item for item in report["findings"] if item["rule"] == "unknown_way"]
        assert found["text"].startswith(
            "The messages of quotes reach fast and one other by a way that no event"
        )
        assert found["advice"].startswith("Instrument who stands between them")

    when_told(is_lost_between_them)


def test_a_burst_that_a_publisher_had_no_room_for_is_lost_between_it_and_who_is_behind_a_dark_proxy(
    system: System, when_told
) -> None:
    dark, frontend, backend = system.proxy("dark", "--dark", "--in-hwm", 10, "--out-hwm", 10_000)
    quotes = system.sender("quotes", "--connect", frontend, "--sndhwm", 20, "--size", 500)
    desk = system.receiver("desk", "--connect", backend, "--subscribe", "", *ROOMY)
    quotes.ask("await-subscriptions", 2, event="subscribed")
    quotes.ask("send", 100, 0.01, event="sent")
    quotes.ask("send", 3000, 0, event="sent")
    desk.ask("finish", event="finished")
    quotes.ask("send", 100, 0.01, event="sent")
    desk.ask("finish", event="finished")
    for program in (quotes, desk):
        program.close()
    dark.terminate_at_rest()

    lost = len(system.truth().missing("quotes", "desk"))
    assert lost > 0

    def is_lost_between_them(report: dict[str, Any]) -> None:
        (row,) = report["ledger"]
        assert (row["lost"], row["unexplained"]) == (lost, 0)
        (incident,) = report["incidents"]
        assert (incident["hop"], incident["certainty"]) == ("quotes → desk", "inferred")
        assert incident["cause"] in {"hwm_too_low", "slow_receiver"}
        assert "between" in {item["kind"] for item in incident["evidence"]}
        assert incident["advice"][0].startswith("Instrument who stands between quotes and desk")

    when_told(is_lost_between_them)


def test_what_found_no_room_while_a_dark_proxy_was_away_is_lost_as_a_connection_was_down(
    system: System, when_told
) -> None:
    roomy = ("--dark", "--in-hwm", 10_000, "--out-hwm", 10_000)
    dark, frontend, backend = system.proxy("dark", *roomy)
    quotes = system.sender("quotes", "--connect", frontend, "--sndhwm", 200)
    names = ("near", "far")
    receivers = [system.receiver(name, "--connect", backend, "--subscribe", "", *ROOMY) for name in names]
    quotes.ask("await-subscriptions", 3, event="subscribed")
    quotes.ask("send", 100, 0.002, event="sent")
    for receiver in receivers:
        receiver.ask("finish", event="finished")
    dark.sigkill()
    quotes.ask("send", 1000, 0.001, event="sent")
    # else it passes on what quotes has kept before both receivers are back
    places = ("--bind", frontend, backend, "--await-subscriptions", 3)
    again, _, _ = system.proxy("dark", *roomy, *places)
    quotes.ask("send", 1500, 0.002, event="sent")
    for receiver in receivers:
        receiver.ask("finish", event="finished")
    for program in (quotes, *receivers):
        program.close()
    again.terminate_at_rest()

    truth = system.truth()
    missing = {name: len(truth.missing("quotes", name)) for name in names}
    assert all(count > 500 for count in missing.values())
    assert all(("", 2599) in truth.got(name, "quotes") for name in names)

    def is_lost_around_the_disconnection(report: dict[str, Any]) -> None:
        told = {row["receiver_name"]: (row["lost"], row["unexplained"]) for row in report["ledger"]}
        assert told == {name: (count, 0) for name, count in missing.items()}
        assert {(i["hop"], i["cause"], i["certainty"]) for i in report["incidents"]} == {
            (f"quotes → {name}", "reconnect", "inferred") for name in names
        }
        # nobody knows whom either end is connected to
        assert all("If quotes is bound" in " ".join(i["advice"]) for i in report["incidents"])

    when_told(is_lost_around_the_disconnection)
