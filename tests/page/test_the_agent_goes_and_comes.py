"""The connection to the agent, lost and found again, is shown as such."""

import itertools
import os
import re
import shutil
import signal

from agent_process import AgentProcess, eventually
from journal_writer import JournalWriter
from live_page import LivePage, in_detail
from many_sockets import ManySockets
from playwright.sync_api import expect
from ports import free_ports
from written_sockets import WrittenSockets


def test_an_agent_that_is_killed_is_away_until_it_is_back(agent: AgentProcess, open_page) -> None:
    (port,) = free_ports(1)
    agent.terminate()
    agent.start("--listen", f"127.0.0.1:{port}")
    many = ManySockets(agent.journal, 3)
    many.move(1)
    live: LivePage = open_page(agent)
    expect(live.page.locator("#shown")).to_have_text("3 sockets")
    agent.kill()
    expect(live.link).to_contain_text("agent away since")
    expect(live.link).to_contain_text("what you see is of then")
    expect(live.page.locator("#retry")).to_contain_text("trying again in")
    assert live.names() == ["feed-0000", "feed-0001", "feed-0002"]
    more = JournalWriter(agent.journal)
    more.opened("00000000000000a1", name="another")
    agent.start("--listen", f"127.0.0.1:{port}")
    expect(live.link).to_have_text("live")
    expect(live.page.locator("#shown")).to_have_text("4 sockets")
    for name in ("feed-0001", "another"):
        expect(live.page.locator("#feed li", has_text=f"{name} was opened")).to_have_count(1)
    many.close()
    more.close()


@in_detail
def test_an_agent_whose_database_is_new_counts_its_events_anew(agent: AgentProcess, open_page) -> None:
    (port,) = free_ports(1)
    agent.terminate()
    agent.start("--listen", f"127.0.0.1:{port}")
    many = ManySockets(agent.journal, 20)
    live: LivePage = open_page(agent)
    expect(live.page.locator("#feed li", has_text="was opened")).to_have_count(20)
    agent.kill()
    many.close()
    shutil.rmtree(agent.data)
    shutil.rmtree(agent.journal)
    expect(live.link).to_contain_text("agent away since")
    fresh = JournalWriter(agent.journal)
    fresh.opened("00000000000000a1", name="another")
    agent.start("--listen", f"127.0.0.1:{port}")
    expect(live.page.locator("#feed li", has_text="another was opened")).to_have_count(1)
    fresh.close()


def test_a_fault_of_the_page_itself_is_not_taken_for_the_agents(
    silent_agent: AgentProcess, open_page
) -> None:
    live: LivePage = open_page(silent_agent)
    expect(live.page.locator("#fault")).to_be_hidden()
    live.page.evaluate("document.getElementById('feed').remove()")
    expect(live.page.locator("#fault")).to_be_visible()
    expect(live.link).to_have_text("live")
    assert live.complaints != []
    live.page.close()  # it complains again each time that it is told something
    live.complaints.clear()


@in_detail
def test_an_agent_that_ends_in_order_is_away_too(agent: AgentProcess, open_page) -> None:
    live: LivePage = open_page(agent)
    agent.terminate()
    expect(live.link).to_contain_text("agent away since")


@in_detail
def test_a_process_that_is_killed_is_told_and_its_sockets_end(agent: AgentProcess, open_page) -> None:
    many = ManySockets(agent.journal, 2)
    live: LivePage = open_page(agent)
    expect(live.cell("feed-0001", "state")).to_have_text("quiet")
    many.close()
    eventually(lambda: agent.get("/v1/status")["processes"] == 0)
    expect(live.cell("feed-0001", "state")).to_have_text("ended")
    expect(live.page.locator("#feed")).to_contain_text("process is gone")


@in_detail
def test_a_list_that_cannot_be_had_is_told_until_it_can(agent: AgentProcess, open_page) -> None:
    live: LivePage = open_page(agent)
    live.page.route("**/v1/findings", lambda route: route.abort())
    many = ManySockets(agent.journal, 2)
    told = live.page.locator("#notices .error", has_text="findings could not be fetched")
    expect(told).to_have_count(1)
    expect(live.link).to_have_text("live")
    live.page.unroute("**/v1/findings")
    expect(told).to_have_count(0)
    many.close()


