"""How much memory Spark's Java process may use where its user does not say."""

import os
from collections.abc import Iterable
from pathlib import Path

MOST = 8 << 30
LEAST = 1 << 30
"""What Spark itself takes."""
CGROUP_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def java_memory(cgroup_limits: Iterable[Path] = CGROUP_LIMITS) -> str:
    """Half of what this machine has, or this container may use, as ``SPARK_DRIVER_MEMORY`` takes it; from 1 to 8 GB."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limits = [limit for path in cgroup_limits if (limit := _limit(path)) is not None]
    half = min([machine, *limits]) // 2
    return f"{max(LEAST, min(MOST, half)) >> 20}m"


def _limit(path: Path) -> int | None:
    """Bytes; None where there is no limit."""
    try:
        text = path.read_text().strip()
    except OSError:
        return None
    return int(text) if text.isdecimal() else None
