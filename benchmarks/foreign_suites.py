"""Test suites that nobody here wrote, bare and under ``hopwatch run``: the counts must be the same.

    python benchmarks/foreign_suites.py [--sequence stamp] [--work FOLDER] [PACKAGE ...]

Each package's sdist, as the registry has it, is unpacked beside a virtual environment with the package's own wheel, what its tests
need, and this hopwatch. Its tests then run by themselves, and again as ``hopwatch run pytest``, counting and with monitors on.
Some of these suites fail now and then by themselves: where outcomes differ, the files of those tests run once more, both ways.
Prints a table, each test whose outcome differed once, and each whose outcome differed again.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

REPOSITORY = Path(__file__).parents[1]
SUITE_SECONDS = 1800
INSTRUMENT_ALL = "import os; 'HOPWATCH_SEQUENCE' in os.environ and __import__('hopwatch').install()\n"
"""For kernels, which suites start with a ``PYTHONPATH`` of their own: bare ones would refuse what is stamped."""

PYTEST = [
    "pytest",
    "-q",
    "-p",
    "no:cacheprovider",
    "-o",
    "asyncio_default_fixture_loop_scope=function",
    "--timeout=60",
]


@dataclass(frozen=True)
class Suite:
    """One package's tests, and what they need besides the package. ``tests`` are paths in the sdist or, with ``installed``, modules of the wheel."""

    package: str
    version: str
    needs: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    tests: tuple[str, ...] = ("tests",)
    installed: bool = False


SUITES = {
    suite.package: suite
    for suite in (
        # the examples that test_mypy checks are not in the sdist
        Suite(
            "pyzmq",
            "27.3.0",
            ("gevent", "tornado", "cffi", "pytest-rerunfailures"),
            ("--ignore=tests/test_mypy.py",),
        ),
        Suite("jupyter_client", "8.10.0", ("jupyter_client[test]==8.10.0", "msgpack")),
        Suite("ipykernel", "7.4.0", ("flaky", "ipyparallel", "psutil", "pytest-cov")),
        Suite(
            "ipyparallel",
            "9.2.0",
            ("ipyparallel[test]==9.2.0",),
            tests=("ipyparallel.tests",),
            installed=True,
        ),
        Suite("txzmq", "1.0.0", ("twisted",), tests=("txzmq.test",), installed=True),
        Suite("eventlet", "0.41.3", ("pyzmq",), tests=("tests/zmq_test.py",)),
        Suite("zmq-anyio", "0.4.1", ("trio",)),
        # matplotlib is missed at import, and pytest ends with it
        Suite("zmq_tubes", "1.17.0", ("pyyaml",), ("--ignore=tests/threads/test_monitor.py",)),
        Suite("zmqruntime", "0.6.5", options=("--ignore=tests/test_ci_action_pinning.py",)),
        Suite("zprocess", "3.0.0", ("pytest-cov",), ("--no-cov",)),
        Suite(
            "bluesky",
            "1.15.1",
            (
                "bluesky[zmq]==1.15.1",
                "pytest-mock",
                "multiprocess",
                "ophyd",
                "cloudpickle",
                "matplotlib",
                "scipy",
                "lmfit",
            ),
            options=("--timeout=300",),
            tests=("bluesky.tests.test_zmq", "bluesky.tests.test_zmq_proxy_cli"),
            installed=True,
        ),
        # rpc_test wants asyncio.coroutine, which Python 3.11 has no more
        Suite("aiozmq", "1.0.0", ("msgpack",), ("--ignore=tests/rpc_test.py",)),
    )
}


@dataclass(frozen=True)
class Outcome:
    """What one run gave: the outcome of each test, and what hopwatch's journals say of it."""

    tests: dict[str, str]
    sockets: int = 0
    faults: int = 0

    def __str__(self) -> str:
        counts = Counter(self.tests.values())
        return ", ".join(f"{counts[kind]} {kind}" for kind in ("passed", "failed", "skipped") if counts[kind])


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "packages", nargs="*", metavar="PACKAGE", help=f"of {', '.join(SUITES)}; all by default"
    )
    parser.add_argument("--sequence", choices=("stamp", "count"), help="what `hopwatch run` is given")
    parser.add_argument("--work", type=Path, help="keep environments and results in this folder")
    args = parser.parse_args()
    work = args.work.absolute() if args.work else Path(tempfile.mkdtemp(prefix="foreign-suites-"))
    print(
        "| package | tests | bare | `hopwatch run` | sockets wrapped | faults |\n| --- | ---: | --- | --- | ---: | ---: |"
    )
    differing: list[str] = []
    options = ["--sequence", args.sequence] if args.sequence else []
    for package in args.packages or SUITES:
        suite = SUITES[package]
        folder = work / suite.package
        tests = unpacked(suite, folder)
        programs = environment(suite, folder / "venv")
        bare, watched = both_ways(suite, programs, tests, folder, options)
        print(
            f"| {suite.package} {suite.version} | {len(bare.tests)} | {bare} | {watched} | {watched.sockets} | {watched.faults} |",
            flush=True,
        )
        first = differences(suite, bare, watched)
        if first:
            print("\n".join(["once:", *first, "again:"]), flush=True)
            again = replace(suite, tests=files_of(suite, tests, differing_tests(bare, watched)))
            differing += differences(suite, *both_ways(again, programs, tests, folder / "again", options))
    print("\n".join(["", *differing]))
    return 1 if differing else 0