@in_detail
def test_what_does_not_work_at_the_agent_is_shown_at_the_top(agent: AgentProcess, open_page) -> None:
    live: LivePage = open_page(agent)
    expect(live.page.locator("#notices .error")).to_contain_text("is not there yet: no journal to read")
    ManySockets(agent.journal, 1).close()
    expect(live.page.locator("#notices .error")).to_have_count(0)


def test_an_agent_that_cannot_read_is_not_called_quiet(agent: AgentProcess, open_page) -> None:
    many = ManySockets(agent.journal, 2)
    live: LivePage = open_page(agent)
    expect(live.verdict).to_contain_text("Quiet: 2 sockets")
    agent.journal.rename(agent.journal.with_name("moved"))
    agent.journal.touch()
    expect(live.verdict).to_contain_text("Not known: this agent cannot read its journals, for ")
    expect(live.verdict).to_contain_text("Before: Quiet: 2 sockets")
    expect(live.page.locator("#verdict")).to_have_attribute("data-state", "unknown")
    expect(live.page).to_have_title("not known · box-1 · hopwatch")
    expect(live.page.locator("#told")).to_contain_text("Not known")
    many.close()


@in_detail
def test_who_was_losing_when_the_agent_stopped_to_look_is_not_called_quiet_since(
    agent: AgentProcess, open_page
) -> None:
    sockets = WrittenSockets(agent.journal)
    sockets.open("screen", "SUB")
    sockets.open("quotes", "PUB")
    live: LivePage = open_page(agent)
    sockets.lack("screen", "quotes", 5, 9)
    expect(live.verdict).to_contain_text("LOSING: 1 socket of 2")
    agent.journal.rename(agent.journal.with_name("moved"))
    agent.journal.touch()
    expect(live.verdict).to_contain_text("Not known: this agent cannot read its journals, for ")
    expect(live.verdict).to_contain_text("Before: LOSING: 1 socket of 2")
    expect(live.cell("screen", "state")).to_have_text("losing")
    sockets.close()


def test_what_an_agent_says_that_cannot_look_is_not_of_now(silent_agent: AgentProcess, open_page) -> None:
    live: LivePage = open_page(silent_agent)
    told = """async () => {
        const { Model } = await import('/page/js/model.js');
        const model = new Model();
        const none = Object.fromEntries(['sent', 'received', 'lost', 'onsets', 'unroutable', 'proxied_in_frames', 'proxied_out_frames'].map(name => [name, 0]));
        const screen = { id: 'a', name: 'screen', type: 'SUB', host: 'box-1', process: { command: 'app', pid: 1 }, endpoints: [], counters: none, rates: none, state: 'losing', state_text: '' };
        const sockets = [screen, { ...screen, id: 'b' }];
        const frame = { status: { ready: true, lag_seconds: 0 }, states: { losing: 1, pressed: 0, quiet: 0 }, sockets_left_out: 0, sockets, events: [], events_left_out: 0 };
        model.setSockets([screen]);
        model.take(frame);
        model.take({ ...frame, status: { ready: false, lag_seconds: 60 }, states: { losing: 0, pressed: 0, quiet: 1 }, sockets: [] });
        const { state, trend } = model.sockets.get('a');
        const later = { ...screen, id: 'c', state: 'quiet' };
        model.setSockets([screen, { ...screen, id: 'b', state: 'quiet' }, later]);
        const listed = [...model.sockets.values()].map(socket => socket.state);
        return [model.states.losing, state, Number.isNaN(trend.lost[59]), trend.lost[58], ...listed];
    }"""
    assert live.page.evaluate(told) == [1, "losing", True, 0, "losing", "losing", "unknown"]


