"""What a process takes longer to start when it is instrumented by its environment: with bytecode, and where that is of another Python.

A pod's instrumentation is compiled for one Python, on a file system that keeps no other bytecode. Bare and instrumented processes start in turn;
"without bytecode" none of what they import has any, so that only the difference of the two is told.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

STARTUP = Path(__file__).resolve().parents[1] / "instrumentation" / "hopwatch" / "startup"
PROGRAM = "import zmq; context = zmq.Context(); context.socket(zmq.PUSH).close(); context.term()"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=25)
    pairs = parser.parse_args().pairs
    with tempfile.TemporaryDirectory() as folder:
        shared = {**os.environ, "HOPWATCH_DIR": f"{folder}/journal", "PYTHONDONTWRITEBYTECODE": "1"}
        shared.pop("PYTHONPATH", None)
        print("| bytecode | bare | instrumented | more |\n| --- | --- | --- | --- |")
        tell("there", differences(shared, pairs))
        tell("of another Python", differences(shared | {"PYTHONPYCACHEPREFIX": f"{folder}/none"}, pairs))


def differences(environment: dict[str, str], pairs: int) -> list[tuple[float, float]]:
    """Milliseconds of a core, of each pair."""
    instrumented = environment | {"PYTHONPATH": str(STARTUP)}
    return [(taken(environment), taken(instrumented)) for _ in range(pairs)]


def taken(environment: dict[str, str]) -> float:
    before = os.times()
    subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True)
    after = os.times()
    return 1000 * (
        after.children_user + after.children_system - before.children_user - before.children_system
    )


def tell(bytecode: str, found: list[tuple[float, float]]) -> None:
    bare, instrumented = (median(column) for column in zip(*found, strict=True))
    more = median(one - other for other, one in found)
    print(f"| {bytecode} | {bare:.0f} ms | {instrumented:.0f} ms | {more:.0f} ms |", flush=True)


if __name__ == "__main__":
    main()
