"""The measured figures as Markdown."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from collections.abc import Iterable
from pathlib import Path
from statistics import median

import zmq
from calls import CallCost
from comparison import Comparison
from load import SENDER
from variants import BARE

BEGIN, END = "<!-- figures begin -->", "<!-- figures end -->"


def machine() -> str:
    return (
        f"{os.cpu_count()} cores ({_processor()}), Linux {platform.release()}, "
        f"Python {platform.python_version()}, pyzmq {zmq.__version__}, libzmq {zmq.zmq_version()}"
    )


def version() -> str:
    """The commit that is measured, and a digest of what the files have besides it."""
    here = Path(__file__).parent
    commit = _git(here, "rev-parse", "--short", "HEAD")
    changed = _git(here, "diff", "HEAD", "--", "../instrumentation", "*.py")
    if not changed:
        return commit
    return f"{commit} with uncommitted changes {hashlib.sha256(changed.encode()).hexdigest()[:8]}"


def throughput_table(comparisons: Iterable[Comparison]) -> str:
    lines = [
        "| load | variant | messages/s | bare messages/s | ratio: median | middle half | range | pairs |",
        "| --- | --- | ---: | ---: | ---: | --- | --- | ---: |",
    ]
    for each in comparisons:
        low, high = each.quartiles
        lines.append(
            f"| {each.load.name} | {_wrapped_ends(each)} | {median(each.rates):,.0f} "
            f"| {median(each.bare_rates):,.0f} | **{each.ratio:.2f}** | {low:.2f} to {high:.2f} "
            f"| {each.ratios[0]:.2f} to {each.ratios[-1]:.2f} | {len(each.rates)} |"
        )
    return "\n".join(lines)


def _wrapped_ends(comparison: Comparison) -> str:
    """The variant; by the sender's clock the receiver is bare (see ``ends.py``)."""
    if comparison.load.bound == SENDER:
        return comparison.variant.replace("both ends", "sender alone")
    return comparison.variant


def calls_table(costs: Iterable[CallCost]) -> str:
    lines = [
        "| sockets | variant | ns a send | more than bare | ns a receive | more than bare |",
        "| --- | --- | ---: | ---: | ---: | ---: |",
    ]
    bare: dict[str, CallCost] = {}
    for each in costs:
        if each.variant == BARE:
            bare[each.pattern] = each
        than = bare[each.pattern]
        lines.append(
            f"| {each.pattern} | {each.variant} | {each.send:,.0f} | {each.send - than.send:+,.0f} "
            f"| {each.receive:,.0f} | {each.receive - than.receive:+,.0f} |"
        )
    return "\n".join(lines)


def put_between_markers(path: Path, figures: str) -> None:
    """Raises `ValueError` if the file has no markers."""
    before, _, rest = path.read_text().partition(BEGIN)
    _, found, after = rest.partition(END)
    if not found:
        raise ValueError(f"{path} has no line {BEGIN} with {END} after it")
    path.write_text(f"{before}{BEGIN}\n\n{figures}\n\n{END}{after}")


def _git(folder: Path, *command: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *command], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _processor() -> str:
    names = [line.partition(":")[2].strip() for line in _cpuinfo() if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _cpuinfo() -> list[str]:
    path = Path("/proc/cpuinfo")
    return path.read_text().splitlines() if path.exists() else []
