"""No nought is shown where nobody counts what a receiver lacks."""

from agent_process import AgentProcess, eventually
from live_page import LivePage, in_detail
from parting_processes import parting_processes
from playwright.sync_api import expect
from written_sockets import WrittenSockets


def test_of_a_receiver_whose_messages_nobody_numbered_it_is_not_said_that_none_is_missing(
    agent: AgentProcess, open_page
) -> None:
    sockets = WrittenSockets(agent.journal)
    for name in ("numbered", "bare"):
        sockets.open(name, "SUB")
        sockets.count(name, received=10)
    feed = sockets.open("feed", "PUB")
    sockets.writer.event("lane", socket=sockets.ids["numbered"], stream=feed, lane=0, topic="", slot=[0, 0])
    live: LivePage = open_page(agent)
    expect(cell(live, sockets.ids["bare"])).to_have_text("uncounted")
    expect(cell(live, sockets.ids["numbered"])).to_have_text("0")
    expect(cell(live, feed)).to_have_text("0")
    expect(live.verdict).to_contain_text("(losses of 1 socket are not counted here)")
    live.open(f"#socket={sockets.ids['bare']}")
    expect(live.page.locator("dialog [data-field=count-lost]")).to_have_text("uncounted")
    sockets.close()


def cell(live: LivePage, socket: str):
    return live.page.locator(f"#row-{socket} .col-lost")


@in_detail
def test_what_is_counted_is_shown_as_soon_as_it_is_known(agent: AgentProcess, open_page) -> None:
    sockets = WrittenSockets(agent.journal)
    sockets.open("screen", "SUB")
    feed = sockets.open("feed", "PUB")
    live: LivePage = open_page(agent)
    expect(cell(live, sockets.ids["screen"])).to_have_text("0")
    sockets.count("screen", received=10)
    expect(cell(live, sockets.ids["screen"])).to_have_text("uncounted")
    sockets.writer.event("lane", socket=sockets.ids["screen"], stream=feed, lane=0, topic="", slot=[0, 0])
    sockets.count("screen", received=20)
    expect(cell(live, sockets.ids["screen"])).to_have_text("0")
    sockets.close()


def test_of_what_a_sender_had_sent_that_has_ended_it_is_not_said_that_nothing_was_lost(
    agent: AgentProcess, open_page
) -> None:
    sockets = WrittenSockets(agent.journal)
    worker, jobs = sockets.open("worker", "PULL"), sockets.open("jobs", "PUSH")
    sockets.connect("worker", "jobs")
    sockets.writer.event("lane", socket=worker, stream=jobs, lane=0, topic="", slot=[0, 0])
    sockets.writer.set_lane(0, worker, jobs, 0, 6, 0, 0, 6, 1)
    sockets.count("worker", received=6)
    live: LivePage = open_page(agent)
    expect(live.verdict).to_contain_text("nothing lost just now")
    sockets.writer.event("lanes", socket=jobs, final=True, lanes=[[jobs, 0, 10, 0, 0, 10, 1]])
    sockets.close_socket("jobs", sent=10)
    expect(live.verdict).to_have_text(
        "Pressed, and 4 messages of senders that have ended may be lost: 1 socket of 1: worker."
    )
    sockets.close()


def test_a_panel_and_the_table_agree_on_what_is_missing(agent: AgentProcess, open_page) -> None:
    sockets = WrittenSockets(agent.journal)
    reader, feed = sockets.open("reader", "SUB"), sockets.open("feed", "PUB")
    for socket, count in ((feed, 10), (reader, 6)):
        sockets.writer.event("lanes", socket=socket, final=True, lanes=[[feed, 0, count, 0, 0, count, 1]])
    sockets.close_socket("feed")
    sockets.writer.event("closed", socket=reader, counters={"received": 5, "lost": 1}, unread=True)
    live: LivePage = open_page(agent)
    expect(cell(live, reader)).to_have_text("5")
    live.open(f"#socket={reader}")
    expect(live.page.locator("dialog [data-field=count-lost]")).to_have_text("5")
    expect(live.page.locator("dialog [data-field=left_behind]")).to_have_text("4")
    sockets.close()


@in_detail
def test_of_what_was_on_its_way_to_a_receiver_that_died_it_is_not_said_that_nothing_was_lost(
    agent: AgentProcess, open_page
) -> None:
    with parting_processes(agent.journal) as parting:
        (endpoint,) = parting.start("source", "tcp://127.0.0.1:*").expect("ready")
        parting.start("reader", endpoint).expect("ready")
        eventually(
            lambda: any(
                (told["backlog_received"] or {"at_least": 0})["at_least"] > 10
                for told in agent.get("/v1/sockets")
            )
        )
        live: LivePage = open_page(agent)
        parting.programs["reader"].sigkill()
        (messages,) = eventually(
            lambda: [told["died_with"] for told in agent.get("/v1/sockets") if told["died_with"]]
        )
        way = f"{messages:,} messages or more were on their way to a receiver that died"
        expect(live.verdict).to_contain_text(f"nothing lost just now, but {way}")
        expect(live.page.locator("#incident-list")).to_contain_text(f"No incident is known, but {way}")
        expect(live.page.locator("#incident-list")).not_to_contain_text("Nothing was lost")


@in_detail
def test_who_ends_just_after_it_lost_something_does_not_make_the_rest_quiet(
    agent: AgentProcess, open_page
) -> None:
    sockets = WrittenSockets(agent.journal)
    for name, kind in (("screen", "SUB"), ("quotes", "PUB")):
        sockets.open(name, kind)
    live: LivePage = open_page(agent)
    expect(live.cell("screen", "state")).to_have_text("quiet")
    sockets.lack("screen", "quotes", 5, 9)
    expect(live.cell("screen", "state")).to_have_text("losing")
    sockets.close_socket("screen", received=5, lost=5, gaps=1)
    expect(live.verdict).to_have_text("LOSING: 5 messages were lost just now by sockets that have ended.")
    expect(live.verdict).to_contain_text("Quiet: 1 socket")
    sockets.close()


@in_detail
def test_what_a_receiver_ended_without_is_not_called_nothing(agent: AgentProcess, open_page) -> None:
    sockets = WrittenSockets(agent.journal)
    reader, feed = sockets.open("reader", "SUB"), sockets.open("feed", "PUB")
    sockets.open("another", "PUB")
    sockets.writer.event("lane", socket=reader, stream=feed, lane=0, topic="", slot=[0, 0])
    for socket, count in ((feed, 10), (reader, 6)):
        sockets.writer.event("lanes", socket=socket, final=True, lanes=[[feed, 0, count, 0, 0, count, 1]])
    sockets.close_socket("feed")
    sockets.writer.event("closed", socket=reader, counters={"received": 6}, unread=True)
    live: LivePage = open_page(agent)
    expect(live.verdict).to_contain_text("but 4 messages had not come to receivers when they ended")
    expect(live.page.locator("#incident-list")).to_contain_text(
        "No incident is known, but at least 4 messages were lost (the table says by whom)."
    )
    sockets.close()
