"""What the page shows equals what the sockets did."""

import re
import threading
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import hopwatch
import pytest
import zmq
from agent_process import AgentProcess, eventually
from live_page import LivePage, in_detail
from playwright.sync_api import expect


@dataclass
class Feed:
    """A publisher, and a subscriber that reads when it is told to; both know what they did."""

    context: zmq.Context
    sent: int = 0
    received: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pub = hopwatch.wrap(self.context.socket(zmq.PUB), name="quotes", sequence="stamp")
        self.sub = hopwatch.wrap(self.context.socket(zmq.SUB), name="screen", sequence="stamp")
        self.pub.sndhwm, self.sub.rcvhwm = 20, 20
        self.pub.sndbuf = self.sub.rcvbuf = 4096
        self.sub.subscribe(b"")
        port = self.pub.bind_to_random_port("tcp://127.0.0.1")
        self.sub.connect(f"tcp://127.0.0.1:{port}")
        eventually(lambda: self.send(1) or self.read(50))

    def send(self, messages: int) -> None:
        for _ in range(messages):
            self.pub.send(b"%08d" % self.sent + b"x" * 500)
            self.sent += 1

    def read(self, milliseconds: int = 300) -> int:
        """Reads until nothing has come for so long."""
        before = len(self.received)
        while self.sub.poll(milliseconds):
            self.received.append(int(self.sub.recv()[:8]))
        return len(self.received) - before

    def catch_up(self) -> None:
        """Reads all, and after it a message that shows what was lost before."""
        self.read()
        eventually(lambda: self.send(1) or (self.read() and self.received[-1] == self.sent - 1))

    @property
    def missing(self) -> int:
        """Between the first and the last that came."""
        return self.received[-1] - self.received[0] + 1 - len(self.received)


@pytest.fixture
def feed(agent: AgentProcess) -> Iterator[Feed]:
    with zmq.Context() as context:
        feed = Feed(context)
        yield feed
        for socket in (feed.pub, feed.sub):
            hopwatch.unwrap(socket).close(linger=0)


def test_before_there_is_a_socket_the_page_says_how_to_get_one(silent_agent: AgentProcess, open_page) -> None:
    live = open_page(silent_agent)
    expect(live.verdict).to_contain_text("No socket yet: wrap one")
    expect(live.page.locator("#finding-list")).to_contain_text("Nothing wrong or risky")


def test_losses_are_shown_where_they_happen_and_counted_as_they_were(
    agent: AgentProcess, feed: Feed, open_page
) -> None:
    live: LivePage = open_page(agent)
    expect(live.verdict).to_contain_text("nothing lost just now")
    feed.send(2_000)
    feed.catch_up()
    assert feed.missing > 100
    expect(live.verdict).to_contain_text("LOSING: 2 sockets of 2 lost messages just now")
    for name in ("quotes", "screen"):
        expect(live.cell(name, "state")).to_have_text("losing")
    expect(live.page.locator(".hop.losing")).to_have_count(1)
    expect(live.cell("screen", "lost")).to_have_text(f"{feed.missing:,}")
    onsets = live.cell("quotes", "onsets")
    expect(onsets).not_to_have_text("0")
    expect(live.page.locator("[data-figure=lost] .value")).to_have_text(f"{feed.missing:,}")
    feed_list = live.page.locator("#feed")
    expect(feed_list.locator("[data-kind=onset]").first).to_contain_text(
        "quotes met a full pipe at its message"
    )
    gaps = feed_list.locator("[data-kind=gap]")
    expect(gaps.first).to_contain_text("of quotes: numbers")

    def told() -> int:
        numbers = (
            text.split(" lacks ")[1].split(" message")[0].replace(",", "") for text in gaps.all_inner_texts()
        )
        return sum(map(int, numbers))

    eventually(lambda: told() == feed.missing)
    incident = live.page.locator(".incident")
    expect(incident).to_contain_text(f"quotes → screen at least {feed.missing:,} messages lost")
    expect(incident).to_contain_text("as this agent has it so far")


@in_detail
def test_when_all_sockets_have_ended_what_they_lost_is_told_with_how_to_know_why(
    agent: AgentProcess, feed: Feed, open_page
) -> None:
    live: LivePage = open_page(agent)
    feed.send(2_000)
    feed.catch_up()
    feed.send(10)
    eventually(lambda: feed.sub.poll(500))
    before = feed.missing
    feed.pub.close(linger=1000)
    feed.sub.close()
    expect(live.verdict).to_contain_text("No socket is open now; at least ")
    expect(live.verdict).to_contain_text("messages were lost (1 incident)")
    expect(live.page.locator("#verdict .mark")).to_have_text("✕")
    expect(live.page.locator("[data-figure=lost] .value")).to_have_text(f"{before + 10:,}")
    expect(live.page.locator("#incident-list")).to_contain_text("Why, and what to change: hopwatch analyze ")


def test_rates_are_those_of_the_last_seconds_and_fall_to_zero(
    agent: AgentProcess, feed: Feed, open_page
) -> None:
    live: LivePage = open_page(agent)
    stop = threading.Event()
    counted: deque[tuple[float, int]] = deque(maxlen=600)

    def send_on() -> None:
        while not stop.wait(0.005):
            feed.send(1)
            feed.read(0)
            counted.append((time.monotonic(), feed.sent))

    def is_shown(name: str, column: str) -> bool:
        """Within a factor of two: the page and the test do not look at the same seconds."""
        (began, first), (ended, last) = counted[0], counted[-1]
        shown, real = number_in(live.cell(name, column).inner_text()), (last - first) / (ended - began)
        return real / 2 < shown < real * 2

    sending = threading.Thread(target=send_on)
    sending.start()
    try:
        eventually(lambda: len(counted) == counted.maxlen)
        for name, column in (("quotes", "sent"), ("screen", "received")):
            eventually(lambda: is_shown(name, column))  # noqa: B023
    finally:
        stop.set()
        sending.join()
    expect(live.cell("quotes", "sent")).to_have_text("0")
    expect(live.cell("screen", "received")).to_have_text("0")
    assert live.cell("quotes", "trend").locator("path.sent").get_attribute("d")


