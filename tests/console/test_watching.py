"""How what is known of an agent is kept up to date: real agents that start, change, go and come back."""

import asyncio
import shutil
from collections.abc import Awaitable, Callable
from datetime import datetime, timezone
from pathlib import Path

import pytest
from agent_process import AgentProcess, eventually
from console_command import Starting, without_hopwatch
from hopwatch_console.addresses import address_in
from hopwatch_console.arguments import Rights
from hopwatch_console.asking.client import AgentClient
from hopwatch_console.fleet.board import Board
from hopwatch_console.fleet.picture import Phase
from hopwatch_console.fleet.watching import Watcher
from journal_writer import JournalWriter
from lively_sockets import lively_sockets
from ports import free_ports

TODAY, TOMORROW = "correct-horse-battery", "a-token-of-tomorrow"
SENDER, RECEIVER = f"{1:016x}", f"{2:016x}"


class Watched:
    """A board that is kept up to date while the story goes on."""

    def __init__(self, agent: AgentProcess, rights: Rights) -> None:
        address = address_in(agent.url)
        self.board = Board(address, datetime.now(timezone.utc))
        self.watcher = Watcher(self.board, AgentClient(address, rights, 5.0))

    async def until(self, condition: Callable[[Board], object], seconds: float = 60.0) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while not condition(self.board):
            assert loop.time() < deadline, f"it has not become true in time: {self.board.contact}"
            await asyncio.sleep(0.02)

    def names(self) -> dict[str, str]:
        return {socket.name: socket.state or "" for socket in self.board.picture().sockets}


def watched(
    agent: AgentProcess, story: Callable[[Watched], Awaitable[None]], rights: Rights | None = None
) -> None:
    async def play() -> None:
        watch = Watched(agent, rights or Rights())
        running = asyncio.create_task(watch.watcher.run())
        try:
            await story(watch)
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)

    asyncio.run(play())


def gap(writer: JournalWriter, first: int) -> None:
    numbers = {"first": first, "last": first + 1, "before": first - 1, "after": first + 2, "lost": 2}
    writer.event("gap", socket=RECEIVER, stream=SENDER, lane=0, received=1, **numbers)


def test_sockets_incidents_and_findings_come_as_they_come_to_be(starting: Starting) -> None:
    agent = starting()

    async def story(watch: Watched) -> None:
        await watch.until(lambda board: board.contact.phase is Phase.HERE)
        writer = JournalWriter(agent.journal)
        writer.opened(SENDER, name="quotes")
        writer.opened(RECEIVER, slot=1, kind="SUB", name="slow")
        await watch.until(lambda _: watch.names() == {"quotes": "quiet", "slow": "quiet"})
        writer.set_counters(RECEIVER, 1, received=10, lost=2)
        gap(writer, 5)
        await watch.until(lambda board: watch.names()["slow"] == "losing" and board.incidents)
        assert watch.board.incidents[0].hop == "quotes → slow"
        writer.event("finding", socket=RECEIVER, rule="some_rule", text="it is risky", advice="change it")
        await watch.until(lambda board: [finding.text for finding in board.findings] == ["it is risky"])
        writer.event("closed", socket=RECEIVER, counters={"received": 10, "lost": 2})
        await watch.until(lambda _: watch.names()["slow"] == "closed")
        writer.close()

    watched(agent, story)


def test_a_socket_that_rests_has_no_rates_and_a_history(starting: Starting) -> None:
    agent = starting()

    async def story(watch: Watched) -> None:
        writer = JournalWriter(agent.journal)
        writer.opened(SENDER, name="quotes")
        await watch.until(lambda _: watch.names())
        writer.set_counters(SENDER, 0, sent=1000)
        await watch.until(lambda board: any(board.picture().history.get(SENDER, ())))
        await watch.until(lambda board: board.picture().sockets[0].rates.sent == 0)
        picture = watch.board.picture()
        assert picture.sockets[0].counters.sent == 1000
        assert max(picture.history[SENDER]) > 0
        writer.close()

    watched(agent, story)


def test_where_events_come_faster_than_they_are_pushed_the_newest_are_shown(starting: Starting) -> None:
    agent = starting()
    writer = JournalWriter(agent.journal)
    writer.opened(SENDER, name="quotes")
    writer.opened(RECEIVER, slot=1, kind="SUB", name="slow")
    for number in range(3000):
        gap(writer, 10 * number + 5)
    eventually(lambda: agent.get("/v1/incidents") and agent.get("/v1/incidents")[0]["gaps"] == 3000)

    async def story(watch: Watched) -> None:
        await watch.until(
            lambda board: any(event.values.get("first") == 29995 for event in board.picture().events)
        )
        picture = watch.board.picture()
        assert picture.events_left_out > 0
        ids = [event.id for event in picture.events]
        assert ids == sorted(set(ids))

    watched(agent, story)
    writer.close()


