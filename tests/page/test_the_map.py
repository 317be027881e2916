"""The map marks the ways on which messages were lost, as far as it is known which ways these are."""

import itertools
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_process import AgentProcess, eventually
from analysed_proxy import behind_a_proxy, publish, told_behind_the_proxy
from live_page import LivePage, in_detail
from playwright.sync_api import expect
from written_sockets import WrittenSockets

PROXY = ("quotes → relay-in", "relay-in → relay-out", "relay-out → screen")


@pytest.fixture
def sockets(agent: AgentProcess) -> Iterator[WrittenSockets]:
    sockets = WrittenSockets(agent.journal)
    yield sockets
    sockets.close()


def two_senders(sockets: WrittenSockets) -> None:
    for name, kind in (("quotes", "PUB"), ("trades", "PUB"), ("screen", "SUB")):
        sockets.open(name, kind)
    for name in ("quotes", "trades"):
        sockets.connect("screen", name)


def marked(live: LivePage) -> dict[str, str]:
    """What the ways are marked as, those aside that are not."""
    ways: list[tuple[list[str], str]] = live.page.locator("#map-picture [data-way]").evaluate_all(
        "ways => ways.map(way => [way.dataset.way.split('\\n\\n').map(key => key.split('\\n')[0]), way.getAttribute('class')])"
    )
    found = {f"{ends[0]} → {ends[1]}": kind.split() for ends, kind in ways}
    return {way: kind[1] for way, kind in found.items() if set(kind) & {"losing", "somewhere", "pressed"}}


def expect_marked(live: LivePage, wanted: dict[str, str]) -> None:
    """It is so within some time."""
    ways = live.page.locator("#map-picture .losing[data-way], #map-picture .somewhere[data-way]")
    expect(ways).to_have_count(len(wanted))
    assert marked(live) == wanted


def test_of_two_senders_only_the_way_from_the_one_that_lost_is_marked(
    agent: AgentProcess, sockets: WrittenSockets, open_page
) -> None:
    two_senders(sockets)
    live: LivePage = open_page(agent)
    sockets.lack("screen", "trades", 5, 9)
    expect_marked(live, {"trades → screen": "losing"})
    told = live.page.locator("#map-picture .hop.losing title")
    why = "screen lacks messages of trades: they were lost on this way just now"
    expect(told).to_have_text(why)
    expect(live.page.locator("#map-losses li")).to_have_text([why])


@in_detail
def test_a_full_pipe_of_one_sender_does_not_mark_the_way_of_another(
    agent: AgentProcess, sockets: WrittenSockets, open_page
) -> None:
    two_senders(sockets)
    live: LivePage = open_page(agent)
    sockets.meet_full_pipe("quotes", 5)
    expect_marked(live, {"quotes → screen": "losing"})


@in_detail
def test_of_two_receivers_only_the_way_to_the_one_that_lacks_what_met_the_full_pipe_is_marked(
    agent: AgentProcess, sockets: WrittenSockets, open_page
) -> None:
    for name, kind in (("quotes", "PUB"), ("screen", "SUB"), ("log", "SUB")):
        sockets.open(name, kind)
    for name in ("screen", "log"):
        sockets.connect(name, "quotes")
    live: LivePage = open_page(agent)
    sockets.meet_full_pipe("quotes", 5)
    expect_marked(live, {"quotes → screen": "somewhere", "quotes → log": "somewhere"})
    sockets.lack("log", "quotes", 5, 9)
    expect_marked(live, {"quotes → log": "losing"})


def test_behind_a_proxy_the_whole_way_is_marked_where_nobody_knows_the_hop(
    agent: AgentProcess, sockets: WrittenSockets, open_page
) -> None:
    behind_a_proxy(sockets)
    live: LivePage = open_page(agent)
    sockets.lack("screen", "quotes", 5, 9)
    expect_marked(live, dict.fromkeys(PROXY, "somewhere"))
    told = live.page.locator("#map-picture .hop.somewhere title").first
    expect(told).to_contain_text("lost somewhere between the two just now, on a way or in a proxy")
    expect(live.page.locator("#map-losses li")).to_have_count(1)
    expect(live.page.locator("#map .legend")).to_contain_text(
        "lost somewhere on these ways: on which is not known here"
    )


@in_detail
def test_a_full_pipe_met_where_the_gap_is_tells_that_it_was_before_the_proxy(
    agent: AgentProcess, sockets: WrittenSockets, open_page
) -> None:
    behind_a_proxy(sockets)
    live: LivePage = open_page(agent)
    sockets.meet_full_pipe("quotes", 5)
    sockets.lack("screen", "quotes", 5, 9)
    expect_marked(live, {PROXY[0]: "losing"})
    sockets.lack("screen", "quotes", 20, 29)
    expect_marked(live, {PROXY[0]: "losing", PROXY[1]: "somewhere", PROXY[2]: "somewhere"})