@in_detail
def test_what_a_former_database_told_is_not_counted_on(agent: AgentProcess, open_page) -> None:
    (port,) = free_ports(1)
    agent.terminate()
    agent.start("--listen", f"127.0.0.1:{port}")
    sockets = WrittenSockets(agent.journal)
    sockets.open("screen", "SUB")
    sockets.open("quotes", "PUB")
    sockets.lack("screen", "quotes", 5, 9)
    live: LivePage = open_page(agent)
    missing = live.page.locator("[data-figure=lost] .value")
    expect(missing).to_have_text("5")
    agent.kill()
    sockets.close()
    shutil.rmtree(agent.data)
    agent.set("HOPWATCH_HOST", "box-2")
    agent.journal = agent.journal.with_name("another")
    agent.set("HOPWATCH_DIR", str(agent.journal))
    many = ManySockets(agent.journal, 30)
    agent.start("--listen", f"127.0.0.1:{port}")
    expect(live.page.locator("#shown")).to_have_text("30 sockets")
    expect(live.page.locator("#feed li", has_text="was opened")).to_have_count(30)
    expect(missing).to_have_text("\u2013")  # nothing numbered has come to it
    many.close()


def test_what_is_old_is_not_called_quiet(silent_agent: AgentProcess, open_page) -> None:
    live: LivePage = open_page(silent_agent)
    told = """async ([ready, lag]) => {
        const { verdictOf } = await import('/page/js/verdict.js');
        const { Model } = await import('/page/js/model.js');
        const status = { ready, lag_seconds: lag, host: 'box-1' };
        const { state, parts } = verdictOf(Object.assign(new Model(), { status, hasLooked: true, states: { losing: 0, pressed: 0, quiet: 2 }, numbered: true }));
        return [state, parts.flat(Infinity).join('')];
    }"""
    quiet = "Quiet: 2 sockets, nothing lost just now."
    assert live.page.evaluate(told, [True, 9.5]) == ["quiet", quiet]
    old = f"Not known: this agent is behind, and what it shows is 25 s old. Before: {quiet}"
    assert live.page.evaluate(told, [True, 25]) == ["unknown", old]
    assert live.page.evaluate(told, [False, None])[0] == "unknown"


@in_detail
def test_an_agent_that_stands_still_is_away_in_verdict_and_title_too(agent: AgentProcess, open_page) -> None:
    many = ManySockets(agent.journal, 2)
    sent = itertools.count(1)
    live: LivePage = open_page(agent)
    trend = live.cell("feed-0001", "trend").locator("path.sent")

    def pieces() -> int:
        """Of the line of what is sent; it has a gap wherever the page heard nothing for some seconds."""
        many.move(next(sent))
        return (trend.get_attribute("d") or "").count("M")

    before = eventually(pieces)
    assert agent.process is not None
    os.kill(agent.process.pid, signal.SIGSTOP)
    expect(live.verdict).to_contain_text(
        re.compile(
            r"^Not known: the agent has not answered since [\d:]{8} UTC \(nothing has come for 5 s\)\. Before: Quiet"
        )
    )
    expect(live.page).to_have_title(re.compile(r"^away since [\d:]{8} UTC · box-1 · hopwatch$"))
    expect(live.link).to_contain_text("(nothing has come for 5 s)")
    expect(live.page.locator("#told")).to_contain_text("Not known: the agent has not answered")
    os.kill(agent.process.pid, signal.SIGCONT)
    expect(live.link).to_have_text("live")
    expect(live.verdict).to_contain_text("Quiet: 2 sockets")
    expect(live.page).to_have_title("quiet · box-1 · hopwatch")
    eventually(lambda: pieces() > before)
    many.close()


@in_detail
def test_that_it_is_tried_again_is_not_read_aloud_each_time(agent: AgentProcess, open_page) -> None:
    live: LivePage = open_page(agent)
    said = "globalThis.said = []; new MutationObserver(() => said.push(told.textContent)).observe(told, { childList: true })"
    live.page.evaluate(f"const told = document.getElementById('told'); {said}")
    agent.kill()
    expect(live.page.locator("#retry")).to_contain_text("trying again in 4 s")
    assert len(live.page.evaluate("said")) == 1
    assert live.page.locator(".brand [role=status], .brand [aria-live]").count() == 0
