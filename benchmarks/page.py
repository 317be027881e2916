"""What the live page takes with many sockets that all move: until it is painted and shows them, and in how long pieces the browser is kept busy.

A real agent, a real Chromium; the sockets are those of journals that this program writes.
"""

import argparse
import os
import statistics
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "support")]

from agent_process import AgentProcess, eventually  # noqa: E402
from browser import chromium  # noqa: E402
from many_sockets import ManySockets  # noqa: E402
from playwright.sync_api import Browser, Page, expect  # noqa: E402

WATCH = """
globalThis.pieces = [];
new PerformanceObserver((list) => pieces.push(...list.getEntries().map((entry) => entry.duration))).observe({ type: "longtask", buffered: true });
globalThis.frames = [];
globalThis.shownAfter = 0;
const looking = setInterval(() => {
  if (!document.getElementById("shown")?.textContent.startsWith("COUNT socket")) return;
  shownAfter = performance.now();
  clearInterval(looking);
}, 5);
let last = performance.now();
requestAnimationFrame(function next(now) { frames.push(now - last); last = now; requestAnimationFrame(next); });
"""


@dataclass(frozen=True)
class Opening:
    """Milliseconds from when the page is asked for: first paint, and all sockets counted in the table."""

    painted: float
    shown: float


@contextmanager
def moving(many: ManySockets) -> Iterator[None]:
    """Each socket sends something each half second, as long as the block runs."""
    stop = threading.Event()

    def move() -> None:
        times = 1
        while not stop.wait(0.5):
            times += 1
            many.move(times, losing=7)
            many.number(times)

    thread = threading.Thread(target=move)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def opening(browser: Browser, url: str, count: int) -> tuple[Page, Opening]:
    page = browser.new_context(viewport={"width": 1280, "height": 900}).new_page()
    page.add_init_script(WATCH.replace("COUNT", f"{count:,}"))
    page.goto(url)
    expect(page.locator("#shown")).to_have_text(f"{count:,} sockets", timeout=60_000)
    shown: float = page.evaluate("shownAfter")
    painted: float = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    return page, Opening(painted, shown)


def watching(page: Page, seconds: int) -> str:
    page.evaluate("pieces.length = 0; frames.length = 0")
    page.wait_for_timeout(seconds * 1000)
    pieces: list[float] = page.evaluate("pieces")
    frames: list[float] = sorted(page.evaluate("frames"))
    heap: float = page.evaluate("performance.memory.usedJSHeapSize / 1e6")
    longest = max(pieces, default=0.0)
    p99 = frames[int(len(frames) * 0.99)]
    return (
        f"{seconds} s: {len(pieces)} pieces over 50 ms, the longest {longest:.0f} ms; frames: median {statistics.median(frames):.0f} ms,"
        f" p99 {p99:.0f} ms; heap {heap:.0f} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sockets", type=int, default=1_000)
    parser.add_argument("--openings", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=20)
    args = parser.parse_args()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("HOPWATCH_")}
    with tempfile.TemporaryDirectory() as folder, chromium() as browser:
        agent = AgentProcess(Path(folder), environment)
        agent.start()
        many = ManySockets(agent.journal, args.sockets)
        many.connect()
        try:
            eventually(lambda: agent.get("/v1/status")["sockets"] == args.sockets, 60)
            with moving(many):
                for number in range(args.openings):
                    page, opened = opening(browser, agent.url, args.sockets)
                    print(
                        f"painted after {opened.painted:.0f} ms, {args.sockets} sockets shown after {opened.shown:.0f} ms",
                        flush=True,
                    )
                    if number < args.openings - 1:
                        page.context.close()
                print(watching(page, args.seconds))
                costs = agent.get("/v1/status")["costs"]
                print(
                    f"the agent, with one who watches: {costs['cpu_percent']:.0f} % of a core, {costs['rss_bytes'] / 1e6:.0f} MB"
                )
        finally:
            many.close()
            agent.kill()


if __name__ == "__main__":
    main()
