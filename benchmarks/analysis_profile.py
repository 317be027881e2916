"""Where the time of an analysis goes: by step, and of Spark's tasks what they did meanwhile.

    python benchmarks/large_fleet.py FOLDER --scale 0.1
    python benchmarks/analysis_profile.py FOLDER

Steps are what ``hopwatch analyze`` says that it does. What tasks took is from Spark's own log of events: a task counts for the step in
which it began. Where a step takes longer by the clock than its tasks on two cores can, nothing but planning and compiling goes on.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from large_analysis import MEMORY

PREFIX = "hopwatch analyze: "
MEASURES = ("run", "processor", "collecting", "moving", "spilling")


@dataclass
class Step:
    """What is said of it, when it began (seconds since 1970), and what its tasks took (seconds; spilled and moved in bytes)."""

    name: str
    began: float
    took: float = 0.0
    tasks: int = 0
    sums: Counter[str] = field(default_factory=Counter)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="what large_fleet.py wrote, or any landed files")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        steps = _run(args.folder, Path(scratch))
        for task in _tasks(Path(scratch) / "log"):
            _add(steps, task)
    print(_table(steps))


def _run(folder: Path, scratch: Path) -> list[Step]:
    (scratch / "log").mkdir()
    (scratch / "conf").mkdir()
    log = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",  # Spark 4 compresses it
        "spark.eventLog.dir": (scratch / "log").as_uri(),
    }
    told = "".join(f"{name} {value}\n" for name, value in log.items())
    (scratch / "conf" / "spark-defaults.conf").write_text(told)
    command = "import sys; from hopwatch.cli import main; sys.exit(main())"
    analyze = ["analyze", str(folder), "--out", str(scratch / "out"), "--master", "local[2]"]
    environment = {"SPARK_DRIVER_MEMORY": MEMORY, "SPARK_CONF_DIR": str(scratch / "conf")}
    steps = [Step("listing files", time.time())]
    with subprocess.Popen(
        [sys.executable, "-c", command, *analyze],
        env=os.environ | environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith(PREFIX):
                _begin(steps, line.removeprefix(PREFIX).strip())
    steps[-1].took = time.time() - steps[-1].began
    if process.returncode:
        raise SystemExit(f"hopwatch analyze ended with status {process.returncode}")
    return steps


def _begin(steps: list[Step], name: str) -> None:
    now = time.time()
    steps[-1].took = now - steps[-1].began
    steps.append(Step(name, now))
    print(name, file=sys.stderr, flush=True)


def _tasks(log: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(path for path in log.rglob("*") if path.is_file()):
        with file.open() as lines:
            for line in lines:
                if line.startswith('{"Event":"SparkListenerTaskEnd"'):
                    yield json.loads(line)


def _add(steps: list[Step], task: dict[str, Any]) -> None:
    began = task["Task Info"]["Launch Time"] / 1e3
    step = next(step for step in reversed(steps) if step.began <= began or step is steps[0])
    metrics = task["Task Metrics"]
    step.tasks += 1
    step.sums["run"] += metrics["Executor Run Time"] / 1e3
    step.sums["processor"] += metrics["Executor CPU Time"] / 1e9
    step.sums["collecting"] += metrics["JVM GC Time"] / 1e3
    step.sums["moving"] += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
    step.sums["spilling"] += metrics["Disk Bytes Spilled"]


def _table(steps: list[Step]) -> str:
    total = Step("all", steps[0].began, sum(step.took for step in steps), sum(step.tasks for step in steps))
    for step in steps:
        total.sums.update(step.sums)
    lines = [
        "| step | seconds | tasks | seconds of tasks | of processors | collecting garbage | moved, MB | spilled, MB |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    return "\n".join([*lines, *map(_row, [*steps, total])])


def _row(step: Step) -> str:
    run, processor, collecting, moving, spilling = (step.sums[name] for name in MEASURES)
    return f"| {step.name} | {step.took:.0f} | {step.tasks:,} | {run:.0f} | {processor:.0f} | {collecting:.0f} | {moving / 1e6:,.0f} | {spilling / 1e6:,.0f} |"


if __name__ == "__main__":
    main()
