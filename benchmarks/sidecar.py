"""What the agent takes beside an application: a pod that the real injector made, played by podman; by the count of the container's cgroup."""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from podman import Pod, image, podman  # noqa: E402

from tests.pods.conftest import Feed, feed_in  # noqa: E402

CGROUPS = Path("/sys/fs/cgroup")
AGENT = "hopwatch-agent"
A_SECOND = 1500
"""Messages that the sender makes, about: it waits half a millisecond after each."""


@dataclass(frozen=True)
class Taken:
    """``cpu`` in seconds so far, ``memory`` in bytes now, without what the kernel would give back at once."""

    cpu: float
    memory: int

    @classmethod
    def by(cls, pod: Pod) -> Taken:
        cgroup = pod.cgroup(AGENT).lstrip("/")
        if (CGROUPS / "cpuacct").is_dir():
            cpu = int((CGROUPS / "cpuacct" / cgroup / "cpuacct.usage").read_text()) / 1e9
            memory, used = CGROUPS / "memory" / cgroup, "memory.usage_in_bytes"
        else:
            cpu = numbers(CGROUPS / cgroup / "cpu.stat")["usage_usec"] / 1e6
            memory, used = CGROUPS / cgroup, "memory.current"
        cache = numbers(memory / "memory.stat")
        inactive = cache.get("total_inactive_file", cache.get("inactive_file", 0))
        return cls(cpu, int((memory / used).read_text()) - inactive)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    seconds = parser.parse_args().seconds
    print("| the sidecar | CPU | memory |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder, feed_in(Path(folder)) as feed:
        time.sleep(10)  # it has started
        tell("at rest, two sockets", feed.pod, seconds)
        stop = threading.Event()
        load = threading.Thread(target=keep_busy, args=(feed, stop))
        load.start()
        time.sleep(10)
        before = lost_so_far(feed)
        tell(
            f"{A_SECOND:,} stamped messages of 10 kB in about a second, most of them lost", feed.pod, seconds
        )
        print(f"\n{(lost_so_far(feed) - before) / seconds:,.0f} messages a second were seen to be lost.")
        stop.set()
        load.join()
        print(f"\nTold to end when the others have, it takes {ending(feed.pod):.2f} s.")
    print(f"\nFrom `podman run` to an answer of `/readyz`: {starts(5)}")
    print(f"\nWith a quarter of a core, as in pods that limit their CPU: {starts(3, '--cpus=0.25')}")


def tell(what: str, pod: Pod, seconds: float) -> None:
    before, began = Taken.by(pod), time.monotonic()
    time.sleep(seconds)
    after = Taken.by(pod)
    share = (after.cpu - before.cpu) / (time.monotonic() - began)
    print(f"| {what} | {100 * share:.2f} % of a core | {after.memory / 1e6:.0f} MB |", flush=True)


def keep_busy(feed: Feed, stop: threading.Event) -> None:
    """Nobody reads but in between: most of what is sent meets a full pipe."""
    while not stop.is_set():
        feed.sender.ask(A_SECOND)
        feed.receiver.ask("some")


def lost_so_far(feed: Feed) -> float:
    return float(feed.sockets()["receiver"]["counters"]["lost"])


def ending(pod: Pod) -> float:
    """Seconds that whoever waits for a Job would wait for the sidecar as well."""
    for part in ("sender", "receiver"):
        pod.stop(part)
    began = time.monotonic()
    pod.stop(AGENT)
    assert pod.state(AGENT)["ExitCode"] == 0
    return time.monotonic() - began


def starts(times: int, *limits: str) -> str:
    return ", ".join(f"{started(*limits):.2f} s" for _ in range(times))


ASK = """
import time, urllib.request
while True:
    try:
        urllib.request.urlopen("http://127.0.0.1:8735/readyz")
        break
    except OSError:
        time.sleep(0.01)
"""


def started(*limits: str) -> float:
    """Seconds from the start of a container until it is ready, asked for in its own network by a process that runs already."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        Path(folder).chmod(0o777)
        pod = podman("pod", "create", "--network", "none").stdout.strip()
        try:
            asking = podman(
                "run", "--detach", "--pod", pod, "--entrypoint", "python", image("agent"), "-c", ASK
            )
            began = time.monotonic()
            podman(
                *(
                    "run",
                    *limits,
                    "--detach",
                    "--pod",
                    pod,
                    "--read-only",
                    "--cap-drop",
                    "all",
                    "--passwd=false",
                ),
                *("--volume", f"{folder}:/data", "--env", "HOPWATCH_DIR=/data/journal", image("agent")),
                *("agent", "--data", "/data/agent", "--land", "nowhere://"),
            )
            podman("wait", "--interval", "10ms", asking.stdout.strip())
            return time.monotonic() - began
        finally:
            podman("pod", "rm", "--force", "--time", 0, pod)


def numbers(file: Path) -> dict[str, int]:
    words = file.read_text().split()
    return {name: int(value) for name, value in zip(words[::2], words[1::2], strict=True)}


if __name__ == "__main__":
    main()
