"""The instruments: which there are, and what they hold out."""

import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from hopwatch_agent.live.state import TotalState
from hopwatch_agent.telemetry.instruments import GONE_REMEMBERED, Instruments
from hopwatch_agent.telemetry.snapshot import take
from opentelemetry.exporter.otlp.proto.common.metrics_encoder import encode_metrics
from opentelemetry.metrics import NoOpMeter, ObservableCounter, ObservableGauge, ObservableUpDownCounter
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader


def test_an_agent_that_nobody_asks_for_metrics_loads_nothing_for_them() -> None:
    program = "import sys, hopwatch_agent.agent; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    heavy = {"opentelemetry", "prometheus_client", "grpc", "requests", "google"}
    assert heavy & set(loaded.stdout.split()) == set()


def test_every_metric_is_described_and_nothing_else_is(bench: Any) -> None:
    made: set[str] = set()

    class Noted(NoOpMeter):
        """A meter that notes what is made of it."""

        def create_observable_counter(self, name: str, *more: Any, **others: Any) -> ObservableCounter:
            made.add(name)
            return super().create_observable_counter(name, *more, **others)

        def create_observable_gauge(self, name: str, *more: Any, **others: Any) -> ObservableGauge:
            made.add(name)
            return super().create_observable_gauge(name, *more, **others)

        def create_observable_up_down_counter(
            self, name: str, *more: Any, **others: Any
        ) -> ObservableUpDownCounter:
            made.add(name)
            return super().create_observable_up_down_counter(name, *more, **others)

    Instruments(lambda: take(bench.board), Noted("test"))
    text = (Path(__file__).parents[2] / "agent" / "METRICS.md").read_text()
    rows = [
        line.split(" | ")[0] for section in ("## Series", "## The agent") for line in tables(text, section)
    ]
    assert {name for row in rows for name in re.findall(r"`([a-z_.]+)`", row)} == made


def tables(text: str, heading: str) -> list[str]:
    """The rows of tables in a section."""
    section = text[text.index(heading) :].split("\n## ", maxsplit=1)[0]
    return [line for line in section.splitlines() if line.startswith("| `")]


def test_a_meter_that_remembers_many_series_that_are_gone_is_worn(bench: Any) -> None:
    empty = take(bench.board)
    names = [f'["web-1","app.py","name {n}","PUB"]' for n in range(GONE_REMEMBERED + 3)]
    collected = [replace(empty, totals={name: TotalState(name, 1)}) for name in names]
    reader = InMemoryMetricReader()
    meter = MeterProvider([reader], shutdown_on_exit=False).get_meter("test")
    instruments = Instruments(iter(collected).__next__, meter)
    worn = []
    for _ in collected:
        reader.collect()
        worn.append(instruments.is_worn)
    assert worn == [False] * (len(names) - 1) + [True]


def test_numbers_that_a_journal_makes_up_fit_what_otlp_can_carry(bench: Any) -> None:
    most = 2**63 - 1
    writer = bench.writer()
    for n in (1, 2):
        writer.opened(f"{n:016x}", slot=n, kind="SUB")
        writer.set_counters(f"{n:016x}", n, lost=most, reordered=most, received=most, pending_sends=most)
    bench.tick()
    reader = InMemoryMetricReader()
    meter = MeterProvider([reader], shutdown_on_exit=False).get_meter("test")
    Instruments(lambda: take(bench.board), meter)
    data = reader.get_metrics_data()
    assert data is not None
    assert f"as_int: {most}" in str(encode_metrics(data))
