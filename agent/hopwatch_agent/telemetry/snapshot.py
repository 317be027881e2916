"""What the board shows, taken at one moment: to be read without holding it."""

from dataclasses import dataclass, replace

from hopwatch_agent.backlog.shown import BacklogShown
from hopwatch_agent.kernel.records import KernelShown
from hopwatch_agent.live.board import Board, Progress
from hopwatch_agent.live.state import ConnectionState, ProcessState, SocketState, TotalState


@dataclass(frozen=True)
class Taken:
    """The states themselves are frozen; they are those that the database has."""

    sockets: list[SocketState]
    processes: dict[str, ProcessState]
    connections: list[ConnectionState]
    totals: dict[str, TotalState]
    progress: Progress
    kernel: KernelShown
    backlog: BacklogShown

    def is_open(self, socket: SocketState) -> bool:
        """Whether the socket was neither closed, nor is its process gone."""
        process = self.processes.get(socket.process)
        return socket.closed_at is None and process is not None and process.gone_at is None


def take(board: Board) -> Taken:
    """Holds the board for as long as copying references takes: some ten microseconds at 1,000 sockets."""
    with board.held() as shown:
        tables = shown.tables
        return Taken(
            sockets=list(tables.sockets.values()),
            processes=dict(tables.processes),
            connections=list(tables.connections.values()),
            totals=dict(tables.totals),
            progress=_copied(shown.progress),
            kernel=shown.kernel,
            backlog=shown.backlog,
        )


def _copied(progress: Progress) -> Progress:
    untold, failures = dict(progress.events_untold), dict(progress.export_failures)
    return replace(progress, events_untold=untold, export_failures=failures)