def test_an_analysis_tells_which_hop_it_was(
    agent: AgentProcess, sockets: WrittenSockets, open_page, tmp_path: Path
) -> None:
    behind_a_proxy(sockets)
    agent.terminate()
    (tmp_path / "report").mkdir()
    agent.start("--report", str(tmp_path / "report"))
    live: LivePage = open_page(agent)
    sockets.lack("screen", "quotes", 5, 9)
    expect_marked(live, dict.fromkeys(PROXY, "somewhere"))
    [gap] = agent.get("/v1/events?kind=gap")
    publish(told_behind_the_proxy(sockets, gap["at"]), tmp_path / "report")
    numbers = itertools.count(20, 20)

    def its_hop_alone_is_marked() -> bool:
        first = next(numbers)
        sockets.lack("screen", "quotes", first, first + 9)
        return marked(live) == {PROXY[2]: "losing"}

    eventually(its_hop_alone_is_marked)


@in_detail
def test_what_is_lost_of_a_sender_elsewhere_is_marked_on_the_way_from_there_alone(
    agent: AgentProcess, sockets: WrittenSockets, open_page
) -> None:
    two_senders(sockets)
    ends = {"local": "127.0.0.1:41000", "remote": "10.0.0.9:5000", "endpoint": "tcp://10.0.0.9:5000"}
    sockets.writer.event(
        "connected", socket=sockets.ids["screen"], connection=9, accepted=False, sent=0, received=0, **ends
    )
    sockets.ids["elsewhere"] = "00000000000000e1"
    live: LivePage = open_page(agent)
    expect(live.page.locator("#map-picture .hop")).to_have_count(3)
    sockets.lack("screen", "elsewhere", 5, 9)
    expect_marked(live, {"elsewhere → screen": "somewhere"})


@in_detail
def test_a_sender_that_has_ended_keeps_its_name_until_it_is_back(
    agent: AgentProcess, sockets: WrittenSockets, open_page
) -> None:
    sockets.open("quotes", "PUB")
    sockets.open("screen", "SUB")
    ends = sockets.connect("screen", "quotes")
    live: LivePage = open_page(agent)
    boxes = live.page.locator("#map-picture .box")
    expect(boxes).to_have_count(2)
    sockets.close_socket("quotes")
    sockets.lose_connection("screen", *ends)
    expect(boxes.locator(".about", has_text="PUB · ended")).to_have_count(1)
    expect(boxes.locator(".name")).to_have_text(["quotes", "screen"])
    expect(live.page.locator("#map-picture .hop.down")).to_have_count(1)
    sockets.open("quotes", "PUB")
    sockets.connect("screen", "quotes")
    expect(live.page.locator("#map-picture .hop.down")).to_have_count(0)
    expect(boxes.locator(".about", has_text="ended")).to_have_count(0)
    expect(boxes).to_have_count(2)


@in_detail
@pytest.mark.parametrize("receiver", ["alpha", "screen"])
def test_a_way_that_is_down_is_drawn_whichever_name_comes_first(
    agent: AgentProcess, sockets: WrittenSockets, open_page, receiver: str
) -> None:
    sockets.open("quotes", "PUB")
    sockets.open(receiver, "SUB")
    local, remote = sockets.connect(receiver, "quotes")
    sockets.lose_connection(receiver, local, remote)
    sockets.lose_connection("quotes", remote, local, accepted=True)
    live: LivePage = open_page(agent)
    way = live.page.locator("#map-picture [data-way]")
    expect(way).to_have_count(1)
    expect(way).to_have_class(re.compile(r"\bdown\b"))


def test_what_was_heard_of_long_ago_does_not_say_where_something_is_lost_now(
    silent_agent: AgentProcess, open_page
) -> None:
    live: LivePage = open_page(silent_agent)
    told = """async () => {
        const { RecentLosses } = await import('/page/js/recent_losses.js');
        const losses = new RecentLosses();
        const gap = { kind: 'gap', at: '2026-01-01T00:00:00Z', values: { socket: 'a', action: 'gap' } };
        losses.note(gap);
        const fresh = losses.of('a').length;
        losses.bySocket.get('a')[0].heardAt -= 20000;
        return [fresh, losses.of('a').length];
    }"""
    assert live.page.evaluate(told) == [1, 0]


def test_of_a_thousand_ways_each_route_is_found_at_once_and_those_through_proxies_too(
    silent_agent: AgentProcess, open_page
) -> None:
    live: LivePage = open_page(silent_agent)
    told = """async () => {
        const { Routes } = await import('/page/js/routes.js');
        const way = (from, to, inside = false, both = false) => ({ from, to, inside, both });
        const ways = [...Array(1000).keys()].map(n => way('feed', `reader-${n}`));
        const proxied = [way('feed', 'in'), way('in', 'out', true), way('out', 'reader-7'), way('asker', 'answerer', false, true)];
        const routes = new Routes([...ways, ...proxied]);
        const names = (from, to) => routes.between(from, to).map(route => route.map(edge => `${edge.from} ${edge.to}`).join(', '));
        return [names('feed', 'reader-3'), names('feed', 'reader-7'), names('answerer', 'asker'), names('reader-3', 'feed'), routes.onward.get('feed').on.length];
    }"""
    assert live.page.evaluate(told) == [
        ["feed reader-3"],
        ["feed reader-7", "feed in, in out, out reader-7"],
        ["asker answerer"],
        [],
        1,
    ]


