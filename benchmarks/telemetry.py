"""What it costs the agent to be asked for metrics: CPU of a collection, bytes of the page, memory, and of loading the libraries."""

from __future__ import annotations

import multiprocessing
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from hopwatch_agent.landing.schemas import COUNTERS
from hopwatch_agent.live.board import Board
from hopwatch_agent.live.draft import Draft, Tables
from hopwatch_agent.live.series import series_of
from hopwatch_agent.live.state import ConnectionState, ProcessState, SocketState
from hopwatch_agent.telemetry.agent_identity import Identity
from hopwatch_agent.telemetry.page import MetricsPage
from hopwatch_agent.telemetry.snapshot import take
from msgspec.structs import replace

TIMES = 15
CASES = ((100, 100), (1000, 20), (1000, 1000))
TYPES = ("PUB", "SUB", "PUSH", "PULL", "DEALER", "ROUTER")
COUNTED = {"sent", "sent_bytes", "received", "received_bytes", "gaps", "lost", "onsets", "eagain_receives"}
IMPORTS = """
import sys, time, hopwatch_api.serve
def resident(): return int(open("/proc/self/statm").read().split()[1]) * 4096
before, began = resident(), time.process_time()
if sys.argv[1] == "page":
    import hopwatch_agent.telemetry.instruments, opentelemetry.exporter.prometheus
else:
    import hopwatch_agent.telemetry.signals
    from hopwatch_agent.telemetry.exporters import log_exporter, metric_exporter
    metric_exporter(sys.argv[1]), log_exporter(sys.argv[1])
print(f"| {sys.argv[1]} | {1000 * (time.process_time() - began):.0f} | {(resident() - before) / 2**20:.1f} |")
"""


def board(sockets: int, series: int) -> Board:
    """A board with sockets in use, a connection each, so many of them of names of their own."""
    tables = Tables(processes={"p": ProcessState("p", "web-1", command="python app.py")})
    draft = Draft(tables)
    for n in range(sockets):
        name = n % series
        socket = SocketState(
            socket=f"{n:016x}",
            process="p",
            name=f"name {name}",
            type=TYPES[name % len(TYPES)],
            sequence="stamp",
            probed=True,
            proxy=None,
            options={},
            slot=None,
            opened_at=0,
            counters=tuple(n if counter in COUNTED else 0 for counter in COUNTERS),
        )
        wanted = series_of(socket, tables.processes["p"])
        draft.sockets.put(socket.socket, replace(socket, series=draft.join_series(wanted, 0)))
        key = (socket.socket, "1")
        draft.connections.put(
            key, ConnectionState(socket.socket, 1, "p", "tcp://x", None, None, False, "ready", 0)
        )
    draft.apply(tables)
    return Board(tables)


def resident() -> float:
    """MiB of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20


def cpu(work: Callable[[], object]) -> float:
    """Milliseconds of CPU, the median."""
    took = []
    for _ in range(TIMES):
        began = time.process_time()
        work()
        took.append(1000 * (time.process_time() - began))
    return statistics.median(took)


def case(sockets: int, series: int) -> None:
    """One line of the table."""
    from hopwatch_agent.telemetry.signals import MetricsSignal
    from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
    from opentelemetry.sdk.metrics.export import MetricExporter, MetricExportResult, MetricsData

    class Encoder(MetricExporter):
        """Encodes, and sends nothing."""

        def export(self, metrics_data: MetricsData, *_: object, **__: object) -> MetricExportResult:
            encode_metrics(metrics_data).SerializeToString()
            return MetricExportResult.SUCCESS

        def force_flush(self, *_: object) -> bool:
            return True

        def shutdown(self, *_: object, **__: object) -> None:
            pass

    shown = board(sockets, series)
    identity = Identity("web-1", "a1b2c3")
    page = MetricsPage(shown, identity)
    page.answer("")
    before = resident()
    signal = MetricsSignal(Encoder(), identity, lambda: take(shown), differences=False)
    signal.push()
    grown = resident() - before
    size = len(page.answer("").body) / 2**20
    held = cpu(lambda: take(shown))
    scraped, pushed = cpu(lambda: page.answer("")), cpu(signal.push)
    print(
        f"| {sockets:,} | {series:,} | {held:.2f} | {scraped:.0f} | {pushed:.0f} | {size:.2f} | {grown:.0f} |",
        flush=True,
    )


def main() -> None:
    print("| sockets | series | board held, ms | page, ms | OTLP push, ms | page, MiB | memory, MiB |")
    print("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for sockets, series in CASES:
        process = multiprocessing.get_context("spawn").Process(target=case, args=(sockets, series))
        process.start()
        process.join()
    print("\n| loaded for | CPU, ms | MiB |\n| --- | ---: | ---: |", flush=True)
    for what in ("page", "http/protobuf", "grpc"):
        subprocess.run([sys.executable, "-c", IMPORTS, what], check=True)


if __name__ == "__main__":
    main()