@pytest.mark.extended("waits for the kernel to be read twice")
def test_what_the_kernel_tells_of_connections_is_kept_new_while_it_is_looked_at(starting: Starting) -> None:
    agent = starting()

    async def story(watch: Watched) -> None:
        def read_at() -> set[object]:
            return {told.tcp.at for told in watch.board.connections if told.tcp is not None}

        watch.watcher.look_at(("connections",))
        await watch.until(lambda _: read_at())
        first = read_at()
        await watch.until(lambda _: read_at() and not read_at() & first)

    with lively_sockets(agent.journal):
        watched(agent, story)


@pytest.mark.extended("an agent and real sockets; test_status.py has what is numbered")
def test_that_something_numbered_has_come_is_found_while_somebody_looks(starting: Starting) -> None:
    agent = starting()

    async def story(watch: Watched) -> None:
        await watch.until(lambda board: board.numbered is False)
        with lively_sockets(agent.journal):
            await watch.until(lambda board: board.numbered is True)

    watched(agent, story)


def test_lists_come_in_pages(starting: Starting) -> None:
    agent = starting()
    writer = JournalWriter(agent.journal)
    for slot in range(25):
        writer.opened(f"{slot + 1:016x}", slot=slot, name=f"feed-{slot}")
    eventually(lambda: len(agent.get("/v1/sockets")) == 25)

    async def asked() -> list[str]:
        client = AgentClient(address_in(agent.url), Rights(), 5.0, page=10)
        try:
            return [socket.name for socket in await client.sockets()]
        finally:
            await client.close()

    assert sorted(asyncio.run(asked())) == sorted(f"feed-{slot}" for slot in range(25))
    writer.close()


def test_an_agent_that_ends_in_order_and_is_back_with_a_new_database(starting: Starting) -> None:
    place = f"127.0.0.1:{free_ports(1)[0]}"
    agent = starting("--listen", place)
    writer = JournalWriter(agent.journal)
    writer.opened(SENDER, name="quotes")
    writer.opened(RECEIVER, slot=1, kind="SUB", name="slow")
    writer.set_counters(SENDER, 0, sent=1234)
    for number in range(50):
        gap(writer, 10 * number + 5)

    async def story(watch: Watched) -> None:
        await watch.until(lambda board: len(board.picture().events) > 50 and len(watch.names()) == 2)
        before = watch.board.last_event
        writer.next_segment()
        gap(writer, 9_005)
        await watch.until(lambda _: not writer.path("events", 0).exists())
        await asyncio.to_thread(agent.terminate)
        await watch.until(lambda board: board.contact.phase is Phase.AWAY)
        assert watch.board.contact.trouble is not None
        assert watch.board.contact.trouble.kind in {"ended", "nobody_listens"}
        assert "hopwatch agent" in watch.board.contact.trouble.advice
        assert watch.names() == {"quotes": "unknown", "slow": "unknown"}
        told = {socket.name: socket for socket in watch.board.picture().sockets}
        assert told["quotes"].counters.sent == 1234  # what it told of all time stays
        assert told["quotes"].state_text.startswith("its agent is away since ")
        assert told["quotes"].backlog_sent is None
        shutil.rmtree(agent.data)
        await asyncio.to_thread(agent.start, "--listen", place)
        watch.watcher.ask_now()
        await watch.until(lambda board: board.contact.phase is Phase.HERE)
        assert watch.board.contact.away_for is not None
        gap(writer, 10_005)
        await watch.until(
            lambda board: any(event.values.get("first") == 10_005 for event in board.picture().events)
        )
        assert before is not None
        assert watch.board.last_event is not None
        assert watch.board.last_event < before
        told = [note.text.split(" is ")[1][:4] for note in watch.board.picture().notes]
        # on a busy machine the agent may miss an answer, and be away more than once
        assert told == ["away", "back"] * max(len(told) // 2, 1)

    watched(agent, story)
    writer.close()


@pytest.mark.extended("two starts of an agent; test_troubles.py has tokens that are wrong and right")
def test_a_token_that_is_renewed_is_read_anew(tmp_path: Path) -> None:
    of_agent, mine = tmp_path / "agent-token", tmp_path / "my-token"
    of_agent.write_text(TODAY)
    mine.write_text(TODAY)
    agent = AgentProcess(tmp_path, {**without_hopwatch(), "HOPWATCH_AGENT_TOKEN_FILE": str(of_agent)})
    place = f"127.0.0.1:{free_ports(1)[0]}"
    agent.start("--listen", place)

    async def story(watch: Watched) -> None:
        await watch.until(lambda board: board.contact.phase is Phase.HERE)
        of_agent.write_text(TOMORROW)
        agent.kill()
        await asyncio.to_thread(agent.start, "--listen", place)
        await watch.until(
            lambda board: board.contact.trouble is not None and board.contact.trouble.kind == "token_wrong"
        )
        mine.write_text(TOMORROW)
        watch.watcher.ask_now()
        await watch.until(lambda board: board.contact.phase is Phase.HERE)

    try:
        watched(agent, story, Rights(token_file=mine))
    finally:
        agent.kill()