@in_detail
@pytest.mark.parametrize("width", [1280, 390])
def test_it_is_as_large_as_it_can_be_read_however_long_the_way_is(
    agent: AgentProcess, sockets: WrittenSockets, open_page, width: int
) -> None:
    way = ("quotes", "relay-in", "relay-out", "edge-in", "edge-out", "screen")
    for name, kind in zip(way, ("PUB", "XSUB", "XPUB", "XSUB", "XPUB", "SUB"), strict=True):
        sockets.open(name, kind)
    for number in (1, 3):
        sockets.proxy(f"proxy-{number}", way[number], way[number + 1])
    for number in (0, 2, 4):
        sockets.connect(way[number + 1], way[number])
    live: LivePage = open_page(agent, width=width)
    expect(live.page.locator("#map-picture .hop")).to_have_count(5)
    picture = live.page.locator("#map-picture svg")
    assert picture.evaluate("svg => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width") == 1
    assert live.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    last = live.page.locator("#map-picture .box[data-group^=screen]")
    last.focus()
    expect(last).to_be_in_viewport()


@in_detail
def test_a_way_through_a_proxy_is_seen_whole_at_a_desk(
    agent: AgentProcess, sockets: WrittenSockets, open_page
) -> None:
    behind_a_proxy(sockets)
    live: LivePage = open_page(agent)
    expect(live.page.locator("#map-picture .hop")).to_have_count(3)
    assert live.page.locator("#map-picture").evaluate("place => place.scrollWidth <= place.clientWidth")
    boxes = live.page.locator("#map-picture .box")
    counted_at = time.monotonic()

    def tells_a_high_rate() -> bool:
        nonlocal counted_at
        before, counted_at = counted_at, time.monotonic()
        sockets.count("relay-in", proxied_in_frames=int(300_000 * (counted_at - before)))
        return bool(re.search(r"\d{3},\d{3} fr/s", boxes.nth(1).locator(".about").text_content() or ""))

    eventually(tells_a_high_rate)
    right = "box.querySelector('{}').getBoundingClientRect().right"
    beyond = f"boxes => boxes.filter(box => {right.format('.about')} > {right.format('rect')}).length"
    assert boxes.evaluate_all(beyond) == 0


@in_detail
def test_a_way_that_a_loss_cannot_have_been_on_is_not_marked(
    agent: AgentProcess, sockets: WrittenSockets, open_page
) -> None:
    two_senders(sockets)
    sockets.open("inside", "PUB")
    live: LivePage = open_page(agent)
    sockets.lack("screen", "inside", 5, 9)
    expect(live.page.locator("#map-picture .box.losing")).to_have_count(1)
    assert marked(live) == {}


@in_detail
@pytest.mark.parametrize("other", ["within its process", "gone since"])
def test_a_full_pipe_is_not_put_on_the_only_way_that_is_drawn_where_it_may_have_been_another(
    agent: AgentProcess, sockets: WrittenSockets, open_page, other: str
) -> None:
    for name, kind in (("quotes", "PUB"), ("screen", "SUB"), ("log", "SUB")):
        sockets.open(name, kind)
    sockets.connect("screen", "quotes")
    live: LivePage = open_page(agent)
    expect(live.page.locator("#map-picture .hop")).to_have_count(1)
    if other == "gone since":
        caller, called = sockets.connect("log", "quotes")
        sockets.meet_full_pipe("quotes", 5)
        sockets.lose_connection("quotes", called, caller, accepted=True)
        sockets.lose_connection("log", caller, called)
        expect(live.page.locator("#feed")).to_contain_text("quotes lost a connection")
    else:
        sockets.writer.event("bind", socket=sockets.ids["quotes"], endpoint="inproc://quotes")
        sockets.meet_full_pipe("quotes", 5)
    expect(live.page.locator("#map-picture .losing[data-way]")).to_have_count(0)
    expect(live.page.locator("#map-picture .somewhere[data-way] title").first).to_have_text(
        "quotes met a full pipe just now, on one of the ways that leave it"
    )


def test_a_sender_under_pressure_marks_its_way_if_it_has_no_other(
    agent: AgentProcess, sockets: WrittenSockets, open_page
) -> None:
    for name, kind in (("jobs", "PUSH"), ("worker", "PULL"), ("late worker", "PULL")):
        sockets.open(name, kind)
    sockets.connect("worker", "jobs")
    live: LivePage = open_page(agent)
    sockets.count("jobs", pending_sends=5)
    pressed = live.page.locator("#map-picture .pressed[data-way]")
    expect(pressed).to_have_count(1)
    sockets.connect("late worker", "jobs")
    expect(live.page.locator("#map-picture .hop")).to_have_count(2)
    expect(pressed).to_have_count(0)
    expect(live.page.locator("#map-picture .box.pressed")).to_have_count(1)