def number_in(cell: str) -> float:
    return float(cell.replace(",", "") or 0)


def test_what_waits_is_shown_with_its_sender_and_its_receiver(
    agent: AgentProcess, feed: Feed, open_page
) -> None:
    live: LivePage = open_page(agent)
    feed.read()
    feed.send(15)
    for name in ("quotes", "screen"):
        expect(live.cell(name, "backlog")).to_have_text("15")
    expect(live.verdict).to_contain_text("Pressed, nothing lost just now")
    live.cell("screen", "name").locator("a").click()
    panel = live.page.locator("dialog#socket")
    expect(panel).to_contain_text("15 sent to it and not yet received; the oldest for")
    expect(panel.locator("[data-field=peers]")).to_contain_text("quotes")
    expect(panel.locator("[data-field=count-received]")).to_have_text(str(len(feed.received)))
    feed.read()
    expect(panel).to_contain_text("0 sent to it and not yet received")


@in_detail
def test_of_a_socket_that_waits_both_ways_both_are_shown(agent: AgentProcess, open_page) -> None:
    with zmq.Context() as context:
        service = hopwatch.wrap(context.socket(zmq.ROUTER), name="service", sequence="stamp")
        client = hopwatch.wrap(context.socket(zmq.DEALER), name="client", sequence="stamp")
        client.connect(f"tcp://127.0.0.1:{service.bind_to_random_port('tcp://127.0.0.1')}")
        client.send(b"first")
        whom, _ = service.recv_multipart()
        service.send_multipart([whom, b"answer"])
        client.recv()
        live: LivePage = open_page(agent)
        for _ in range(50):
            client.send(b"question")
        expect(live.cell("client", "backlog")).to_have_text("50")
        for _ in range(20):
            service.send_multipart([whom, b"answer"])
        expect(live.cell("client", "backlog")).to_have_text("50 sent, 20 to it")
        for socket in (client, service):
            hopwatch.unwrap(socket).close(linger=0)


@in_detail
def test_a_phone_shows_what_waits_and_why_too(agent: AgentProcess, feed: Feed, open_page) -> None:
    live: LivePage = open_page(agent, width=390)
    feed.read()
    feed.send(15)
    name = live.cell("screen", "name")
    expect(name.locator(".more")).to_have_text(re.compile("^15 on the way · .* wait, the oldest for "))
    live.page.locator("#table").scroll_into_view_if_needed()
    expect(name.locator(".more")).to_be_in_viewport(ratio=1)
    feed.send(2_000)
    feed.catch_up()
    expect(name.locator(".more")).to_contain_text("in the last 10 s: ")
    state = live.cell("screen", "state")
    expect(state).to_have_text("losing")
    expect(state).to_have_css("color", "rgba(0, 0, 0, 0)")
    assert live.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@in_detail
def test_the_panel_shows_where_messages_wait_as_it_is_now(agent: AgentProcess, feed: Feed, open_page) -> None:
    feed.read()
    live: LivePage = open_page(agent)
    live.cell("screen", "name").locator("a").click()
    connected = live.page.locator("dialog#socket [data-field=peers] tbody td")
    on_the_way = connected.nth(3)
    expect(on_the_way).to_have_text("0")
    feed.send(15)
    expect(on_the_way).to_contain_text(re.compile("^15up to"))
    feed.read()
    expect(on_the_way).to_have_text("0")


@in_detail
def test_what_the_panel_cannot_have_is_told_until_it_can(agent: AgentProcess, feed: Feed, open_page) -> None:
    live: LivePage = open_page(agent)
    live.page.route("**/v1/connections?socket=*", lambda route: route.abort())
    live.cell("screen", "name").locator("a").click()
    told = live.page.locator("dialog#socket .notice", has_text="connections could not be fetched")
    expect(told).to_have_count(1)
    live.page.unroute("**/v1/connections?socket=*")
    expect(told).to_have_count(0)
    expect(live.page.locator("dialog#socket [data-field=peers]")).to_contain_text("quotes")


@in_detail
def test_who_talks_to_whom_is_drawn_and_who_went_is_told(agent: AgentProcess, feed: Feed, open_page) -> None:
    live: LivePage = open_page(agent)
    boxes = live.page.locator("#map-picture .box")
    expect(boxes).to_have_count(2)
    expect(live.page.locator("#map-picture .hop")).to_have_count(1)
    feed.sub.close(linger=0)
    expect(boxes).to_have_count(1)
    expect(live.page.locator("#feed")).to_contain_text("quotes lost a connection")
    expect(live.cell("screen", "state")).to_have_text("ended")


def test_findings_come_with_what_to_change(agent: AgentProcess, feed: Feed, open_page) -> None:
    live: LivePage = open_page(agent)
    wrong = hopwatch.wrap(feed.context.socket(zmq.SUB), name="wrong way")
    wrong.sndhwm = 5
    wrong.connect(feed.pub.last_endpoint)
    found = live.page.locator(".finding[data-rule=mark_of_the_other_way]")
    expect(found).to_contain_text("Change:")
    expect(found.locator("a")).to_have_text("wrong way (SUB)")
    hopwatch.unwrap(wrong).close(linger=0)
