"""The demo as a sequence: start a lossy system, watch it, analyse it, hold the report against the truth."""

import time
from pathlib import Path

from hopwatch_demo.errors import DemoError
from hopwatch_demo.folder import Folder
from hopwatch_demo.live import progress_line
from hopwatch_demo.processes import HOPWATCH, Processes, started_processes
from hopwatch_demo.truth import Truth, differences, read_truth

MESSAGES = 12_000
SECONDS_PER_MESSAGE = {"slow": 0.002, "fast": 0.0}
SUBSCRIBERS = tuple(SECONDS_PER_MESSAGE)
APPLICATIONS = ("quotes", *SUBSCRIBERS)
MARGIN = "  "


def tell(folder: Folder) -> int:
    """Run the whole demo; returns 0 if the report equals the truth, else 1."""
    environment = {"HOPWATCH_DIR": str(folder.journal), "HOPWATCH_HOST": "demo", "HOPWATCH_DISABLED": ""}
    with started_processes(folder.logs, environment) as processes:
        print("A publisher sends through a proxy to two subscribers; one of them is slow.", flush=True)
        url = start_agent(processes, folder)
        start_system(processes, folder)
        watch(processes, url)
        processes.require_clean_end(APPLICATIONS)
        processes.terminate("proxy")
        processes.terminate("agent")
        print("\nThe Spark job reads what the agent has landed:", flush=True)
        analyze = [*HOPWATCH, "analyze", str(folder.landed), "--out", str(folder.report)]
        if processes.run_in_terminal("analyze", analyze) != 0:
            raise DemoError("hopwatch analyze failed; what it read is in " + str(folder.landed))
    return conclude(folder)


def start_agent(processes: Processes, folder: Folder) -> str:
    """Start the agent; returns the URL of its API."""
    places = ["--dir", folder.journal, "--data", folder.agent_data, "--land", folder.landed]
    processes.start("agent", [*HOPWATCH, "agent", *map(str, places), "--listen", "127.0.0.1:0"])
    url = processes.read_line("agent").rpartition(" ")[2]
    print(f"The agent shows it live, for as long as they run, at {url}/", flush=True)
    return url


def start_system(processes: Processes, folder: Folder) -> None:
    processes.start_program("proxy", "proxy")
    frontend, backend = processes.read_line("proxy"), processes.read_line("proxy")
    for name, seconds in SECONDS_PER_MESSAGE.items():
        processes.start_program(name, "subscriber", name, backend, seconds, folder.truth / f"{name}.received")
    processes.start_program("quotes", "publisher", frontend, MESSAGES, folder.truth / "quotes.sent")


def watch(processes: Processes, url: str) -> None:
    """A line a second until the publisher and the subscribers have ended."""
    started = time.monotonic()
    shown = started
    while processes.running(APPLICATIONS):
        if time.monotonic() - shown >= 1:
            shown = time.monotonic()
            print(MARGIN + progress_line(url, shown - started), flush=True)
        time.sleep(0.05)


def conclude(folder: Folder) -> int:
    truth = read_truth(folder.truth, SUBSCRIBERS)
    wrong = differences(folder.report / "report.json", truth)
    print("\nThe truth, by the numbers in the payloads that the subscribers got:")
    for line in truth_lines(truth):
        print(MARGIN + line)
    if wrong:
        print("The report DIFFERS from the truth:")
        for difference in wrong:
            print(MARGIN + difference)
    else:
        print("The report equals the truth.")
    print(f"Report: {relative(folder.report / 'report.html')}")
    return 1 if wrong else 0


def truth_lines(truth: Truth) -> list[str]:
    return [
        f"{name} received {received:,} of {truth.sent:,}: {truth.missing(name):,} missing"
        for name, received in truth.received.items()
    ]


def relative(path: Path) -> Path:
    """The path as short as it can be said from here."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
