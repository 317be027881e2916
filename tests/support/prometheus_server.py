"""A real Prometheus that scrapes an agent, and what it answers."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import plain_http
from agent_process import eventually
from ports import free_ports
from receivers import tool

Sample = tuple[dict[str, str], float]
"""Labels and a value."""


@dataclass(frozen=True)
class Prometheus:
    """One that runs."""

    url: str

    def ask(self, expression: str) -> list[Sample]:
        """What an expression comes to now."""
        answer = self._get("query", query=expression)
        return [(sample["metric"], float(sample["value"][1])) for sample in answer["result"]]

    def rules(self) -> dict[str, dict[str, Any]]:
        """Its alert rules by their names, with their health, and their state."""
        groups = self._get("rules")["groups"]
        return {rule["name"]: rule for group in groups for rule in group["rules"]}

    def _get(self, path: str, **parameters: str) -> Any:
        answer = plain_http.get(f"{self.url}/api/v1/{path}", params=parameters, timeout=10)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]


@contextmanager
def prometheus(folder: Path, target: str, rules: Path) -> Iterator[Prometheus]:
    """Scrapes ``target`` (host and port) each half second, by the job "hopwatch", and evaluates the rules as often."""
    program, (port,) = tool("prometheus"), free_ports(1)
    config = folder / "prometheus.yml"
    config.write_text(
        "global: {scrape_interval: 500ms, scrape_timeout: 500ms, evaluation_interval: 500ms}\n"
        f"rule_files: ['{rules}']\n"
        f"scrape_configs: [{{job_name: hopwatch, static_configs: [{{targets: ['{target}']}}]}}]\n"
    )
    options = [f"--config.file={config}", f"--storage.tsdb.path={folder}/tsdb", "--log.level=error"]
    with subprocess.Popen([program, *options, f"--web.listen-address=127.0.0.1:{port}"]) as process:
        try:
            url = f"http://127.0.0.1:{port}"
            eventually(lambda: _is_ready(url), 60)
            yield Prometheus(url)
        finally:
            process.terminate()


def _is_ready(url: str) -> bool:
    try:
        return plain_http.get(f"{url}/-/ready").status_code == 200
    except httpx.TransportError:
        return False