def both_ways(
    suite: Suite, programs: Path, tests: Path, results: Path, options: list[str]
) -> tuple[Outcome, Outcome]:
    """What the suite gives bare, and under ``hopwatch run`` with these options."""
    bare = run(suite, programs, tests, results / "bare", [])
    return bare, run(
        suite, programs, tests, results / "watched", [str(programs / "hopwatch"), "run", *options, "--"]
    )


def environment(suite: Suite, folder: Path) -> Path:
    """The programs of a virtual environment for this suite."""
    programs = folder / "bin"
    if not programs.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        packages = [
            f"{suite.package}=={suite.version}",
            "pytest",
            "pytest-asyncio",
            "pytest-timeout",
            *suite.needs,
        ]
        subprocess.run([programs / "pip", "install", "-q", *packages], check=True)
    current = ["install", "-q", "--no-deps", "--force-reinstall", REPOSITORY]
    subprocess.run([programs / "pip", *current], check=True)
    (packages_folder,) = folder.glob("lib/*/site-packages")
    (packages_folder / "instrument-all.pth").write_text(INSTRUMENT_ALL)
    return programs


def unpacked(suite: Suite, folder: Path) -> Path:
    """The tests of the sdist and their settings, without the package's own modules: the installed ones are tested."""
    tests = folder / "suite"
    if not tests.exists():
        requirement = f"{suite.package}=={suite.version}"
        download = [
            "download",
            "-q",
            "--no-deps",
            "--no-binary",
            suite.package,
            "-d",
            str(folder / "sdist"),
            requirement,
        ]
        subprocess.run([sys.executable, "-m", "pip", *download], check=True)
        (archive,) = (folder / "sdist").glob("*.tar.gz")
        with tarfile.open(archive) as sdist:
            sdist.extractall(folder / "unpacked", filter="data")
        (source,) = (folder / "unpacked").iterdir()
        tests.mkdir()
        folders = {Path(name).parts[0] for name in suite.tests if not suite.installed}
        for name in (*folders, "pyproject.toml", "pytest.ini", "setup.cfg"):
            if (source / name).exists():
                (source / name).rename(tests / name)
    return tests


def run(suite: Suite, programs: Path, tests: Path, results: Path, prefix: list[str]) -> Outcome:
    """Run the suite once."""
    results.mkdir(parents=True, exist_ok=True)
    journal = Path(tempfile.mkdtemp(dir=results))
    report = results / "report.xml"
    report.unlink(missing_ok=True)
    command = [
        *prefix,
        str(programs / PYTEST[0]),
        *PYTEST[1:],
        f"--junitxml={report}",
        *suite.options,
        *(["--pyargs"] if suite.installed else []),
        *suite.tests,
    ]
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    environment = {**os.environ, "HOPWATCH_DIR": str(journal), "PATH": path}
    with (results / "output.txt").open("w") as output:
        run_to_its_end(command, tests, environment, output)
    return Outcome(outcomes(report), *seen(journal))


def run_to_its_end(command: list[str], folder: Path, environment: dict[str, str], output: TextIO) -> None:
    """Run a program, and end it with all that it started if that takes too long: a failed test may hang for ever behind itself."""
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
    ) as program:
        try:
            program.wait(SUITE_SECONDS)
        except subprocess.TimeoutExpired:
            output.write(f"\nended after {SUITE_SECONDS} s\n")
            os.killpg(program.pid, signal.SIGKILL)


def outcomes(report: Path) -> dict[str, str]:
    """The last outcome of each test of a JUnit report; none where the suite was ended before it had written one."""
    found: dict[str, str] = {}
    if not report.exists():
        return found
    for case in ET.parse(report).iter("testcase"):  # noqa: S314 -- pytest wrote it
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        found[f"{case.get('classname')}::{case.get('name')}"] = outcome
    return found


def seen(journal: Path) -> tuple[int, int]:
    """How many sockets were wrapped, and how often the instrumentation was at fault."""
    events = Counter(
        json.loads(line)["event"]
        for path in journal.glob("*.events")
        for line in path.read_text().splitlines()
    )
    return events["opened"], events["fault"]


def differences(suite: Suite, bare: Outcome, watched: Outcome) -> list[str]:
    """Each test whose outcome differs, in words."""
    return [
        f"{suite.package}: {name}: {bare.tests.get(name)} bare, {watched.tests.get(name)} under hopwatch run"
        for name in differing_tests(bare, watched)
    ]


def differing_tests(bare: Outcome, watched: Outcome) -> list[str]:
    """The tests whose outcome differs, by the names that a JUnit report has for them."""
    names = sorted(bare.tests.keys() | watched.tests.keys())
    return [name for name in names if bare.tests.get(name) != watched.tests.get(name)]


def files_of(suite: Suite, tests: Path, names: Sequence[str]) -> tuple[str, ...]:
    """What pytest calls the files that these tests are in."""
    found = {}
    for name in names:
        parts = name.partition("::")[0].split(".")
        for end in range(1, len(parts) + 1):
            module = ".".join(parts[:end])
            if suite.installed and parts[end - 1].startswith("test_"):
                found[module] = True
            elif (tests / module.replace(".", "/")).with_suffix(".py").is_file():
                found[module.replace(".", "/") + ".py"] = True
    return tuple(found)


if __name__ == "__main__":
    sys.exit(main())
