"""What the page is not told, or does not show, is said to be so."""

import itertools
from pathlib import Path

from agent_process import AgentProcess, eventually
from live_page import LivePage, in_detail
from many_sockets import ManySockets
from playwright.sync_api import expect
from written_sockets import WrittenSockets

PUSHED = 2_000
LEFT_OUT = 40


def test_events_that_there_is_no_room_for_are_counted(agent: AgentProcess, open_page) -> None:
    sockets = WrittenSockets(agent.journal)
    identity = sockets.open("quotes", "PUB")
    live: LivePage = open_page(agent)
    expect(live.page.locator("#feed li")).not_to_have_count(0)
    for port in range(1, 601):
        sockets.writer.event("bind", socket=identity, endpoint=f"tcp://127.0.0.1:{port}")
    feed = live.page.locator("#feed li")
    expect(feed.first).to_contain_text("bind tcp://127.0.0.1:600")
    expect(feed.last).to_contain_text("left out here; /v1/events has the newest of them")
    oldest = int(str(live.page.locator("#feed li:not(.left-out)").last.get_attribute("data-key")))
    earlier = [event["id"] for event in agent.get("/v1/events?limit=1000") if event["id"] < oldest]
    expect(feed.last).to_contain_text(f"{len(earlier)} earlier events left out")
    sockets.close()


@in_detail
def test_of_sockets_that_are_left_out_it_is_not_known_how_they_do(agent: AgentProcess, open_page) -> None:
    many = ManySockets(agent.journal, PUSHED + LEFT_OUT)
    eventually(lambda: agent.get("/v1/status")["sockets"] == PUSHED + LEFT_OUT, 60)
    live: LivePage = open_page(agent)
    expect(live.page.locator("#shown")).to_have_text(f"{PUSHED + LEFT_OUT:,} sockets")
    notice = live.page.locator("#notices .warning", has_text="left out of what is pushed")
    times = itertools.count(1)

    def none_loses() -> bool:
        many.move(next(times))
        return "and none of them loses or is pressed" in "".join(notice.all_inner_texts())

    eventually(none_loses, 60)
    assert live.page.locator("#table tr.unknown").count() == 0

    def all_lose() -> None:
        onsets = next(times)
        for number in range(many.count):
            writer, slot = many.writers[number // 64], number % 64
            writer.set_counters(many.id_of(number), slot, sent=onsets * number, onsets=onsets)

    def is_not_known() -> bool:
        all_lose()
        losing = f"LOSING: {PUSHED + LEFT_OUT:,} sockets" in live.verdict.inner_text()
        unknown = "and how they are doing is not known just now" in "".join(notice.all_inner_texts())
        return losing and unknown

    eventually(is_not_known, 60)
    live.page.locator("#filter").fill("feed-0001")
    all_lose()
    expect(live.cell("feed-0001", "state")).to_have_text("not told")
    expect(live.cell("feed-0001", "state")).to_have_attribute(
        "title", "one of so many sockets that move that this one is left out of what is pushed"
    )
    expect(notice).to_have_count(0)
    expect(live.cell("feed-0001", "state")).to_have_text("quiet")
    many.close()


@in_detail
def test_what_is_missing_is_counted_on_when_sockets_are_forgotten(
    agent: AgentProcess, tmp_path: Path, open_page
) -> None:
    agent.terminate()
    agent.set("HOPWATCH_AGENT_MAX_SOCKETS", "10")
    agent.start()
    sockets = WrittenSockets(agent.journal)
    sockets.open("quotes", "PUB")
    for number in range(4):
        sockets.open(f"screen-{number}", "SUB")
    live: LivePage = open_page(agent)
    for number in range(4):
        sockets.lack(f"screen-{number}", "quotes", 1, 10)
    missing = live.page.locator("[data-figure=lost] .value")
    expect(missing).to_have_text("40")
    for number in range(4):
        sockets.close_socket(f"screen-{number}", lost=10)
    expect(live.page.locator("#shown")).to_have_text("3 sockets")
    expect(live.page.locator("#table tr.closed")).to_have_count(2)
    expect(missing).to_have_text("40")
    sockets.close()


def test_where_nothing_is_numbered_it_is_not_said_that_nothing_was_lost(
    agent: AgentProcess, open_page
) -> None:
    sockets = WrittenSockets(agent.journal)
    sockets.open("quotes", "PUB")
    live: LivePage = open_page(agent)
    expect(live.verdict).to_have_text(
        'Quiet: 1 socket, and losses are not counted: nothing numbered (sequence="stamp") has come here.'
    )
    screen = sockets.open("screen", "SUB")
    about = {"stream": sockets.ids["quotes"], "lane": 0, "slot": [0, 0], "topic": ""}
    sockets.writer.event("lane", socket=screen, **about)
    expect(live.verdict).to_have_text("Quiet: 2 sockets, nothing lost just now.")
    sockets.close()
