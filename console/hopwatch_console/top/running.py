"""From the first line on the terminal to its last: agents watched, signals heeded, and the terminal left as it was."""

import asyncio
import signal
from datetime import datetime, timezone

from hopwatch_console.arguments import Wanted
from hopwatch_console.asking.client import AgentClient
from hopwatch_console.fleet.board import Board
from hopwatch_console.fleet.watching import Watcher
from hopwatch_console.top.app import TopApp

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def run_top(wanted: Wanted) -> int:
    """Gives the exit status."""
    return asyncio.run(_run(wanted))


async def _run(wanted: Wanted) -> int:
    now = datetime.now(timezone.utc)
    boards = [Board(address, now) for address in wanted.addresses]
    watchers = [Watcher(board, AgentClient(board.address, wanted.rights, wanted.timeout)) for board in boards]
    app = TopApp(boards, watchers)
    loop = asyncio.get_running_loop()
    ended_by: list[signal.Signals] = []

    def end(by: signal.Signals) -> None:
        ended_by.append(by)
        app.end()

    for each in ENDING:
        loop.add_signal_handler(each, end, each)
    await app.run_async()
    if ended_by:
        return 128 + ended_by[0]
    return app.return_code or 0
